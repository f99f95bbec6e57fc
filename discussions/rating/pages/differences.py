"""Where an evaluator and the rule differ, after submitting: a page to learn from.

Hides other evaluations, roles and findings that are not open yet, and messages that the evaluator did not judge:
it is built from `VisibleEvaluation`.
"""

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.metrics.core.references.vote_record import SUPPORTED
from discussions.models.queue_rules import load_rating_rule
from discussions.models.slots import CALIBRATION
from discussions.rating.pages.items import rule_says
from discussions.rating.pages.review import STEP_METRICS, build_guides, compare_with_rule
from discussions.rating.pages.visible_evaluation import (
    VisibleEvaluation,
    build_visible_evaluation,
    say_answer,
)
from discussions.rating.queries import EvaluationState
from rubric.core.records import Criterion

DOUBTED = (judgement_kinds.INACCURATE, judgement_kinds.VAGUE)


class RuleDifference(Struct, frozen=True):
    """One message on which evaluator and rule differ: both answers and a note."""

    message: int
    name: str
    role: str
    text: str
    yours: str
    rule: str
    because: str


class MetricDifferences(Struct, frozen=True):
    """The differences in one metric, the number of messages that both judged, and the rubric's text on the metric."""

    guide: Criterion
    judged: int
    differences: list[RuleDifference]


class DifferencesPage(Struct, frozen=True):
    """The whole page; `is_hidden` while the iteration hides what the rule found."""

    evaluation: int
    game_number: int
    is_hidden: bool
    metrics: list[MetricDifferences]


def build_differences_page(work: EvaluationState) -> DifferencesPage | None:
    """The page of an evaluation; None if the project does not show it or the evaluation is not submitted."""
    evaluation = work.evaluation
    rule = load_rating_rule(evaluation.game.project_id)
    if not rule.shows_differences or evaluation.state != SUBMITTED or evaluation.purpose == CALIBRATION:
        return None
    visible = build_visible_evaluation(work)
    guides = build_guides(work.rubric)
    steps = {metric: step for step, metric in STEP_METRICS.items()}
    metrics = [
        _metric(visible, guides[steps[metric]], metric)
        for metric in judgement_kinds.MESSAGE_KINDS
        if metric in visible.shown.findings
    ]
    return DifferencesPage(
        evaluation=evaluation.pk,
        game_number=evaluation.game_number,
        is_hidden=not visible.shown.findings and not visible.visibility.checks,
        metrics=[_references(visible, guides["references"]), *metrics],
    )


def _metric(visible: VisibleEvaluation, guide: Criterion, metric: str) -> MetricDifferences:
    judged, found = 0, []
    for position, finding, yours, rule in compare_with_rule(visible, metric):
        judged += 1
        if yours != rule:
            is_role = metric == judgement_kinds.ROLE_CONSISTENCY
            because = rule_says(finding.rule, finding.words) if is_role else ""
            found.append(_difference(visible, position, (metric, yours, rule), because))
    return MetricDifferences(guide, judged, found)


def _references(visible: VisibleEvaluation, guide: Criterion) -> MetricDifferences:
    """References that the vote record supports and the evaluator does not; the record never calls one wrong."""
    checked = [reference for reference in visible.shown.references if reference.check == SUPPORTED]
    labelled = [
        (visible.value(judgement_kinds.REFERENCE, reference.subject), reference) for reference in checked
    ]
    return MetricDifferences(
        guide,
        sum(bool(label) for label, _reference in labelled),
        [
            _difference(
                visible,
                reference.message,
                (judgement_kinds.REFERENCE, label, judgement_kinds.ACCURATE),
                reference.says,
            )
            for label, reference in labelled
            if label in DOUBTED
        ],
    )


def _difference(
    visible: VisibleEvaluation, position: int, said: tuple[str, str, str], because: str
) -> RuleDifference:
    message, (kind, yours, rule) = visible.seen.messages[position - 1], said
    parts = visible.shown.parts if kind == judgement_kinds.ROLE_CONSISTENCY else None
    part = parts[message.player - 1] if parts else None
    return RuleDifference(
        message=position,
        name=visible.seen.name(message.player),
        role=", ".join(filter(None, (part.role, part.side))) if part else "",
        text=message.text,
        yours=say_answer(kind, yours),
        rule=say_answer(kind, rule),
        because=because,
    )
