"""The pages of agreement: all subjects in a table, and one subject with the cases of its cells."""

import re

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.reliability.pages.agreement import KIND, build_agreement_page
from discussions.reliability.pages.agreement_cases import AgreementCasesQuery
from discussions.reliability.pages.stored import build_team_state
from discussions.reliability.pages.subject import build_subject_page
from discussions.reliability.permissions import check_see_team_statistics
from workspace.core.refusals import Malformed
from workspace.web.bind_form import only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SECTION = "team"
_PAIR = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


@require("see_team_figures")
def agreement(request: SignedIn, slug: str) -> HttpResponse:
    """Show agreement on all subjects."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_see_team_statistics(request.user, project)
    page = build_agreement_page(project=project, now=timezone.now())
    context = {"page": page, "state": page.state, **frame(request.user, project, SECTION)}
    return respond(
        request,
        page="discussions/reliability/agreement.html",
        region="discussions/reliability/_agreement_figures.html",
        context=context,
    )


@require("see_team_figures")
def agreement_thing(request: SignedIn, slug: str, thing: str) -> HttpResponse:
    """A subject with its tables and cases; redirects to the agreement page while its statistics are missing."""
    project = project_or_404(request.user, slug)
    check_see_team_statistics(request.user, project)
    given = only_parameters(request, "row", "column", "pair", "from")
    wanted = AgreementCasesQuery(
        thing, given["row"], given["column"], _parse_pair(given["pair"]), parse_number(given["from"]) or 1
    )
    _state, row = build_team_state(project=project, kind=KIND, now=timezone.now())
    if row is None:
        return redirect("agreement", slug=slug)
    page = build_subject_page(project=project, row=row, wanted=wanted)
    if page is None:
        raise Http404
    context = {"page": page, **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/reliability/agreement_subject.html", context=context)


def _parse_pair(text: str) -> tuple[int, int] | None:
    """The two evaluators of "3-7"; None for "". Raises Malformed (400)."""
    if not text:
        return None
    found = _PAIR.fullmatch(text)
    if found is None:
        raise Malformed(_("This address holds something that the page does not know. Open the page again."))
    return int(found[1]), int(found[2])
