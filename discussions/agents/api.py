"""The agents of a project and the file of each, for programs of leads."""

from typing import Annotated, Literal

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from discussions.agents.actions import (
    LONGEST_NAME,
    change_category,
    code,
    take_code_back,
)
from discussions.agents.core.categories import CategoryShare
from discussions.agents.core.files import (
    AGENT,
    GROUPINGS,
    ITERATION,
    AgentFigures,
    AgentFile,
    AgentShare,
    Moment,
    RoleFigures,
)
from discussions.agents.pages import CategoryPart, list_parts
from discussions.agents.permissions import check_code_games, check_see_agents
from discussions.agents.queries import find_figures, load_coded
from discussions.models import Category, Coding, Game
from workspace.core.refusals import Conflict, Unacceptable
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/team/agents/"
CATEGORIES = "/projects/{slug:slug}/team/categories/"


class AgentShareAnswer(
    Answer, of=AgentShare, fields="right of judged games share interval others difference apart word"
):
    """How much of a metric is right: `right` of `of`, of which people judged `judged`; the rest is by the rule.

    `interval` is the 95 % interval of the share over games, `others` the share of the others of the same role, `apart`
    the interval of the difference; all in percent. `word` is "worse", "better", "unclear" or "few" (games).
    """

    share: float
    others: float | None
    difference: float | None
    word: str


class RoleAnswer(Answer, of=RoleFigures, fields="role games"):
    """The figures in one role by metric; "won" is the share of games that its side won."""

    figures: dict[str, AgentShareAnswer]


class MomentAnswer(Answer, of=Moment, fields="kind role game message why is_by_people count"):
    """A message that shows what is wrong; `is_by_people` says whether people judged it."""


class AgentAnswer(Answer, of=AgentFile, fields="name games messages"):
    """An agent, a model or an iteration by its number."""


class AgentsAnswer(Answer, of=AgentFigures, fields="games"):
    """Agents, models and iterations by name, from so many games."""

    agents: list[AgentAnswer]
    models: list[AgentAnswer]
    iterations: list[AgentAnswer]


class AgentFileAnswer(Answer, of=AgentFile, fields="name games messages"):
    """What one of them does by role, and up to three moments that show what it does wrong."""

    roles: list[RoleAnswer]
    moments: list[MomentAnswer]


@router.get(PATH, "api_agents", "see_agents")
def list_agents(request: SignedIn, slug: str) -> AgentsAnswer:
    """Read of which agents, models and iterations there are files.

    409 while they are not computed for the present judgements: ask for them on the page of agents.
    """
    figures = find_figures(project_or_404(request.user, slug, check_see_agents))
    if figures is None:
        raise Conflict(
            _("The files of agents are not computed for the present judgements. Compute them on their page."),
            code="not_computed",
        )
    return AgentsAnswer.read(figures, **{f"{key}s": figures.files[key] for key in GROUPINGS})


@router.get(PATH + "file/", "api_agent", "see_agents")
def show_agent(
    request: SignedIn, slug: str, agent: str = "", model: str = "", iteration: str = ""
) -> AgentFileAnswer:
    """Read the file of an agent, of a model or of an iteration, by the one parameter that is given.

    404 also while the files are not computed.
    """
    figures = find_figures(project_or_404(request.user, slug, check_see_agents))
    given = [(key, name) for key, name in zip(GROUPINGS, (agent, model, iteration), strict=True) if name]
    file = figures.find(*given[0]) if figures and len(given) == 1 else None
    if file is None:
        raise Http404
    return AgentFileAnswer.read(file)


class CategoryShareAnswer(Answer, of=CategoryShare, fields="name coded of games interval"):
    """How many of the messages of an agent or iteration have the category, in games that have a code."""


class CategoryAnswer(Answer, of=CategoryPart, fields="id:key name messages games"):
    """A category; `alpha` is the agreement between coders, null where no two coded the same game."""

    id: int
    name: str
    messages: int
    games: int
    alpha: float | None
    agents: list[CategoryShareAnswer]
    iterations: list[CategoryShareAnswer]


class CodeGiven(Given):
    """Message 0 is the whole game."""

    game: int
    message: int = 0
    name: Annotated[str, Field(max_length=LONGEST_NAME)]


class CodedAnswer(Answer, of=Coding, fields="id:pk category:category.name game:game.number message"):
    """A code as it was given."""


class ChangeGiven(Given):
    """`name` is for "rename", `into` (the id of a category) for "merge"; "restore" undoes a merge or a removal."""

    do: Literal["rename", "merge", "remove", "restore"]
    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    into: int | None = None


class ChangedAnswer(Answer, of=Category, fields="id:pk name"):
    """A category; its codes count for `merged_into` where that is not null, and not at all where it was removed."""

    is_ended: bool
    merged_into: int | None


@router.get(CATEGORIES, "api_categories", "code_games")
def list_categories(request: SignedIn, slug: str) -> list[CategoryAnswer]:
    """Read the categories of a project with their counts by agent and iteration."""
    project = project_or_404(request.user, slug, check_code_games)
    return [
        CategoryAnswer.read(
            part,
            alpha=part.agreement.value,
            agents=[CategoryShareAnswer.read(share) for share in part.shares[AGENT]],
            iterations=[CategoryShareAnswer.read(share) for share in part.shares[ITERATION]],
        )
        for part in list_parts(load_coded(project), str)
    ]


@router.post(CATEGORIES, "api_categories", "code_games", scope="admin")
def give_code(request: SignedIn, slug: str, body: CodeGiven) -> CodedAnswer:
    """Put a category on a message or a game; it is made if the project has none of that name."""
    project = project_or_404(request.user, slug, check_code_games)
    game = Game.objects.filter(project=project, number=body.game).first()
    if game is None:
        raise Unacceptable(_("There is no game of this number."), field="game")
    made = code(game=game, message=body.message, name=body.name, by=request.user, now=timezone.now())
    return CodedAnswer.read(made)


@router.post(CATEGORIES + "{int:category}/", "api_category", "code_games", scope="admin")
def change(request: SignedIn, slug: str, category: int, body: ChangeGiven) -> ChangedAnswer:
    """Rename, merge, remove or restore a category."""
    rows = Category.objects.filter(project=project_or_404(request.user, slug, check_code_games))
    row = get_object_or_404(rows, pk=category)
    into = rows.filter(pk=body.into).first() if body.into else None
    change_category(category=row, do=body.do, name=body.name, into=into, by=request.user, now=timezone.now())
    row = rows.select_related("end").get(pk=category)
    end = getattr(row, "end", None)
    return ChangedAnswer.read(row, is_ended=end is not None, merged_into=end and end.merged_into_id)


@router.post(CATEGORIES + "codes/{int:coding}/take-back/", "api_code_take_back", "undo_code", scope="admin")
def take_back(request: SignedIn, slug: str, coding: int) -> CodedAnswer:
    """Undo a code of your own."""
    project = project_or_404(request.user, slug, check_code_games)
    rows = Coding.objects.filter(game__project=project).select_related("category", "game__project")
    row = get_object_or_404(rows, pk=coding)
    take_code_back(coding=row, by=request.user, now=timezone.now())
    return CodedAnswer.read(row)
