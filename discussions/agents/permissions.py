"""Who may see what agents do wrong."""

from django.utils.translation import gettext as _

from discussions.models import Coding
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_see_agents(person: Person, project: Project) -> None:
    """Only leads of the project and admins: the files name agents beside their roles and automatic values."""
    check_leads(
        person,
        project,
        _("Only team leads of this project see the files of its agents: who rates must not know them."),
    )


def check_code_games(person: Person, project: Project) -> None:
    """Only leads of the project and admins: whoever rates reads games without anybody's categories."""
    check_leads(person, project, _("Only team leads of this project put categories on its games."))


def check_undo_code(person: Person, coding: Coding) -> None:
    """One's own code, by somebody who still leads the project."""
    check_code_games(person, coding.game.project)
    if coding.created_by_id != person.pk:
        raise NotAllowed(_("Only who gave a code removes it: codes of two people are compared."))
