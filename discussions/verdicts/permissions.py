"""Who sees, records and supersedes a verdict, when it can be recorded, and when an evaluation can be reopened."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.core.evaluation_states import SUBMITTED, WHY_BARRED
from discussions.core.outcome import Outcome
from discussions.models import Adjudication, Evaluation, Game, Remark, Verdict
from discussions.models.queue_rules import HOLD, load_rating_rule
from discussions.models.slots import CALIBRATION, REPEAT
from discussions.slots.permissions import has_submitted, reason_unblinded
from discussions.verdicts.queries import Preview, rests_on
from workspace.access.permissions import check_leads, may_lead
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_see_verdict(person: Person, game: Game) -> None:
    """Leads, admins and the evaluators who submitted an evaluation of the game."""
    if may_lead(person, game.project):
        return
    if not has_submitted(person, game):
        raise NotAllowed(_("Only team leads and whoever rated this game see its verdict."))


def check_record_verdict(person: Person, game: Game) -> None:
    """Leads and admins record; an evaluator records the verdict of a game that they rated alone."""
    if may_lead(person, game.project):
        return
    if game.evaluator_count != 1:
        raise NotAllowed(_("This game has several evaluators, so a team lead records its verdict."))
    if not has_submitted(person, game):
        raise NotAllowed(_("Whoever rated this game records its verdict, after submitting."))


def check_supersede_verdict(person: Person, game: Game) -> None:
    check_leads(
        person, game.project, _("A recorded verdict is only corrected by a team lead. Ask one of them.")
    )


def check_record_games(person: Person, project: Project) -> None:
    sentence = _("Only team leads of this project record several verdicts at once. Ask one of them.")
    check_leads(person, project, sentence)


def check_first_verdict(game: Game) -> None:
    """The game counts and has no verdict yet: corrections are recorded one by one, each with its reason."""
    if game.withdrawn_at is not None:
        raise NotAllowed(_("Withdrawn: let it count again first."), code="withdrawn")
    if Verdict.objects.filter(game=game).exists():
        says = _("A verdict is recorded already. Record a correction on the page of its verdict.")
        raise NotAllowed(says, code="recorded")


def check_flags_resolved(person: Person, game: Game, flags: list[Remark]) -> None:
    """If one of the game's open flags blocks the verdict, the person who set it cannot record it; leads can others'."""
    own = [flag for flag in flags if flag.created_by_id == person.pk]
    if own and load_rating_rule(game.project_id).flags == HOLD:
        says = _(
            "You flagged something in this game, and the flag is still open. The verdict can be recorded once it "
            "is resolved: a team lead answers it, or you resolve it yourself."
        )
        raise NotAllowed(says, code="flag_open")


def check_reopen(person: Person, evaluation: Evaluation, now: datetime) -> None:
    """One's own submitted evaluation, for as long as the project allows, until a lead has used it."""
    if evaluation.evaluator_id != person.pk or not person.is_active:
        raise NotAllowed(_("Only the evaluator who submitted this reopens it."))
    if evaluation.state != SUBMITTED or evaluation.submitted_at is None:
        raise NotAllowed(_("This evaluation is not submitted, so there is nothing to reopen."), code="open")
    if evaluation.purpose == CALIBRATION:
        raise NotAllowed(
            _("The feedback on a calibration game is shown at once, so it is not reopened."), code="purpose"
        )
    if evaluation.purpose == REPEAT:
        # From now on, "My evaluations" says so, and "My answers" shows what the person answered the first time.
        says = _("You rated this game before, to see how steady judgements are, so it is not reopened.")
        raise NotAllowed(says, code="purpose")
    minutes = load_rating_rule(evaluation.game.project_id).reopen_minutes
    if not minutes:
        raise NotAllowed(
            _("In this project a submitted evaluation stays as it is. A team lead can return it to you."),
            code="never",
        )
    if now >= evaluation.submitted_at + timedelta(minutes=minutes):
        raise NotAllowed(
            _("The time to reopen this evaluation is over: %(n)d minutes. A team lead can return it to you.")
            % {"n": minutes},
            code="too_late",
        )
    if barred := reason_unblinded(person, evaluation.game_id):
        raise NotAllowed(WHY_BARRED[barred], code="not_blind")
    _check_unused(evaluation)


def _check_unused(evaluation: Evaluation) -> None:
    if rests_on(evaluation):
        says = _("The verdict on this game rests on your evaluation, so it stays as it is.")
        raise NotAllowed(says, code="verdict_stands")
    resolved = Adjudication.objects.filter(game=evaluation.game_id, created_at__gte=evaluation.submitted_at)
    if resolved.exists():
        raise NotAllowed(
            _("A team lead has resolved disagreements with your evaluation, so it stays as it is."),
            code="adjudicated",
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


def check_record_open(person: Person, game: Game, outcome: Outcome) -> None:
    """While the verdict depends on an open metric, a lead alone records it; that the reason is given is not checked."""
    if outcome.open:
        labels = ", ".join(outcome.line(key).label for key in outcome.open)
        says = _("Open: %(labels)s. More judged messages decide it, or a team lead records it with a reason.")
        check_leads(person, game.project, says % {"labels": labels})
