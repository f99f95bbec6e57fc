"""Who may change the settings of an iteration, and when its list of games is frozen."""

from django.utils.translation import gettext as _

from discussions.core.iteration_states import IMPORTING, why_frozen
from discussions.iterations.core.gates import GateStatus
from discussions.models import Iteration, Stage
from workspace.access.permissions import check_leads, is_admin
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_change_iteration(person: Person, project: Project) -> None:
    """Only leads of the project and admins decide how its games are judged."""
    sentence = _("Only team leads of this project change how its games are judged. Ask one of them.")
    check_leads(person, project, sentence)


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


def check_open_stage(person: Person, project: Project) -> None:
    """Leads of the project and admins open its first stage."""
    check_leads(person, project, _("Only team leads of this project create stages. Ask one of them."))


def check_change_stage(person: Person, stage: Stage) -> None:
    """Leads of the project and admins name a stage, while it is not closed."""
    check_leads(
        person, stage.project, _("Only team leads of this project change its stages. Ask one of them.")
    )
    check_stage_open(stage)


def check_sign_stage(person: Person, stage: Stage) -> None:
    """Leads of the project and admins sign that the games of a stage are fascinating to watch, once."""
    sentence = _("Only team leads of this project sign that its games are fascinating to watch.")
    check_leads(person, stage.project, sentence)
    check_stage_open(stage)
    if stage.stated_at is not None:
        says = _("%(name)s signed this already; that statement counts.")
        raise NotAllowed(says % {"name": stage.stated_by.name if stage.stated_by else ""}, code="stated")


def check_open_next_stage(person: Person, stage: Stage, gate: GateStatus) -> None:
    """Leads of the project while the gate is open; an admin also while it is closed, with a stored reason."""
    sentence = _("Only team leads of this project create its next stage. Ask one of them.")
    check_leads(person, stage.project, sentence)
    check_stage_open(stage)
    if not gate.is_open and not is_admin(person):
        says = _(
            "The gate to the next stage is closed: %(missing)s Only an admin can open it anyway, with a reason."
        )
        raise NotAllowed(says % {"missing": " ".join(gate.missing)}, code="door_shut")


def check_stage_open(stage: Stage) -> None:
    """A closed stage does not change; work goes on in the next one."""
    if stage.closed_at is not None:
        says = _("Stage %(number)d is closed; work continues in the next one.")
        raise NotAllowed(says % {"number": stage.number}, code="stage_closed")
