"""What a draft of the discussion rubric would make of a game that was judged: which side each criterion is on, and why.

Pure: two outcomes in, sentences out. The outcomes come from the same arithmetic as every verdict.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from discussions.core import kinds
from discussions.core.basis import Basis
from discussions.core.effective import Effective
from discussions.core.metrics import METRICS, measured_keys
from discussions.core.outcome import ABOVE, Line, Outcome
from discussions.core.records import Measurement, Score
from rubric.core.records import RubricRecord
from workspace.core.text_display import figure

# Parameters that no measurement reads: the rule of the verdict, what people are asked, what iterations need, and what
# only the second look uses. A test measures without them.
NOT_MEASURED = frozenset(
    "pass_count metric_count cost_limit_usd cost_success_usd answers_yes_count answers_yes_rating "
    "identification_pass identification_pass_count identification_min_messages identification_max_messages "
    "sample_percent sample_min sample_max baseline_game_count iteration_game_count changes_per_iteration "
    "successes_in_a_row cache_hit_percent shuffle_count shuffle_warning_percent variety_phrase_count "
    "top_phrase_count robotic_use_count robotic_message_count".split()
)


def is_measured_alike(one: RubricRecord, other: RubricRecord) -> bool:
    """Whether both versions measure every game alike, so that the findings of the one are those of the other."""
    is_same = one.lists == other.lists and _measured(one) == _measured(other)
    return is_same and measured_keys(one) == measured_keys(other)


def _measured(rubric: RubricRecord) -> dict[str, object]:
    return {name: value for name, value in rubric.parameters.items() if name not in NOT_MEASURED}


def lost(basis: Basis, before: Mapping[str, Measurement], after: Mapping[str, Measurement]) -> Counter[str]:
    """How many judgements name a reference or a phrase that was found before and is not found now, by kind."""
    gone = {
        kinds.REFERENCE: _references(before) - _references(after),
        kinds.PHRASE: _phrases(before) - _phrases(after),
    }
    return Counter(
        one.kind for one in basis.judgements if one.value and one.subject in gone.get(one.kind, ())
    )


def _references(measurements: Mapping[str, Measurement]) -> set[str]:
    return {f"{one.message}.{one.sentence}" for one in measurements["memory_accuracy"].references}


def _phrases(measurements: Mapping[str, Measurement]) -> set[str]:
    return {f"{one.player}|{one.phrase}" for one in measurements["anti_repetition"].phrases}


def turned(before: Outcome, after: Outcome) -> list[tuple[Line, Line]]:
    """The lines of the criteria that are on another side, or are not known on one of the two."""
    old = {line.key: line for line in before.lines}
    return [
        (old[line.key], line)
        for line in after.lines
        if line.key in old and old[line.key].passes != line.passes
    ]


def added(before: Outcome, after: Outcome) -> list[Line]:
    """The lines of criteria that were not there before and are known."""
    old = {line.key for line in before.lines}
    return [line for line in after.lines if line.key not in old and line.passes is not None]


def reasons(before: Outcome, after: Outcome, found: Effective, scores: Mapping[str, Score]) -> list[str]:
    """Why the outcome is another one: each criterion that changed sides, then the rule, in a sentence each.

    `found` is what counts under the draft, `scores` what it gives there: they say what was not judged.
    """
    said = [_why_turned(*pair, scores) for pair in turned(before, after)]
    said += [_why_added(line) for line in added(before, after)]
    said += [*_count(before, after), *_mandatory(before, after), *_cost(before, after)]
    if found.ties:
        things = "thing" if len(found.ties) == 1 else "things"
        said.append(f"Evaluators differ on {len(found.ties)} {things} that a team lead would settle first.")
    return said


def _why_turned(before: Line, after: Line, scores: Mapping[str, Score]) -> str:
    said = _why_side(before, after, scores)
    return f"{said} It must pass." if after.is_mandatory and after.passes is False else said


def _why_side(before: Line, after: Line, scores: Mapping[str, Score]) -> str:
    if after.passes is None:
        return f"{after.label} cannot be told: {_missing(scores.get(after.key))}."
    if before.passes is None:
        return f"{after.label} could not be told, and is {_figure(after, after.threshold)}."
    if after.is_decided_by_hand and after.manual_check and before.manual_check:
        check, was = after.manual_check, before.manual_check
        hits = f"the manual check, {check.yes} of {check.asked},"
        return f"{after.label}: {hits} {_sides(str(was.needed), str(check.needed), passed=before.passes)}."
    return _why_share(before, after)


def _why_added(line: Line) -> str:
    enough = "enough" if line.passes else "not enough"
    limit = f"{_short(figure(line.threshold))}{METRICS[line.key].scale.symbol}"
    return f"{line.label} is new: {_figure(line, line.threshold)} is {enough} at {limit}."


def _why_share(before: Line, after: Line) -> str:
    """A figure against its threshold, where either or both changed."""
    unit = METRICS[after.key].scale.symbol
    limits = [f"{_short(figure(line.threshold))}{unit}" for line in (before, after)]
    was = _figure(before, before.threshold, after.threshold)
    now = _figure(after, before.threshold, after.threshold)
    if was == now:
        return f"{after.label} {now} {_sides(limits[0], limits[1], passed=bool(before.passes))}."
    enough = "enough" if before.passes else "not enough"
    return f"{after.label} {was} was {enough} at {limits[0]}; measured again it is {now}, and {limits[1]} is needed."


def _sides(before: str, after: str, *, passed: bool) -> str:
    if passed:
        return f"was enough at {before}, is not at {after}"
    return f"was not enough at {before}, is at {after}"


def _figure(line: Line, *thresholds: float) -> str:
    """The figure with enough decimals to stand on its side of every threshold named."""
    scale = METRICS[line.key].scale
    if not line.is_applicable:
        return f"{scale.high:g}{scale.symbol} by rule"
    value = scale.value(line.numerator, line.denominator or 1)
    text = max((figure(value, threshold) for threshold in thresholds), key=len)
    return _short(text) + scale.symbol


def _short(text: str) -> str:
    return text.removesuffix(".0")


def _missing(score: Score | None) -> str:
    count = len(score.missing) if score else 0
    if count == 1:
        return "1 thing that the draft counts was not judged"
    return f"{count} things that the draft counts were not judged" if count else "nobody judged it"


def _count(before: Outcome, after: Outcome) -> Iterator[str]:
    was_enough = before.passed_count >= before.needed_count
    is_enough = after.passed_count >= after.needed_count
    if was_enough != is_enough and not (before.missing or after.missing):
        yield (
            f"{before.passed_count} of {len(before.lines)} metrics passed where {before.needed_count} were needed; "
            f"{after.passed_count} would pass where {after.needed_count} are needed."
        )


def _mandatory(before: Outcome, after: Outcome) -> Iterator[str]:
    """Criteria that fail on both sides and decide on one only."""
    old = {line.key: line for line in before.lines}
    for line in after.lines:
        was = old.get(line.key)
        if was is None or was.passes is not False or line.passes is not False:
            continue
        if line.is_mandatory and not was.is_mandatory:
            yield f"{line.label} fails, which decides alone under the draft."
        if was.is_mandatory and not line.is_mandatory:
            yield f"{line.label} fails, which decides alone no longer."


def _cost(before: Outcome, after: Outcome) -> Iterator[str]:
    if before.cost_usd is None or (before.cost_state == ABOVE) == (after.cost_state == ABOVE):
        return
    limits = [float(outcome.cost_limit_usd) for outcome in (before, after)]
    cost = max((figure(before.cost_usd, limit, decimals=2) for limit in limits), key=len)
    was, now = (f"${figure(limit, decimals=2)}" for limit in limits)
    said = "is above" if after.cost_state == ABOVE else "is within"
    had = "was within" if after.cost_state == ABOVE else "was above"
    yield f"The cost of ${cost} {had} the limit of {was}, {said} {now}."
