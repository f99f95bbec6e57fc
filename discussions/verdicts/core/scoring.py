"""Compute a verdict from judgements and measurements, for preview, recording and replay, and what would flip it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.authorship_test import AnswerKey
from discussions.adjudication.core.effective import (
    Effective,
    Judged,
    Key,
    find_effective_values,
    machine_values,
)
from discussions.core import judgement_kinds
from discussions.core.outcome import REPETITION, Facts, ManualCheck, Outcome, OutcomeLine, PeopleShare
from discussions.core.records import Measurement, Score
from discussions.metrics.core.metric import Judgements
from discussions.metrics.core.parameters import COUNTED, divides_by_judge, read_message_score
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.people_estimate import (
    POSITIVE,
    build_strata,
    draw_sample,
    read_more_rule,
    score_people,
)
from discussions.verdicts.core.rule import (
    add_binomial_flags,
    build_lines,
    check_identification,
    check_test,
    decide,
    passes_with,
)
from rubric.core.records import Criterion, RubricRecord

Samples = Mapping[str, Collection[str]]


def compute_outcome(
    found: Effective,
    measurements: Mapping[str, Measurement],
    cost: Decimal | None,
    rubric: RubricRecord,
    samples: Samples,
) -> Outcome:
    """The outcome of these effective values; `samples` are the messages of everybody's accuracy samples, by metric."""
    scores = compute_scores(found, measurements, rubric)
    return decide(
        scores,
        found.rating,
        cost,
        rubric,
        manual_check=build_manual_check(found, rubric),
        facts=collect_flip_facts(found, measurements),
        people=compute_people_shares(scores, found, measurements, rubric, samples),
    )


def compute_metric_lines(
    metrics: Collection[str],
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    samples: Samples,
) -> list[OutcomeLine]:
    criteria = [criterion for criterion in rubric.criteria if criterion.key in metrics]
    scores = compute_scores(found, measurements, rubric, criteria)
    return build_lines(
        criteria,
        scores,
        found.rating,
        manual_check=build_manual_check(found, rubric),
        facts=collect_flip_facts(found, measurements),
        people=compute_people_shares(scores, found, measurements, rubric, samples),
    )


def compute_people_shares(
    scores: Mapping[str, Score],
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    samples: Samples,
) -> dict[str, PeopleShare]:
    """People's estimates of the metrics that the version scores by them, by metric."""
    shares = {}
    for key in POSITIVE.keys() & scores.keys():
        choice, score = read_message_score(rubric.parameters, key), scores[key]
        if choice == COUNTED or not score.denominator:
            continue
        counted = METRICS[key].scale.value(score.numerator, score.denominator)
        shares[key] = _score_people(key, choice, counted, found, measurements, rubric, samples)
    return shares


def _score_people(
    key: str,
    choice: str,
    counted: Fraction,
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    samples: Samples,
) -> PeopleShare:
    machine, values = METRICS[key].machine_values(measurements[key]), found.values.get(key, {})
    judges = [one for one in found.judges if one.metric == key and divides_by_judge(rubric.parameters)]
    said = {subject: value for one in judges for subject, value in one.answers.items()}
    return score_people(
        build_strata(key, machine, values, samples.get(key, ()), said or None),
        choice,
        counted,
        Fraction(str(rubric.criterion(key).threshold or 0)),
        judged=sum(subject in values for subject in machine),
        batch=read_more_rule(rubric, key).count,
        helpers=[(one.number, one.name) for one in judges],
    )


def estimate_line(
    line: OutcomeLine,
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    samples: Samples,
) -> OutcomeLine | None:
    """The line with people's estimate beside its score; None without a judged message of a sample, or a score."""
    values = found.values.get(line.key, {})
    if line.score is None or not any(subject in values for subject in samples.get(line.key, ())):
        return None
    counted = Fraction(line.score)
    people = _score_people(line.key, COUNTED, counted, found, measurements, rubric, samples)
    return replace(line, people=people)


def draw_samples(
    basis: Basis,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    keys: Iterable[str] = tuple(POSITIVE),
) -> dict[str, set[str]]:
    """The messages of everybody's accuracy samples, by metric, from the seeds of the basis; {} without seeds."""
    if not any(evaluation.seed for evaluation in basis.evaluations):
        return {}
    own: dict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for judgement in basis.judgements:
        if judgement.value:
            own[judgement.evaluation, judgement.kind][judgement.subject] = judgement.value
    samples: dict[str, set[str]] = {}
    for key in keys:
        machine, rule = METRICS[key].machine_values(measurements[key]), read_more_rule(rubric, key)
        samples[key] = {
            str(position)
            for evaluation in basis.evaluations
            if evaluation.seed
            for position in draw_sample(
                evaluation.seed, machine, own[evaluation.id, key], rule, evaluation.more.get(key, 0)
            ).positions
        }
    return samples


def build_manual_check(found: Effective, rubric: RubricRecord) -> ManualCheck | None:
    """The manual check of personality diversity: the authorship test, else the question; None without either."""
    if found.test is not None:
        return check_test(found.test, decides=found.identify_decides)
    return check_identification(found.identification, rubric, decides=found.identify_decides)


def compute_basis_outcome(
    basis: Basis,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    found: Effective | None = None,
    samples: Samples | None = None,
) -> Outcome:
    """The outcome of a basis; its effective values and accuracy samples are computed here unless given."""
    found = found or compute_effective_values(basis, measurements)
    samples = draw_samples(basis, measurements, rubric) if samples is None else samples
    outcome = compute_outcome(found, measurements, basis.cost.total_usd, rubric, samples)
    return outcome if basis.format >= 3 else add_binomial_flags(outcome)


def compute_effective_values(basis: Basis, measurements: Mapping[str, Measurement]) -> Effective:
    judged = [
        Judged(row.evaluation, row.kind, row.subject, row.value, row.blind_value, is_submitted=True)
        for row in basis.judgements
    ]
    resolved = {(row.kind, row.subject): row.value for row in basis.adjudications}
    tests = {
        test.evaluation: AnswerKey(tuple(test.authors), test.agents, test.needed) for test in basis.tests
    }
    found = find_effective_values(
        judged,
        resolved,
        machine=machine_values(measurements),
        tests=tests,
        silence_votes=basis.format == 1,
    )
    return replace(found, judges=tuple(basis.judges))


def compute_scores(
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    criteria: Iterable[Criterion] | None = None,
) -> dict[str, Score]:
    """Metric -> score by effective values, for the measured metrics of these criteria (None: all)."""
    metrics = [METRICS[criterion.key] for criterion in (rubric.criteria if criteria is None else criteria)]
    return {
        metric.key: metric.recount(
            measurements[metric.key],
            Judgements(found.values.get(metric.judged, {}), rubric.parameters, found.added),
        )
        for metric in metrics
        if not metric.is_rated
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


class JudgedVerdict(Struct, frozen=True):
    """A game as it was judged: its basis, its findings, and the outcome of the basis. `seeds` are by evaluation."""

    basis: Basis
    measurements: Mapping[str, Measurement]
    rubric: RubricRecord
    outcome: Outcome
    found: Effective
    seeds: Mapping[int, str]


def estimate_all(judged: JudgedVerdict) -> list[OutcomeLine]:
    """The lines of metrics that people sampled, with their estimate, but for those whose score it is."""
    lines = [line for line in judged.outcome.lines if line.key in POSITIVE and not line.is_scored_by_people]
    basis = judged.basis.complete(judged.seeds)
    samples = draw_samples(basis, judged.measurements, judged.rubric, [line.key for line in lines])
    found = [estimate_line(line, judged.found, judged.measurements, judged.rubric, samples) for line in lines]
    return [line for line in found if line is not None]


def would_turn(outcome: Outcome, key: str) -> bool:
    """Whether the verdict would flip if only this metric were on the other side of its threshold."""
    other = {line.key: not line.passes for line in outcome.lines if line.key == key}
    return passes_with(outcome, other) != passes_with(outcome, {})


# The answer that counts for a metric, and the one against it.
_SIDES = {
    judgement_kinds.REFERENCE: (judgement_kinds.ACCURATE, judgement_kinds.INACCURATE),
    judgement_kinds.STRATEGIC_DEPTH: (judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.COHERENCE: (judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.ROLE_CONSISTENCY: (judgement_kinds.CONSISTENT, judgement_kinds.INCONSISTENT),
}
# Where a sample is estimated from, not each answer turns it.
MOST_TRIED = 3


def find_turning_answer(
    line: OutcomeLine,
    found: Effective,
    measurements: Mapping[str, Measurement],
    rubric: RubricRecord,
    samples: Samples,
) -> Key | None:
    """The answer on a message, as (kind, subject), that alone would turn a metric; None where there is none.

    Of several, answers against the automatic value come first, since they are most in doubt, then other answers, then
    what nobody judged.
    """
    metric = METRICS[line.key]
    kind = metric.judged
    if line.flip != 1 or kind not in _SIDES:
        return None
    machine, said = metric.machine_values(measurements[line.key]), found.values.get(kind, {})
    now, other = _SIDES[kind] if line.passes else _SIDES[kind][::-1]
    values = {**machine, **said}

    def in_doubt(subject: str) -> tuple[bool, bool, tuple[int, int]]:
        return (
            subject not in said,
            said.get(subject) == machine.get(subject),
            judgement_kinds.parse_subject(subject),
        )

    for subject in sorted((one for one in values if values[one] == now), key=in_doubt)[:MOST_TRIED]:
        changed = replace(found, values={**found.values, kind: {**said, subject: other}})
        (turned,) = compute_metric_lines([line.key], changed, measurements, rubric, samples)
        if turned.passes != line.passes:
            return kind, subject
    return None
