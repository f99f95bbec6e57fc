"""Who sees, records and supersedes a verdict, and when it can be recorded."""

from django.utils.translation import gettext as _

from discussions.access.permissions import has_submitted
from discussions.models import Game
from discussions.verdicts.queries import Preview
from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_see_verdict(person: Person, game: Game) -> None:
    """Leads, admins and the evaluators who submitted an evaluation of the game."""
    if role_in(person, game.project) in ("admin", "lead"):
        return
    if not has_submitted(person, game):
        raise NotAllowed(_("Only team leads and whoever rated this game see its verdict."))


def check_record_verdict(person: Person, game: Game) -> None:
    """Leads and admins record; a single evaluator records the game that they rated alone."""
    if role_in(person, game.project) in ("admin", "lead"):
        return
    if game.evaluator_count != 1:
        raise NotAllowed(_("This game has several evaluators, so a team lead records its verdict."))
    if not has_submitted(person, game):
        raise NotAllowed(_("Whoever rated this game records its verdict, after submitting."))


def check_supersede_verdict(person: Person, game: Game) -> None:
    """Leads and admins correct a recorded verdict."""
    if role_in(person, game.project) not in ("admin", "lead"):
        raise NotAllowed(_("A recorded verdict is only corrected by a team lead. Ask one of them."))


def check_complete(preview: Preview) -> None:
    """All evaluations are submitted, no tie is open, and no metric is pending."""
    basis, outcome = preview.basis, preview.outcome
    if len(basis.evaluations) < basis.evaluator_count:
        raise NotAllowed(
            _("%(there)d of %(needed)d evaluations are submitted; the verdict waits for the others.")
            % {"there": len(basis.evaluations), "needed": basis.evaluator_count},
            code="evaluations_missing",
        )
    if preview.has_ties:
        raise NotAllowed(
            _("Evaluators differ on something; a team lead resolves it first."), code="ties_open"
        )
    if outcome.missing:
        labels = ", ".join(outcome.line(key).label for key in outcome.missing)
        raise NotAllowed(_("Still pending: %(labels)s.") % {"labels": labels}, code="pending")
