"""Two iterations side by side: the answer first, the target metric, the others as guardrails, the games."""

from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.comparison import (
    MOST_LOOKS,
    IterationComparison,
    MetricCompared,
    compare,
    describe_rebound,
    look_refusal,
)
from discussions.comparison.pages.decision import describe_comparison, describe_withdrawn
from discussions.comparison.pages.metric import (
    TONES,
    MetricComparison,
    describe_figure,
    metric_part,
    pooled_control_says,
    pooled_says,
    waits_says,
)
from discussions.comparison.pages.replay import ReplayButton, build_reference_button
from discussions.comparison.queries import DecisionPreview, decision_preview
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.core.prompt_diff import PromptDiff, prompt_diff
from discussions.iterations.pages import judge_iteration
from discussions.models import Iteration
from rubric.core.records import RubricRecord
from workspace.core.text import figure, signed_figure
from workspace.display.core.number_lists import format_numbers


class ComparisonAnswer(Struct, frozen=True):
    """The answer: the first line, its tone, and what to do by default.

    `look` counts the looks at the pair, including this one; 0 if the decision is not about this pair. `checks` are
    sentences on guardrails. `waits` names games that are not rated, `pooled` games of other iterations that count too.
    `rebound` says how much of the difference is regression to the mean. `withdrawn` says what the answer would be with
    games that were withdrawn after their figures were known.
    """

    says: str
    tone: str
    action: str
    look: int
    most_looks: int
    checks: list[str]
    waits: str
    pooled: list[str]
    rebound: str
    withdrawn: str


class SideGame(Struct, frozen=True):
    """One game of a side: a figure for each metric and the part of its page that shows it; its cost."""

    number: int
    figures: list[tuple[str, str]]
    cost: str
    is_withdrawn: bool


class ComparePage(Struct, frozen=True):
    """The page of two iterations. `problem` says why there is no answer, "" if there is one.

    `choices` are the numbers and labels of the iterations that `change` can be compared with; `control` is the chosen
    one. `sides` are both with their games. `is_decided_on` says that a decision is about this pair; `target` is None if
    none was named. `preview` is the basis of a decision; `replay` plays the reference again; both are None if the
    decision is not about this pair.
    """

    change: HistoryIteration
    control: HistoryIteration | None
    choices: list[tuple[int, str]]
    problem: str
    answer: ComparisonAnswer | None
    target: MetricComparison | None
    others: list[MetricComparison]
    columns: list[str]
    sides: list[tuple[HistoryIteration, list[SideGame]]]
    diff: PromptDiff | None
    is_decided_on: bool
    preview: DecisionPreview | None
    replay: ReplayButton | None


def other_side(history: History, change: HistoryIteration, number: int) -> HistoryIteration | None:
    """The iteration of that number in the stage; for 0 the one it is compared with, else the one before it."""
    if number:
        found = next((iteration for iteration in history.iterations if iteration.number == number), None)
        return None if found is change else found
    if reference := history.find(change.compared_with):
        return reference
    return next(
        (iteration for iteration in reversed(history.iterations) if iteration.number < change.number), None
    )


def build_compare_page(
    *, iteration: Iteration, history: History, change: HistoryIteration, control: HistoryIteration | None
) -> ComparePage:
    """The page of an iteration and another one of its stage, if there is one."""
    is_decided_on = control is not None and control.id == change.compared_with
    shown = (control, change)
    if control is not None and is_decided_on:
        shown = (history.pooled_control(control), history.pooled(change))
    sides = [judge_iteration(side) for side in shown if side is not None]
    rubric, stage = sides[-1].rubric, iteration.stage
    assert stage is not None
    found, problem, preview = _compared(history, change, control, rubric)
    metrics = {metric.key: metric for metric in found.metrics} if found else {}
    criteria = rubric.criteria if control else []
    parts = [metric_part(criterion, sides, metrics.get(criterion.key)) for criterion in criteria]
    target = change.target if found else ""
    return ComparePage(
        change=change,
        control=control,
        choices=_choices(history, change),
        problem=problem,
        answer=_answer(found, change, control, history, preview) if found and control else None,
        target=next((part for part in parts if part.key == target), None),
        others=[part for part in parts if part.key != target],
        columns=[criterion.label for criterion in rubric.criteria],
        sides=[(side.row, _side_games(side.row, rubric)) for side in sides],
        diff=_diff(control, iteration) if control else None,
        is_decided_on=is_decided_on,
        preview=preview,
        replay=build_reference_button(stage=stage, history=history, reference=control)
        if control and is_decided_on
        else None,
    )


def _compared(
    history: History, change: HistoryIteration, control: HistoryIteration | None, rubric: RubricRecord
) -> tuple[IterationComparison | None, str, DecisionPreview | None]:
    """The comparison, or why there is none; and the basis of a decision, if it is about the pair."""
    if control is None and _choices(history, change):
        return None, _("A baseline has no reference. Choose an iteration above to compare it with."), None
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


def _answer(
    found: IterationComparison,
    change: HistoryIteration,
    control: HistoryIteration,
    history: History,
    preview: DecisionPreview | None,
) -> ComparisonAnswer:
    target = found.metric(found.target) if found.target else None
    look = preview.basis.look if preview else 0
    return ComparisonAnswer(
        says=describe_comparison(found),
        tone=TONES[found.answer],
        action=found.action if look else "",
        look=look,
        most_looks=MOST_LOOKS,
        checks=found.checks,
        waits=waits_says(*(history.same_prompt(control) if look else [control]), change),
        pooled=[*filter(None, (pooled_control_says(history, control), pooled_says(history, change)))]
        if look
        else [],
        rebound=_rebound(target) if look and target else "",
        withdrawn=describe_withdrawn(found, preview) if preview else "",
    )


def _rebound(target: MetricCompared) -> str:
    """A sentence on the regression to the mean if the target was picked as the lowest; "" for any other target."""
    found = target.difference
    if not found.rebound or found.raw is None:
        return ""
    says = _(
        "%(raw)s%(rebound)s: %(label)s was the lowest metric of these games, and the lowest one tends to rise in new "
        "games without any change. That much was taken off before judging. With new games of the reference, less "
        "has to be taken off."
    )
    return says % {
        "raw": signed_figure(found.raw),
        "rebound": describe_rebound(found),
        "label": target.label.lower(),
    }


def _side_games(row: HistoryIteration, rubric: RubricRecord) -> list[SideGame]:
    """The games of an iteration; those that were withdrawn come last."""
    games = [(game, False) for game in row.figures] + [(game.game.figures, True) for game in row.left_out]
    return [
        SideGame(
            number=game.number,
            figures=[
                describe_figure(game, criterion.key, float(criterion.threshold or 0))
                for criterion in rubric.criteria
            ],
            cost=_("not reported") if game.cost_usd is None else f"${figure(game.cost_usd, decimals=2)}",
            is_withdrawn=is_withdrawn,
        )
        for game, is_withdrawn in games
    ]


def _diff(control: HistoryIteration, iteration: Iteration) -> PromptDiff:
    before = Iteration.objects.values_list("prompt", flat=True).get(pk=control.id)
    return prompt_diff(before, iteration.prompt)
