"""One metric of two iterations as the page of their comparison shows it: both sides game by game, and every figure."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.comparison.core.comparison import MetricCompared
from discussions.comparison.core.difference import IMPROVED, SAME, UNCLEAR, WORSE, compute_gain_seen
from discussions.comparison.core.sentences import describe_basis, points_text
from discussions.iterations.core.figures import GameFigures, find_pairs, name_helpers
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
from workspace.core.text import signed_figure
from workspace.display.core.multiples import Arm, Point, arms
from workspace.display.core.number_lists import format_numbers

TONES = {IMPROVED: "good", WORSE: "bad", SAME: "", UNCLEAR: "wait"}
# What the row of a metric shows of two iterations that may not be compared.
NOTHING = dict.fromkeys(
    ("raw", "interval", "answer", "tone", "is_harmed", "left_out", "length_says", "by_people"), ""
) | {"verdict_means": ["", ""]}

# What an axis in percent of thresholds may reach on each side; an interval that leaves the widest ends in an arrow.
REACHES = (40, 60, 80, 100, 150, 200, 300, 500)

NO_INTERVAL = gettext_lazy("no interval: because of these games, the prompt of the reference was kept")


def build_effects(metrics: Sequence[MetricCompared]) -> dict[str, Any]:
    """The differences of all metrics on one axis in percent of each one's threshold, the target first, then the best.

    `reach` is where the axis ends on both sides. A dot is the difference that is judged, `band` what is too small to
    matter; places are in percent of the width.
    """
    known = [metric for metric in metrics if metric.difference.judged is not None and metric.threshold]
    shares = {metric.key: percent_of_need(metric.difference.judged or 0.0, metric) for metric in known}
    widest = max(
        [abs(share) for share in shares.values()]
        + [percent_of_need(m.difference.material, m) for m in known]
        + [0]
    )
    reach = next((reach for reach in REACHES if widest <= 0.9 * reach), REACHES[-1])
    order = sorted(metrics, key=lambda metric: (not metric.is_target, -shares.get(metric.key, -1e9)))
    rows = [_build_effect(metric, shares.get(metric.key), reach) for metric in order]
    return {"reach": reach, "rows": rows, "is_cut": any(any(row.get("is_cut", ())) for row in rows)}


def percent_of_need(value: float, metric: MetricCompared) -> float:
    return 100 * value / metric.threshold


def _build_effect(metric: MetricCompared, share: float | None, reach: float) -> dict[str, Any]:
    """`kind` names shape and colour; `raw` is there where a part of the difference as played was taken off."""
    found = metric.difference
    words = {IMPROVED: _("better"), WORSE: _("worse"), SAME: _("no change"), UNCLEAR: _("unclear")}
    kinds = {IMPROVED: "better", WORSE: "worse", SAME: "same", UNCLEAR: "unclear"}
    row: dict[str, Any] = {
        "has_interval": found.interval is not None,
        "label": metric.label,
        "is_target": metric.is_target,
        "is_harmed": metric.is_harmed,
        "kind": kinds[metric.answer],
        "word": words[metric.answer],
        "means": [
            "–" if mean is None else format_figure(mean, metric.threshold)
            for mean in (found.control_mean, found.change_mean)
        ],
        "difference": "–" if found.judged is None else signed_figure(found.judged),
        "raw": signed_figure(found.raw) if found.raw is not None and found.rebound else "",
        "interval": _describe_interval(found.interval)
        or found.reason
        or (NO_INTERVAL if metric.answer == UNCLEAR else ""),
    }
    if share is None:
        return row

    def place(value: float) -> float:
        return round(50 + 50 * min(1.0, max(-1.0, value / reach)), 1)

    low, high = [percent_of_need(end, metric) for end in found.interval] if found.interval else (share, share)
    band = percent_of_need(found.material, metric)
    return row | {
        "x": place(share),
        "ends": [place(low), place(high)],
        "is_cut": [low < -reach, high > reach],
        "band": [place(-band), round(place(band) - place(-band), 1)],
    }


def pair_games(metric: MetricCompared, sides: Sequence[Sequence[GameFigures]]) -> list[dict[str, Any]]:
    """Two games each, the earlier side first: those that were played in pairs, else those of one rank in this metric.

    Most changed first; games whose score is not known are left out.
    """
    key, by_people = metric.key, metric.by_people

    def get_score(game: GameFigures) -> float | None:
        return game.people.get(key) if by_people else game.score(key)

    paired = find_pairs(sides[0], sides[1], key, by_people=by_people)
    if not paired:
        ranked = [
            sorted((g for g in side if get_score(g) is not None), key=lambda g: (get_score(g), g.number))
            for side in sides
        ]
        paired = list(zip(*(games[::-1] for games in ranked), strict=False))
    found = []
    for games in paired:
        before, after = (get_score(game) or 0.0 for game in games)
        texts = [format_figure(score, metric.threshold) for score in (before, after)]
        numbers = [game.number for game in games]
        change = {"change": after - before, "difference": signed_figure(after - before)}
        found.append({"numbers": numbers, "texts": texts, "is_pair": bool(games[0].pair), **change})
    return sorted(found, key=lambda pair: (-abs(pair["change"]), pair["numbers"]))


def build_metric_part(
    criterion: Criterion, sides: Sequence[JudgedIteration], found: MetricCompared | None
) -> dict[str, Any]:
    """A metric of two iterations, the earlier one first; `found` is None if they may not be compared.

    `place` is the part of a game's page that a dot leads to; `texts` are the figures of the dots.
    """
    key, threshold = criterion.key, float(criterion.threshold or 0)
    rows = [_arm(side, key, threshold, by_people=found is not None and found.by_people) for side in sides]
    known = [*(value.value for row in rows for value in row.values), threshold]
    part: dict[str, Any] = {
        "key": key,
        "label": criterion.label,
        "needs": limit_text(key, threshold),
        "place": place_of_metric(key),
        "chart": arms(rows, chart_scale(known, METRICS[key]), threshold=threshold),
        "texts": [{value.number: _dot_text(value, threshold) for value in row.values} for row in rows],
        "means": [row.text for row in rows],
        "estimate": name_helpers([game for side in sides for game in side.row.figures], key)
        or _("people's estimate"),
    }
    return part | (_describe_compared(found, part["means"]) if found else NOTHING)


def _describe_compared(found: MetricCompared, shown: Sequence[str]) -> dict[str, Any]:
    """`verdict_means` are the averages of the verdicts' scores, "" where the mean that is shown is the same."""
    difference = found.difference
    answers = {
        IMPROVED: _("improved"),
        WORSE: _("worse"),
        SAME: _("no difference that matters"),
        UNCLEAR: _("can't tell yet"),
    }
    left_out = ngettext(
        "%(count)d game to which it does not apply is left out",
        "%(count)d games to which it does not apply are left out",
        found.left_out,
    )
    verdicts = ["" if mean is None else format_figure(mean, found.threshold) for mean in found.verdict_means]
    return {
        "raw": "" if difference.raw is None else signed_figure(difference.raw),
        "interval": _describe_interval(difference.interval),
        "answer": answers[found.answer],
        "tone": TONES[found.answer],
        "rule": found.rule.says if found.is_target else "",
        "is_harmed": found.is_harmed,
        "facts": list_facts(found),
        "spread": describe_basis(difference),
        "left_out": left_out % {"count": found.left_out} if found.left_out else "",
        "length_says": found.length_says,
        "by_people": found.by_people,
        "verdict_means": [
            "" if verdict == mean else verdict for verdict, mean in zip(verdicts, shown, strict=True)
        ],
    }


def _describe_interval(interval: tuple[float, float] | None) -> str:
    if interval is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": signed_figure(interval[0]), "high": signed_figure(interval[1])}


def list_facts(metric: MetricCompared) -> list[tuple[str, str, str]]:
    """The numbers behind the answer: what was judged, what was taken off, and how large a gain would show.

    Of each its label, its text and a note.
    """
    found, span = metric.difference, METRICS[metric.key].scale.span
    if found.raw is None or found.judged is None:
        return []
    facts = [(_("Difference as played"), signed_figure(found.raw), "")]
    if count := found.pair_count:
        facts = [
            (_("Difference in pairs"), signed_figure(found.raw), _("%(count)d pairs") % {"count": count})
        ]
    if found.rebound:
        note = _("the rise that is expected of the lowest metric without any change")
        facts += [
            (_("Regression to the mean"), signed_figure(found.rebound), note),
            (_("Difference judged"), signed_figure(found.judged), ""),
        ]
    if found.interval:
        note = _("better above 0, worse below; by chance each at most 4 times in 100 over three looks")
        facts.append((_("Interval"), _describe_interval(found.interval), note))
    if gain := compute_gain_seen(found):
        note = _("called better four times in five")
        facts.append((_("A gain that would show"), points_text(gain, span), note))
    return facts


def _arm(side: JudgedIteration, key: str, threshold: float, *, by_people: bool) -> Arm:
    games = [(game, False) for game in side.row.figures]
    games += [(game.game.figures, True) for game in side.row.left_out]
    line = next((line for line in side.averages.lines if line.key == key), None)
    mean = line.second if line else None
    low, high = line.interval if line and line.interval else (None, None)
    if by_people:
        known = [game.people[key] for game in side.row.figures if game.applies(key) and key in game.people]
        mean, low, high = (sum(known) / len(known) if known else None), None, None
    return Arm(
        label=_("Iteration %(number)d") % {"number": side.row.number},
        values=[
            Point(game.number, score, not game.applies(key), is_out)
            for game, is_out in games
            if (score := game.people.get(key) if by_people else game.score(key)) is not None
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
    judged, left_out, _flattered = history.judged_control(change, control)
    played = _("%(games)s played the prompt of iteration %(number)d too and count with its games.")
    if left_out:
        played = _(
            "%(games)s played the prompt of iteration %(number)d again and count instead of its games."
        )
    again = _("%(games)s played the same prompt against the same iteration and count with the others.")
    found = []
    for side, pooled, says in ((control, judged, played), (change, history.pooled(change), again)):
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
