"""What publishing a draft would change: request the preview, cancel it, and publish the draft.

`evalsite/urls.py` passes in the hash of all games judged so far, and the function that counts the uses of a version.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rubric.core.records import DISCUSSION
from rubric.models import ImpactPreview, RubricVersion
from rubric.preview import actions
from rubric.preview.core import GAMES, PARTS, Bin, Impact, make_version_subject
from rubric.preview.queries import reviews_hash
from rubric.results.pages.words import two
from rubric.versions import actions as versions_actions
from rubric.versions.permissions import check_publish_version
from rubric.versions.views.changes import change_version
from rubric.versions.views.rubrics import Uses
from rubric.versions.views.version import version_or_404
from workspace.core.words import decode_stored
from workspace.display.core.charts import compute_track_position
from workspace.jobs.pages import build_progress_bar, worker_note
from workspace.models import Job, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.web.bind_form import bind_form, only_parameters
from workspace.web.forms import NothingForm
from workspace.web.require import SignedIn, View, is_htmx, require
from workspace.web.respond import respond

IMPACT = "rubric/preview/_impact.html"
PUBLISH, PUBLISH_REGION = "rubric/preview/publish.html", "rubric/preview/_impact.html"
MOST_JOBS = 20
Hash = Callable[[], str]


def preview_with(games: Hash) -> View:
    @require("publish_version", methods=("POST",), costs="computations")
    def preview_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Queue the preview of the draft in its current state, and show its progress."""
        version = _draft(request, slug, number)
        basis = scored(version, games)()
        actions.ask_for_preview(version=version, basis=basis, by=request.user, now=timezone.now())
        return _answer(request, version, games)

    return preview_version


def cancel_with(games: Hash) -> View:
    @require("publish_version", methods=("POST",))
    def cancel_preview(request: SignedIn, slug: str, number: str) -> HttpResponse:
        version = _draft(request, slug, number)
        actions.cancel_preview(version=version, by=request.user, now=timezone.now())
        return _answer(request, version, games)

    return cancel_preview


def publish_with(uses: Uses, games: Hash) -> View:
    """The view that publishes a draft; `games` gives the hash of all games judged so far."""

    @require("publish_version", methods=("GET", "POST"))
    def publish_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Show what publishing changes, and a form for the reason. While a preview is computed, its section polls."""
        version = version_or_404(request.user, slug, number, check_publish_version)
        if request.method == "GET" and is_htmx(request):
            only_parameters(request)
            context = load_impact(version, games)
            return respond(request, page=PUBLISH, region=PUBLISH_REGION, context=context)
        act = versions_actions.publish_version
        return change_version(request, version, act, PUBLISH, uses, lambda: load_impact(version, games))

    return publish_version


def scored(version: RubricVersion, games: Hash) -> Hash:
    return games if version.rubric.kind == DISCUSSION else lambda: reviews_hash(version.rubric_id)


def _draft(request: SignedIn, slug: str, number: str) -> RubricVersion:
    only_parameters(request)
    version = version_or_404(request.user, slug, number, check_publish_version)
    bind_form(request, NothingForm)
    return version


def _answer(request: SignedIn, version: RubricVersion, games: Hash) -> HttpResponse:
    address = reverse("publish_version", args=[version.rubric.key, version.number])
    return respond(request, page="", region=IMPACT, context=load_impact(version, games), redirect=address)


def load_impact(version: RubricVersion, games: Hash) -> dict[str, Any]:
    """The section "What would change": `state` is none, live, stopped, old or present (then `found` is set).

    `preview` is the newest preview; `messages` say why there is none, or why it is out of date.
    """
    part, kind = PARTS[version.rubric.kind]
    subject, now = make_version_subject(version.pk), timezone.now()
    jobs = list(Job.objects.filter(kind=kind, subject=subject).order_by("-pk")[:MOST_JOBS])
    live = next((job for job in jobs if job.state in (QUEUED, RUNNING)), None)
    context: dict[str, Any] = {"version": version, "preview": None, "messages": []}
    if live is not None:
        unit = _("games") if part == GAMES else _("comparisons")
        bar = build_progress_bar(live, label=_("Decided again under the draft"), unit=unit, now=now)
        return context | {"state": "live", "bar": bar, "worker_note": worker_note(now)}
    previews = ImpactPreview.objects.filter(version=version, part=part).select_related("created_by")
    basis = scored(version, games)()
    present = previews.filter(sha256=version.sha256, basis_sha256=basis).order_by("-pk").first()
    if present is not None:
        found = ImpactFound(decode_stored(present.body, Impact))
        return context | {"state": "present", "preview": present, "found": found}
    last = previews.defer("body").order_by("-pk").first()
    stopped = [message for job in jobs[:1] if (message := _why_stopped(job))]
    if last is None:
        return context | {"state": "stopped" if stopped else "none", "messages": stopped}
    return context | {
        "state": "old",
        "preview": last,
        "messages": [*stopped, *_why_old(last, version, basis)],
    }


def _why_stopped(job: Job) -> str:
    if job.state == CANCELLED:
        return _("The last preview was cancelled before its end.")
    return job.error if job.state == FAILED else ""


def _why_old(row: ImpactPreview, version: RubricVersion, basis: str) -> list[str]:
    sentences = []
    if row.sha256 != version.sha256:
        sentences.append(_("The draft was saved since the last preview."))
    if row.basis_sha256 != basis:
        sentences.append(_("What was scored so far has changed since the last preview."))
    return sentences


class ImpactFound:
    def __init__(self, impact: Impact) -> None:
        self.impact, self.is_games = impact, impact.part == GAMES
        self.tone = "wait" if impact.flip_count or impact.unknown_count else "good"
        self.figure_text: Callable[[float], str] = "{:.1f}".format if self.is_games else two
        self.unit = _("points of the composite") if self.is_games else _("points of the overall")

    @cached_property
    def projects(self) -> dict[str, str]:
        slugs = {flip.where.project for flip in self.impact.flips}
        slugs |= {move.where.project for move in self.impact.moves}
        return dict(Project.objects.filter(slug__in=slugs).values_list("slug", "name")) if slugs else {}

    @property
    def headline(self) -> str:
        if self.is_games:
            if not self.impact.looked_at:
                return _("No verdict is recorded so far, so none can flip.")
            sentence = ngettext(
                "%(n)s of %(total)s recorded verdict would flip.",
                "%(n)s of %(total)s recorded verdicts would flip.",
                self.impact.looked_at,
            )
        else:
            if not self.impact.looked_at:
                return _("No comparison under this rubric has scores so far, so no ranking can change.")
            sentence = ngettext(
                "%(n)s of %(total)s comparison would have another winner.",
                "%(n)s of %(total)s comparisons would have another winner.",
                self.impact.looked_at,
            )
        return sentence % {"n": f"{self.impact.flip_count:,}", "total": f"{self.impact.looked_at:,}"}

    @property
    def facts(self) -> list[tuple[str, str, str]]:
        impact = self.impact
        stay = f"{impact.looked_at - impact.flip_count - impact.unknown_count:,}"
        of_all, moves = _("of %(n)s") % {"n": f"{impact.looked_at:,}"}, f"{impact.move_count:,}"
        ranked = {"n": f"{impact.ranked_count:,}"}
        if not self.is_games:
            within = _("of %(n)s, within their comparisons") % ranked
            return [
                (_("Comparisons that keep their winner"), stay, of_all),
                (_("Responses that change rank"), moves, within),
            ]
        other = _("%(n)s would have another outcome") % {"n": f"{impact.open_flip_count:,}"}
        unrecorded = (_("Rated, no verdict yet"), f"{impact.open_count:,}", other)
        within = _("of %(n)s games, within their projects") % ranked
        return [
            (_("Verdicts that stay"), stay, of_all),
            *([unrecorded] if impact.open_count else []),
            (_("Games that change rank"), moves, within),
        ]

    @property
    def directions(self) -> str:
        sentences = []
        if self.is_games and self.impact.flip_count:
            ways = {"down": f"{self._count('PASS', 'FAIL'):,}", "up": f"{self._count('FAIL', 'PASS'):,}"}
            sentences.append(_("%(down)s from PASS to FAIL, %(up)s from FAIL to PASS.") % ways)
        if self.impact.unknown_count:
            count = {"n": f"{self.impact.unknown_count:,}"}
            sentences.append(_("%(n)s can't be told: nobody judged what the draft asks for.") % count)
        return " ".join(sentences)

    def _count(self, before: str, after: str) -> int:
        return sum(
            transition.count
            for transition in self.impact.transitions
            if transition.is_recorded and (transition.before, transition.after) == (before, after)
        )

    @cached_property
    def columns(self) -> list[tuple[str, int, float]]:
        """The bins of the distribution: label, how many changes, length of the bar (0 to 100)."""
        bins = self.impact.distribution
        if len(bins) < 2:
            return []
        most = max(bucket.count for bucket in bins)
        return [
            (_label(bucket), bucket.count, compute_track_position(bucket.count, 0, most)) for bucket in bins
        ]


def _label(bucket: Bin) -> str:
    if bucket.low == bucket.high:
        return _("no change")
    return _("%(low)s to %(high)s") % {"low": _signed(bucket.low), "high": _signed(bucket.high)}


def _signed(value: float) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{abs(value):g}"
