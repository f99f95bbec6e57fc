"""Ties that share a question, resolved as a group or by a third evaluator, who answers them blind."""

from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.adjudication.actions import adjudicate_group as do_adjudicate_group
from discussions.adjudication.actions import answer_tie
from discussions.adjudication.actions import send_ties as do_send_ties
from discussions.adjudication.forms import GroupForm, ThirdForm
from discussions.adjudication.labels import TIE_ENDED
from discussions.adjudication.pages import IS, build_subject, list_groups, list_values, load_evidence_source
from discussions.adjudication.permissions import check_adjudicate, check_send_ties, check_third
from discussions.adjudication.queries import disagreements_in
from discussions.adjudication.views.game import led_game_or_404
from discussions.core.judgement_kinds import ROLE_CONSISTENCY
from discussions.models import TieRequest
from discussions.queries import newest_measured
from workspace.core.refusals import Malformed, Refusal, Unacceptable
from workspace.models import Person
from workspace.models.projects import EVALUATOR
from workspace.web.bind_form import bind_form
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("adjudicate", methods=("POST",))
def adjudicate_group(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    form = bind_form(request, GroupForm)
    form.check()
    fields = form.cleaned_data
    if not fields["value"].startswith(IS):
        raise Malformed(_("The form does not say which answer it means. Reload the page and try again."))
    # What the page showed comes with the form, so that an answer that changed since is not decided.
    shown = {}
    for item in fields["item"]:
        kind, _bar, rest = item.partition("|")
        sides_sha256, _bar, subject = rest.partition("|")
        shown[kind, subject] = sides_sha256
    refused = do_adjudicate_group(
        game=game, value=fields["value"].removeprefix(IS), reason=fields["reason"], shown=shown, key=fields["key"],
        by=request.user, now=timezone.now(),
    )  # fmt: skip
    if refused:
        says = ngettext(
            "%(n)d tie was not resolved: %(why)s", "%(n)d ties were not resolved: %(why)s", len(refused)
        )
        raise Unacceptable(says % {"n": len(refused), "why": " ".join(dict.fromkeys(refused))})
    return respond(request, page="", redirect=reverse("adjudicate", args=[slug, number]))


@require("send_ties", methods=("POST",))
def send_ties(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Send the ties of a group, or all that are open, to one evaluator."""
    game = led_game_or_404(request.user, slug, number)
    check_send_ties(request.user, game)
    form = bind_form(request, ThirdForm)
    form.check()
    group = form.cleaned_data["group"]
    keys = [one.key for one in list_groups(disagreements_in(game)).get(group, [])] if group else []
    if group and not keys:
        raise Unacceptable(_("No open tie is left to send. Reload the page."))
    evaluator = check_third(Person.objects.filter(pk=form.cleaned_data["evaluator"]).first(), game)
    do_send_ties(game=game, keys=keys, evaluator=evaluator, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("adjudicate", args=[slug, number]))


@require("sign_in", methods=("GET", "POST"))
def ties(request: SignedIn) -> HttpResponse:
    """The ties that wait for this person, and their answers; what others or the rules say is not here."""
    faults, status = [], 200
    if request.method == "POST":
        waiting = _waiting(request.user)
        if _is_any_gone(request, {row.pk for row in waiting}):
            faults, status = [str(TIE_ENDED)], 409
        for row in waiting:
            choice = str(request.POST.get(f"value-{row.pk}", ""))
            if not choice.startswith(IS):
                continue
            reason = str(request.POST.get(f"reason-{row.pk}", ""))
            try:
                answer_tie(
                    request=row,
                    value=choice.removeprefix(IS),
                    reason=reason,
                    by=request.user,
                    now=timezone.now(),
                )
            except Refusal as refusal:
                faults.append(refusal.sentence)
                status = refusal.status
        if not faults:
            return respond(request, page="", redirect=reverse("ties"))
    typed = request.POST.dict()  # kept beside what was refused
    context = {"items": list_items(request.user), "faults": faults, "typed": typed, **frame(request.user)}
    return respond(request, page="discussions/adjudication/ties.html", context=context, status=status)


def _is_any_gone(request: SignedIn, waiting: set[int]) -> bool:
    """Whether an answer was sent to a tie that ended after the page was loaded."""
    sent = {int(key) for name in request.POST if (key := name.removeprefix("value-")).isdecimal()}
    ended = TieRequest.objects.filter(evaluator=request.user, pk__in=sent - waiting).exclude(ended_at=None)
    return bool(sent - waiting) and ended.exists()


def _waiting(person: Person) -> list[TieRequest]:
    rows = TieRequest.objects.waiting_for(person).filter(
        game__project__memberships__person=person,
        game__project__memberships__role=EVALUATOR,
        game__project__memberships__ended_at=None,
    )
    rows = rows.select_related("game__project", "game__iteration__rubric_version")
    return list(rows.order_by("game", "pk"))


def list_items(person: Person) -> list[dict[str, Any]]:
    """Hides what the rules found and all answers: there is what was said, and the role where that is the question."""
    items = []
    for game, several in groupby(_waiting(person), key=lambda row: row.game):
        measured = newest_measured(game)
        if measured is None:
            continue
        source = load_evidence_source(game, measured, game.iteration.rubric_version)
        for row in several:
            subject = build_subject(source, row.kind, row.subject)
            items.append({
                "pk": row.pk, "project": game.project, "game": game.number, "kind": row.kind, "label": subject.label,
                "message": subject.message, "name": subject.name, "text": subject.text, "spans": subject.spans,
                "before": subject.before, "quotes": subject.quotes, "values": list_values(row.kind),
                "role": subject.role if row.kind == ROLE_CONSISTENCY else "",
            })  # fmt: skip
    return items
