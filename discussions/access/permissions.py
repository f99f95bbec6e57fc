"""Who sees the games and iterations of a project: `check_...` raises NotAllowed with the button's sentence."""

from django.utils.translation import gettext as _

from discussions.models import Evaluation, Game
from workspace.access.permissions import check_leads, may_lead, role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_see_games(person: Person, project: Project) -> None:
    """Leads and admins see every game of a project with its figures."""
    check_leads(
        person,
        project,
        _("Only team leads of this project see all its games. Yours are under “My evaluations”."),
    )


def check_see_game(person: Person, game: Game) -> None:
    """Leads and admins; after the verdict also the evaluators who submitted an evaluation of the game."""
    if may_lead(person, game.project):
        return
    if not (has_submitted(person, game) and game.verdicts.exists()):
        raise NotAllowed(_("A game opens to whoever rated it once its verdict is recorded."))


def has_submitted(person: Person, game: Game) -> bool:
    if role_in(person, game.project) is None:
        return False
    return Evaluation.objects.submitted_ratings().filter(game=game, evaluator=person).exists()


def check_see_iterations(person: Person, project: Project) -> None:
    """Leads and admins; evaluators must rate without knowing iterations."""
    check_leads(
        person,
        project,
        _("Only team leads of this project see its iterations: who rates must not know them."),
    )
