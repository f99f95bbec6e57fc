"""What the pages of reliability share, and the page of what goes with being worth watching."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, place_of_metric
from discussions.models import TeamFigures
from discussions.reliability.core import blind_answers
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import TEAM_STATISTICS, engagement_figures
from workspace.core.text import figure, format_signed
from workspace.display.core.multiples import LEFT, NARROW, RIGHT, Axis, compute_scale, level
from workspace.models import Person, Project
from workspace.statistics.estimates import Agreement
from workspace.stored_statistics.pages import read_state
from workspace.web.bind_form import project_or_404
from workspace.web.views import SignedIn, frame, require, respond

SECTION = "team"
ItemT = TypeVar("ItemT")
KIND_NAMES = {
    "accuracy": gettext_lazy("Accuracy of automatic metrics"),
    "agreement": gettext_lazy("Agreement"),
}
SINCE = (
    gettext_lazy(
        "The figures there are come from other evaluations or an earlier way of computing, so they are not shown."
    ),
    ngettext_lazy(
        "%(n)d evaluation was submitted since the figures were computed, so they are not shown.",
        "%(n)d evaluations were submitted since the figures were computed, so they are not shown.",
        "n",
    ),
)


def build_team_state(
    *, project: Project, kind: str, now: datetime
) -> tuple[dict[str, object], TeamFigures | None]:
    """The state of the statistics of a kind, which also names their page, and their row if it is current."""
    return read_state(store=TEAM_STATISTICS, owner=project, kind=kind, names=KIND_NAMES, since=SINCE, now=now)


def load_names(people: set[int]) -> dict[int, str]:
    return dict(Person.objects.filter(pk__in=people).values_list("pk", "name"))


def turn_pages(
    items: Sequence[ItemT], start: int, size: int, url_from: Callable[[int], str]
) -> tuple[Sequence[ItemT], dict[str, str]]:
    """The items of one page from number `start` on, and the context of its pager; Http404 when there are none."""
    listed = items[start - 1 : start - 1 + size]
    if not listed:
        raise Http404
    last = start + len(listed) - 1
    return listed, {
        "previous_url": url_from(max(1, start - size)) if start > 1 else "",
        "next_url": url_from(last + 1) if last < len(items) else "",
        "says": _("%(first)d to %(last)d of %(count)d") % {"first": start, "last": last, "count": len(items)},
    }


SENTENCES = {
    blind_answers.GOES_WITH: gettext_lazy("Goes with the rating."),
    blind_answers.NO_SIGN: gettext_lazy("No sign either way."),
    blind_answers.AGAINST: gettext_lazy("Goes against the rating."),
    blind_answers.TOO_FEW: gettext_lazy("Too few games differ."),
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


def _describe_basis(found: blind_answers.EngagementFigures) -> str:
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


def _draw(metric: blind_answers.MetricWithRating, reliability: float | None) -> dict[str, Any]:
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
    few = _("%(n)d of at least %(least)d games") % {"n": count, "least": blind_answers.LEAST_GAMES}
    return {
        "key": metric.key,
        "label": LABELS[metric.key].title,
        "place": place_of_metric(metric.key),
        "dots": dots,
        "across": [(_place(value, across), format_signed(value, 0)) for value in _ends(across)],
        "up": [(level(value, up), format_signed(value, 1)) for value in _ends(up)],
        "says": few if count < blind_answers.LEAST_GAMES else SENTENCES[metric.word],
        "is_few": count < blind_answers.LEAST_GAMES,
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
