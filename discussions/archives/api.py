"""Erasures, for programs of admins."""

from django.shortcuts import get_object_or_404
from django.utils import timezone

from discussions.archives.actions.erasures import ask_to_erase
from discussions.archives.permissions import check_erase
from discussions.archives.queries.erasures import Erasable, list_erasures
from discussions.models import Game, Transcript
from workspace.models import Erasure
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Listed, Operations
from workspace.web.views import SignedIn

router = Operations()


class ErasureGiven(Given):
    """Why it is erased. It stays in the audit log, so it must not name what is erased."""

    reason: str


class ErasureAnswer(Answer, of=Erasure, fields="kind row reason counts created_at done_at"):
    """An erasure: of a game, an upload ("transcript"), a project or a person, by its key `row`.

    `counts` says what goes; `done_at` is null until everything is gone.
    """

    counts: dict[str, int]


@router.post("/projects/{slug:slug}/games/{int:number}/erasure/", "api_erase_game", "erase", "admin")
def erase_game(request: SignedIn, slug: str, number: int, given: ErasureGiven) -> ErasureAnswer:
    """Remove a game permanently: its texts, judgements and uploaded file. Figures of its verdict stay in averages."""
    rows = Game.objects.visible_to(request.user).select_related("project", "transcript")
    return _erase(request, get_object_or_404(rows, project__slug=slug, number=number), given)


@router.post("/projects/{slug:slug}/imports/{int:transcript}/erasure/", "api_erase_import", "erase", "admin")
def erase_import(request: SignedIn, slug: str, transcript: int, given: ErasureGiven) -> ErasureAnswer:
    """Remove an uploaded file with all its games permanently."""
    project = project_or_404(request.user, slug)
    rows = Transcript.objects.filter(project=project).select_related("project")
    return _erase(request, get_object_or_404(rows, pk=transcript), given)


@router.post("/projects/{slug:slug}/erasure/", "api_erase_project", "erase", "admin")
def erase_project(request: SignedIn, slug: str, given: ErasureGiven) -> ErasureAnswer:
    """Remove a project permanently, with everything in it and its audit log."""
    return _erase(request, project_or_404(request.user, slug), given)


@router.get("/erasures/", "api_erasures", "erase")
def erasures(request: SignedIn) -> Listed[ErasureAnswer]:
    """List what was erased in this installation, newest first."""
    check_erase(request.user)
    return Listed[ErasureAnswer].read_all([row for row, _name in list_erasures()])


def _erase(request: SignedIn, thing: Erasable, given: ErasureGiven) -> ErasureAnswer:
    check_erase(request.user, thing)
    made = ask_to_erase(thing=thing, reason=given.reason, by=request.user, now=timezone.now())
    return ErasureAnswer.read(made)
