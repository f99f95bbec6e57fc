"""Who may do what with games: `check_<verb>` raises NotAllowed with the sentence that the greyed button shows."""

from django.utils.translation import gettext as _

from discussions.core.moves import OPEN, SKIPPED, SUBMITTED, WHY_BARRED, why_closed
from discussions.models import Evaluation, Game
from discussions.models.bases import Preview
from discussions.models.evaluations import RATING
from discussions.models.leading import why_barred
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
    """One's own skipped evaluation."""
    if evaluation.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Only the evaluator who skipped this game takes it up again."))
    if evaluation.state != SKIPPED:
        raise NotAllowed(_("This game was not skipped; there is nothing to take up again."))
    _check_blind(person, evaluation)


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
    if game.iteration.evaluator_count != 1:
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


def check_import_transcripts(person: Person, project: Project) -> None:
    """Leads of the project and admins bring transcripts in, and see what became of them."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project import transcripts. Ask one of them."))
