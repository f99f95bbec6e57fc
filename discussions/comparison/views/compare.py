"""Two iterations side by side, the answer first, and the decision on the change."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.actions import record_decision
from discussions.comparison.core.comparison import IterationComparison, MetricCompared, compare, look_refusal
from discussions.comparison.core.difference import MOST_LOOKS
from discussions.comparison.core.sentences import PLAY_MORE, PLAY_REFERENCE, WAIT
from discussions.comparison.forms import DecisionForm
from discussions.comparison.permissions import check_decide
from discussions.comparison.queries import DecisionPreview, decision_preview, refuse_decision
from discussions.comparison.views.metric import (
    build_effects,
    build_metric_part,
    describe_figure,
    pair_games,
    pooled_says,
    waits_says,
)
from discussions.core.iteration_states import IMPORTING, INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.figures import name_helpers
from discussions.iterations.core.history import DecisionLine, History, HistoryIteration
from discussions.iterations.core.prompt_diff import prompt_diff
from discussions.iterations.pages import TONES, JudgedIteration, judge_iteration
from discussions.iterations.permissions import check_stage_open
from discussions.iterations.queries import load_history, refuse_replay
from discussions.iterations.views import COMPARE, SECTION, build_stage_frame, iteration_or_404
from discussions.models import Game, Iteration, Stage
from discussions.queries import game_record
from discussions.slots.permissions import check_see_iterations
from rubric.core.records import RubricRecord
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Refusal
from workspace.core.text import figure
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status, parse_number
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

# So many messages of two games stand beside each other before all are asked for.
FIRST_LINES = 4


@require("see_iterations")
def compare_iterations(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    given = only_parameters(request, "with", "games")
    rows = Iteration.objects.visible_to(request.user).filter(stage__isnull=False)
    row = get_object_or_404(
        rows.select_related("project", "stage__project"), project__slug=slug, number=iteration
    )
    check_see_iterations(request.user, row.project)
    assert row.stage is not None
    history, number = load_history(row.stage), parse_number(given["with"])
    change = history.find(row.pk)
    control = _find_control(history, change, number) if change else None
    if change is None or (number and control is None):
        raise Http404
    page = _build_page(row, history, change, control)
    page["said"] = _read_pair(row, page["pairs"], given["games"])
    context = {
        "page": page,
        "head": build_stage_frame(stage=row.stage, current=COMPARE, history=history),
        "decision": None,
        **frame(request.user, row.project, SECTION),
    }
    if page["is_decided_on"]:
        part = build_decision_part(
            iteration=row, history=history, person=request.user, preview=page["preview"]
        )
        context |= {"decision": part, "decision_form": propose_decision(part)}
    return respond(request, page="discussions/comparison/compare.html", context=context)


def _read_pair(iteration: Iteration, pairs: Sequence[dict[str, Any]], asked: str) -> dict[str, Any] | None:
    """What is said in the two games that were asked for as "4-7", else the first messages of the most changed."""
    pair = next((pair for pair in pairs if "-".join(map(str, pair["numbers"])) == asked), None)
    if asked and pair is None:
        raise Http404
    if not (pair := pair or next(iter(pairs), None)):
        return None
    rows = Game.objects.filter(project=iteration.project_id, number__in=pair["numbers"])
    games = {number: (key, sha) for key, sha, number in rows.values_list("pk", "content_sha256", "number")}
    if len(games) < len(pair["numbers"]):
        return None  # one of them is erased
    sides = []
    for number in pair["numbers"]:
        record = game_record(*games[number])
        sides.append([(record.players[each.player - 1].name, each.text) for each in record.messages])
    lines = list(zip_longest(*sides))
    return {"numbers": pair["numbers"], "lines": lines if asked else lines[:FIRST_LINES], "count": len(lines)}


def _find_control(history: History, change: HistoryIteration, number: int) -> HistoryIteration | None:
    """The iteration of that number in the stage; for 0 the one it is compared with, else the one before it."""
    if number:
        found = next((iteration for iteration in history.iterations if iteration.number == number), None)
        return None if found is change else found
    before = [iteration for iteration in history.iterations if iteration.number < change.number]
    return history.find(change.compared_with) or (before[-1] if before else None)


def _build_page(
    iteration: Iteration, history: History, change: HistoryIteration, control: HistoryIteration | None
) -> dict[str, Any]:
    """`is_decided_on` says that a decision is about this pair; `preview` is its basis, None if it is not.

    `choices` are the numbers and labels of the iterations that `change` can be compared with.
    """
    is_decided_on = control is not None and control.id == change.compared_with
    shown = (control, change)
    if control is not None and is_decided_on:
        shown = (history.judged_control(change, control)[0], history.pooled(change))
    sides = [judge_iteration(side) for side in shown if side is not None]
    rubric, stage = sides[-1].rubric, iteration.stage
    assert stage is not None
    choices = _choices(history, change)
    found, problem, preview = _find_comparison(history, change, control, rubric, has_choice=bool(choices))
    metrics = {metric.key: metric for metric in found.metrics} if found else {}
    parts = [
        build_metric_part(criterion, sides, metrics.get(criterion.key))
        for criterion in (rubric.criteria if control else [])
    ]
    target, diff = change.target if found else "", None
    if control:
        before = Iteration.objects.values_list("prompt", flat=True).get(pk=control.id)
        diff = prompt_diff(before, iteration.prompt)
    return {
        "change": change,
        "control": control,
        "choices": choices,
        "problem": problem,
        "answer": _build_answer(found, change, control, history, preview) if found and control else None,
        "target": next((part for part in parts if part["key"] == target), None),
        "effects": build_effects(found.metrics) if found else None,
        "pairs": _list_pairs(found, sides) if found else [],
        "others": [part for part in parts if part["key"] != target],
        "columns": [criterion.label for criterion in rubric.criteria],
        "sides": [(side.row, _side_games(side.row, rubric)) for side in sides],
        "diff": diff,
        "is_decided_on": is_decided_on,
        "preview": preview,
        "replay": _offer_replay(stage, history, control) if control and is_decided_on else None,
        "again": get_again_address(iteration),
    }


def _list_pairs(found: IterationComparison, sides: Sequence[JudgedIteration]) -> list[dict[str, Any]]:
    """By the target; without one by the first metric of the rubric."""
    metric = found.metric(found.target) if found.target else found.metrics[0]
    return [
        {**pair, "label": metric.label} for pair in pair_games(metric, [side.row.figures for side in sides])
    ]


def _find_comparison(
    history: History,
    change: HistoryIteration,
    control: HistoryIteration | None,
    rubric: RubricRecord,
    *,
    has_choice: bool,
) -> tuple[IterationComparison | None, str, DecisionPreview | None]:
    if control is None and has_choice:
        return None, _("A baseline has no reference. Choose an iteration to compare it with."), None
    if control is None:
        return None, _("There is no other iteration in this stage yet to compare it with."), None
    if control.protocol != change.protocol:
        return None, _describe_other_way(control, change), None
    if unknown := [iteration for iteration in (control, change) if not iteration.is_known]:
        return None, _describe_unknown(unknown[-1]), None
    if control.id == change.compared_with:
        preview = decision_preview(history, change.id)
        assert preview is not None
        return preview.compared, look_refusal(preview.basis.look), preview
    found = compare(
        control.figures,
        change.figures,
        rubric,
        earlier=history.earlier(control, change),
        target=change.target or None,
        material=change.material,
    )
    return found, "", None


def _describe_other_way(control: HistoryIteration, change: HistoryIteration) -> str:
    """Why two iterations are not compared; with what to do, if they differ in nothing but the rubric version."""
    numbers = {"first": control.number, "other": change.number}
    if replace(control, rubric_version=change.rubric_version).protocol == change.protocol:
        older = min(control, change, key=lambda iteration: iteration.rubric_version)
        says = _(
            "Iterations %(first)d and %(other)d were judged by different rubric versions, so their figures cannot be "
            "held against each other. If iteration %(older)d can be moved to the newer version on its page, they are "
            "compared then."
        )
        return says % {**numbers, "older": older.number}
    says = _(
        "Iterations %(first)d and %(other)d were judged in different ways (rubric version, evaluators, what they "
        "were shown), so their figures cannot be held against each other."
    )
    return says % numbers


def _describe_unknown(iteration: HistoryIteration) -> str:
    if iteration.tied:
        says = _(
            "Evaluators differ on %(games)s of iteration %(number)d. The two are compared here once a lead has "
            "resolved the ties of a game."
        )
        return says % {"games": format_numbers(iteration.tied), "number": iteration.number}
    says = _("Iteration %(number)d has no rated game yet; the two are compared here once it has.")
    return says % {"number": iteration.number}


def _choices(history: History, change: HistoryIteration) -> list[tuple[int, str]]:
    baseline = history.baseline
    found = []
    for iteration in history.iterations:
        if iteration is change:
            continue
        label = f"{iteration.number} {iteration.name}"
        if iteration.id == change.compared_with:
            label = _("%(name)s (what it is compared with)") % {"name": label}
        elif baseline is not None and iteration.id == baseline.id:
            label = _("%(name)s (baseline)") % {"name": label}
        found.append((iteration.number, label))
    return found


def _build_answer(
    found: IterationComparison,
    change: HistoryIteration,
    control: HistoryIteration,
    history: History,
    preview: DecisionPreview | None,
) -> dict[str, Any]:
    """`look` counts the looks at the pair, including this one; 0 if the decision is not about this pair.

    `decided` is the newest decision on it; `is_open` says that further games of its prompt can be planned.
    """
    look = preview.basis.look if preview else 0
    pooled = pooled_says(history, control, change) if look else []
    waits = waits_says(*(history.same_prompt(control) if look else [control]), change)
    withdrawn = describe_withdrawn(found, preview) if preview else ""
    return {
        "found": found,
        "is_clear": look == 0 or found.act in (KEEP, REVERT),
        "is_more": found.act == PLAY_MORE,
        "is_replay": found.act == PLAY_REFERENCE,
        "decided": choice_words()[change.decision.choice] if look and change.decision else "",
        "is_open": history.reference is not None
        and history.reference.side == control.side
        and (change.decision is None or change.decision.choice == INCONCLUSIVE),
        "look": look,
        "most_looks": MOST_LOOKS,
        "waits": waits,
        "notes": [says for says in (found.batches, *pooled, withdrawn) if says],
    }


def _side_games(row: HistoryIteration, rubric: RubricRecord) -> list[dict[str, Any]]:
    """The games of an iteration, a figure for each metric with the part of its page that shows it; withdrawn last."""
    games = [(game, False) for game in row.figures] + [(game.game.figures, True) for game in row.left_out]
    return [
        {
            "number": game.number,
            "figures": [
                describe_figure(game, criterion.key, float(criterion.threshold or 0))
                for criterion in rubric.criteria
            ],
            "cost": _("not reported") if game.cost_usd is None else f"${figure(game.cost_usd, decimals=2)}",
            "is_withdrawn": is_withdrawn,
        }
        for game, is_withdrawn in games
    ]


def build_replay_button(*, stage: Stage, history: History, row: HistoryIteration) -> dict[str, object] | None:
    """The button on the page of an iteration: for a change its reference, for a reference itself, else None.

    A re-play that still takes games has no button: its games are added on that page.
    """
    is_reference = row is history.reference
    played = row if is_reference else history.find(row.replay_of or row.compared_with or row.id)
    if played is None or (row.replay_of is not None and row.state == IMPORTING):
        return None
    return _offer_replay(stage, history, played)


def _offer_replay(stage: Stage, history: History, reference: HistoryIteration) -> dict[str, object]:
    """Plays this reference again, also when the next change is compared with another one; a refusal disables it."""
    refusal = get_refusal(check_stage_open, stage) or get_refusal(refuse_replay, history, reference)
    return {"number": reference.number, "refusal": refusal}


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
    def waits(self) -> bool:
        """Whether games are to be rated first: then nothing is proposed."""
        return self.found is None or self.found.act == WAIT

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
        choices=_offer(refusal or _refusal(person, iteration, preview, KEEP), refusal, found),
        decided=row.decisions[::-1],
        differs=bool(row.decision and found and row.decision.choice != found.proposal),
        helped={key: says for key in estimated if (says := name_helpers(games, key))},
    )


def propose_decision(part: DecisionPart | None) -> DecisionForm:
    """The empty form; before the first decision with what is proposed, and what the games show as its reason."""
    if part is None or part.found is None or part.decided or part.waits:
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


def _offer(keep_refusal: str, refusal: str, found: IterationComparison | None) -> list[dict[str, Any]]:
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
            "is_proposed": found is not None and found.act != WAIT and found.proposal == choice,
        }
        for choice, meaning in means.items()
    ]


def _refusal(person: Person, iteration: Iteration, preview: DecisionPreview, choice: str = "") -> str:
    refused = get_refusal(check_decide, person, iteration, choice)
    return refused or get_refusal(refuse_decision, preview, choice)
