"""Decides judged games again under a draft of the discussion rubric: which outcomes and criteria change, and why."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core import judgement_kinds
from discussions.core.outcome import ABOVE, MEMORY, REPETITION, Outcome, OutcomeLine
from discussions.core.records import GameRecord, Measurement, Score
from discussions.metrics.core.registry import CODE_VERSION, METRICS, measure_game, measured_keys
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.scoring import compute_basis_outcome, compute_effective_values, compute_scores
from rubric.core.records import RubricRecord
from rubric.preview.core import (
    GAMES,
    CriterionFlips,
    Impact,
    Item,
    Location,
    OutcomeFlip,
    Transition,
    build_impact,
)
from rubric.versions.core.game_specs import add_defaults
from workspace.core.text import figure
from workspace.core.words import mark, say, say_many

# Parameters that no measurement reads: the rule of the verdict, what people are asked, what iterations need, and what
# only the diagnostics use. A test measures without them.
NOT_MEASURED = frozenset(
    "pass_count metric_count cost_limit_usd cost_success_usd answers_yes_count answers_yes_rating "
    "identification_pass identification_pass_count identification_min_messages identification_max_messages "
    "sample_percent sample_min sample_max role_more_count role_more_percent "
    "more_messages more_batches strategic_depth_score coherence_score role_consistency_score strata "
    "baseline_game_count iteration_game_count changes_per_iteration "
    "successes_in_a_row cache_hit_percent shuffle_count shuffle_warning_percent variety_phrase_count "
    "top_phrase_count robotic_use_count robotic_message_count".split()
)


def needs_text(rubric: RubricRecord, draft: RubricRecord) -> bool:
    """Whether games of that version are measured again under the draft, because it finds something else in some."""
    is_alike = rubric.lists == draft.lists and _measured(rubric) == _measured(draft)
    return not is_alike or measured_keys(rubric) != measured_keys(draft)


def _measured(rubric: RubricRecord) -> dict[str, object]:
    return {name: value for name, value in add_defaults(rubric).items() if name not in NOT_MEASURED}


def count_lost_judgements(
    basis: Basis, before: Mapping[str, Measurement], after: Mapping[str, Measurement]
) -> Counter[str]:
    """How many judgements name a reference or a phrase that was found before and is not found now, by kind."""
    references = [{found.subject for found in each[MEMORY].references} for each in (before, after)]
    phrases = [{found.subject for found in each[REPETITION].phrases} for each in (before, after)]
    gone = {
        judgement_kinds.REFERENCE: references[0] - references[1],
        judgement_kinds.PHRASE: phrases[0] - phrases[1],
    }
    return Counter(
        judgement.kind
        for judgement in basis.judgements
        if judgement.value and judgement.subject in gone.get(judgement.kind, ())
    )


def list_changed_lines(before: Outcome, after: Outcome) -> list[tuple[OutcomeLine, OutcomeLine]]:
    old = {line.key: line for line in before.lines}
    return [
        (old[line.key], line)
        for line in after.lines
        if line.key in old and old[line.key].passes != line.passes
    ]


def added(before: Outcome, after: Outcome) -> list[OutcomeLine]:
    old = {line.key for line in before.lines}
    return [line for line in after.lines if line.key not in old and line.passes is not None]


def reasons(before: Outcome, after: Outcome, found: Effective, scores: Mapping[str, Score]) -> list[str]:
    """Why the outcome changed: each criterion whose result changed, then the rule, in a sentence each.

    `found` is what counts under the draft, `scores` what that gives: they show what was not judged.
    """
    sentences = [_why_turned(*pair, scores) for pair in list_changed_lines(before, after)]
    sentences += [_why_added(line) for line in added(before, after)]
    sentences += [*_count(before, after), *_mandatory(before, after), *_cost(before, after)]
    if found.ties:
        sentences.append(
            say_many(
                "Evaluators differ on {n} thing that a team lead would adjudicate first.",
                "Evaluators differ on {n} things that a team lead would adjudicate first.",
                len(found.ties),
            )
        )
    return sentences


def _why_turned(before: OutcomeLine, after: OutcomeLine, scores: Mapping[str, Score]) -> str:
    sentences = _why_side(before, after, scores)
    return (
        say("{sentences} It must pass.", sentences=sentences)
        if after.is_mandatory and after.passes is False
        else sentences
    )


def _why_side(before: OutcomeLine, after: OutcomeLine, scores: Mapping[str, Score]) -> str:
    if after.passes is None:
        return say(
            "{label} cannot be told: {missing}.", label=after.label, missing=_missing(scores.get(after.key))
        )
    if before.passes is None:
        return say(
            "{label} could not be told, and is {score}.",
            label=after.label,
            score=_figure(after, after.threshold),
        )
    if after.is_decided_by_hand and after.manual_check and before.manual_check:
        check, was = after.manual_check, before.manual_check
        hits = say("the manual check, {yes} of {asked},", yes=check.yes, asked=check.asked)
        return f"{after.label}: {hits} {_sides(str(was.needed), str(check.needed), passed=before.passes)}."
    return _why_share(before, after)


def _why_added(line: OutcomeLine) -> str:
    enough = say("enough") if line.passes else say("not enough")
    limit = f"{_short(figure(line.threshold))}{METRICS[line.key].scale.symbol}"
    return say(
        "{label} is new: {score} is {enough} at {limit}.",
        label=line.label,
        score=_figure(line, line.threshold),
        enough=enough,
        limit=limit,
    )


def _why_share(before: OutcomeLine, after: OutcomeLine) -> str:
    unit = METRICS[after.key].scale.symbol
    limits = [f"{_short(figure(line.threshold))}{unit}" for line in (before, after)]
    was = _figure(before, before.threshold, after.threshold)
    now = _figure(after, before.threshold, after.threshold)
    if was == now:
        return f"{after.label} {now} {_sides(limits[0], limits[1], passed=bool(before.passes))}."
    enough = say("enough") if before.passes else say("not enough")
    return say(
        "{label} {was} was {enough} at {limit}; measured again it is {now}, and {new_limit} is needed.",
        label=after.label,
        was=was,
        enough=enough,
        limit=limits[0],
        now=now,
        new_limit=limits[1],
    )


def _sides(before: str, after: str, *, passed: bool) -> str:
    if passed:
        return say("was enough at {before}, is not at {after}", before=before, after=after)
    return say("was not enough at {before}, is at {after}", before=before, after=after)


def _figure(line: OutcomeLine, *thresholds: float) -> str:
    """The figure with enough decimals to show its side of every threshold."""
    scale = METRICS[line.key].scale
    if not line.is_applicable:
        return say("{high:g}{symbol} (not applicable)", high=scale.high, symbol=scale.symbol)
    value = scale.value(line.numerator, line.denominator or 1)
    text = max((figure(value, threshold) for threshold in thresholds), key=len)
    return _short(text) + scale.symbol


def _short(text: str) -> str:
    return text.removesuffix(".0")


def _missing(score: Score | None) -> str:
    count = len(score.missing) if score else 0
    if not count:
        return say("nobody judged it")
    return say_many(
        "{n} thing that the draft counts was not judged",
        "{n} things that the draft counts were not judged",
        count,
    )


def _count(before: Outcome, after: Outcome) -> Iterator[str]:
    was_enough = before.passed_count >= before.needed_count
    is_enough = after.passed_count >= after.needed_count
    if was_enough != is_enough and not (before.missing or after.missing):
        yield say(
            "{passed_count} of {lines_count} metrics passed where {needed_count} were needed; "
            "{new_passed_count} would pass where {new_needed_count} are needed.",
            passed_count=before.passed_count,
            lines_count=len(before.lines),
            needed_count=before.needed_count,
            new_passed_count=after.passed_count,
            new_needed_count=after.needed_count,
        )


def _mandatory(before: Outcome, after: Outcome) -> Iterator[str]:
    """Criteria that fail before and after, and are mandatory in only one of them."""
    old = {line.key: line for line in before.lines}
    for line in after.lines:
        was = old.get(line.key)
        if was is None or was.passes is not False or line.passes is not False:
            continue
        if line.is_mandatory and not was.is_mandatory:
            yield say("{label} fails, which decides alone under the draft.", label=line.label)
        if was.is_mandatory and not line.is_mandatory:
            yield say("{label} fails, which decides alone no longer.", label=line.label)


def _cost(before: Outcome, after: Outcome) -> Iterator[str]:
    if before.cost_usd is None or (before.cost_state == ABOVE) == (after.cost_state == ABOVE):
        return
    limits = [float(outcome.cost_limit_usd) for outcome in (before, after)]
    cost = max((figure(before.cost_usd, limit, decimals=2) for limit in limits), key=len)
    was, now = (f"${figure(limit, decimals=2)}" for limit in limits)
    now_above = mark("The cost of ${cost} was within the limit of {was}, is above {now}.")
    now_within = mark("The cost of ${cost} was above the limit of {was}, is within {now}.")
    yield say(now_above if after.cost_state == ABOVE else now_within, cost=cost, was=was, now=now)


PASS, FAIL, PENDING = "PASS", "FAIL", "pending"


class JudgedGame(Struct, frozen=True):
    """A game with everything its outcome rests on: the basis of its verdict, or the one it would be recorded on now.

    `recorded` is the outcome of the current verdict, None when there is none yet; `text` is the game itself where
    the draft measures otherwise than `rubric`, the version that the game is judged by.
    """

    where: Location
    basis: Basis
    measurements: Mapping[str, Measurement]
    rubric: RubricRecord
    recorded: Outcome | None = None
    text: GameRecord | None = None


class Rejudged(Struct, frozen=True):
    """The outcome of one game: outcomes in words, composites, criteria (by key) that pass or fail now, and reasons.

    `lost` counts judgements, by kind, whose finding the draft no longer makes.
    """

    where: Location
    is_recorded: bool
    before: str
    after: str
    composites: tuple[float | None, float | None]
    turned: list[tuple[str, bool]] = []
    reasons: list[str] = []
    is_measured: bool = False
    is_by_older_code: bool = False
    lost: Mapping[str, int] = {}


def rejudge(game: JudgedGame, draft: RubricRecord) -> Rejudged:
    measurements = game.measurements if game.text is None else measure_game(game.text, draft)
    found = compute_effective_values(game.basis, measurements)
    after = compute_basis_outcome(game.basis, measurements, draft, found)
    before, was = _before(game, found)
    now = _word(after, found)
    is_other = was != now
    changed = [*(line for _old, line in list_changed_lines(before, after)), *added(before, after)]
    return Rejudged(
        where=game.where,
        is_recorded=game.recorded is not None,
        before=was,
        after=now,
        composites=(before.composite, after.composite),
        turned=[(line.key, line.passes) for line in changed if line.passes is not None],
        reasons=reasons(before, after, found, compute_scores(found, measurements, draft)) if is_other else [],
        is_measured=game.text is not None,
        is_by_older_code=game.text is not None and game.basis.measured.code_version != CODE_VERSION,
        lost=count_lost_judgements(game.basis, game.measurements, measurements)
        if game.text is not None
        else {},
    )


def _before(game: JudgedGame, found: Effective) -> tuple[Outcome, str]:
    if game.recorded is not None:
        return game.recorded, PASS if game.recorded.passes else FAIL
    if game.text is not None:
        found = compute_effective_values(game.basis, game.measurements)
    outcome = compute_basis_outcome(game.basis, game.measurements, game.rubric, found)
    return outcome, _word(outcome, found)


def _word(outcome: Outcome, found: Effective) -> str:
    """The word of an outcome; a verdict waits for what is not judged, and for disagreements."""
    if outcome.passes is None or outcome.open or found.ties:
        return PENDING
    return PASS if outcome.passes else FAIL


def compute_games_impact(games: Sequence[Rejudged], draft: RubricRecord) -> Impact:
    flips = [
        OutcomeFlip(
            game.where, game.before, game.after, game.reasons, game.after != PENDING, game.is_recorded
        )
        for game in games
        if game.before != game.after
    ]
    # Games are ranked by their composites, within a project.
    figures: dict[str, dict[Item, tuple[float, float]]] = defaultdict(dict)
    for game in games:
        before, after = game.composites
        if before is not None and after is not None:
            figures[game.where.project][game.where, ""] = before, after
    recorded_count = sum(game.is_recorded for game in games)
    return build_impact(
        GAMES,
        flips,
        list(figures.values()),
        looked_at=recorded_count,
        notes=list(_notes(games)),
        open_count=len(games) - recorded_count,
        transitions=_transitions(games),
        turned=_turned(games, draft),
    )


def _transitions(games: Sequence[Rejudged]) -> list[Transition]:
    counts = Counter((game.is_recorded, game.before, game.after) for game in games)
    words = (PASS, FAIL, PENDING)
    return [
        Transition(before, after, counts[is_recorded, before, after], is_recorded)
        for is_recorded in (True, False)
        for before in words
        for after in words
        if counts[is_recorded, before, after]
    ]


def _turned(games: Sequence[Rejudged], draft: RubricRecord) -> list[CriterionFlips]:
    counts = Counter(pair for game in games for pair in game.turned)
    return [
        CriterionFlips(criterion.label, counts[criterion.key, True], counts[criterion.key, False])
        for criterion in draft.criteria
        if counts[criterion.key, True] or counts[criterion.key, False]
    ]


def _notes(games: Sequence[Rejudged]) -> Iterator[str]:
    measured = sum(game.is_measured for game in games)
    if not measured:
        return
    yield say_many(
        "The draft measures differently, so {n:,} game was measured again. Nothing of that is stored.",
        "The draft measures differently, so {n:,} games were measured again. Nothing of that is stored.",
        measured,
    )
    older = sum(game.is_by_older_code for game in games)
    if older:
        yield say_many(
            "{n:,} of them was measured by older code before; what differs can come from that, too.",
            "{n:,} of them were measured by older code before; what differs can come from that, too.",
            older,
        )
    yield from _lost(games)


def _lost(games: Sequence[Rejudged]) -> Iterator[str]:
    counts = Counter[str]()
    for game in games:
        counts.update(game.lost)
    labels, phrases = counts[judgement_kinds.REFERENCE], counts[judgement_kinds.PHRASE]
    if labels:
        yield say_many(
            "{n:,} label is of a reference that the draft does not find; it counts as one that people found.",
            "{n:,} labels are of references that the draft does not find; they count as references that "
            "people found.",
            labels,
        )
    if phrases:
        yield say_many(
            "{n:,} phrase marked as acceptable is not among those that the draft finds; the mark counts for "
            "nothing.",
            "{n:,} phrases marked as acceptable are not among those that the draft finds; such marks count "
            "for nothing.",
            phrases,
        )
    if labels or phrases:
        yield say_many(
            "These judgements, whose finding is gone, are in {n:,} game.",
            "These judgements, whose finding is gone, are in {n:,} games.",
            sum(any(game.lost.values()) for game in games),
        )
