"""Deciding on a change: keep, revert or inconclusive."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.comparison.actions import record_decision
from discussions.comparison.core.comparison import IterationComparison, MetricCompared
from discussions.comparison.core.difference import MOST_LOOKS
from discussions.comparison.forms import DecisionForm
from discussions.comparison.permissions import check_decide
from discussions.comparison.queries import DecisionPreview, decision_preview, refuse_decision
from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.figures import name_helpers
from discussions.iterations.core.history import DecisionLine, History
from discussions.iterations.pages import TONES
from discussions.iterations.queries import load_history
from discussions.iterations.views import COMPARE, SECTION, build_stage_frame, iteration_or_404
from discussions.models import Iteration
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Refusal
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

PAGE, REGION = "discussions/comparison/decide.html", "discussions/comparison/_decision.html"


@require("decide", methods=("GET", "POST"))
def decide_iteration(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    """The form on its own page; redirects to the comparison, or shows the form with all input."""
    row = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, row)
    form, status = DecisionForm(), 200
    if request.method == "POST":
        form, status = bind_form(request, DecisionForm), 422
        try:
            if form.is_valid():
                given = form.cleaned_data
                then, target = given.pop("then"), given.pop("target")
                record_decision(iteration=row, **given, by=request.user, now=timezone.now())
                address = get_again_address(row, target) if then else None
                compared = reverse("compare_iterations", args=[slug, iteration])
                return respond(request, page="", redirect=address or compared)
        except Refusal as refusal:
            status = kept_status(form, refusal)
        row = iteration_or_404(request.user, slug, iteration)
    assert row.stage is not None  # only a change gets here, and every change has its stage
    history = load_history(row.stage)
    part = build_decision_part(iteration=row, history=history, person=request.user)
    context = {
        "decision": part,
        "decision_form": form if form.is_bound else propose_decision(part),
        "head": build_stage_frame(stage=row.stage, current=COMPARE, history=history),
        "iteration": row,
        **frame(request.user, row.project, SECTION),
    }
    return respond(request, page=PAGE, region=REGION, context=context, status=status)


def get_again_address(iteration: Iteration, target: str = "") -> str:
    """Where further games of this change's prompt are planned, with another target if it is not ""."""
    stage = iteration.stage
    assert stage is not None
    given = {"again": iteration.number} | ({"target": target} if target else {})
    return f"{reverse('open_iteration', args=[iteration.project.slug, stage.number])}?{urlencode(given)}"


class DecisionPart(Struct, frozen=True):
    """Everything in the region. `found` is None while nothing is proposed; `says_with` is what the comparison would say
    with withdrawn games. `target` is None if none was named.

    `words` and `tones` name choices. `refusal` disables the button, that of a choice only that one. `differs` says that
    the current decision is not what the figures propose now. `look` counts the looks at the pair, including this one.
    `helped` says by metric which judges helped with people's estimates.
    """

    number: int
    against: int
    found: IterationComparison | None
    says_with: str
    target: MetricCompared | None
    words: dict[str, str]
    tones: dict[str, str]
    look: int
    most_looks: int
    basis_sha256: str
    refusal: str
    choices: list[dict[str, Any]]
    decided: list[DecisionLine]
    differs: bool
    helped: dict[str, str]

    @property
    def guardrails(self) -> list[MetricCompared]:
        return [metric for metric in self.found.metrics if metric != self.target] if self.found else []


def build_decision_part(
    *, iteration: Iteration, history: History, person: Person, preview: DecisionPreview | None = None
) -> DecisionPart | None:
    """The region for an iteration fetched with its project; None unless it is a change. One query without `preview`."""
    preview = preview or decision_preview(history, iteration.pk)
    row = history.find(iteration.pk)
    if preview is None or row is None:
        return None
    against = history.find(row.compared_with)
    found = preview.compared if row.is_known else None
    refusal = _refusal(person, iteration, preview)
    games = [*row.figures, *(against.figures if against else [])]
    estimated = [metric.key for metric in found.metrics if metric.by_people] if found else []
    return DecisionPart(
        number=iteration.number,
        against=against.number if against else 0,
        found=found,
        says_with=describe_withdrawn(found, preview),
        target=found.metric(found.target) if found and found.target else None,
        words=choice_words(),
        tones=TONES,
        look=min(preview.basis.look, MOST_LOOKS),
        most_looks=MOST_LOOKS,
        basis_sha256=preview.basis_sha256,
        refusal=refusal,
        choices=_choices(refusal or _refusal(person, iteration, preview, KEEP), refusal, found),
        decided=row.decisions[::-1],
        differs=bool(row.decision and found and row.decision.choice != found.proposal),
        helped={key: says for key in estimated if (says := name_helpers(games, key))},
    )


def propose_decision(part: DecisionPart | None) -> DecisionForm:
    """The empty form; before the first decision with what is proposed, and what the games show as its reason."""
    if part is None or part.found is None or part.decided:
        return DecisionForm()
    return DecisionForm(initial={"choice": part.found.proposal, "reason": part.found.says})


def describe_withdrawn(found: IterationComparison | None, preview: DecisionPreview) -> str:
    """What the answer would be with games that were withdrawn after their figures were known; "" without any."""
    if found is None or preview.with_withdrawn is None:
        return ""
    says = ngettext(
        "With %(games)s, withdrawn after its figures were known: %(answer)s A withdrawal counts as a look.",
        "With %(games)s, withdrawn after their figures were known: %(answer)s Each withdrawal counts as a look.",
        len(found.withdrawn),
    )
    return says % {
        "games": format_numbers(found.withdrawn),
        "answer": preview.with_withdrawn.says,
    }


def choice_words() -> dict[str, str]:
    return {KEEP: _("keep"), REVERT: _("revert"), INCONCLUSIVE: _("inconclusive")}


def _choices(keep_refusal: str, refusal: str, found: IterationComparison | None) -> list[dict[str, Any]]:
    """Only keeping has further conditions."""
    means = {
        KEEP: _("the next change builds on this prompt"),
        REVERT: _("the next change builds on the earlier prompt"),
        INCONCLUSIVE: _("nobody can tell; it builds on the earlier prompt"),
    }
    return [
        {
            "value": choice,
            "label": choice_words()[choice].capitalize(),
            "means": meaning,
            "refusal": keep_refusal if choice == KEEP else refusal,
            "is_proposed": found is not None and found.proposal == choice,
        }
        for choice, meaning in means.items()
    ]


def _refusal(person: Person, iteration: Iteration, preview: DecisionPreview, choice: str = "") -> str:
    refused = get_refusal(check_decide, person, iteration, choice)
    return refused or get_refusal(refuse_decision, preview, choice)
