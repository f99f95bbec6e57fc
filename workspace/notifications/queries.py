"""Who leads a project."""

from workspace.models import Person, Project
from workspace.models.projects import LEAD


def leads_of(project: Project | None) -> list[Person]:
    """The people to notify of what a project's leads should look at: its leads; for the installation, its admins."""
    people = Person.objects.signing_in()
    if project is None:
        return list(people.filter(is_admin=True))
    return list(
        people.filter(memberships__project=project, memberships__role=LEAD, memberships__ended_at=None)
    )
