"""The guideline of a project, for programs."""

from django.db.models import Max
from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from discussions.calibration.actions import LONGEST_GUIDELINE, confirm_guideline, write_guideline
from discussions.calibration.permissions import check_write_guideline
from discussions.calibration.queries import newest_guideline, unread_guideline
from discussions.models import Guideline
from workspace.models import Person, Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/guideline/"


class GuidelineAnswer(Answer):
    """The guideline that holds, in Markdown; `version` is 0 without one. With `is_read` you need not confirm it.

    `newest` is the version that the next one follows, also where an empty text ended the guideline.
    """

    version: int
    newest: int
    text: str
    is_read: bool


class GuidelineGiven(Given):
    """The text, and the version that it follows (`newest`): 409 when somebody wrote another one since."""

    text: str = Field(max_length=LONGEST_GUIDELINE)
    after: int = Field(ge=0, le=10**6)


class ReadGiven(Given):
    """The version that you have read."""

    version: int = Field(ge=1, le=10**6)


@router.get(PATH, "api_guideline", "see_project")
def show_guideline(request: SignedIn, slug: str) -> GuidelineAnswer:
    """Read the guideline of a project."""
    return _answer(request.user, project_or_404(request.user, slug))


@router.post(PATH, "api_guideline", "write_guideline", "admin")
def write(request: SignedIn, slug: str, given: GuidelineGiven) -> GuidelineAnswer:
    """Write the next version of the guideline; evaluators confirm it before their next game. An empty text ends it."""
    project = project_or_404(request.user, slug, check_write_guideline)
    write_guideline(project=project, **given.model_dump(), by=request.user, now=timezone.now())
    return _answer(request.user, project)


@router.post(PATH + "read/", "api_guideline_read", "see_project", "rate")
def confirm(request: SignedIn, slug: str, given: ReadGiven) -> GuidelineAnswer:
    """Confirm that you have read a version of the guideline. Without that you get no game."""
    project = project_or_404(request.user, slug)
    version = get_object_or_404(Guideline, project=project, number=given.version)
    confirm_guideline(guideline=version, by=request.user, now=timezone.now())
    return _answer(request.user, project)


def _answer(person: Person, project: Project) -> GuidelineAnswer:
    current = newest_guideline(project)
    versions = Guideline.objects.filter(project=project)
    return GuidelineAnswer(
        version=current.number if current else 0,
        newest=versions.aggregate(newest=Max("number"))["newest"] or 0,
        text=current.text if current else "",
        is_read=unread_guideline(person, project) is None,
    )
