"""The rules by which games enter a project's queue, for programs: read, preview, save; single games in and out."""

from typing import Annotated, Literal

from django.utils import timezone
from pydantic import Field

from discussions.core.intake import CONDITIONS, EVERYTHING, LONGEST_VALUE, MOST_ROWS, Filling, FillRow
from discussions.games.views.game import game_or_404
from discussions.models.queue_rules import FillRules, QueueDraw, load_fill_rules
from discussions.planning.actions.intake import check_filling, place_game, save_filling
from discussions.planning.queries import FillLine, FillPreview, preview_filling
from discussions.planning.views.intake import name_rules
from discussions.slots.permissions import check_assign
from workspace.models import Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/team/queue/rules/"
Percent = Annotated[float, Field(ge=0, le=100)]


class FillRowGiven(Given):
    """A condition and the share of the games that it fits, in percent.

    `metric` is a key, or "weakest" for the metric furthest below its threshold. `value` holds points ("short", which
    fails by less than these, and "near"), a score ("below", "from"), the number of an iteration, or a name.
    """

    condition: Literal[CONDITIONS]  # type: ignore[valid-type]
    percent: Percent = 100.0
    metric: str = ""
    value: str = Field(default="", max_length=LONGEST_VALUE)


class FillingGiven(Given):
    """Rules in order, of which the first that fits decides, and the share of the rest.

    With `is_applied` games that wait pass the rules, too.
    """

    rows: list[FillRowGiven] = Field(max_length=MOST_ROWS)
    rest: Percent
    is_applied: bool = False


class FillLineAnswer(Answer, of=FillLine, fields="percent fits taken minutes examples"):
    """What a rule does with the present games: it fits so many, of which so many enter; some of their numbers."""


class FillPreviewAnswer(Answer, of=FillPreview, fields="games taken minutes waiting entering leaving"):
    """The rules on the games that are there, the rest last; `minutes` of evaluators, null while their times are not
    known. Of the `waiting` games so many would enter and leave if the rules are applied to them.
    """

    lines: list[FillLineAnswer]


class FillRowAnswer(Answer, of=FillRow, fields="condition metric value percent"):
    """A rule, as it is given."""


class FillRulesAnswer(Answer, of=Filling, fields="rest"):
    """The rules of a project, and `named` in words; version 0 is “every game enters”."""

    version: int
    rows: list[FillRowAnswer]
    named: list[str]


class QueueDrawAnswer(Answer, of=QueueDraw, fields="is_in version:rules.number row probability chance"):
    """Whether a game is in the queue, and by which row of which version of the rules, null by hand alone.

    Estimates weight the game by 1 / `chance`; with 0 it counts in none.
    """

    version: int | None


@router.get(PATH, "api_fill_rules", "assign")
def read_rules(request: SignedIn, slug: str) -> FillRulesAnswer:
    """Read the rules by which games enter the queue."""
    return _answer_rules(project_or_404(request.user, slug, check_assign))


@router.post(PATH, "api_fill_rules", "assign", "admin")
def save_rules(request: SignedIn, slug: str, given: FillingGiven) -> FillRulesAnswer:
    """Save a new version of the rules, for games that are measured from now on."""
    project = project_or_404(request.user, slug, check_assign)
    save_filling(
        project=project,
        filling=_read_given(given),
        is_applied=given.is_applied,
        by=request.user,
        now=timezone.now(),
    )
    return _answer_rules(project)


@router.post(PATH + "preview/", "api_fill_preview", "assign", "admin")
def preview_rules(request: SignedIn, slug: str, given: FillingGiven) -> FillPreviewAnswer:
    """Read what rules would do with the present games. Nothing is saved."""
    project = project_or_404(request.user, slug, check_assign)
    return FillPreviewAnswer.read(preview_filling(project, check_filling(_read_given(given))))


@router.post("/projects/{slug:slug}/games/{int:number}/queue/in/", "api_queue_in", "assign", "admin")
def put_in(request: SignedIn, slug: str, number: int) -> QueueDrawAnswer:
    """Put a game into the queue by hand."""
    return _place_by_hand(request, slug, number, is_in=True)


@router.post("/projects/{slug:slug}/games/{int:number}/queue/out/", "api_queue_out", "assign", "admin")
def take_out(request: SignedIn, slug: str, number: int) -> QueueDrawAnswer:
    """Remove a game from the queue; no rule brings it back."""
    return _place_by_hand(request, slug, number, is_in=False)


def _place_by_hand(request: SignedIn, slug: str, number: int, *, is_in: bool) -> QueueDrawAnswer:
    project_or_404(request.user, slug, check_assign)
    game = game_or_404(request.user, slug, number)
    place_game(game=game, is_in=is_in, by=request.user, now=timezone.now())
    draw = QueueDraw.objects.select_related("rules").filter(game=game).first() or QueueDraw(is_in=True)
    return QueueDrawAnswer.read(draw)


def _read_given(given: FillingGiven) -> Filling:
    return Filling([FillRow(**row.model_dump()) for row in given.rows], given.rest)


def _answer_rules(project: Project) -> FillRulesAnswer:
    rules: FillRules | None = load_fill_rules(project.pk)
    filling = rules.to_record() if rules else EVERYTHING
    rows = [FillRowAnswer.read(row) for row in filling.rows]
    version = rules.number if rules else 0
    return FillRulesAnswer.read(filling, version=version, rows=rows, named=name_rules(filling))
