"""The agents of a project and the file of each, for programs of leads."""

from django.http import Http404
from django.utils.translation import gettext as _

from discussions.agents.core import GROUPINGS, AgentFigures, AgentFile, AgentShare, Moment, RoleFigures
from discussions.agents.permissions import check_see_agents
from discussions.agents.queries import find_figures
from workspace.core.refusals import Conflict
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import Answer, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/team/agents/"


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
