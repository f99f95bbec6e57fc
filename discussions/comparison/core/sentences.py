"""The sentences of a comparison: what a metric shows, why something is to be done, what fell and what improved."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discussions.comparison.core.difference import (
    IMPROVED,
    MORE_GAMES,
    MOST_LOOKS,
    SAME,
    WORSE,
    Chances,
    Difference,
    compute_false_fall,
)
from discussions.core.iteration_states import KEEP, REVERT
from discussions.iterations.core.figures import GameFigures, mean_score
from discussions.metrics.core.metric import PERCENT, RATING
from discussions.metrics.core.registry import METRICS
from rubric.core.records import RubricRecord
from workspace.core.text import MINUS, figure
from workspace.core.words import mark, say, say_many

if TYPE_CHECKING:
    from discussions.comparison.core.comparison import MetricCompared

# What to do, besides keep and revert: more games of both prompts or of the reference, give up the change or play it for
# another metric that improved, or rate.
PLAY_MORE, PLAY_REFERENCE, DROP, SWITCH, WAIT = "play more", "play the reference", "drop", "switch", "wait"
ACTIONS = {
    KEEP: mark("Keep the change."),
    REVERT: mark("Revert the change."),
    PLAY_MORE: mark("Play 3 more games on each side."),
    PLAY_REFERENCE: mark("Play 3 more games of the reference."),
    DROP: mark("Drop the change."),
    SWITCH: mark("Play 3 more games for another target."),
    WAIT: mark("Rate the other games first."),
}
# Below and above these a share is "hardly ever" and "almost always".
RARE, USUAL = 0.03, 0.97
# A scale as wide as this is shown in whole points, a narrower one with a decimal.
WIDE_SPAN = 20
# The shares that have words, as numerator and denominator.
SHARES = (
    (1, 20), (1, 10), (1, 7), (1, 6), (1, 5), (1, 4), (1, 3), (2, 5), (1, 2), (3, 5), (2, 3), (3, 4), (4, 5), (9, 10),
    (19, 20),
)  # fmt: skip
ANSWERS = {
    IMPROVED: mark("better"),
    WORSE: mark("worse"),
    SAME: mark("no difference that matters"),
}
NUMBERS = {
    1: mark("one"), 2: mark("two"), 3: mark("three"), 4: mark("four"), 5: mark("five"), 6: mark("six"),
    7: mark("seven"), 9: mark("nine"), 10: mark("ten"), 19: mark("nineteen"), 20: mark("twenty"),
}  # fmt: skip


def say_how_often(chance: float, *, is_short: bool = False) -> str:
    """A probability in words for a lead: "one time in ten", or "one in ten" after a sentence with the full form."""
    if chance < RARE:
        return say("hardly ever")
    if chance > USUAL:
        return say("almost always")
    part, whole = min(SHARES, key=lambda share: abs(share[0] / share[1] - chance))
    given = {"part": say(NUMBERS[part]), "whole": say(NUMBERS[whole])}
    if is_short:
        return say("{part} in {whole}", **given)
    return say_many("{part} time in {whole}", "{part} times in {whole}", part, **given)


def say_chance(chance: float) -> str:
    """A probability as chances: "one chance in two"; at least one in twenty, at most nineteen in twenty."""
    part, whole = min(SHARES, key=lambda share: abs(share[0] / share[1] - chance))
    given = {"part": say(NUMBERS[part]), "whole": say(NUMBERS[whole])}
    return say_many("{part} chance in {whole}", "{part} chances in {whole}", part, **given)


def points(value: float) -> str:
    return _in_points(f"{value:g}")


def material_text(key: str, value: float) -> str:
    scale = METRICS[key].scale
    return points(value) if scale in (PERCENT, RATING) else f"{value:g}{scale.symbol}"


def points_text(value: float, span: float) -> str:
    return _in_points(figure(value, decimals=get_decimals(span)))


def _in_points(text: str) -> str:
    return say_many("{value} point", "{value} points", 1 if text == "1" else 2, value=text)


def get_decimals(span: float) -> int:
    return 0 if span >= WIDE_SPAN else 1


def name_score(metric: "MetricCompared") -> str:
    """What was compared: the metric, or people's estimate of it."""
    return say("{label} by people's estimate", label=metric.label) if metric.by_people else metric.label


def describe_metric(metric: "MetricCompared") -> str:
    """What the games show of one metric: its answer as an interval in points, and both means; or instead of them the
    difference that was judged, if a part was taken off.
    """
    found, name = metric.difference, name_score(metric)
    if found.raw is None or found.control_mean is None or found.change_mean is None:
        return f"{name}: {found.reason}"
    decimals = get_decimals(METRICS[metric.key].scale.span)
    after, before = format_apart(found.change_mean, found.control_mean, range(decimals, 4), metric.threshold)
    pair = say("{after} against {before}", after=after, before=before)
    if found.rebound >= 10**-decimals / 2:
        taken = points_text(found.rebound, METRICS[metric.key].scale.span)
        judged = _signed(found.judged or 0.0, decimals)
        pair = say("{judged} after {points} of regression to the mean", judged=judged, points=taken)
    if found.interval is None:
        return f"{name}: {pair}. {found.reason}".rstrip()
    says = {
        IMPROVED: mark("{name} is {range}: {pair}."),
        WORSE: mark("{name} is {range}: {pair}."),
        SAME: mark("{name} differs by less than {material}: {pair}."),
    }.get(metric.answer, mark("{name}: {pair}; the true difference may be anything {range}."))
    given = {"name": name, "pair": pair, "material": points(found.material)}
    return say(says, range=_describe_range(found.interval, decimals), **given)


def _describe_range(interval: tuple[float, float], decimals: int) -> str:
    low, high = interval
    first, last = sorted(abs(end) for end in interval)
    ends = format_apart(first, last, range(decimals, 4), 0.0)
    given = {"low": ends[0], "high": ends[1]}
    if low > 0:
        return say("{low} to {high} points better", **given)
    if high < 0:
        return say("{low} to {high} points worse", **given)
    worse, better = (_in_points(figure(abs(end), 0.0, decimals=decimals)) for end in interval)
    return say("from {worse} worse to {better} better", worse=worse, better=better)


def _signed(value: float, decimals: int) -> str:
    shown = figure(abs(value), decimals=decimals)
    return f"{MINUS}{shown}" if value < 0 else f"+{shown}"


def give_reason(metrics: Sequence["MetricCompared"], act: str, chances: Chances, look: int) -> str:
    """Why to do what is to be done while the answer is unclear, in one sentence; "" where the answer says it."""
    if act == PLAY_REFERENCE:
        return say(
            "The prompt of the reference was kept because of these games; fresh games have no such luck."
        )
    if act not in (PLAY_MORE, DROP, SWITCH):
        return ""
    asked = [metric for metric in metrics if metric.is_target] or metrics
    apart = [next((m for m in asked if m.answer == answer), None) for answer in (IMPROVED, WORSE)]
    if apart[0] and apart[1]:
        says = mark("{better} improved and {worse} got worse.")
        return say(says, better=apart[0].label, worse=apart[1].label.lower())
    if look >= MOST_LOOKS:
        return say("Three looks gave no answer.")
    wide = [metric for metric in asked if metric.difference.error is not None]
    if not wide:
        return asked[0].difference.reason if len(asked) == 1 else ""
    games = max(metric.difference.size for metric in wide) + (MOST_LOOKS - look) * MORE_GAMES
    if act == PLAY_MORE:
        return say_many(
            "{chance} of an answer at the next look ({games} games a side); if there is one, most likely “{answer}”.",
            "{chance} of an answer within {n} looks ({games} games a side); if there is one, most likely “{answer}”.",
            MOST_LOOKS - look,
            chance=say_chance(chances.total).capitalize(),
            games=games,
            answer=say(ANSWERS[chances.likeliest]),
        )
    found = max(wide, key=lambda metric: metric.difference.games_differ)
    differ = points_text(found.difference.games_differ, METRICS[found.key].scale.span)
    return say(
        "Even {games} games a side would hardly give an answer: games differ by {points}.",
        games=games,
        points=differ,
    )


def describe_fall(metric: "MetricCompared") -> str:
    found, span = metric.difference, METRICS[metric.key].scale.span
    says = say(
        "{name} is {points} lower (by chance: {often}).",
        name=name_score(metric),
        points=points_text(abs(found.judged or 0), span),
        often=say_how_often(compute_false_fall(found)),
    )
    if metric.lowest is None:
        return says
    return f"{says} {say('Look at game {number}.', number=metric.lowest)}"


def describe_gain(metric: "MetricCompared") -> str:
    return say("Not the target, but improved: {says}", says=describe_metric(metric))


def describe_checks(
    metrics: Iterable["MetricCompared"], rubric: RubricRecord, games: Sequence[GameFigures]
) -> list[str]:
    """The metrics that fell, and the mandatory averages of the change's games that are below their threshold."""
    found = [describe_fall(metric) for metric in metrics if metric.is_harmed]
    for criterion in rubric.criteria:
        average = mean_score(games, criterion.key)
        if not criterion.is_mandatory or criterion.threshold is None or average is None:
            continue
        if average < Fraction(str(criterion.threshold)):
            says = say(
                "{label} is {average} on average, below {threshold}: by the rubric the iteration fails.",
                label=criterion.label,
                average=figure(average, criterion.threshold),
                threshold=figure(criterion.threshold),
            )
            found.append(says)
    return found


def format_apart(
    first: float | Fraction,
    other: float | Fraction,
    places: Iterable[int] = range(1, 12),
    threshold: float | None = None,
) -> tuple[str, str]:
    for decimals in places:
        shown = tuple(figure(value, threshold, decimals=decimals) for value in (first, other))
        if shown[0] != shown[1] or first == other:
            break
    return shown[0], shown[1]


def describe_basis(found: Difference) -> str:
    """From how much the spread between games is known, for the folded numbers."""
    if found.spread.sd is None:
        return found.spread.warning
    says = say_many(
        "Games under one prompt differ by a standard deviation of {sd} ({df} df from {n} group of games).",
        "Games under one prompt differ by a standard deviation of {sd} ({df} df from {n} groups of games).",
        found.spread.batch_count,
        sd=figure(found.spread.sd),
        df=found.spread.df,
    )
    return f"{says} {found.spread.warning}".strip()
