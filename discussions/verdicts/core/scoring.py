"""Compute a verdict from judgements and measurements: shared by preview, recording and replay."""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal

from discussions.adjudication.core.authorship_test import AnswerKey
from discussions.adjudication.core.effective import Effective, Judged, find_effective_values, machine_values
from discussions.core import judgement_kinds
from discussions.core.outcome import REPETITION, Facts, ManualCheck, Outcome, OutcomeLine
from discussions.core.records import Measurement, Score
from discussions.metrics.core.registry import METRICS, recount
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.rule import (
    add_binomial_flags,
    build_lines,
    check_identification,
    check_test,
    decide,
)
from rubric.core.records import Criterion, RubricRecord


def compute_outcome(
    found: Effective, measurements: Mapping[str, Measurement], cost: Decimal | None, rubric: RubricRecord
) -> Outcome:
    return decide(
        compute_scores(found, measurements, rubric),
        found.rating,
        cost,
        rubric,
        manual_check=build_manual_check(found, rubric),
        facts=collect_flip_facts(found, measurements),
    )


def compute_metric_lines(
    metrics: Collection[str], found: Effective, measurements: Mapping[str, Measurement], rubric: RubricRecord
) -> list[OutcomeLine]:
    criteria = [criterion for criterion in rubric.criteria if criterion.key in metrics]
    return build_lines(
        criteria,
        compute_scores(found, measurements, rubric, criteria),
        found.rating,
        manual_check=build_manual_check(found, rubric),
        facts=collect_flip_facts(found, measurements),
    )


def build_manual_check(found: Effective, rubric: RubricRecord) -> ManualCheck | None:
    """The manual check of personality diversity: the authorship test, else the question; None without either."""
    if found.test is not None:
        return check_test(found.test, decides=found.identify_decides)
    return check_identification(found.identification, rubric, decides=found.identify_decides)


def compute_basis_outcome(
    basis: Basis, measurements: Mapping[str, Measurement], rubric: RubricRecord
) -> Outcome:
    found = compute_effective_values(basis, measurements)
    outcome = compute_outcome(found, measurements, basis.cost.total_usd, rubric)
    return outcome if basis.format >= 3 else add_binomial_flags(outcome)


def compute_effective_values(basis: Basis, measurements: Mapping[str, Measurement]) -> Effective:
    judged = [
        Judged(row.evaluation, row.kind, row.subject, row.value, row.blind_value, is_submitted=True)
        for row in basis.judgements
    ]
    resolved = {(row.kind, row.subject): row.value for row in basis.adjudications}
    tests = {test.evaluation: AnswerKey(tuple(test.authors), test.agents) for test in basis.tests}
    return find_effective_values(
        judged,
        resolved,
        machine=machine_values(measurements),
        tests=tests,
        silence_votes=basis.format == 1,
    )


def compute_scores(
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    criteria: Iterable[Criterion] | None = None,
) -> dict[str, Score]:
    """Metric -> score by effective values, for the measured metrics of these criteria (None: all)."""
    return {
        criterion.key: recount(
            measurements[criterion.key],
            found.values.get(METRICS[criterion.key].judged, {}),
            rubric.parameters,
            added=found.added,
        )
        for criterion in (rubric.criteria if criteria is None else criteria)
        if not METRICS[criterion.key].is_rated
    }


def collect_flip_facts(found: Effective, measurements: Mapping[str, Measurement]) -> Facts:
    """The facts for flip distances: the counts of repeated phrases, and whether the game has messages."""
    accepted = found.values.get(judgement_kinds.PHRASE, {})
    counts: dict[bool, list[int]] = {False: [], True: []}
    for phrase in measurements[REPETITION].phrases:
        is_accepted = bool(accepted) and accepted.get(phrase.subject) == judgement_kinds.ACCEPTABLE
        counts[is_accepted].append(phrase.count)
    return Facts(
        repeated=counts[False],
        accepted=counts[True],
        has_messages=bool(measurements["strategic_depth"].messages),
    )
