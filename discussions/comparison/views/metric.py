"""One metric of two iterations as the page of their comparison shows it: both sides game by game, and every figure."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.comparison.core.comparison import MetricCompared, format_p, roughly
from discussions.comparison.core.difference import (
    IMPROVED,
    SAME,
    UNCLEAR,
    WORSE,
    Difference,
    Posterior,
    compute_fall_seen,
    compute_false_mark,
)
from discussions.comparison.core.verdict_line import choose_verdict_line, is_prior_in_conflict
from discussions.comparison.labels import get_decimals, points, say_how_often
from discussions.iterations.core.figures import GameFigures
from discussions.iterations.core.history import OPEN, History, HistoryIteration
from discussions.iterations.pages import (
    JudgedIteration,
    chart_scale,
    describe_weak_score,
    format_figure,
)
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import limit_text, place_of_metric
from rubric.core.records import Criterion
from workspace.core.text import figure, signed_figure
from workspace.display.core.multiples import Arm, Point, arms
from workspace.display.core.number_lists import format_numbers

TONES = {IMPROVED: "good", WORSE: "bad", SAME: "", UNCLEAR: "wait"}
# What the row of a metric shows of two iterations that may not be compared.
NOTHING = dict.fromkeys(
    (
        "raw",
        "shrunken",
        "is_muted",
        "chance",
        "answer",
        "is_harmed",
        "sees",
        "p",
        "floor",
        "left_out",
        "length_says",
    ),
    "",
)


class Fact(Struct, frozen=True):
    label: str
    text: str
    note: str
    is_muted: bool = False


def build_metric_part(
    criterion: Criterion, sides: Sequence[JudgedIteration], found: MetricCompared | None
) -> dict[str, Any]:
    """A metric of two iterations, the earlier one first; `found` is None if they may not be compared.

    `place` is the part of a game's page that a dot leads to; `texts` are the figures of the dots.
    """
    key, threshold = criterion.key, float(criterion.threshold or 0)
    rows = [_arm(side, key, threshold) for side in sides]
    known = [*(value.value for row in rows for value in row.values), threshold]
    part: dict[str, Any] = {
        "key": key,
        "label": criterion.label,
        "needs": limit_text(key, threshold),
        "place": place_of_metric(key),
        "chart": arms(rows, chart_scale(known, METRICS[key]), threshold=threshold),
        "texts": [{value.number: _dot_text(value, threshold) for value in row.values} for row in rows],
        "means": [row.text for row in rows],
    }
    return part | (_describe_compared(found) if found else NOTHING)


def _describe_compared(found: MetricCompared) -> dict[str, Any]:
    """`floor` is the smallest value that the exact test can give; only the target has a `rule`, only others a fall."""
    difference = found.difference
    posterior, test = difference.posterior, difference.permutation.either
    answers = {
        IMPROVED: _("improved"),
        WORSE: _("worse"),
        SAME: _("no material difference"),
        UNCLEAR: _("can't tell yet"),
    }
    left_out = ngettext(
        "%(count)d game to which it does not apply is left out",
        "%(count)d games to which it does not apply are left out",
        found.left_out,
    )
    return {
        "raw": "" if difference.raw is None else signed_figure(difference.raw),
        "shrunken": signed_figure(posterior.shrunken) if posterior else "",
        "is_muted": is_prior_in_conflict(difference),
        "chance": percent(posterior.higher) if posterior else "",
        "answer": answers[found.answer],
        "rule": found.rule.says if found.is_target else "",
        "is_harmed": found.is_harmed,
        "sees": "" if found.is_target else _describe_fall_seen(found),
        "p": format_p(test) if test else "",
        "floor": format_p(difference.floor) if difference.floor else "",
        "facts": list_facts(difference),
        "spread": _describe_spread(difference),
        "left_out": left_out % {"count": found.left_out} if found.left_out else "",
        "length_says": found.length_says,
    }


def _describe_fall_seen(metric: MetricCompared) -> str:
    fall, chance = compute_fall_seen(metric.difference), compute_false_mark(metric.difference)
    if fall is None or chance is None:
        return _("nobody can say yet how large a fall would be marked")
    says = _("a fall of %(fall)s points is marked four times in five; without a fall, %(often)s")
    decimals = get_decimals(METRICS[metric.key].scale.span)
    return says % {"fall": figure(fall, decimals=decimals), "often": say_how_often(chance)}


def list_facts(found: Difference) -> list[Fact]:
    posterior = found.posterior
    facts = []
    if found.raw is not None and found.judged is not None:
        if found.rebound:
            note = _("the rise that is expected of the lowest metric without any change")
            facts = [
                Fact(_("Difference as played"), signed_figure(found.raw), ""),
                Fact(_("Regression to the mean"), signed_figure(found.rebound), note),
            ]
        note = _("95\u00a0%% interval %(low)s to %(high)s") % _ends(posterior.interval) if posterior else ""
        line = choose_verdict_line(found)
        if line.percent != 95 and line.interval:
            note += _("; the line above has the one of %(percent)d\u00a0%%") % {"percent": line.percent}
        label = _("Difference judged") if found.rebound else _("Difference as played")
        facts.append(Fact(label, signed_figure(found.judged), note))
    if posterior:
        facts += _posterior_facts(found, posterior)
    if found.permutation.either is not None and found.floor is not None:
        sizes = {
            "floor": format_p(found.floor),
            "control": found.control_count,
            "change": found.change_count,
        }
        note = _("two-sided; %(change)d against %(control)d games cannot give less than %(floor)s") % sizes
        facts.append(Fact(_("Exact permutation p"), format_p(found.permutation.either), note))
    return facts + _games_facts(found)


def _describe_spread(found: Difference) -> str:
    if found.spread.sd is None:
        return found.spread.warning
    given = {"sd": figure(found.spread.sd), "df": found.spread.df, "count": found.spread.batch_count}
    says = ngettext(
        "Games under one prompt differ by a standard deviation of %(sd)s (%(df)d df from %(count)d group of games).",
        "Games under one prompt differ by a standard deviation of %(sd)s (%(df)d df from %(count)d groups of games).",
        found.spread.batch_count,
    )
    return f"{says % given} {found.spread.warning}".strip()


def percent(chance: float) -> str:
    """A probability in percent that never shows as certain."""
    whole = 100 * chance
    if whole > 99.9:
        return "> 99.9\u00a0%"
    return "< 0.1\u00a0%" if whole < 0.1 else f"{figure(whole, 95.0 if whole > 50 else 5.0)}\u00a0%"


def _posterior_facts(found: Difference, posterior: Posterior) -> list[Fact]:
    material = points(found.material)
    is_muted = is_prior_in_conflict(found)
    note = (
        _("%(low)s to %(high)s; outside the interval as played: the games and the expected size disagree")
        if is_muted
        else _("%(low)s to %(high)s; what few games show is drawn towards nothing")
    )
    return [
        Fact(
            _("Probability of better"),
            percent(posterior.higher),
            _("improved above 95\u00a0%, worse below 5\u00a0%"),
        ),
        Fact(
            _("After shrinking"),
            signed_figure(posterior.shrunken),
            note % _ends(posterior.shrunken_interval),
            is_muted,
        ),
        Fact(
            _("Probability that it does not matter"),
            percent(posterior.within),
            _("less than %(material)s either way; no material difference above 90\u00a0%%")
            % {"material": material},
        ),
    ]


def _games_facts(found: Difference) -> list[Fact]:
    if found.more_games is None:
        return []
    control, change = (
        roughly(count + found.more_games) for count in (found.control_count, found.change_count)
    )
    says = _("%(change)s against %(control)s games")
    if control == change:
        says = _("%(change)s games each")
    note = _("to see a difference of %(material)s") % {"material": points(found.material)}
    if found.posterior:
        more = figure(found.posterior.half_width_with_more)
        note += _("; with 3 more each the interval would be ± %(width)s") % {"width": more}
    return [Fact(_("Games needed"), says % {"change": change, "control": control}, note)]


def _ends(interval: tuple[float, float]) -> Mapping[str, str]:
    return {"low": signed_figure(interval[0]), "high": signed_figure(interval[1])}


def _arm(side: JudgedIteration, key: str, threshold: float) -> Arm:
    games = [(game, False) for game in side.row.figures]
    games += [(game.game.figures, True) for game in side.row.left_out]
    line = next((line for line in side.averages.lines if line.key == key), None)
    mean = line.second if line else None
    low, high = line.interval if line and line.interval else (None, None)
    return Arm(
        label=_("Iteration %(number)d") % {"number": side.row.number},
        values=[
            Point(game.number, score, not game.applies(key), is_out)
            for game, is_out in games
            if (score := game.score(key)) is not None
        ],
        mean=mean,
        text="" if mean is None else format_figure(mean, threshold),
        low=low,
        high=high,
    )


def describe_figure(game: GameFigures, key: str, threshold: float) -> tuple[str, str]:
    score, part = game.score(key), place_of_metric(key)
    if score is None:
        return _("pending"), part
    text = format_figure(score, threshold)
    return " ".join(filter(None, (text, describe_weak_score(game, key)))), part


def _dot_text(value: Point, threshold: float) -> str:
    text = format_figure(value.value, threshold)
    return _("%(figure)s, withdrawn") % {"figure": text} if value.is_out else text


def pooled_says(history: History, control: HistoryIteration, change: HistoryIteration) -> list[str]:
    """Which games of other iterations count on the side of the reference, and which on that of the change."""
    sides = (
        (
            control,
            history.pooled_control(control),
            _("%(games)s played the prompt of iteration %(number)d too and count with its games."),
        ),
        (
            change,
            history.pooled(change),
            _("%(games)s played the same prompt against the same iteration and count with the others."),
        ),
    )
    found = []
    for side, pooled, says in sides:
        own = {game.id for game in side.games}
        if others := [game.figures.number for game in pooled.games if game.id not in own]:
            found.append(_sentence(says % {"games": format_numbers(others), "number": side.number}))
    return found


def waits_says(*sides: HistoryIteration) -> str:
    """Which games are not rated yet, and which wait until a lead resolves a tie; "" if none."""
    games = [game for side in sides for game in side.games if game.state == OPEN]
    waiting = [game.figures.number for game in games if not game.has_ties]
    tied = [game.figures.number for game in games if game.has_ties]
    parts = []
    if waiting:
        says = ngettext("%(games)s is not rated yet", "%(games)s are not rated yet", len(waiting))
        parts.append(says % {"games": format_numbers(waiting)})
    if tied:
        says = ngettext(
            "%(games)s waits until a lead resolves its ties",
            "%(games)s wait until a lead resolves their ties",
            len(tied),
        )
        parts.append(says % {"games": format_numbers(tied)})
    return _sentence("; ".join(parts))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
