"""What publishing a draft would change, as its page shows it: not requested, in progress, current or out of date."""

from collections.abc import Callable
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from rubric.models import ImpactPreview, RubricVersion
from rubric.preview.core import (
    GAMES,
    PARTS,
    Bin,
    Impact,
    Location,
    make_version_subject,
)
from rubric.results.pages.words import two
from workspace.core.words import decode_stored
from workspace.display.core.charts import compute_track_position
from workspace.jobs.pages import ProgressBar, build_progress_bar, worker_note
from workspace.models import Job, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING

NONE, LIVE, STOPPED, OLD, PRESENT = "none", "live", "stopped", "old", "present"
_MOST_JOBS = 20


class Fact(Struct, frozen=True):
    """A figure with its label and the line below it."""

    label: str
    value: str
    more: str = ""


class HistogramColumn(Struct, frozen=True):
    """One bin of the distribution: its label, how many changes are in it, how long its bar is (0 to 100)."""

    label: str
    count: int
    width: float
    tone: str


class ImpactPart(Struct, frozen=True):
    """What a preview found, in words and shapes: project names by slug; `unit` is the unit of the figures."""

    headline: str
    directions: str
    tone: str
    facts: list[Fact]
    impact: Impact
    projects: dict[str, str]
    figure_text: Callable[[float], str]
    columns: list[HistogramColumn]
    unit: str


class ImpactPage(Struct, frozen=True):
    """The section "What would change". `state` is none, live, stopped, old or present (then `found` is set).

    `preview` is the newest preview; `messages` say why there is none, or why it is out of date.
    """

    version: RubricVersion
    state: str
    messages: list[str] = []
    preview: ImpactPreview | None = None
    found: ImpactPart | None = None
    bar: ProgressBar | None = None
    worker_note: str = ""


def build_impact(*, version: RubricVersion, basis: Callable[[], str], now: datetime) -> ImpactPage:
    """The state of the draft's preview; `basis` gives the hash of everything scored so far, and may take a moment."""
    part, kind = PARTS[version.rubric.kind]
    jobs = list(
        Job.objects.filter(kind=kind, subject=make_version_subject(version.pk)).order_by("-pk")[:_MOST_JOBS]
    )
    live = next((job for job in jobs if job.state in (QUEUED, RUNNING)), None)
    if live is not None:
        unit = _("games") if part == GAMES else _("comparisons")
        bar = build_progress_bar(live, label=_("Decided again under the draft"), unit=unit, now=now)
        return ImpactPage(version, LIVE, bar=bar, worker_note=worker_note(now))
    previews = ImpactPreview.objects.filter(version=version, part=part).select_related("created_by")
    scored = basis()
    present = previews.filter(sha256=version.sha256, basis_sha256=scored).order_by("-pk").first()
    if present is not None:
        found = _found(decode_stored(present.body, Impact))
        return ImpactPage(version, PRESENT, preview=present, found=found)
    last = previews.defer("body").order_by("-pk").first()
    stopped = [message for job in jobs[:1] if (message := _why_stopped(job))]
    if last is None:
        return ImpactPage(version, STOPPED if stopped else NONE, stopped)
    return ImpactPage(version, OLD, [*stopped, *_why_old(last, version, scored)], last)


def _why_stopped(job: Job) -> str:
    if job.state == CANCELLED:
        return _("The last preview was cancelled before its end.")
    return job.error if job.state == FAILED else ""


def _why_old(row: ImpactPreview, version: RubricVersion, scored: str) -> list[str]:
    sentences = []
    if row.sha256 != version.sha256:
        sentences.append(_("The draft was saved since the last preview."))
    if row.basis_sha256 != scored:
        sentences.append(_("What was scored so far has changed since the last preview."))
    return sentences


def _found(impact: Impact) -> ImpactPart:
    is_games = impact.part == GAMES
    return ImpactPart(
        headline=_headline(impact),
        directions=_directions(impact),
        tone="wait" if impact.flip_count or impact.unknown_count else "good",
        facts=_game_facts(impact) if is_games else _comparison_facts(impact),
        impact=impact,
        projects=_project_names(
            [*(flip.where for flip in impact.flips), *(move.where for move in impact.moves)]
        ),
        figure_text="{:.1f}".format if is_games else two,
        columns=_columns(impact.distribution) if len(impact.distribution) > 1 else [],
        unit=_("points of the composite") if is_games else _("points of the overall"),
    )


def _project_names(locations: list[Location]) -> dict[str, str]:
    slugs = {location.project for location in locations}
    return dict(Project.objects.filter(slug__in=slugs).values_list("slug", "name")) if slugs else {}


def _headline(impact: Impact) -> str:
    if impact.part == GAMES:
        if not impact.looked_at:
            return _("No verdict is recorded so far, so none can flip.")
        sentence = ngettext(
            "%(n)s of %(total)s recorded verdict would flip.",
            "%(n)s of %(total)s recorded verdicts would flip.",
            impact.looked_at,
        )
    else:
        if not impact.looked_at:
            return _("No comparison under this rubric has scores so far, so no ranking can change.")
        sentence = ngettext(
            "%(n)s of %(total)s comparison would have another winner.",
            "%(n)s of %(total)s comparisons would have another winner.",
            impact.looked_at,
        )
    return sentence % {"n": f"{impact.flip_count:,}", "total": f"{impact.looked_at:,}"}


def _game_facts(impact: Impact) -> list[Fact]:
    stay = Fact(_("Verdicts that stay"), f"{_stay(impact):,}", _of_all(impact))
    ranked = _("of %(n)s games, within their projects") % {"n": f"{impact.ranked_count:,}"}
    places = Fact(_("Games that change rank"), f"{impact.move_count:,}", ranked)
    if not impact.open_count:
        return [stay, places]
    other = _("%(n)s would have another outcome") % {"n": f"{impact.open_flip_count:,}"}
    return [stay, Fact(_("Rated, no verdict yet"), f"{impact.open_count:,}", other), places]


def _comparison_facts(impact: Impact) -> list[Fact]:
    ranked = _("of %(n)s, within their comparisons") % {"n": f"{impact.ranked_count:,}"}
    return [
        Fact(_("Comparisons that keep their winner"), f"{_stay(impact):,}", _of_all(impact)),
        Fact(_("Responses that change rank"), f"{impact.move_count:,}", ranked),
    ]


def _stay(impact: Impact) -> int:
    return impact.looked_at - impact.flip_count - impact.unknown_count


def _of_all(impact: Impact) -> str:
    return _("of %(n)s") % {"n": f"{impact.looked_at:,}"}


def _directions(impact: Impact) -> str:
    """How many outcomes flip in each direction, and for how many the outcome is unknown."""
    sentences = []
    if impact.part == GAMES and impact.flip_count:
        ways = {"down": f"{_count(impact, 'PASS', 'FAIL'):,}", "up": f"{_count(impact, 'FAIL', 'PASS'):,}"}
        sentences.append(_("%(down)s from PASS to FAIL, %(up)s from FAIL to PASS.") % ways)
    if impact.unknown_count:
        count = {"n": f"{impact.unknown_count:,}"}
        sentences.append(_("%(n)s can't be told: nobody judged what the draft asks for.") % count)
    return " ".join(sentences)


def _count(impact: Impact, before: str, after: str) -> int:
    return sum(
        transition.count
        for transition in impact.transitions
        if transition.is_recorded and (transition.before, transition.after) == (before, after)
    )


def _columns(bins: list[Bin]) -> list[HistogramColumn]:
    most = max(bucket.count for bucket in bins)
    return [
        HistogramColumn(
            _label(bucket), bucket.count, compute_track_position(bucket.count, 0, most), _tone(bucket)
        )
        for bucket in bins
    ]


def _label(bucket: Bin) -> str:
    if bucket.low == bucket.high:
        return _("no change")
    return _("%(low)s to %(high)s") % {"low": _signed(bucket.low), "high": _signed(bucket.high)}


def _signed(value: float) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{abs(value):g}"


def _tone(bucket: Bin) -> str:
    return "same" if bucket.low == bucket.high else "more" if bucket.high > 0 else "less"
