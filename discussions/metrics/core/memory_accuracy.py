"""M1, memory accuracy: finds the references to the past and looks them up; a person says whether they are true."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from discussions.core import judgement_kinds
from discussions.core.outcome import Facts
from discussions.core.records import Evidence, GameRecord, Measurement, Message, ReferenceFinding, Score
from discussions.metrics.core import text as metrics_text
from discussions.metrics.core.metric import Judgements, Metric, reference_flip_distance
from discussions.metrics.core.parameters import Parameters
from discussions.metrics.core.patterns import Pattern
from discussions.metrics.core.prepared_game import Reading
from discussions.metrics.core.references.reference_patterns import ReferencePatterns
from discussions.metrics.core.references.round_names import RoundNames, find_round_names
from discussions.metrics.core.references.vote_record import check
from discussions.metrics.core.references.vote_sentences import check_sentence
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "memory_accuracy"


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """The counted and the possible references, each with its check. Nothing is accurate before a person says so.

    If there is no counted reference, the metric is not applicable, and it is 100 by the rule. Source: rubric, Metric
    1.
    """
    wanted = parameters.mask("reference", "possible_reference")
    names = None
    if parameters.choice("rules") != "1.0":
        names = find_round_names(reading.game, reading.marked, reading.bounds)
    findings: list[ReferenceFinding] = []
    for index, flags in enumerate(reading.message_flags):
        if flags & wanted:
            findings.extend(_references(reading, index, parameters, names))
    counted = sum(finding.is_counted for finding in findings)
    return Measurement(
        KEY,
        0,
        counted,
        is_applicable=counted > 0,
        is_pending=counted > 0,
        counted=list(dict.fromkeys(finding.message for finding in findings if finding.is_counted)),
        references=findings,
    )


def _references(
    reading: Reading, index: int, parameters: Parameters, names: RoundNames | None
) -> Iterator[ReferenceFinding]:
    message, stored = reading.game.messages[index], reading.stored.messages[index].text
    low = reading.low(index)
    flags = reading.message_flags[index]
    counting = _possible(low, parameters.groups["reference"].active(flags))
    wider = _possible(low, parameters.groups["possible_reference"].active(flags))
    if not counting and not wider:
        return
    patterns = ReferencePatterns(
        counting=counting,
        wider=wider,
        own_round=message.round,
        past_only=parameters.choice("reference_rounds") == "past_only",
        names=names,
        counterfactual=parameters.groups["counterfactual"] if names else None,
    )
    for number, start, end in _units(message.text, low, parameters):
        piece = low[start:end]
        pattern, is_counted = patterns.match(piece)
        if pattern is None:
            continue
        outcome, evidence, spoken = _look_up(piece, reading.game, message, parameters, names)
        start, end = (metrics_text.stored_place(stored, message.text, place) for place in (start, end))
        yield ReferenceFinding(
            message=message.position,
            sentence=number,
            start=start,
            end=end,
            text=stored[start:end],
            is_counted=is_counted,
            pattern=pattern.source,
            check=outcome,
            evidence=evidence,
            round=spoken,
        )


def _look_up(
    piece: str, game: GameRecord, message: Message, parameters: Parameters, names: RoundNames | None
) -> tuple[str, Evidence | None, int | None]:
    """Outcome, evidence and round of a sentence checked against the record, by the version's edition of the rules."""
    if names is None:
        return *check(piece, game, message, parameters.doubts), None
    return check_sentence(piece, game, message, parameters.doubts, names)


def _possible(low: str, patterns: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
    """The patterns that match the whole text; a pattern that matches one of its sentences must be among them."""
    return tuple([pattern for pattern in patterns if pattern.is_word or pattern.search(low)])


def _units(text: str, low: str, parameters: Parameters) -> Iterator[tuple[int, int, int]]:
    """(number, start, end) of each sentence, or of the whole message as number 0; a prefix set aside is left out."""
    if parameters.choice("reference_unit") == "message":
        units = [(0, 0, len(text))]
    else:
        units = [
            (number, start, end) for number, (start, end) in enumerate(metrics_text.split(text), start=1)
        ]
    for number, start, end in units:
        if low[start] == " ":
            start = _behind_prefix(text, low, start, end)
        if start < end:
            yield number, start, end


def _behind_prefix(text: str, low: str, start: int, end: int) -> int:
    """Where the sentence begins if `low` has blanks at its start: skips a blanked prefix, keeps an underscore."""
    begin, _ = metrics_text.trim(low, start, end)
    while begin > start and text[begin - 1] == "_":
        begin -= 1
    return begin


def diagnostics(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    counted = [finding for finding in measurement.references if finding.is_counted]
    possible = [finding for finding in measurement.references if not finding.is_counted]
    return {
        "references": len(counted),
        "possible_references": len(possible),
        "checks": _checks(counted),
        "possible_checks": _checks(possible),
    }


def _checks(findings: list[ReferenceFinding]) -> dict[str, int]:
    found = Counter(finding.check for finding in findings)
    return {outcome: found[outcome] for outcome in ("supported", "close", "cannot_check")}


def recount(measurement: Measurement, judgements: Judgements) -> Score:
    """The share of accurate references. Counted sentences without a label are missing."""
    values = judgements.values
    counted = [finding.subject for finding in measurement.references if finding.is_counted]
    subjects = list(dict.fromkeys([*counted, *sorted(judgements.added | values.keys(), key=_place)]))
    counts = Counter(values[subject] for subject in subjects if subject in values)
    missing = [subject for subject in subjects if subject not in values]
    below = (
        counts[judgement_kinds.ACCURATE] + counts[judgement_kinds.INACCURATE] + counts[judgement_kinds.VAGUE]
    )
    return Score(
        measurement.metric,
        counts[judgement_kinds.ACCURATE],
        below,
        is_applicable=below > 0 or bool(missing),
        is_pending=bool(missing),
        missing=missing,
        counts={label: counts[label] for label in judgement_kinds.VALUES[judgement_kinds.REFERENCE]},
    )


def _place(subject: str) -> tuple[int, ...]:
    return tuple(int(part) for part in subject.split("."))


def without_deliberate(
    measurement: Measurement,
    values: Mapping[str, str],
    deliberate: Collection[str],
    *,
    added: Collection[str] = (),
) -> Score:
    """The score with the deliberate falsehoods left out: a lie is good play, not bad memory."""
    left_out = dict.fromkeys(values.keys() & deliberate, judgement_kinds.NOT_A_REFERENCE)
    return recount(measurement, Judgements({**values, **left_out}, {}, frozenset(added)))


def machine_values(measurement: Measurement) -> dict[str, str]:
    """Counted references have the value "": they exist, but only people label them."""
    return {finding.subject: "" for finding in measurement.references if finding.is_counted}


def flip(score: Score, threshold: Fraction, facts: Facts) -> int | None:
    return reference_flip_distance(
        score.numerator, score.denominator, threshold, has_messages=facts.has_messages
    )


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    parameters=ParameterSpecs(
        choices={"reference_unit": ("sentence", "message"), "reference_rounds": ("past_only", "any")}
    ),
    judged=judgement_kinds.REFERENCE,
    machine_values=machine_values,
    recount=recount,
    flip=flip,
    step="references",
    is_required=True,
    has_estimate=False,
)
