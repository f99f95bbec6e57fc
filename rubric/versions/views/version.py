"""Rubrics and their versions: the list, a version's page, its differences, its file, and changes of its state.

`evalsite/urls.py` passes in the function that counts the uses of a version. Publishing is in `rubric.preview`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.records import Criterion, RubricRecord
from rubric.models import Rubric, RubricVersion
from rubric.models.comparisons import is_scored_by_criterion
from rubric.models.rubrics import DISCARDED, DRAFT, PUBLISHED, RETIRED
from rubric.versions import actions
from rubric.versions.core.differences import CRITERION, LIST, PARAMETER, Change, Span, differences, mark_words
from rubric.versions.core.game_specs import add_defaults, game_specs
from rubric.versions.forms import ScoringForm, VersionChangeForm
from rubric.versions.labels import LABELS, SHIPPED_REASONS, heading, list_examples, readings
from rubric.versions.permissions import (
    check_discard_version,
    check_edit_rubrics,
    check_offer_version,
    check_read_rubric,
    check_retire_version,
    check_see_weights,
)
from rubric.versions.queries import find_shipped_number, write_file
from workspace.access.permissions import get_refusal, may
from workspace.core.refusals import Malformed
from workspace.models import Person
from workspace.web.bind_form import bind_form
from workspace.web.form_page import form_page
from workspace.web.views import SignedIn, View, download, frame, only_parameters, require, respond

PEOPLE = ("created_by", "edited_by", "published_by", "retired_by", "discarded_by")


def rubrics_frame(request: SignedIn) -> Mapping[str, object]:
    return frame(request.user, None, "rubrics")


def version_or_404(
    person: Person, slug: str, number: str, check: Callable[[Person, RubricVersion], None] | None = None
) -> RubricVersion:
    """The version at that URL, with its rubric and people, when the person may know of it and passes the `check`."""
    rows = RubricVersion.objects.visible_to(person).select_related("rubric", *PEOPLE)
    if "\x00" in number:
        raise Http404  # PostgreSQL rejects such a text in a query
    found = get_object_or_404(rows, rubric__key=slug, number=number)
    if check:
        check(person, found)
    return found


def version_with(projects: Callable[[int], Sequence[tuple[str, str, int]]]) -> View:
    """The view of one version; `projects` gives the projects that use it, each with how many iterations."""

    @require("read_rubric")
    def rubric_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Show one version, read only, and what can be done with it. Weights are for people who may see them."""
        version = version_or_404(request.user, slug, number, check_read_rubric)
        record = version.to_record()
        has_weights, may_edit = may(check_see_weights, request.user), may(check_edit_rubrics, request.user)
        has_uses = may_edit and version.state == PUBLISHED and version.rubric.kind == "discussion"
        context = {
            "version": version,
            "record": record,
            "acts": list_acts(version, has_notes=has_weights),
            "thresholds": {criterion.key: _threshold(criterion) for criterion in record.criteria},
            "examples": list_examples(record),
            "groups": _group_parameters(record),
            "lists": {name: _list_words(value) for name, value in record.lists.items()},
            "has_weights": has_weights,
            "projects": projects(version.pk) if has_uses else None,
            "may_edit": may_edit,
            "retire_refusal": get_refusal(check_retire_version, request.user, version) if may_edit else "",
            **rubrics_frame(request),
        }
        return respond(request, page="rubric/versions/show.html", context=context)

    return rubric_version


def list_acts(version: RubricVersion, *, has_notes: bool) -> list[tuple[str, str, object, str]]:
    """What was done with a version, the last act first: verb, name, moment, reason ("" without `has_notes`).

    `version` was fetched with its people.
    """
    acts = (
        (DISCARDED, version.discarded_by, version.discarded_at, version.discarded_reason),
        (RETIRED, version.retired_by, version.retired_at, version.retired_reason),
        (PUBLISHED, version.published_by, version.published_at, version.reason or _why_shipped(version)),
        ("edited", version.edited_by, version.edited_at, ""),
        ("drafted", version.created_by, version.created_at, version.note),
    )
    return [
        (verb, person.name, moment, reason if has_notes else "")
        for verb, person, moment, reason in acts
        if person is not None and moment is not None
    ]


def _why_shipped(version: RubricVersion) -> str:
    """Why a version that came with the site was shipped; "" for every other version."""
    if version.published_by is None or not version.published_by.is_system:
        return ""
    return str(SHIPPED_REASONS.get((version.rubric.key, find_shipped_number(version)), ""))


def _threshold(criterion: Criterion) -> str:
    if criterion.threshold is None:
        return ""
    if criterion.anchors:
        return _("at least %(rating).1f of 5") % {"rating": criterion.threshold}
    metric = game_specs().metrics.get(criterion.key)
    unit = metric.symbol if metric else "\u00a0%"
    return _("at least %(figure)g") % {"figure": criterion.threshold} + unit


def _group_parameters(record: RubricRecord) -> dict[str, list[tuple[str, str, str]]]:
    """Heading -> each parameter's name in the version's JSON, the value chosen, and what it decides."""
    groups: dict[str, list[tuple[str, str, str]]] = {}
    labels = readings()
    for name, value in add_defaults(record).items():
        group, decides = labels.get(name, (_("Other"), ""))
        groups.setdefault(str(group), []).append((name, _value_text(value), str(decides)))
    return groups


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _list_words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}: {word}" for key, words in value.items() for word in _list_words(words)]
    if isinstance(value, list):
        return [
            word["label"] + ": " + word["description"] if isinstance(word, dict) else str(word)
            for word in value
        ]
    return [str(value)]


@require("read_rubric")
def compare_versions(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show what differs from another version of the same kind: the one chosen, or the one before."""
    chosen = only_parameters(request, "from")["from"]
    version = version_or_404(request.user, slug, number, check_read_rubric)
    rows = RubricVersion.objects.visible_to(request.user).kept().filter(rubric__kind=version.rubric.kind)
    others = list(rows.exclude(pk=version.pk).select_related("rubric").defer("body").order_by("-pk"))
    earlier = [other for other in others if other.rubric_id == version.rubric_id and other.pk < version.pk]
    before = next(iter(earlier or others), None)
    if chosen:
        before = next((other for other in others if f"{other.rubric.key}/{other.number}" == chosen), None)
        if before is None:
            raise Http404
    has_weights = may(check_see_weights, request.user)
    context = {
        "version": version,
        "others": others,
        "has_weights": has_weights,
        **compare_with(before, version, has_weights=has_weights),
        **rubrics_frame(request),
    }
    return respond(request, page="rubric/versions/compare.html", context=context)


def find_published(version: RubricVersion) -> RubricVersion | None:
    """The version of the rubric that was published last, other than this."""
    others = RubricVersion.objects.published().filter(rubric=version.rubric_id).exclude(pk=version.pk)
    return others.order_by("-published_at", "-pk").first()


def compare_with(
    before: RubricVersion | None, version: RubricVersion, *, has_weights: bool = True
) -> dict[str, object]:
    """The context of `_differences.html`: `before`, and the rows of the differences from it; None without it."""
    if before is None:
        return {"before": None, "differences": None}
    found = differences(before.to_record(), version.to_record(), has_weights=has_weights)
    return {"before": before, "differences": difference_rows(found)}


def difference_rows(
    changes: Sequence[Change],
) -> list[tuple[str, str, str, str, str, list[Span], list[Span]]]:
    """All differences in words.

    A row is the criterion or the kind of thing, what differs, before, after, how (added or removed), and where words
    differ before and after.
    """
    named = {"name": _("Name"), "kind": _("Kind"), "source": _("Source"), "order": _("Order")}
    sentences, rows = readings(), []
    for change in changes:
        part, what, before, after = change.label, change.name, change.before, change.after
        if change.part == CRITERION:
            unit = "\u00a0%" if what == "weight" else ""
            before, after = (text and text + unit for text in (before, after))
            what = str(LABELS.get(what, what)).partition(",")[0].partition(":")[0]
        elif change.part == PARAMETER:
            part, what = map(str, sentences.get(what, (_("Parameters"), what)))
        elif change.part == LIST:
            part, what = _("Word lists"), heading(what)
            after = after if before or after else _("The same entries in another order.")
        else:
            part, what = _("The version"), str(named.get(what, what))
        rows.append((part, what, before, after, change.how, *mark_words(before, after)))
    return rows


@require("see_weights")
def export_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Download the version as a file: the JSON that `measure_file --rubric` and the import read."""
    version = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    return download(write_file(version.to_record()), f"{slug}-{version.number}.json", "application/json")


Uses = Callable[[], Mapping[int, int]]


def rubrics_with(uses: Uses) -> View:
    """The view that lists rubrics; `uses` gives how many iterations use each version."""

    @require("sign_in")
    def rubrics(request: SignedIn) -> HttpResponse:
        """Every rubric that the person may read, its versions newest first, without discarded drafts.

        Notes can mention weights, so only people who see weights get them. `uses` covers all projects, so only admins
        get it.
        """
        edit_refusal = get_refusal(check_edit_rubrics, request.user)
        has_notes = may(check_see_weights, request.user)
        rows = RubricVersion.objects.visible_to(request.user).kept().defer("body")
        current = [RubricVersion.objects.newest(kind) for kind in ("discussion", "response")]
        versions: dict[Rubric, list[tuple[RubricVersion, object]]] = {}
        for version in rows.select_related("rubric", *PEOPLE).order_by("rubric", "-pk"):
            acts = list_acts(version, has_notes=has_notes)
            versions.setdefault(version.rubric, []).append((version, acts))
        context = {
            "rubrics": versions,
            "current": current,
            "uses": {} if edit_refusal else uses(),
            "edit_refusal": edit_refusal,
            "is_scored_by_criterion": is_scored_by_criterion(),
            **rubrics_frame(request),
        }
        return respond(request, page="rubric/versions/list.html", context=context)

    return rubrics


@require("edit_rubrics", methods=("POST",))
def choose_scoring(request: SignedIn) -> HttpResponse:
    check_edit_rubrics(request.user)
    form = bind_form(request, ScoringForm)
    if not form.is_valid():
        raise Malformed(_("Say whether scoring by criterion is on or off. Reload the page and try again."))
    actions.choose_scoring(**form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("rubrics"))


def change_with(
    permission: str,
    check: Callable[[Person, RubricVersion], None],
    act: Callable[..., None],
    uses: Uses = dict,
) -> View:
    """The view that shows the form of an act on a version, or acts and redirects to the version.

    The page compares with the other published version of the rubric, `before`. Only an act on a draft gets the hash
    that the page showed: every other version never changes.
    """
    page = f"rubric/versions/{permission.removesuffix('_version')}.html"

    @require(permission, methods=("GET", "POST"))
    def change_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        version = version_or_404(request.user, slug, number, check)

        def change(form: VersionChangeForm) -> str:
            given = form.cleaned_data if version.state == DRAFT else {"reason": form.cleaned_data["reason"]}
            act(version=version, **given, by=request.user, now=timezone.now())
            return reverse("rubric_version", args=[slug, number])

        def context() -> Mapping[str, object]:
            shown = {"version": version, "uses": uses(), **compare_with(find_published(version), version)}
            return {**shown, **rubrics_frame(request)}

        basis: dict[str, object] = {"basis": version.sha256}
        return form_page(request, VersionChangeForm, change, page=page, context=context, initial=basis)

    return change_version


discard_version = change_with("discard_version", check_discard_version, actions.discard_draft)
offer_version = change_with("offer_version", check_offer_version, actions.offer_version)


def retire_with(uses: Uses) -> View:
    return change_with("retire_version", check_retire_version, actions.retire_version, uses)
