"""Who searches in messages, and by what."""

from django.utils.translation import gettext as _

from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_search_messages(person: Person, project: Project) -> None:
    """Leads and admins search in all games, evaluators in those that they rated and do not judge now."""
    if role_in(person, project) is None:
        raise NotAllowed(_("Only people of this project search in its messages."))


def keep_searchable(person: Person, projects: list[Project], unblinding: list[str]) -> list[Project]:
    """The projects in which the person may search so.

    Roles, models, iterations and judgements are for leads: who rates must not learn them from what is found. Raises
    NotAllowed where the person leads none.
    """
    if not any(unblinding):
        return projects
    led = Project.objects.led_by(person).in_bulk([project.pk for project in projects])
    if not led:
        says = _(
            "Only team leads search by role, model, iteration or judgement: who rates must not know them."
        )
        raise NotAllowed(says)
    return [project for project in projects if project.pk in led]
