"""Who leads a project."""

from workspace.models import Person, Project
from workspace.models.projects import LEAD


def leads_of(project: Project | None) -> list[Person]:
    """Whom something that a project's leads should look at is told: its leads; of the installation, its admins."""
    people = Person.objects.signing_in()
    if project is None:
        return list(people.filter(is_admin=True))
    return list(
        people.filter(memberships__project=project, memberships__role=LEAD, memberships__ended_at=None)
    )
