"""Who sees, records and supersedes a verdict, and when it can be recorded."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.access.permissions import check_leads, has_submitted
from discussions.models import Game, Verdict
from discussions.verdicts.queries import Preview
from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


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


def check_record_games(person: Person, project: Project) -> None:
    """Leads of the project and admins record the verdicts of several games in one act."""
    sentence = _("Only team leads of this project record several verdicts at once. Ask one of them.")
    check_leads(person, project, sentence)


def check_first_verdict(game: Game) -> None:
    """The game counts and has no verdict yet: corrections are recorded one by one, each with its reason."""
    if game.withdrawn_at is not None:
        raise NotAllowed(_("Withdrawn: let it count again first."), code="withdrawn")
    if Verdict.objects.filter(game=game).exists():
        raise NotAllowed(
            _("A verdict is recorded already. Record a correction on the page of its verdict."),
            code="recorded",
        )


def check_complete(preview: Preview) -> None:
    """All evaluations are submitted, no tie is open, and no metric is pending."""
    basis, outcome = preview.basis, preview.outcome
    if len(basis.evaluations) < basis.evaluator_count:
        raise NotAllowed(
            ngettext(
                "%(there)d of %(needed)d evaluation is submitted; the verdict waits for it.",
                "%(there)d of %(needed)d evaluations are submitted; the verdict waits for the others.",
                basis.evaluator_count,
            )
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
