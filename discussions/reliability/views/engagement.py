"""The page of what goes with being worth watching: six small scatter plots, a sentence and a table under each."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, place_of_metric
from discussions.reliability.core import engagement
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import engagement_figures
from workspace.core.text import figure
from workspace.display.core.multiples import LEFT, NARROW, RIGHT, Axis, compute_scale, level
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import format_signed
from workspace.web.bind_form import project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SENTENCES = {
    engagement.GOES_WITH: gettext_lazy("Goes with the rating."),
    engagement.NO_SIGN: gettext_lazy("No sign either way."),
    engagement.AGAINST: gettext_lazy("Goes against the rating."),
    engagement.TOO_FEW: gettext_lazy("Too few games differ."),
}


@require("see_team_figures")
def worth_watching(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_see_team_statistics)
    found = engagement_figures(project)
    context = {
        "found": found,
        "limit": "" if found.threshold is None else f"{found.threshold:g}",
        "basis": _describe_basis(found),
        "plots": [_draw(metric, found.reliability) for metric in found.metrics],
        **frame(request.user, project, "iterations"),
    }
    return respond(request, page="discussions/reliability/worth_watching.html", context=context)


def _describe_basis(found: engagement.EngagementFigures) -> str:
    games = ngettext(
        "%(n)d game with a verdict, %(prompts)d prompts.",
        "%(n)d games with a verdict, %(prompts)d prompts.",
        found.games,
    )
    says = games % {"n": found.games, "prompts": found.prompts}
    alone = ngettext(
        "%(n)d left out: no other game of its prompt is known.",
        "%(n)d left out: no other game of their prompts is known.",
        found.alone,
    )
    return f"{says} {alone % {'n': found.alone}}" if found.alone else says


def _draw(metric: engagement.MetricWithRating, reliability: float | None) -> dict[str, Any]:
    """The shapes and words of one metric; dots are (x, y, number of the game, its score, its rating, iteration)."""
    across, up = (_centred([point[at] for point in metric.points], step) for at, step in ((0, 5), (1, 0.5)))
    symbol = METRICS[metric.key].scale.symbol
    dots = [
        (
            _place(x, across),
            level(y, up),
            game.number,
            figure(game.scores[metric.key]) + symbol,
            f"{game.rating:.2f}",
            game.iteration,
        )
        for game, (x, y) in zip(metric.games, metric.points, strict=True)
    ]
    count = len(dots)
    few = _("%(n)d of at least %(least)d games") % {"n": count, "least": engagement.LEAST_GAMES}
    return {
        "key": metric.key,
        "label": LABELS[metric.key].title,
        "place": place_of_metric(metric.key),
        "dots": dots,
        "across": [(_place(value, across), format_signed(value, 0)) for value in _ends(across)],
        "up": [(level(value, up), format_signed(value, 1)) for value in _ends(up)],
        "says": few if count < engagement.LEAST_GAMES else SENTENCES[metric.word],
        "is_few": count < engagement.LEAST_GAMES,
        "rows": [
            row
            for row in (
                ("", metric.within.tau, metric.within.rho),
                (_corrected(reliability), metric.tau_b_corrected, metric.rho_corrected),
            )
            if isinstance(row[1], Agreement) and row[1].value is not None
        ],
    }


def _corrected(reliability: float | None) -> str:
    return _("over a rating without error (reliability %(icc)s)") % {
        "icc": figure(reliability or 0, decimals=2)
    }


def _centred(values: list[float], step: float) -> Axis:
    end = compute_scale([0, *map(abs, values)], step=step, least=step, lowest=0).maximum
    return Axis(-end, end, end)


def _ends(scale: Axis) -> tuple[float, float, float]:
    return scale.minimum, 0, scale.maximum


def _place(value: float, scale: Axis) -> float:
    share = (value - scale.minimum) / (scale.maximum - scale.minimum)
    return round(LEFT + RIGHT / 2 + (NARROW - LEFT - 2 * RIGHT) * share, 1)
