"""Who may change the settings of an iteration, and when its list of games is frozen."""

from django.utils.translation import gettext as _

from discussions.core.iteration_states import IMPORTING, why_frozen
from discussions.models import Iteration
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_change_iteration(person: Person, project: Project) -> None:
    """Only leads of the project and admins decide how its games are judged."""
    check_leads(
        person,
        project,
        _("Only team leads of this project change how its games are judged. Ask one of them."),
    )


def check_freeze(person: Person, iteration: Iteration) -> None:
    """Only leads of the project and admins open an iteration for rating, once; that freezes its list of games."""
    sentence = _("Only team leads of this project open an iteration for rating. Ask one of them.")
    check_leads(person, iteration.project, sentence)
    if iteration.is_unsorted:
        raise NotAllowed(_("Unsorted games are rated as they are imported; there is nothing to open."))
    if iteration.state != IMPORTING:
        raise NotAllowed(
            _("Iteration %(number)d %(why)s already.")
            % {"number": iteration.number, "why": why_frozen(iteration.state)},
            code="frozen",
        )
