"""Where an evaluator and the rule differ, after submitting: a page to learn from.

It is built from the desk of the evaluation, which holds nothing that its evaluator may not see: no other evaluations,
no roles or findings that are still hidden, and only messages that the evaluator judged.
"""

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.metrics.core.vote_record import SUPPORTED
from discussions.models.queue_rules import load_rating_rule
from discussions.models.slots import CALIBRATION
from discussions.rating.pages.desk import Desk, build_desk, say_answer
from discussions.rating.pages.items import rule_says
from discussions.rating.pages.records import StepGuide
from discussions.rating.pages.review import STEP_METRICS, build_guides
from discussions.rating.pages.transcript import machine_value
from discussions.rating.queries import EvaluationState

DOUBTED = (judgement_kinds.INACCURATE, judgement_kinds.VAGUE)


class RuleDifference(Struct, frozen=True):
    """One message on which both differ: what each said, and what else there is to say of it."""

    message: int
    name: str
    role: str
    text: str
    yours: str
    rule: str
    because: str


class MetricDifferences(Struct, frozen=True):
    """The differences in one metric, of so many messages that both judged, and what the rubric says of it."""

    guide: StepGuide
    judged: int
    differences: list[RuleDifference]


class DifferencesPage(Struct, frozen=True):
    """The whole page; `is_hidden` while the iteration hides what the rule found."""

    evaluation: int
    game_number: int
    is_hidden: bool
    metrics: list[MetricDifferences]


def build_differences_page(work: EvaluationState) -> DifferencesPage | None:
    """The page of a submitted evaluation; None where there is none: the project does not show it, or not submitted."""
    evaluation = work.evaluation
    rule = load_rating_rule(evaluation.game.project_id)
    if not rule.shows_differences or evaluation.state != SUBMITTED or evaluation.purpose == CALIBRATION:
        return None
    desk = build_desk(work, [])
    guides = build_guides(work.rubric)
    steps = {metric: step for step, metric in STEP_METRICS.items()}
    metrics = [
        _metric(desk, guides[steps[metric]], metric)
        for metric in judgement_kinds.MESSAGE_KINDS
        if metric in desk.shown.findings
    ]
    return DifferencesPage(
        evaluation=evaluation.pk,
        game_number=evaluation.game_number,
        is_hidden=not desk.shown.findings and not desk.visibility.checks,
        metrics=[_references(desk, guides["references"]), *metrics],
    )


def _metric(desk: Desk, guide: StepGuide, metric: str) -> MetricDifferences:
    """The messages that the evaluator judged differently than the rule."""
    judged, found = 0, []
    for position, finding in sorted(desk.shown.findings[metric].items()):
        yours, rule = desk.value(metric, str(position)), machine_value(metric, finding)
        judged += bool(yours)
        if yours and yours != rule:
            is_role = metric == judgement_kinds.ROLE_CONSISTENCY
            because = rule_says(finding.rule, finding.words) if is_role else ""
            found.append(_difference(desk, position, (metric, yours, rule), because))
    return MetricDifferences(guide, judged, found)


def _references(desk: Desk, guide: StepGuide) -> MetricDifferences:
    """References that the vote record supports and the evaluator does not; the record calls nothing wrong."""
    checked = [reference for reference in desk.shown.references if reference.check == SUPPORTED]
    labelled = [
        (desk.value(judgement_kinds.REFERENCE, reference.subject), reference) for reference in checked
    ]
    return MetricDifferences(
        guide,
        sum(bool(label) for label, _reference in labelled),
        [
            _difference(
                desk,
                reference.message,
                (judgement_kinds.REFERENCE, label, judgement_kinds.ACCURATE),
                reference.says,
            )
            for label, reference in labelled
            if label in DOUBTED
        ],
    )


def _difference(desk: Desk, position: int, said: tuple[str, str, str], because: str) -> RuleDifference:
    message, (kind, yours, rule) = desk.seen.messages[position - 1], said
    parts = desk.shown.parts if kind == judgement_kinds.ROLE_CONSISTENCY else None
    part = parts[message.player - 1] if parts else None
    return RuleDifference(
        message=position,
        name=desk.seen.name(message.player),
        role=", ".join(filter(None, (part.role, part.side))) if part else "",
        text=message.text,
        yours=say_answer(kind, yours),
        rule=say_answer(kind, rule),
        because=because,
    )
