"""Who may do what with games: `check_<verb>` raises NotAllowed with the sentence that the greyed button shows."""

from django.utils.translation import gettext as _

from discussions.core.gates import Door
from discussions.core.iteration_moves import CHANGE, IMPORTING, move_of_decision, state_after, why_frozen
from discussions.core.moves import LAPSED, OPEN, SKIPPED, SUBMITTED, WHY_BARRED, why_closed
from discussions.models import Evaluation, Game, Iteration, Stage
from discussions.models.bases import Preview
from discussions.models.leading import why_barred
from discussions.models.slots import RATING
from discussions.permissions_team import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project
from workspace.permissions import role_in


def check_take_game(person: Person, project: Project) -> None:
    """Evaluators of the project take games from its queue; whoever sees the roles cannot rate blind."""
    if role_in(person, project) != "evaluator":
        raise NotAllowed(_("Only evaluators of this project rate its games: leads and admins see the roles."))


def check_rate(person: Person, evaluation: Evaluation) -> None:
    """One's own evaluation, while it is open, by somebody who is an evaluator here and never saw the game's secrets."""
    _check_own(person, evaluation)
    if evaluation.state not in OPEN:
        raise NotAllowed(why_closed(evaluation.state), code="closed")
    _check_blind(person, evaluation)


def check_skip(person: Person, evaluation: Evaluation) -> None:
    """One's own evaluation, while it is open; also by somebody who may not go on with it, so that others can."""
    _check_own(person, evaluation)
    if evaluation.state not in OPEN:
        raise NotAllowed(why_closed(evaluation.state), code="closed")


def check_return_to_game(person: Person, evaluation: Evaluation) -> None:
    """One's own evaluation that was skipped or that lapsed."""
    if evaluation.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Only the evaluator who skipped this game takes it up again."))
    if evaluation.state not in (SKIPPED, LAPSED):
        raise NotAllowed(_("This game was not skipped; there is nothing to take up again."))
    _check_blind(person, evaluation)


def check_deal_out(person: Person, project: Project) -> None:
    """Leads of the project and admins give places to people by name, take them back, and say how games are dealt."""
    check_leads(person, project, _("Only team leads of this project deal its games out. Ask one of them."))


def check_may_get(person: Person, game: Game) -> None:
    """Whom a game can be given to: an active evaluator of the project who never led it while the game was in it."""
    if role_in(person, game.project) != "evaluator":
        says = _("%(name)s is no evaluator of this project, so no game of it can be given to them.")
        raise NotAllowed(says % {"name": person.name}, code="no_evaluator")
    if why_barred(person, game.pk):
        says = _("%(name)s led this project while game %(number)d was in it and could see its roles.")
        raise NotAllowed(says % {"name": person.name, "number": game.number}, code="not_blind")


def check_submit(person: Person, evaluation: Evaluation) -> None:
    """One's own evaluation, while it is open."""
    check_rate(person, evaluation)


def _check_own(person: Person, evaluation: Evaluation) -> None:
    if evaluation.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Only the evaluator whose place this is judges here."))


def _check_blind(person: Person, evaluation: Evaluation) -> None:
    if barred := why_barred(person, evaluation.game_id):
        raise NotAllowed(WHY_BARRED[barred], code="not_blind")


def check_see_games(person: Person, project: Project) -> None:
    """Leads and admins see every game of a project with its figures."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(
            _("Only team leads of this project see all its games. Yours are under “My evaluations”.")
        )


def check_see_game(person: Person, game: Game) -> None:
    """Leads and admins, and, once its verdict is recorded, whoever submitted an evaluation of the game."""
    if role_in(person, game.project) in ("admin", "lead"):
        return
    if not (_has_submitted(person, game) and game.verdicts.exists()):
        raise NotAllowed(_("A game opens to whoever rated it once its verdict is recorded."))


def check_see_verdict(person: Person, game: Game) -> None:
    """Leads and admins, and whoever submitted an evaluation of the game."""
    if role_in(person, game.project) in ("admin", "lead"):
        return
    if not _has_submitted(person, game):
        raise NotAllowed(_("Only team leads and whoever rated this game see its verdict."))


def check_record_verdict(person: Person, game: Game) -> None:
    """With one evaluator per game that evaluator records, with more a lead does; leads may always."""
    if role_in(person, game.project) in ("admin", "lead"):
        return
    if game.evaluator_count != 1:
        raise NotAllowed(_("This game has several evaluators, so a team lead records its verdict."))
    if not _has_submitted(person, game):
        raise NotAllowed(_("Whoever rated this game records its verdict, after submitting."))


def check_supersede_verdict(person: Person, game: Game) -> None:
    """Leads and admins correct a recorded verdict."""
    if role_in(person, game.project) not in ("admin", "lead"):
        raise NotAllowed(_("A recorded verdict is only corrected by a team lead. Ask one of them."))


def check_complete(preview: Preview) -> None:
    """A verdict waits until every evaluation is in, nothing is open between evaluators, and no metric is pending."""
    basis, outcome = preview.basis, preview.outcome
    if len(basis.evaluations) < basis.evaluator_count:
        raise NotAllowed(
            _("%(there)d of %(needed)d evaluations are submitted; the verdict waits for the others.")
            % {"there": len(basis.evaluations), "needed": basis.evaluator_count},
            code="evaluations_missing",
        )
    if preview.has_ties:
        raise NotAllowed(_("Evaluators differ on something; a team lead settles it first."), code="ties_open")
    if outcome.missing:
        labels = ", ".join(outcome.line(key).label for key in outcome.missing)
        raise NotAllowed(_("Still pending: %(labels)s.") % {"labels": labels}, code="pending")


def _has_submitted(person: Person, game: Game) -> bool:
    if role_in(person, game.project) is None:
        return False
    return Evaluation.objects.filter(game=game, evaluator=person, purpose=RATING, state=SUBMITTED).exists()


def check_change_iteration(person: Person, project: Project) -> None:
    """Leads of the project and admins say how its games are judged."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(
            _("Only team leads of this project change how its games are judged. Ask one of them.")
        )


def check_see_team(person: Person, project: Project) -> None:
    """Leads of the project and admins see who holds which game, and how much each has before them."""
    check_leads(
        person,
        project,
        _("Only team leads of this project see who rates what. Yours is under “My evaluations”."),
    )


def check_see_team_figures(person: Person, project: Project) -> None:
    """Leads of the project and admins see how the machine and its evaluators agree; evaluators judge unaware of it."""
    check_leads(person, project, _("Only team leads of this project see how its evaluators agree."))


def check_import_transcripts(person: Person, project: Project) -> None:
    """Leads of the project and admins bring transcripts in, and see what became of them."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project import transcripts. Ask one of them."))


def check_see_iterations(person: Person, project: Project) -> None:
    """Leads and admins see stages, iterations and what became of them; evaluators rate without knowing of any."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(
            _("Only team leads of this project see its iterations: who rates must not know them.")
        )


def check_open_stage(person: Person, project: Project) -> None:
    """Leads of the project and admins open its first stage, and one after the last was closed."""
    check_leads(person, project, _("Only team leads of this project open stages. Ask one of them."))


def check_change_stage(person: Person, stage: Stage) -> None:
    """Leads of the project and admins name a stage, while it is not closed."""
    check_leads(
        person, stage.project, _("Only team leads of this project change its stages. Ask one of them.")
    )
    check_stage_open(stage)


def check_open_iteration(person: Person, stage: Stage) -> None:
    """Leads of the project and admins, while the stage is not closed."""
    check_leads(person, stage.project, _("Only team leads of this project open iterations. Ask one of them."))
    check_stage_open(stage)


def check_takes_games(iteration: Iteration) -> None:
    """Games come in until the iteration is opened for rating; the project's waiting room always takes them."""
    if why := why_frozen(iteration.state):
        raise NotAllowed(
            _("Iteration %(number)d %(why)s. Bring the games into the unsorted iteration or into a new one.")
            % {"number": iteration.number, "why": why},
            code="frozen",
        )


def check_freeze(person: Person, iteration: Iteration) -> None:
    """Leads of the project and admins open an iteration for rating, once; that freezes its list of games."""
    sentence = _("Only team leads of this project open an iteration for rating. Ask one of them.")
    check_leads(person, iteration.project, sentence)
    if iteration.is_unsorted:
        raise NotAllowed(_("Unsorted games are rated as they come in; there is nothing to open."))
    if iteration.state != IMPORTING:
        raise NotAllowed(
            _("Iteration %(number)d %(why)s already.")
            % {"number": iteration.number, "why": why_frozen(iteration.state)},
            code="frozen",
        )


def check_decide(person: Person, iteration: Iteration, choice: str = "") -> None:
    """Leads of the project and admins decide on changes; one that was never open for rating can only be dropped."""
    sentence = _("Only team leads of this project decide on an iteration. Ask one of them.")
    check_leads(person, iteration.project, sentence)
    if iteration.kind != CHANGE:
        raise NotAllowed(
            _("Only a change is kept or reverted: a baseline is what changes are compared with.")
        )
    if choice and state_after(iteration.state, move_of_decision(iteration.state, choice)) is None:
        raise NotAllowed(
            _(
                "Iteration %(number)d is not open for rating yet, so it cannot be kept. Open it for rating first."
            )
            % {"number": iteration.number},
            code="not_rated",
        )


def check_enter_figure(person: Person, game: Game) -> None:
    """Leads of the project and admins enter what a transcript does not report."""
    sentence = _("Only team leads of this project enter a cost or a cache hit rate. Ask one of them.")
    check_leads(person, game.project, sentence)


def check_withdraw_game(person: Person, game: Game) -> None:
    """Leads of the project and admins take a game out of the averages, and back."""
    sentence = _("Only team leads of this project withdraw a game from the averages. Ask one of them.")
    check_leads(person, game.project, sentence)


def check_state_fascinating(person: Person, stage: Stage) -> None:
    """Leads of the project and admins sign that the games of a stage are fascinating to watch, once."""
    sentence = _("Only team leads of this project sign that its games are fascinating to watch.")
    check_leads(person, stage.project, sentence)
    check_stage_open(stage)
    if stage.stated_at is not None:
        raise NotAllowed(
            _("%(name)s signed this already; the statement stands.")
            % {"name": stage.stated_by.name if stage.stated_by else ""},
            code="stated",
        )


def check_open_next_stage(person: Person, stage: Stage, door: Door) -> None:
    """Leads of the project while the door is open; an admin also while it is shut, with a reason that stays."""
    sentence = _("Only team leads of this project open its next stage. Ask one of them.")
    check_leads(person, stage.project, sentence)
    check_stage_open(stage)
    if not door.is_open and role_in(person, stage.project) != "admin":
        raise NotAllowed(
            _(
                "The door to the next stage is shut: %(missing)s Only an admin opens it all the same, with a reason."
            )
            % {"missing": " ".join(door.missing)},
            code="door_shut",
        )


def check_stage_open(stage: Stage) -> None:
    """A closed stage stays as it was; work goes on in the next one."""
    if stage.closed_at is not None:
        raise NotAllowed(
            _("Stage %(number)d is closed; work goes on in the next one.") % {"number": stage.number},
            code="stage_closed",
        )


def check_calibrate(person: Person, project: Project) -> None:
    """Leads of the project and admins open calibration rounds, and see how everybody did."""
    check_leads(
        person, project, _("Only team leads of this project calibrate its evaluators. Ask one of them.")
    )
