"""Who sees games, who judges them blind, and who takes, holds and hands back their slots.

`check_...` raises NotAllowed with the sentence of the greyed button.
"""

from typing import Any

from django.db.models import Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from discussions.core.evaluation_states import LAPSED, LEADS, LED, LEFT, OPEN, SKIPPED, WHY_BARRED, why_closed
from discussions.models import Evaluation, Game, TieRequest, Verdict
from discussions.slots.queries import memberships_beyond
from workspace.access.permissions import check_leads, may_lead, role_in
from workspace.core.refusals import Conflict, NotAllowed
from workspace.core.words import say
from workspace.database.prepared_queries import prepared
from workspace.models import Membership, Person, Project
from workspace.models.projects import LEAD


def check_see_games(person: Person, project: Project) -> None:
    """Leads and admins see every game of a project with its figures."""
    sentence = _("Only team leads of this project see all its games. Yours are under “My evaluations”.")
    check_leads(person, project, sentence)


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


def refuse_erased(person: Person, slug: str, number: int) -> None:
    """Say to leads and admins that a game is erased; for others it is not there. Raises Conflict."""
    rows = Game.with_erased.visible_to(person).exclude(erased_at=None)
    if rows.filter(project__slug=slug, number=number).exists():
        says = _(
            "Game %(number)d was erased. Only the figures of its verdict are left, in averages and gates."
        )
        raise Conflict(says % {"number": number}, code="erased")


def check_see_iterations(person: Person, project: Project) -> None:
    """Leads and admins; evaluators must rate without knowing iterations."""
    sentence = _("Only team leads of this project see its iterations: who rates must not know them.")
    check_leads(person, project, sentence)


def reason_unblinded(person: Person, game: int) -> str:
    """Why the person may not judge the game blind: they lead, led or left its project; "" when they may."""
    if person.is_admin or person.is_system:
        return LEADS
    held = {(role, ended is None) for role, ended in _list_held(person.pk, game)}
    if (LEAD, True) in held:
        return LEADS
    if (LEAD, False) in held:
        return LED
    return "" if held else LEFT


@prepared  # with every save
def _list_held(person: int, game: int) -> "QuerySet[Membership, Any]":
    project, since = (Game.objects.filter(pk=game).values(name) for name in ("project", "created_at"))
    rows = memberships_beyond(person, Subquery(project), Subquery(since))
    return rows.exclude(~Q(ended_at=None), ~Q(role=LEAD)).values_list("role", "ended_at")


def check_take_game(person: Person, project: Project) -> None:
    """Evaluators of the project take games from its queue; whoever sees the roles cannot rate blind."""
    if role_in(person, project) != "evaluator":
        raise NotAllowed(_("Only evaluators of this project rate its games: leads and admins see the roles."))


def check_rate(person: Person, evaluation: Evaluation) -> None:
    """One's own evaluation, while it is open, by somebody who is an evaluator here and never saw the game's secrets."""
    _check_own(person, evaluation)
    if evaluation.state not in OPEN:
        raise NotAllowed(why_closed(evaluation.state), code="closed")
    if barred := reason_unblinded(person, evaluation.game_id):
        raise NotAllowed(say(WHY_BARRED[barred]), code="not_blind")


def check_skip(person: Person, evaluation: Evaluation) -> None:
    """One's own evaluation, while it is open; also by somebody who may not continue it, so that others can."""
    _check_own(person, evaluation)
    if evaluation.state not in OPEN:
        raise NotAllowed(why_closed(evaluation.state), code="closed")


def check_return_to_game(person: Person, evaluation: Evaluation) -> None:
    if evaluation.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Only the evaluator who skipped this game can resume it."))
    if evaluation.state not in (SKIPPED, LAPSED):
        raise NotAllowed(_("This game was not skipped; there is nothing to resume."))
    if barred := reason_unblinded(person, evaluation.game_id):
        raise NotAllowed(say(WHY_BARRED[barred]), code="not_blind")


def check_assign(person: Person, project: Project) -> None:
    check_leads(person, project, _("Only team leads of this project assign its games. Ask one of them."))


def check_may_get(person: Person, game: Game) -> None:
    """Whom a game can be given to: an active evaluator of the project who never led it while the game was in it."""
    if role_in(person, game.project) != "evaluator":
        says = _("%(name)s is no evaluator of this project, so no game of it can be given to them.")
        raise NotAllowed(says % {"name": person.name}, code="no_evaluator")
    if reason_unblinded(person, game.pk):
        says = _("%(name)s led this project while game %(number)d was in it and could see its roles.")
        raise NotAllowed(says % {"name": person.name, "number": game.number}, code="not_blind")
    if TieRequest.objects.filter(game=game, evaluator=person).exists():
        says = _("%(name)s was asked about ties of game %(number)d and could see roles beside them.")
        raise NotAllowed(says % {"name": person.name, "number": game.number}, code="not_blind")


def check_submit(person: Person, evaluation: Evaluation) -> None:
    check_rate(person, evaluation)


def _check_own(person: Person, evaluation: Evaluation) -> None:
    if evaluation.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Only the evaluator whose slot this is judges here."))


def check_need_fewer(person: Person, game: Game) -> None:
    """Leads of the project and admins say that fewer evaluators are enough, while the game has no verdict."""
    sentence = _("Only team leads of this project say how many evaluations a game needs. Ask one of them.")
    check_leads(person, game.project, sentence)
    if not game.iteration.has_slots:
        raise NotAllowed(
            _("This game is not open for rating yet. Open its iteration first."), code="not_open"
        )
    if Verdict.objects.filter(game=game).exists():
        says = _("The verdict on this game is recorded; how many evaluations it rests on is part of that.")
        raise NotAllowed(says, code="verdict_stands")
    if game.evaluator_count == 1:
        raise NotAllowed(_("This game needs one evaluation; fewer give no verdict."), code="one")
