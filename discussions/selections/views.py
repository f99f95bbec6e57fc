"""Acts on several games: a page says what happens to each, and a button does it."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from discussions.models import Iteration
from discussions.selections.forms import RecordGamesForm
from discussions.verdicts.actions import MOST_RECORDED, record_ready_games
from discussions.verdicts.pages.ready import list_ready_games
from discussions.verdicts.permissions import check_record_games
from discussions.verdicts.queries import list_complete_games
from workspace.core.refusals import Malformed, Refusal
from workspace.display.core.number_lists import numbers_in, write_numbers
from workspace.models import Project
from workspace.web.bind_form import bind_form, kept_status, only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SECTION = "games"


@require("record_games", methods=("GET", "POST"))
def record_games(request: SignedIn, slug: str) -> HttpResponse:
    """Which games of a selection get a verdict, and which verdict; then record those that are chosen."""
    project = project_or_404(request.user, slug)
    check_record_games(request.user, project)
    given = only_parameters(request, "games", "iteration")
    if request.method != "POST":
        return _show_ready(request, project, _read_wanted(project, given), RecordGamesForm())
    form, status = bind_form(request, RecordGamesForm), 422
    try:
        if form.is_valid():
            shown = form.cleaned_data["ready"]
            done = record_ready_games(project=project, shown=shown, by=request.user, now=timezone.now())
            if not done.refused:
                address = (
                    f"{reverse('record_games', args=[slug])}?{urlencode({'games': write_numbers(shown)})}"
                )
                return respond(request, page="", redirect=address)
            return _show_ready(request, project, list(shown), form, refused=done.refused, status=409)
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_ready(request, project, _read_wanted(project, given), form, status=status)


def read_numbers(text: str) -> list[int]:
    """The games that an address names, such as "3,5-7"; Malformed (400) for anything else."""
    try:
        return numbers_in(text)
    except ValueError:
        raise Malformed(
            _("This address names no games. Go back to the list and choose them again.")
        ) from None


def _read_wanted(project: Project, given: Mapping[str, str]) -> list[int]:
    """The games by number, or those of an iteration whose evaluations are complete."""
    if not given["iteration"]:
        return read_numbers(given["games"])
    rows = Iteration.objects.filter(project=project)
    iteration = get_object_or_404(rows, number=parse_number(given["iteration"]))
    found = list_complete_games(project, iteration=iteration, most=MOST_RECORDED)
    return [number for _key, number in found]


def _show_ready(
    request: SignedIn,
    project: Project,
    numbers: list[int],
    form: RecordGamesForm,
    *,
    refused: Mapping[int, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    games = list_ready_games(project=project, numbers=numbers[:MOST_RECORDED])
    context = {
        "ready": [game for game in games if not game.refusal],
        "waiting": [game for game in games if game.refusal],
        "refused": refused or {},
        "left_out": max(0, len(numbers) - MOST_RECORDED),
        "form": form,
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="discussions/selections/record.html", context=context, status=status)
