"""Who may do what where several rate: `check_<verb>` raises NotAllowed with the sentence of the greyed button."""

import msgspec
from django.utils.translation import gettext as _

from discussions.core.basis import Basis
from discussions.core.moves import SUBMITTED
from discussions.models import Evaluation, Game, Verdict
from discussions.models.leading import why_barred
from discussions.models.slots import RATING
from discussions.models.standings import newest_measured
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project
from workspace.permissions import role_in


def check_adjudicate(person: Person, game: Game) -> None:
    """Leads of the project and admins settle what evaluators differ on, once all evaluations are in.

    Nobody settles where their own answers are one of the sides.
    """
    check_leads(
        person,
        game.project,
        _("Only team leads of this project settle what evaluators differ on. Ask one of them."),
    )
    rated = Evaluation.objects.filter(game=game, purpose=RATING)
    if rated.filter(evaluator=person).exclude(submitted_at=None).exists():
        raise NotAllowed(
            _("You rated this game yourself, so your answers are one of the sides. Another lead settles it."),
            code="own_rating",
        )
    if newest_measured(game) is None:
        raise NotAllowed(
            _("This game is not measured yet; wait for its figures, then settle."), code="measuring"
        )
    there, needed = rated.filter(state=SUBMITTED).count(), game.evaluator_count
    if there < needed:
        raise NotAllowed(
            _(
                "%(there)d of %(needed)d evaluations are submitted. What the others say may settle it, so wait for "
                "them, or say with a reason that fewer are enough."
            )
            % {"there": there, "needed": needed},
            code="evaluations_missing",
        )


def check_return_evaluation(person: Person, evaluation: Evaluation) -> None:
    """Leads of the project and admins send a submitted evaluation back, while no verdict stands on it.

    Its evaluator must still be somebody who may rate the game.
    """
    game = evaluation.game
    check_leads(
        person, game.project, _("Only team leads of this project send an evaluation back. Ask one of them.")
    )
    if evaluation.purpose != RATING:
        raise NotAllowed(_("Only an evaluation that counts for a verdict is sent back."), code="purpose")
    if evaluation.state != SUBMITTED:
        raise NotAllowed(
            _("This evaluation is not submitted, so there is nothing to send back."), code="not_submitted"
        )
    if _has_verdict_on(evaluation):
        raise NotAllowed(
            _(
                "A verdict rests on this evaluation, so it stays as it is. Settle single answers instead, then "
                "correct the verdict."
            ),
            code="verdict_stands",
        )
    evaluator = evaluation.evaluator
    barred = why_barred(evaluator, game.pk)
    if barred or not evaluator.is_active:
        raise NotAllowed(
            _(
                "%(name)s cannot rate this game any more, so nobody could work on it. Settle single answers instead."
            )
            % {"name": evaluator.name},
            code="barred",
        )


def check_need_fewer(person: Person, game: Game) -> None:
    """Leads of the project and admins say that fewer evaluators are enough, while the game has no verdict."""
    check_leads(
        person,
        game.project,
        _("Only team leads of this project say how many evaluations a game needs. Ask one of them."),
    )
    if not game.iteration.has_places:
        raise NotAllowed(
            _("This game is not open for rating yet. Open its iteration first."), code="not_open"
        )
    if Verdict.objects.filter(game=game).exists():
        raise NotAllowed(
            _("The verdict on this game is recorded; how many evaluations it rests on is part of that."),
            code="verdict_stands",
        )
    if game.evaluator_count == 1:
        raise NotAllowed(_("This game needs one evaluation; fewer give no verdict."), code="one")


def check_leads(person: Person, project: Project, sentence: str) -> None:
    """Leads of the project and admins; everybody else reads the sentence."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(sentence)


def _has_verdict_on(evaluation: Evaluation) -> bool:
    rows = Verdict.objects.filter(game=evaluation.game_id).standing().values_list("basis", flat=True)
    named = [msgspec.json.decode(basis, type=Basis).evaluations for basis in rows]
    return any(one.id == evaluation.pk for each in named for one in each)
