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
from rubric.preview.core import GAMES, PARTS, Impact, Location, RankMove, make_version_subject
from rubric.preview.queries import reviews_hash
from rubric.results.pages.words import two
from rubric.versions import actions as versions_actions
from rubric.versions.core.draft import draft_texts, weight_changes, weight_faults
from rubric.versions.forms import DraftForm
from rubric.versions.permissions import check_publish_version
from rubric.versions.views.editor import compare_weights, typed_before
from rubric.versions.views.version import Uses, compare_with, find_published, rubrics_frame, version_or_404
from workspace.core.refusals import Unacceptable
from workspace.core.words import decode_stored
from workspace.jobs.pages import build_progress_bar, worker_note
from workspace.models import Job, Project
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.web.bind_form import bind_form
from workspace.web.form_page import form_page
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, View, is_htmx, require, respond

IMPACT = "rubric/preview/_impact.html"
PUBLISH = "rubric/preview/publish.html"
MOST_JOBS = 20
MOST_BUMPS, MOST_LINES = 3, 4  # comparisons whose order is drawn, responses in each
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
            return _answer(request, version, games)

        def publish(form: DraftForm) -> str:
            given = {name: form.cleaned_data[name] for name in ("basis", "reason")}
            texts = draft_texts(form.base) | form.texts
            is_changed = weight_faults(texts) or any(
                by for _was, by in weight_changes(texts, form.base).values()
            )
            if given["basis"] == version.sha256 and is_changed:
                raise Unacceptable(_("These weights are not saved. Save them, then see what would change."))
            versions_actions.publish_version(version=version, **given, by=request.user, now=timezone.now())
            return reverse("rubric_version", args=[slug, number])

        def context() -> dict[str, object]:
            shown = {"uses": uses(), "compare_weights": compare_weights, **load_impact(version, games)}
            return {**shown, **compare_with(find_published(version), version), **rubrics_frame(request)}

        base, initial = version.to_record(), typed_before(version)
        return form_page(
            request, DraftForm, publish, page=PUBLISH, context=context, base=base, initial=initial
        )

    return publish_version


def scored(version: RubricVersion, games: Hash) -> Hash:
    return games if version.rubric.kind == DISCUSSION else lambda: reviews_hash(version.rubric_id)


def _draft(request: SignedIn, slug: str, number: str) -> RubricVersion:
    version = version_or_404(request.user, slug, number, check_publish_version)
    bind_form(request, NothingForm)
    return version


def _answer(request: SignedIn, version: RubricVersion, games: Hash) -> HttpResponse:
    address = reverse("publish_version", args=[version.rubric.key, version.number])
    # Only a page that is loaded asks for a preview by itself.
    context = load_impact(version, games) | {"starts": False}
    return respond(request, page="", region=IMPACT, context=context, redirect=address)


def load_impact(version: RubricVersion, games: Hash) -> dict[str, Any]:
    """The section "What would change": `state` is none, live, stopped, old or present (then `found` is set).

    `preview` is the newest preview; `messages` say why there is none, or why it is out of date. `starts`: the page asks
    for one by itself, unless the last was stopped.
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
    ends = {CANCELLED: _("The last preview was cancelled before its end."), FAILED: jobs and jobs[0].error}
    stopped = [ends[job.state] for job in jobs[:1] if ends.get(job.state)]
    if last is None:
        return context | {
            "state": "stopped" if stopped else "none",
            "messages": stopped,
            "starts": not stopped,
        }
    return context | {
        "state": "old",
        "preview": last,
        "starts": not stopped,
        "messages": [*stopped, *_why_old(last, version, basis)],
    }


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
        self.figure_text: Callable[[float], str] = "{:.1f}".format if self.is_games else two

    @cached_property
    def projects(self) -> dict[str, str]:
        slugs = {flip.where.project for flip in self.impact.flips}
        slugs |= {move.where.project for move in self.impact.moves}
        return dict(Project.objects.filter(slug__in=slugs).values_list("slug", "name")) if slugs else {}

    @property
    def headline(self) -> str:
        if self.is_games:
            if not self.impact.looked_at:
                return _("No verdict is recorded so far, so none can be different")
            sentence = ngettext(
                "Under this draft, %(n)s of %(total)s recorded verdict would be different",
                "Under this draft, %(n)s of %(total)s recorded verdicts would be different",
                self.impact.looked_at,
            )
        else:
            if not self.impact.looked_at:
                return _("No comparison under this rubric has scores so far, so no ranking can change")
            sentence = ngettext(
                "Under this draft, %(n)s of %(total)s comparison would have another winner",
                "Under this draft, %(n)s of %(total)s comparisons would have another winner",
                self.impact.looked_at,
            )
        return sentence % {"n": f"{self.impact.flip_count:,}", "total": f"{self.impact.looked_at:,}"}

    @cached_property
    def bumps(self) -> list[dict[str, Any]]:
        """Of the first comparisons whose order changes, those with another winner first: each moved response as a line.

        A line is its number, figures before and after, rows before and after, and "up", "down" or "stay".
        """
        moves: dict[Location, list[RankMove]] = {}
        for move in self.impact.moves if not self.is_games else []:
            moves.setdefault(move.where, []).append(move)
        flips = {flip.where: flip for flip in self.impact.flips}
        shown = sorted(moves, key=lambda where: where not in flips)[:MOST_BUMPS]
        return [{"where": where, "flip": flips.get(where), "lines": _cross(moves[where])} for where in shown]

    @property
    def directions(self) -> str:
        moves = {"n": f"{self.impact.move_count:,}", "all": f"{self.impact.ranked_count:,}"}
        said = (
            _("%(n)s of %(all)s games change rank.")
            if self.is_games
            else _("%(n)s of %(all)s responses change rank.")
        )
        sentences = [said % moves] if self.impact.ranked_count else []
        if open_count := self.impact.open_count:
            count = {"n": f"{self.impact.open_flip_count:,}", "all": f"{open_count:,}"}
            sentences.append(
                _("Of %(all)s rated without a verdict, %(n)s would have another outcome.") % count
            )
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


def _cross(moves: list[RankMove]) -> list[dict[str, Any]]:
    before, after = (
        sorted(moves, key=lambda move: (getattr(move, place), move.name))[:MOST_LINES]
        for place in ("place_before", "place_after")
    )
    return [
        {
            "name": move.name.rpartition(" ")[2],
            "was": two(move.before),
            "now": two(move.after),
            "from": row,
            "to": after.index(move),
            "way": "up" if move.place_after < move.place_before else "down",
        }
        for row, move in enumerate(before)
        if move in after
    ]
