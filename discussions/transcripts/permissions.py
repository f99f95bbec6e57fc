"""Who imports transcripts, and which iterations take games."""

from django.utils.translation import gettext as _

from discussions.core.iteration_states import why_frozen
from discussions.models import Iteration
from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_import_transcripts(person: Person, project: Project) -> None:
    """Leads of the project and admins bring transcripts in, and see what became of them."""
    if role_in(person, project) not in ("admin", "lead"):
        raise NotAllowed(_("Only team leads of this project import transcripts. Ask one of them."))


def check_takes_games(iteration: Iteration) -> None:
    """Games come in until the iteration is opened for rating; the project's waiting room always takes them."""
    if why := why_frozen(iteration.state):
        raise NotAllowed(
            _("Iteration %(number)d %(why)s. Bring the games into the unsorted iteration or into a new one.")
            % {"number": iteration.number, "why": why},
            code="frozen",
        )
