"""Who withdraws a game, enters its costs by hand, returns an evaluation, or answers a flag."""

from django.db.models import F
from django.utils.translation import gettext as _

from discussions.core.evaluation_states import SUBMITTED
from discussions.metrics.core.registry import uses_round_offset
from discussions.models import Evaluation, Game, Remark
from discussions.models.slots import RATING
from discussions.queries import rubric_record
from discussions.slots.permissions import reason_unblinded
from discussions.verdicts.queries import rests_on
from workspace.access.permissions import check_leads, role_in
from workspace.core.refusals import Conflict, NotAllowed
from workspace.models import Person, Project


def check_enter_figure(person: Person, game: Game) -> None:
    sentence = _("Only team leads of this project enter a cost or a cache hit rate. Ask one of them.")
    check_leads(person, game.project, sentence)


def check_withdraw_game(person: Person, game: Game) -> None:
    sentence = _("Only team leads of this project withdraw a game from the averages. Ask one of them.")
    check_leads(person, game.project, sentence)


def check_withdraw_games(person: Person, project: Project) -> None:
    sentence = _("Only team leads of this project withdraw games from the averages. Ask one of them.")
    check_leads(person, project, sentence)


def check_drop_repeats(person: Person, game: Game) -> None:
    sentence = _("Only team leads of this project drop repeated messages. Ask one of them.")
    check_leads(person, game.project, sentence)
    if game.withdrawn_at is not None:
        says = _("This game is withdrawn. Let it count again before its repeated messages are dropped.")
        raise Conflict(says, code="withdrawn")


def check_set_round_offset(person: Person, game: Game) -> None:
    sentence = _("Only team leads of this project say how the texts count the rounds. Ask one of them.")
    check_leads(person, game.project, sentence)
    if reason := why_rounds_stay(game):
        raise Conflict(reason, code="rounds_stay")


def why_rounds_stay(game: Game) -> str:
    """Why the round offset of a game can no longer change; "" while a lead can change it."""
    version = game.iteration.rubric_version
    if not uses_round_offset(rubric_record(version.pk, version.sha256)):
        return _(
            "Rubric version %(number)s takes the numbers of rounds in texts as they are. Only version 1.1 and later "
            "can count them otherwise."
        ) % {"number": version.number}
    if game.withdrawn_at is not None:
        return _("This game is withdrawn, so it is not measured again. Let it count again first.")
    if Evaluation.objects.filter(game=game).exists():
        return _("Somebody has started to rate this game, so its rounds stay as they are counted now.")
    return ""


def check_return_evaluation(person: Person, evaluation: Evaluation) -> None:
    """Leads of the project and admins return a submitted evaluation, while no verdict uses it.

    Its evaluator must still be allowed to rate the game.
    """
    game = evaluation.game
    check_leads(
        person, game.project, _("Only team leads of this project return evaluations. Ask one of them.")
    )
    if evaluation.purpose != RATING:
        raise NotAllowed(_("Only an evaluation that counts for a verdict is returned."), code="purpose")
    if evaluation.state != SUBMITTED:
        raise NotAllowed(
            _("This evaluation is not submitted, so there is nothing to return."), code="not_submitted"
        )
    # After its iteration moved to a newer rubric version, a game can lack labels that only its evaluator gives.
    if rests_on(evaluation, rubric_version=F("game__iteration__rubric_version")):
        says = _(
            "A verdict rests on this evaluation, so it stays as it is. Resolve single disagreements instead, then "
            "correct the verdict."
        )
        raise NotAllowed(says, code="verdict_stands")
    evaluator = evaluation.evaluator
    barred = reason_unblinded(evaluator, game.pk)
    if barred or not evaluator.is_active:
        raise NotAllowed(
            _(
                "%(name)s cannot rate this game any more, so nobody could work on it. Resolve single "
                "disagreements instead."
            )
            % {"name": evaluator.name},
            code="barred",
        )


def check_answer_flag(person: Person, flag: Remark) -> None:
    """The evaluator who set the flag, while in the project, and the leads of the project."""
    role = role_in(person, flag.evaluation.game.project)
    if role not in ("admin", "lead") and (role is None or flag.evaluation.evaluator_id != person.pk):
        raise NotAllowed(_("Only team leads and the evaluator who set this flag answer it."))
