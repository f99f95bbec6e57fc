"""The editor of drafts, and the pages on which drafts are made: from a version, or from a file."""

from collections.abc import Collection, Mapping
from contextlib import suppress

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.core.weights import is_whole, percent_text
from rubric.models import Rubric, RubricVersion
from rubric.versions import actions
from rubric.versions.core.differences import differences
from rubric.versions.core.draft import (
    FieldFault,
    Unreadable,
    draft_texts,
    in_step,
    read_draft,
    scale_weights,
    used_indexes,
    weight_changes,
    weight_faults,
    weight_sum,
)
from rubric.versions.forms import DraftForm, ImportForm, NoteForm
from rubric.versions.permissions import check_edit_rubrics, check_edit_version
from rubric.versions.views.version import difference_rows, find_published, rubrics_frame, version_or_404
from workspace.core.refusals import Conflict, Malformed, Refusal
from workspace.web.bind_form import add_refusal, bind_form
from workspace.web.form_page import form_page
from workspace.web.views import SignedIn, require, respond

EDIT, SHOW = "rubric/versions/edit.html", "rubric_version"
WEIGHTS = "rubric/versions/_draft_weights.html"
# A button that saves -> the page to which it leads. "weights" and "edit" send the weights alone.
SAVES = {"save": SHOW, "overwrite": SHOW, "preview": "publish_version"}
SAVES |= {"weights": "publish_version", "edit": "edit_version"}


@require("edit_rubrics", methods=("GET", "POST"))
def draft_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """Show a form for the next draft, made from this version; redirects to the draft's editor."""
    version = version_or_404(request.user, slug, number)
    check_edit_rubrics(request.user)

    def draft(form: NoteForm) -> str:
        made = actions.draft_version(
            version=version, **form.cleaned_data, by=request.user, now=timezone.now()
        )
        return reverse("edit_version", args=[slug, made.number])

    page = "rubric/versions/draft.html"
    return form_page(
        request, NoteForm, draft, page=page, context=lambda: {"version": version, **rubrics_frame(request)}
    )


@require("edit_version", methods=("GET", "POST"))
def edit_version(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The editor: every button sends the whole form, and the typed text always stays.

    Changing a weight also sends the form, with `weigh` and the name of its field.
    """
    version = version_or_404(request.user, slug, number, check_edit_version)
    base = version.to_record()
    if request.method == "GET":
        return _show(request, version, DraftForm(base=base, initial=typed_before(version)))
    form = bind_form(request, DraftForm, base=base)
    if not form.is_valid():
        return _show(request, version, form, status=422)
    do, _colon, which = form.cleaned_data["do"].partition(":")
    if do == "weigh":
        return _weigh(request, version, form, which)
    if do in ("weights", "edit"):
        form = form.with_texts({**draft_texts(base), **form.texts})
    form = form.with_texts(in_step(form.texts))
    if do == "scale" and which.isdecimal() and int(which) in used_indexes(form.texts):
        return _scale(request, version, form, int(which))
    if do == "reset":
        return _reset(request, version, form)
    if do == "overwrite":
        form = form.with_texts({"basis": which})
    elif do not in ("", "check", *SAVES):
        raise Malformed(
            _("The form was sent with a button that it does not have. Reload the page and try again.")
        )
    return _judge(request, version, form, saves=SAVES.get(do))


@require("edit_rubrics", methods=("GET", "POST"))
def import_rubric(request: SignedIn) -> HttpResponse:
    """Show a form for the file of a version; redirects to the draft made from it."""
    check_edit_rubrics(request.user)
    rubrics = {rubric.key: rubric for rubric in Rubric.objects.order_by("pk")}
    choices = [(key, rubric.name) for key, rubric in rubrics.items()]
    form, status, problems = ImportForm(rubrics=choices), 200, []
    if request.method == "POST":
        form, status = bind_form(request, ImportForm, rubrics=choices), 422
        if form.is_valid():
            values = form.cleaned_data
            given = {"data": values["file"].read(), "rubric": rubrics.get(values["rubric"])}
            named = {name: values[name] for name in ("key", "note")}
            try:
                made = actions.draft_file(**given, **named, by=request.user, now=timezone.now())
                address = reverse("rubric_version", args=[made.rubric.key, made.number])
                return respond(request, page="", redirect=address)
            except Refusal as refusal:
                problems = getattr(refusal, "detail", {}).get("faults", [])
                status = 422 if problems else add_refusal(form, refusal)
    context = {"form": form, "problems": problems, **rubrics_frame(request)}
    return respond(request, page="rubric/versions/import.html", context=context, status=status)


def _judge(request: SignedIn, version: RubricVersion, form: DraftForm, *, saves: str | None) -> HttpResponse:
    """Check the draft; `saves` is the page to which saving it leads."""
    record = read_draft(form.texts, form.base)
    if not isinstance(record, RubricRecord):
        return _show(request, version, _with_faults(form, record), status=422)
    if saves:
        return _save(request, version, form, record, saves)
    return _show(request, version, form, message=_("Nothing is wrong with this draft. It is not saved yet."))


def _save(
    request: SignedIn, version: RubricVersion, form: DraftForm, record: RubricRecord, page: str
) -> HttpResponse:
    slug, number = version.rubric.key, version.number
    texts = {name: text.replace("\r\n", "\n") for name, text in form.texts.items()}
    given = {name: texts.get(name, "") for name in ("note", "basis")}
    # A page that was opened before the reason was typed does not erase it.
    given |= {"reason": texts["reason"]} if texts.get("reason") else {}
    try:
        actions.save_draft(version=version, record=record, **given, by=request.user, now=timezone.now())
    except Conflict as conflict:
        version = version_or_404(request.user, slug, number, check_edit_version)
        return _show(request, version, form, status=add_refusal(form, conflict), typed=record)
    except Refusal as refusal:
        return _show(request, version, form, status=add_refusal(form, refusal))
    return respond(request, page="", redirect=reverse(page, args=[slug, number]))


def _weigh(request: SignedIn, version: RubricVersion, form: DraftForm, active_field: str) -> HttpResponse:
    """Return the weights as they are now. Only controls that change are swapped, never the active one."""
    sent, moved = form.texts, in_step(form.texts, active_field=active_field)
    index = active_field.partition("-")[0].removeprefix("c")
    if sent.get("even") and index.isdecimal() and int(index) in used_indexes(sent):
        with suppress(Unreadable):
            moved = in_step({**sent, **moved, **scale_weights({**sent, **moved}, int(index))})
    form = form.with_texts(moved)
    faults = [fault for fault in weight_faults(form.texts) if fault[0]]
    changed = {name for name, text in moved.items() if sent.get(name) != text} - {active_field}
    swapped = changed | {name for name in moved if name.endswith("-was")}
    return _show(request, version, _with_faults(form, faults), swapped=swapped)


def _scale(request: SignedIn, version: RubricVersion, form: DraftForm, index: int) -> HttpResponse:
    try:
        weights = scale_weights(form.texts, index)
    except Unreadable as fault:
        return _show(request, version, _with_faults(form, [(f"c{index}-weight", str(fault))]), status=422)
    name = form.texts.get(f"c{index}-label") or form.texts.get(f"c{index}-key", "")
    message = _("The other weights were scaled so that %(name)s keeps its own. Nothing is saved yet.")
    return _show(request, version, _with_weights(form, weights), message=message % {"name": name})


def _reset(request: SignedIn, version: RubricVersion, form: DraftForm) -> HttpResponse:
    """Reset the weights to those of the first version; criteria that it does not have get 0."""
    first = RubricVersion.objects.kept().filter(rubric=version.rubric_id).order_by("pk").first() or version
    default = {criterion.key: percent_text(criterion.weight) for criterion in first.to_record().criteria}
    texts = form.texts
    weights = {f"c{index}-weight": default.get(texts[f"c{index}-key"], "0") for index in used_indexes(texts)}
    message = _("The weights are those of the rubric's first version. Nothing is saved yet.")
    return _show(request, version, _with_weights(form, weights), message=message)


def _with_weights(form: DraftForm, weights: Mapping[str, str]) -> DraftForm:
    numbers = {name: text for name, text in form.texts.items() if not name.endswith("-slide")}
    return form.with_texts(in_step(numbers | dict(weights)))


def _with_faults(form: DraftForm, problems: list[FieldFault]) -> DraftForm:
    for field, message in problems:
        form.add_error(field if field in form.fields else None, message)
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
    """Show the editor; with `swapped`, htmx gets only the weights, and of their controls only those fields.

    `typed` could not be saved because somebody else had saved `version` in the meantime.
    """
    context = {
        "version": version,
        "form": form,
        "message": message,
        "swapped": swapped,
        "compare_weights": compare_weights,
        "before": find_published(version),
        "conflict": None if typed is None else difference_rows(differences(version.to_record(), typed)),
        **rubrics_frame(request),
    }
    region = None if swapped is None else WEIGHTS
    return respond(request, page=EDIT, region=region, context=context, status=status)


def compare_weights(texts: Mapping[str, str], before: RubricRecord | None) -> dict[str, object]:
    """What `_draft_weights.html` says of the weights as typed: their changes, their sum, how far that is off."""
    total = weight_sum(texts)
    right = total is not None and is_whole(total)
    by = {"by": "" if total is None else percent_text(abs(total - 1)) + "\u00a0%"}
    off = _("%(by)s too much") if total is not None and total > 1 else _("%(by)s too little")
    return {
        "changes": weight_changes(texts, before),
        "total": "" if total is None else ("100" if right else percent_text(total)) + "\u00a0%",
        "off": "" if right or total is None else off % by,
        "is_total_right": right,
    }


def typed_before(version: RubricVersion) -> dict[str, object]:
    """What the forms of a draft begin with, beside its content."""
    return {"note": version.note, "basis": version.sha256, "reason": version.reason}
