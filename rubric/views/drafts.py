"""The screens on which drafts are made, edited and imported."""

from collections.abc import Collection, Mapping

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.actions import drafting
from rubric.core.reading_drafts import (
    FieldProblem,
    Unreadable,
    read_draft,
    scaled,
    used_places,
    weight_faults,
    weight_sum,
)
from rubric.core.reading_versions import Problem, read_version
from rubric.core.records import RubricRecord
from rubric.core.weighing import in_step
from rubric.forms.drafts import DraftForm
from rubric.forms.rubrics import ImportForm, NoteForm
from rubric.models import Rubric, RubricVersion
from rubric.pages.drafts import build_draft_page, default_weights, scaled_sentence
from rubric.permissions import check_edit_rubrics, check_edit_version
from rubric.views.versions import version_or_404
from workspace.core.refusals import Conflict, Malformed, Refusal
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs

EDIT = "rubric/version_edit.html"
WEIGHTS = "rubric/_draft_weights.html"


@needs("edit_rubrics", methods=("GET", "POST"))
def draft_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """A form for the next draft, made from this version; leads to its editor."""
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)
    form, status = NoteForm(), 200
    if request.method == "POST":
        form, status = typed(request, NoteForm), 422
        if form.is_valid():
            try:
                made = drafting.draft_version(
                    version=version, **form.cleaned_data, by=request.user, now=timezone.now()
                )
                return answer(request, page="", redirect=reverse("edit_version", args=[slug, made.number]))
            except Refusal as refusal:
                status = fault_of(form, refusal)
    context = {"version": version, "form": form, **frame(request.user, None, "rubrics")}
    return answer(request, page="rubric/version_draft.html", context=context, status=status)


@needs("edit_version", methods=("GET", "POST"))
def edit_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The editor: every button sends the whole form, and whatever is wrong, what was typed stays.

    A weight that is moved sends it too, with `weigh` and the field that is in hand.
    """
    only_parameters(request)
    version = version_or_404(request.user, slug, number)
    check_edit_version(request.user, version)
    base = version.to_record()
    if request.method == "GET":
        return _show(request, version, DraftForm(base=base, note=version.note, basis=version.sha256))
    form = typed(request, DraftForm, base=base)
    if not form.is_valid():
        return _show(request, version, form, status=422)
    do, _colon, which = form.cleaned_data["do"].partition(":")
    if do == "weigh":
        return _weigh(request, version, form, which)
    form = form.with_texts(in_step(form.texts))
    if do == "scale" and which.isdecimal() and int(which) in used_places(form.texts):
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


@needs("edit_rubrics", methods=("GET", "POST"))
def import_rubric(request: SignedIn) -> HttpResponse:
    """A form for the file of a version; leads to the draft that it becomes."""
    only_parameters(request)
    check_edit_rubrics(request.user)
    rubrics = {each.key: each for each in Rubric.objects.order_by("pk")}
    choices = [(key, each.name) for key, each in rubrics.items()]
    form, status, problems = ImportForm(rubrics=choices), 200, []
    if request.method == "POST":
        form, status = typed(request, ImportForm, rubrics=choices), 422
        found = _record_of(form)
        if isinstance(found, RubricRecord):
            try:
                made = _import(request, form, found, rubrics.get(form.cleaned_data["rubric"]))
                return answer(
                    request, page="", redirect=reverse("rubric_version", args=[made.rubric.key, made.number])
                )
            except Refusal as refusal:
                status = fault_of(form, refusal)
        else:
            problems = found
    context = {"form": form, "problems": problems, **frame(request.user, None, "rubrics")}
    return answer(request, page="rubric/version_import.html", context=context, status=status)


def _record_of(form: ImportForm) -> RubricRecord | list[Problem]:
    """The version in the file, or what is wrong with it; nothing while the form itself is not filled in."""
    return read_version(form.cleaned_data["file"].read()) if form.is_valid() else []


def _import(
    request: SignedIn, form: ImportForm, record: RubricRecord, rubric: Rubric | None
) -> RubricVersion:
    key, note = form.cleaned_data["key"], form.cleaned_data["note"]
    return drafting.import_version(
        record=record, rubric=rubric, key=key, note=note, by=request.user, now=timezone.now()
    )


def _judge(request: SignedIn, version: RubricVersion, form: DraftForm, *, saves: bool) -> HttpResponse:
    found = read_draft(form.texts, form.base)
    if not isinstance(found, RubricRecord):
        return _show(request, version, _with_faults(form, found), status=422)
    if saves:
        return _save(request, version, form, found)
    return _show(request, version, form, says=_("Nothing is wrong with this draft. It is not saved yet."))


def _save(request: SignedIn, version: RubricVersion, form: DraftForm, record: RubricRecord) -> HttpResponse:
    slug, number = version.rubric.key, version.number
    note, basis = form.texts.get("note", "").replace("\r\n", "\n"), form.texts.get("basis", "")
    try:
        drafting.save_draft(
            version=version, record=record, note=note, basis=basis, by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        version = version_or_404(request.user, slug, number)
        check_edit_version(request.user, version)
        return _show(request, version, form, status=fault_of(form, conflict), mine=record)
    except Refusal as refusal:
        return _show(request, version, form, status=fault_of(form, refusal))
    return answer(request, page="", redirect=reverse("rubric_version", args=[slug, number]))


def _weigh(request: SignedIn, version: RubricVersion, form: DraftForm, in_hand: str) -> HttpResponse:
    """The weights as they are now. Only those of their controls that change are swapped, never the one in hand."""
    sent, moved = form.texts, in_step(form.texts, in_hand=in_hand)
    form = form.with_texts(moved)
    faults = [each for each in weight_faults(form.texts) if each.field]
    changed = {name for name, text in moved.items() if sent.get(name) != text} - {in_hand}
    swapped = changed | {name for name in moved if name.endswith("-was")}
    return _show(request, version, _with_faults(form, faults), swapped=swapped)


def _scale(request: SignedIn, version: RubricVersion, form: DraftForm, place: int) -> HttpResponse:
    try:
        weights = scaled(form.texts, place)
    except Unreadable as fault:
        return _show(
            request, version, _with_faults(form, [FieldProblem(f"c{place}-weight", str(fault))]), status=422
        )
    name = form.texts.get(f"c{place}-label") or form.texts.get(f"c{place}-key", "")
    return _show(request, version, _with_weights(form, weights), says=scaled_sentence(name))


def _reset(request: SignedIn, version: RubricVersion, form: DraftForm) -> HttpResponse:
    """The weights as the first version has them; criteria that it does not know count nothing."""
    default, texts = default_weights(version), form.texts
    weights = {f"c{place}-weight": default.get(texts[f"c{place}-key"], "0") for place in used_places(texts)}
    says = _("The weights are those of the rubric's first version. Nothing is saved yet.")
    return _show(request, version, _with_weights(form, weights), says=says)


def _with_weights(form: DraftForm, weights: Mapping[str, str]) -> DraftForm:
    """The form with other numbers, the sliders in step with them."""
    numbers = {name: text for name, text in form.texts.items() if not name.endswith("-slide")}
    return form.with_texts(in_step(numbers | dict(weights)))


def _with_faults(form: DraftForm, problems: list[FieldProblem]) -> DraftForm:
    for each in problems:
        form.add_error(each.field if each.field in form.fields else None, each.message)
    return form


def _show(
    request: SignedIn,
    version: RubricVersion,
    form: DraftForm,
    *,
    says: str = "",
    status: int = 200,
    mine: RubricRecord | None = None,
    swapped: Collection[str] | None = None,
) -> HttpResponse:
    """The editor; with `swapped`, for htmx the weights alone, of their controls those fields."""
    page = build_draft_page(version=version, total=weight_sum(form.texts), says=says, mine=mine)
    context = {"page": page, "form": form, "swapped": swapped, **frame(request.user, None, "rubrics")}
    region = None if swapped is None else WEIGHTS
    return answer(request, page=EDIT, region=region, context=context, status=status)
