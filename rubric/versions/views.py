"""Reading, comparing, drafting, importing, retiring and discarding rubric versions.

`evalsite/urls.py` passes in the function that counts the uses of a version.
"""

from collections.abc import Callable, Collection, Mapping

import msgspec
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.models import Rubric, RubricVersion
from rubric.versions import actions
from rubric.versions.core.draft import (
    FieldProblem,
    Unreadable,
    in_step,
    read_draft,
    scale_weights,
    used_indexes,
    weight_faults,
    weight_sum,
)
from rubric.versions.core.version_json import read_version
from rubric.versions.forms import DraftForm, ImportForm, NoteForm, ReasonForm, ScoringForm
from rubric.versions.pages import (
    PEOPLE,
    build_change_page,
    build_differences_page,
    build_draft_page,
    build_rubrics_page,
    build_version_page,
    comparable,
    default_weights,
)
from rubric.versions.permissions import (
    check_discard_version,
    check_edit_rubrics,
    check_edit_version,
    check_offer_version,
    check_read_rubric,
    check_retire_version,
    check_see_weights,
)
from workspace.core.refusals import Conflict, Malformed, Refusal
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form, only_parameters
from workspace.web.form_page import form_page
from workspace.web.frame import frame
from workspace.web.require import SignedIn, View, require
from workspace.web.respond import respond


def _frame(request: SignedIn) -> Mapping[str, object]:
    return frame(request.user, None, "rubrics")


def version_or_404(person: Person, slug: str, number: str) -> RubricVersion:
    """The version at that URL, with its rubric and people; 404 if the person may not know of it."""
    rows = RubricVersion.objects.visible_to(person).select_related("rubric", *PEOPLE)
    if "\x00" in number:
        raise Http404  # PostgreSQL rejects such a text in a query
    return get_object_or_404(rows, rubric__key=slug, number=number)


@require("read_rubric")
def rubric_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show one version, read only, and what can be done with it."""
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_read_rubric(request.user, version)
    page = build_version_page(version, person=request.user)
    context = {"page": page, **_frame(request)}
    return respond(request, page="rubric/versions/show.html", context=context)


@require("read_rubric")
def compare_versions(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show what differs from another version of the same kind: the one chosen, or the one before."""
    chosen = only_parameters(request, "from")["from"]
    version = version_or_404(request.user, slug, number)
    check_read_rubric(request.user, version)
    others = comparable(version, request.user)
    earlier = [other for other in others if other.rubric_id == version.rubric_id and other.pk < version.pk]
    before = next(iter(earlier or others), None)
    if chosen:
        before = next(
            (version for version in others if f"{version.rubric.key}/{version.number}" == chosen), None
        )
        if before is None:
            raise Http404
    page = build_differences_page(version=version, before=before, others=others, person=request.user)
    context = {"page": page, **_frame(request)}
    return respond(request, page="rubric/versions/compare.html", context=context)


@require("see_weights")
def export_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Download the version as a file: the JSON that `measure_file --rubric` and the import read."""
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_see_weights(request.user)
    body = msgspec.json.format(msgspec.json.encode(version.to_record()), indent=1) + b"\n"
    response = HttpResponse(body, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{version.number}.json"'
    return response


EDIT = "rubric/versions/edit.html"
WEIGHTS = "rubric/versions/_draft_weights.html"


@require("edit_rubrics", methods=("GET", "POST"))
def draft_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show a form for the next draft, made from this version; redirects to the draft's editor."""
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)

    def draft(form: NoteForm) -> str:
        made = actions.draft_version(
            version=version, **form.cleaned_data, by=request.user, now=timezone.now()
        )
        return reverse("edit_version", args=[slug, made.number])

    page = "rubric/versions/draft.html"
    return form_page(
        request, NoteForm, draft, page=page, context=lambda: {"version": version, **_frame(request)}
    )


@require("edit_version", methods=("GET", "POST"))
def edit_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The editor: every button sends the whole form, and the typed text always stays.

    Changing a weight also sends the form, with `weigh` and the name of its field.
    """
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_edit_version(request.user, version)
    base = version.to_record()
    if request.method == "GET":
        return _show(request, version, DraftForm(base=base, note=version.note, basis=version.sha256))
    form = bind_form(request, DraftForm, base=base)
    if not form.is_valid():
        return _show(request, version, form, status=422)
    do, _colon, which = form.cleaned_data["do"].partition(":")
    if do == "weigh":
        return _weigh(request, version, form, which)
    form = form.with_texts(in_step(form.texts))
    if do == "scale" and which.isdecimal() and int(which) in used_indexes(form.texts):
        return _scale(request, version, form, int(which))
    if do == "reset":
        return _reset(request, version, form)
    if do == "overwrite":
        form = form.with_texts({"basis": which})
    elif do not in ("", "check", "save"):
        raise Malformed(
            _("The form was sent with a button that it does not have. Reload the page and try again.")
        )
    return _judge(request, version, form, saves=do in ("save", "overwrite"))


@require("edit_rubrics", methods=("GET", "POST"))
def import_rubric(request: SignedIn) -> HttpResponse:
    """Show a form for the file of a version; redirects to the draft made from it."""
    only_parameters(request)
    check_edit_rubrics(request.user)
    rubrics = {rubric.key: rubric for rubric in Rubric.objects.order_by("pk")}
    choices = [(key, rubric.name) for key, rubric in rubrics.items()]
    form, status, problems = ImportForm(rubrics=choices), 200, []
    if request.method == "POST":
        form, status = bind_form(request, ImportForm, rubrics=choices), 422
        found = read_version(form.cleaned_data["file"].read()) if form.is_valid() else []
        if isinstance(found, RubricRecord):
            given = form.cleaned_data
            try:
                made = actions.import_version(
                    record=found,
                    rubric=rubrics.get(given["rubric"]),
                    key=given["key"],
                    note=given["note"],
                    by=request.user,
                    now=timezone.now(),
                )
                address = reverse("rubric_version", args=[made.rubric.key, made.number])
                return respond(request, page="", redirect=address)
            except Refusal as refusal:
                status = add_refusal(form, refusal)
        else:
            problems = found
    context = {"form": form, "problems": problems, **_frame(request)}
    return respond(request, page="rubric/versions/import.html", context=context, status=status)


def _judge(request: SignedIn, version: RubricVersion, form: DraftForm, *, saves: bool) -> HttpResponse:
    found = read_draft(form.texts, form.base)
    if not isinstance(found, RubricRecord):
        return _show(request, version, _with_faults(form, found), status=422)
    if saves:
        return _save(request, version, form, found)
    return _show(request, version, form, message=_("Nothing is wrong with this draft. It is not saved yet."))


def _save(request: SignedIn, version: RubricVersion, form: DraftForm, record: RubricRecord) -> HttpResponse:
    slug, number = version.rubric.key, version.number
    note, basis = form.texts.get("note", "").replace("\r\n", "\n"), form.texts.get("basis", "")
    try:
        actions.save_draft(
            version=version, record=record, note=note, basis=basis, by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        version = version_or_404(request.user, slug, number)
        check_edit_version(request.user, version)
        return _show(request, version, form, status=add_refusal(form, conflict), typed=record)
    except Refusal as refusal:
        return _show(request, version, form, status=add_refusal(form, refusal))
    return respond(request, page="", redirect=reverse("rubric_version", args=[slug, number]))


def _weigh(request: SignedIn, version: RubricVersion, form: DraftForm, active_field: str) -> HttpResponse:
    """Return the weights as they are now. Only controls that change are swapped, never the active one."""
    sent, moved = form.texts, in_step(form.texts, active_field=active_field)
    form = form.with_texts(moved)
    faults = [fault for fault in weight_faults(form.texts) if fault.field]
    changed = {name for name, text in moved.items() if sent.get(name) != text} - {active_field}
    swapped = changed | {name for name in moved if name.endswith("-was")}
    return _show(request, version, _with_faults(form, faults), swapped=swapped)


def _scale(request: SignedIn, version: RubricVersion, form: DraftForm, index: int) -> HttpResponse:
    try:
        weights = scale_weights(form.texts, index)
    except Unreadable as fault:
        return _show(
            request, version, _with_faults(form, [FieldProblem(f"c{index}-weight", str(fault))]), status=422
        )
    name = form.texts.get(f"c{index}-label") or form.texts.get(f"c{index}-key", "")
    message = _("The other weights were scaled so that %(name)s keeps its own. Nothing is saved yet.")
    return _show(request, version, _with_weights(form, weights), message=message % {"name": name})


def _reset(request: SignedIn, version: RubricVersion, form: DraftForm) -> HttpResponse:
    """Reset the weights to those of the first version; criteria that it does not have get 0."""
    default, texts = default_weights(version), form.texts
    weights = {f"c{index}-weight": default.get(texts[f"c{index}-key"], "0") for index in used_indexes(texts)}
    message = _("The weights are those of the rubric's first version. Nothing is saved yet.")
    return _show(request, version, _with_weights(form, weights), message=message)


def _with_weights(form: DraftForm, weights: Mapping[str, str]) -> DraftForm:
    """The form with these weights, and the sliders in step with them."""
    numbers = {name: text for name, text in form.texts.items() if not name.endswith("-slide")}
    return form.with_texts(in_step(numbers | dict(weights)))


def _with_faults(form: DraftForm, problems: list[FieldProblem]) -> DraftForm:
    for problem in problems:
        form.add_error(problem.field if problem.field in form.fields else None, problem.message)
    return form


def _show(
    request: SignedIn,
    version: RubricVersion,
    form: DraftForm,
    *,
    message: str = "",
    status: int = 200,
    typed: RubricRecord | None = None,
    swapped: Collection[str] | None = None,
) -> HttpResponse:
    """Show the editor; with `swapped`, htmx gets only the weights, and of their controls only those fields."""
    page = build_draft_page(version=version, total=weight_sum(form.texts), message=message, typed=typed)
    context = {"page": page, "form": form, "swapped": swapped, **_frame(request)}
    region = None if swapped is None else WEIGHTS
    return respond(request, page=EDIT, region=region, context=context, status=status)


Uses = Callable[[], Mapping[int, int]]


def rubrics_with(uses: Uses) -> View:
    """The view that lists rubrics; `uses` gives how many iterations use each version."""

    @require("sign_in")
    def rubrics(request: SignedIn) -> HttpResponse:
        """All rubrics and their versions."""
        only_parameters(request)
        page = build_rubrics_page(person=request.user, uses=uses())
        context = {"page": page, **_frame(request)}
        return respond(request, page="rubric/versions/list.html", context=context)

    return rubrics


def retire_with(uses: Uses) -> View:
    """The view that retires a published version."""

    @require("retire_version", methods=("GET", "POST"))
    def retire_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
        """Show who uses the version, and a form for the reason."""
        version = version_or_404(request.user, slug, number)
        check_retire_version(request.user, version)
        return change_version(request, version, _retire, "rubric/versions/retire.html", uses)

    return retire_version


@require("discard_version", methods=("GET", "POST"))
def discard_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show what happens to a discarded draft, and a form for the reason."""
    version = version_or_404(request.user, slug, number)
    check_discard_version(request.user, version)
    return change_version(request, version, actions.discard_draft, "rubric/versions/discard.html", dict)


@require("offer_version", methods=("GET", "POST"))
def offer_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show what it means that new work can use an imported version, and a form for the reason."""
    version = version_or_404(request.user, slug, number)
    check_offer_version(request.user, version)
    return change_version(request, version, _offer, "rubric/versions/offer.html", dict)


def _retire(*, basis: str, **given: object) -> None:
    """Retire a version. This needs no hash: a published version does not change."""
    actions.retire_version(**given)  # type: ignore[arg-type]


def _offer(*, basis: str, **given: object) -> None:
    """Offer a version. This needs no hash either, for the same reason."""
    actions.offer_version(**given)  # type: ignore[arg-type]


def change_version(
    request: SignedIn,
    version: RubricVersion,
    act: Callable[..., None],
    page: str,
    uses: Uses,
    more: Callable[[], Mapping[str, object]] = dict,
) -> HttpResponse:
    """Show the form with `more` context, or act and redirect to the version."""
    only_parameters(request)

    def change(form: ReasonForm) -> str:
        act(version=version, **form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("rubric_version", args=[version.rubric.key, version.number])

    def context() -> Mapping[str, object]:
        return {"page": build_change_page(version=version, uses=uses()), **more(), **_frame(request)}

    basis: dict[str, object] = {"basis": version.sha256}
    return form_page(request, ReasonForm, change, page=page, context=context, initial=basis)


@require("edit_rubrics", methods=("POST",))
def choose_scoring(request: SignedIn) -> HttpResponse:
    """Choose whether new sets begin with scores by criterion."""
    check_edit_rubrics(request.user)
    form = bind_form(request, ScoringForm)
    if not form.is_valid():
        raise Malformed(_("Say whether scoring by criterion is on or off. Reload the page and try again."))
    actions.choose_scoring(**form.cleaned_data, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("rubrics"))
