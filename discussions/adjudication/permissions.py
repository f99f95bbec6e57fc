"""Who adjudicates: `check_...` raises NotAllowed with the sentence of the greyed button."""

from django.utils.translation import gettext as _

from discussions.core.evaluation_states import WHY_BARRED
from discussions.models import Evaluation, Game, Slot, TieRequest
from discussions.models.slots import RATING
from discussions.queries import newest_measured
from discussions.slots.permissions import reason_unblinded
from discussions.slots.queries import evaluators_in
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.core.words import say
from workspace.models import Person


def check_adjudicate(person: Person, game: Game) -> None:
    """Leads of the project and admins decide on disagreements, once all evaluations are submitted.

    Nobody decides where their own answer is one of the sides.
    """
    sentence = _("Only team leads of this project resolve what evaluators differ on. Ask one of them.")
    check_leads(person, game.project, sentence)
    rated = Evaluation.objects.filter(game=game, purpose=RATING)
    if rated.filter(evaluator=person).exclude(submitted_at=None).exists():
        says = _(
            "You rated this game yourself, so your answers are one of the sides. Another lead resolves it."
        )
        raise NotAllowed(says, code="own_rating")
    check_resolvable(game)


def check_resolvable(game: Game) -> None:
    """A disagreement is decided only when the game is measured and all evaluations are submitted, whoever decides."""
    if newest_measured(game) is None:
        raise NotAllowed(
            _("This game is not measured yet; wait for its figures, then resolve."), code="measuring"
        )
    rated = Evaluation.objects.submitted_ratings().filter(game=game)
    there, needed = rated.count(), game.evaluator_count
    if there < needed:
        says = _(
            "%(there)d of %(needed)d evaluations are submitted. What the others say may resolve it, so wait for "
            "them, or press “Accept fewer evaluations” on the game's page."
        )
        raise NotAllowed(says % {"there": there, "needed": needed}, code="evaluations_missing")


def check_send_ties(person: Person, game: Game) -> None:
    """Leads and admins send ties to a third evaluator, also where their own answer is one of the sides."""
    sentence = _("Only team leads of this project send ties to a third evaluator. Ask one of them.")
    check_leads(person, game.project, sentence)
    check_resolvable(game)


def check_third(person: Person | None, game: Game) -> Person:
    """A third evaluator rates in the project and has no evaluation of the game."""
    if person is None or person.pk not in {other.pk for other in list_third(game)}:
        says = _(
            "This person cannot answer the ties: choose an evaluator of the project who did not rate this game."
        )
        raise Unacceptable(says, field="evaluator")
    return person


def list_third(game: Game) -> list[Person]:
    """Evaluators of the project who have not rated the game, hold no slot on it, and never saw its secrets; by name."""
    rated = set(Evaluation.objects.filter(game=game).values_list("evaluator", flat=True))
    held = set(Slot.objects.filter(game=game).exclude(evaluator=None).values_list("evaluator", flat=True))
    free = [person for person in evaluators_in(game.project) if person.pk not in rated | held]
    return [person for person in free if not reason_unblinded(person, game.pk)]


def check_answer_tie(person: Person, request: TieRequest) -> None:
    """The evaluator who was asked, while he or she is an evaluator here and never saw the game's secrets."""
    if request.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Another evaluator was asked about this tie."))
    if barred := reason_unblinded(person, request.game_id):
        raise NotAllowed(say(WHY_BARRED[barred]), code="not_blind")
