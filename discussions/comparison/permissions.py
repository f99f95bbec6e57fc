"""Who may decide on an iteration."""

from django.utils.translation import gettext as _

from discussions.core.iteration_states import CHANGE, get_decision_move, state_after
from discussions.models import Iteration
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_decide(person: Person, iteration: Iteration, choice: str = "") -> None:
    """Only leads of the project and admins decide on changes; one never opened for rating can only be dropped."""
    sentence = _("Only team leads of this project decide on an iteration. Ask one of them.")
    check_leads(person, iteration.project, sentence)
    if iteration.kind != CHANGE:
        raise NotAllowed(
            _("Only a change is kept or reverted: a baseline is what changes are compared with.")
        )
    if choice and state_after(iteration.state, get_decision_move(iteration.state, choice)) is None:
        says = _(
            "Iteration %(number)d is not open for rating yet, so it cannot be kept. Open it for rating first."
        )
        raise NotAllowed(says % {"number": iteration.number}, code="not_rated")
