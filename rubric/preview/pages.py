"""What publishing a draft would change, as its page shows it: asked for, on its way, there, or out of date."""

from collections.abc import Callable
from datetime import datetime

import msgspec
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
    OutcomeFlip,
    RankMove,
    make_version_subject,
)
from rubric.results.pages.words import two
from workspace.display.core.charts import compute_track_position
from workspace.jobs.pages import ProgressBar, build_progress_bar, worker_note
from workspace.models import Job, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING

NONE, LIVE, STOPPED, OLD, PRESENT = "none", "live", "stopped", "old", "present"


_MOST_JOBS = 20


class Fact(Struct, frozen=True):
    """A figure with what it is and what stands under it."""

    label: str
    value: str
    more: str = ""


class FlipLine(Struct, frozen=True):
    """One outcome that would be another, with the name of its project."""

    project: str
    flip: OutcomeFlip


class MoveLine(Struct, frozen=True):
    """One change of place, its figures as text."""

    project: str
    move: RankMove
    before: str
    after: str


class HistogramColumn(Struct, frozen=True):
    """One bin of the distribution: what it is called, how many are in it, how long its bar is (0 to 100)."""

    number: int
    label: str
    count: int
    width: float
    tone: str


class ImpactPart(Struct, frozen=True):
    """What a preview found, in words and shapes. `unit` is what the figures are in."""

    headline: str
    directions: str
    tone: str
    facts: list[Fact]
    impact: Impact
    flips: list[FlipLine]
    moves: list[MoveLine]
    columns: list[HistogramColumn]
    unit: str


class ImpactPage(Struct, frozen=True):
    """The room "What would change". `state` is none, live, stopped, old or present; `found` is there when present.

    `says` are sentences about why there is nothing to show, or why what there was is out of date.
    """

    slug: str
    number: str
    part: str
    state: str
    says: list[str]
    found: ImpactPart | None = None
    bar: ProgressBar | None = None
    worker_note: str = ""
    at: datetime | None = None
    by: str = ""


def build_impact(*, version: RubricVersion, basis: Callable[[], str], now: datetime) -> ImpactPage:
    """The state of the draft's preview; `basis` gives the hash of everything scored so far, and may take a moment."""
    part, kind = PARTS[version.rubric.kind]
    whole = ImpactPage(slug=version.rubric.key, number=version.number, part=part, state=NONE, says=[])
    jobs = list(
        Job.objects.filter(kind=kind, subject=make_version_subject(version.pk)).order_by("-pk")[:_MOST_JOBS]
    )
    live = next((job for job in jobs if job.state in (QUEUED, RUNNING)), None)
    if live is not None:
        return _live(whole, live, now)
    previews = ImpactPreview.objects.filter(version=version, part=part).select_related("created_by")
    scored = basis()
    present = previews.filter(sha256=version.sha256, basis_sha256=scored).order_by("-pk").first()
    if present is not None:
        found = _found(msgspec.json.decode(present.body, type=Impact))
        return _fill_state(whole, present, PRESENT, [], found)
    last = previews.defer("body").order_by("-pk").first()
    stopped = [said for job in jobs[:1] if (said := _why_stopped(job))]
    if last is None:
        return msgspec.structs.replace(whole, state=STOPPED if stopped else NONE, says=stopped)
    return _fill_state(whole, last, OLD, [*stopped, *_why_old(last, version, scored)], None)


def _live(whole: ImpactPage, job: Job, now: datetime) -> ImpactPage:
    unit = _("games") if whole.part == GAMES else _("comparisons")
    return msgspec.structs.replace(
        whole,
        state=LIVE,
        bar=build_progress_bar(job, label=_("Decided again under the draft"), unit=unit, now=now),
        worker_note=worker_note(now),
    )


def _fill_state(
    whole: ImpactPage, row: ImpactPreview, state: str, says: list[str], found: ImpactPart | None
) -> ImpactPage:
    return msgspec.structs.replace(
        whole, state=state, says=says, found=found, at=row.created_at, by=row.created_by.name
    )


def _why_stopped(job: Job) -> str:
    if job.state == CANCELLED:
        return _("The last preview was cancelled before its end.")
    return job.error if job.state == FAILED else ""


def _why_old(row: ImpactPreview, version: RubricVersion, scored: str) -> list[str]:
    said = []
    if row.sha256 != version.sha256:
        said.append(_("The draft was saved since the last preview."))
    if row.basis_sha256 != scored:
        said.append(_("What was scored so far has changed since the last preview."))
    return said


def _found(impact: Impact) -> ImpactPart:
    is_games = impact.part == GAMES
    names = _project_names([*(flip.where for flip in impact.flips), *(move.where for move in impact.moves)])
    shown = _one if is_games else two
    return ImpactPart(
        headline=_headline(impact),
        directions=_directions(impact),
        tone="wait" if impact.flip_count or impact.unknown_count else "good",
        facts=_facts_of_games(impact) if is_games else _facts_of_comparisons(impact),
        impact=impact,
        flips=[FlipLine(names.get(flip.where.project, flip.where.project), flip) for flip in impact.flips],
        moves=[_move(move, names, shown) for move in impact.moves],
        columns=_columns(impact.distribution) if len(impact.distribution) > 1 else [],
        unit=_("points of the composite") if is_games else _("points of the overall"),
    )


def _project_names(places: list[Location]) -> dict[str, str]:
    slugs = {where.project for where in places}
    return dict(Project.objects.filter(slug__in=slugs).values_list("slug", "name")) if slugs else {}


def _headline(impact: Impact) -> str:
    values = {"n": f"{impact.flip_count:,}", "total": f"{impact.looked_at:,}"}
    if impact.part == GAMES:
        if not impact.looked_at:
            return _("No verdict is recorded so far, so none can flip.")
        return (
            ngettext(
                "%(n)s of %(total)s recorded verdict would flip.",
                "%(n)s of %(total)s recorded verdicts would flip.",
                impact.looked_at,
            )
            % values
        )
    if not impact.looked_at:
        return _("No comparison under this rubric has scores so far, so no ranking can change.")
    return (
        ngettext(
            "%(n)s of %(total)s comparison would have another winner.",
            "%(n)s of %(total)s comparisons would have another winner.",
            impact.looked_at,
        )
        % values
    )


def _facts_of_games(impact: Impact) -> list[Fact]:
    stay = Fact(_("Verdicts that stay"), f"{_stay(impact):,}", _of_all(impact))
    ranked = _("of %(n)s games, within their projects") % {"n": f"{impact.ranked_count:,}"}
    places = Fact(_("Games that change places"), f"{impact.move_count:,}", ranked)
    if not impact.open_count:
        return [stay, places]
    other = _("%(n)s would come out otherwise") % {"n": f"{impact.open_flip_count:,}"}
    return [stay, Fact(_("Rated, no verdict yet"), f"{impact.open_count:,}", other), places]


def _facts_of_comparisons(impact: Impact) -> list[Fact]:
    ranked = _("of %(n)s, within their comparisons") % {"n": f"{impact.ranked_count:,}"}
    return [
        Fact(_("Comparisons that keep their winner"), f"{_stay(impact):,}", _of_all(impact)),
        Fact(_("Responses that change places"), f"{impact.move_count:,}", ranked),
    ]


def _stay(impact: Impact) -> int:
    return impact.looked_at - impact.flip_count - impact.unknown_count


def _of_all(impact: Impact) -> str:
    return _("of %(n)s") % {"n": f"{impact.looked_at:,}"}


def _directions(impact: Impact) -> str:
    """How many flips go which way, and of how many it cannot be told."""
    said = []
    if impact.part == GAMES and impact.flip_count:
        ways = {"down": f"{_count(impact, 'PASS', 'FAIL'):,}", "up": f"{_count(impact, 'FAIL', 'PASS'):,}"}
        said.append(_("%(down)s from PASS to FAIL, %(up)s from FAIL to PASS.") % ways)
    if impact.unknown_count:
        count = {"n": f"{impact.unknown_count:,}"}
        said.append(_("Of %(n)s it cannot be told: nobody judged what the draft asks for.") % count)
    return " ".join(said)


def _count(impact: Impact, before: str, after: str) -> int:
    return sum(
        transition.count
        for transition in impact.transitions
        if transition.is_recorded and (transition.before, transition.after) == (before, after)
    )


def _move(move: RankMove, names: dict[str, str], shown: Callable[[float], str]) -> MoveLine:
    """With the figures as the pages show them that the line leads to."""
    project = names.get(move.where.project, move.where.project)
    return MoveLine(project, move, shown(move.before), shown(move.after))


def _one(composite: float) -> str:
    return f"{composite:.1f}"


def _columns(bins: list[Bin]) -> list[HistogramColumn]:
    most = max((bucket.count for bucket in bins), default=0)
    return [
        HistogramColumn(
            number, _label(bucket), bucket.count, compute_track_position(bucket.count, 0, most), _tone(bucket)
        )
        for number, bucket in enumerate(bins, start=1)
    ]


def _label(found: Bin) -> str:
    if found.low == found.high:
        return _("no change")
    return _("%(low)s to %(high)s") % {"low": _signed(found.low), "high": _signed(found.high)}


def _signed(value: float) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{abs(value):g}"


def _tone(found: Bin) -> str:
    return "same" if found.low == found.high else "more" if found.high > 0 else "less"
