"""Requesting an export: the same form for a project, a stage, an iteration, a game and a comparison set."""

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.archives.permissions import check_archive
from discussions.exports.actions import request_project_export
from discussions.exports.permissions import check_export_subject
from discussions.exports.queries.tables import rows_in
from discussions.models import Evaluation, Game
from rubric.models import ComparisonSet, Review
from workspace.access.permissions import get_refusal, may, may_lead
from workspace.core.refusals import Unacceptable
from workspace.exports import labels
from workspace.exports.core.choices import ARCHIVE, FOR_LEADS, PARQUET, PROJECT, ExportSubject, parse_subject
from workspace.exports.forms import ExportForm
from workspace.exports.permissions import check_export, check_export_everything, has_parquet
from workspace.exports.views import SECTION
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.form_page import form_page
from workspace.web.views import SignedIn, frame, only_parameters, require

PAGE = "discussions/exports/new.html"


@require("export", methods=("GET", "POST"), costs="exports")
def new_export(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_export)
    of = only_parameters(request, "of")["of"]
    asked = request.POST.get("of", "") if request.method == "POST" else of
    if request.method != "POST":
        try:
            check_export_subject(request.user, project, of)
        except Unacceptable as refusal:
            raise Http404 from refusal

    def ask(form: ExportForm) -> str:
        request_project_export(project=project, **form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("exports", args=[slug])

    def context() -> dict[str, object]:
        section = "archive" if asked == PROJECT and may_lead(request.user, project) else SECTION
        return _describe_export(project, request.user, asked) | frame(request.user, project, section)

    return form_page(request, ExportForm, ask, page=PAGE, context=context, initial={"of": of})


def _describe_export(project: Project, person: Person, of: str) -> dict[str, Any]:
    """What is exported, how much it is, and in which formats; what is no subject is shown as the whole project."""
    subject = parse_subject(of) or ExportSubject(PROJECT)
    is_everything = may(check_export_everything, person, project)
    return {
        "subject": labels.describe_subject(str(subject)),
        "amount": _count(project, subject) if is_everything else _count_own(project, person),
        "formats": [
            (key, label, labels.FORMAT_NOTES[key], _find_refusal(project, person, subject, key))
            for key, label in labels.FORMAT_NAMES.items()
        ],
        "is_everything": is_everything,
    }


def _find_refusal(project: Project, person: Person, subject: ExportSubject, format_name: str) -> str:
    """Why the format cannot be chosen, "" when it can."""
    if format_name == PARQUET and not has_parquet():
        return str(labels.PARQUET_MISSING)
    if format_name in FOR_LEADS and not may(check_export_everything, person, project):
        return str(labels.FORMAT_FOR_LEADS)
    if format_name == ARCHIVE:
        refusal = get_refusal(check_archive, person, project)
        return refusal or ("" if subject.kind == PROJECT else str(labels.ARCHIVE_WHOLE_ONLY))
    return ""


def _count(project: Project, subject: ExportSubject) -> str:
    games, sets = (rows_in(model, project, subject).count() for model in (Game, ComparisonSet))
    return _join(
        (games, ngettext("%(n)s game", "%(n)s games", games)),
        (sets, ngettext("%(n)s comparison set", "%(n)s comparison sets", sets)),
    )


def _count_own(project: Project, person: Person) -> str:
    games = Evaluation.objects.visible_to(person).filter(game__project=project).count()
    reviews = Review.objects.visible_to(person).filter(reviewer__set__project=project).count()
    return _join(
        (games, ngettext("%(n)s evaluation", "%(n)s evaluations", games)),
        (reviews, ngettext("%(n)s review", "%(n)s reviews", reviews)),
    )


def _join(*counts: tuple[int, str]) -> str:
    parts = [words % {"n": f"{count:,}"} for count, words in counts if count]
    return _(" and ").join(parts) or _("nothing yet")
