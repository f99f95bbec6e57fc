"""The unread notifications of a person, and who leads a project."""

from django.db import DatabaseError

from workspace.database.prepared_queries import Prepared
from workspace.models import Notification, Person, Project
from workspace.models.projects import LEAD
from workspace.notifications.core import MOST_COUNTED


def count_unread(person: Person) -> int:
    """How many unread notifications the person has, at most one more than MOST_COUNTED; one query by an index.

    None where the database does not answer: the page that says so has a bell, too.
    """
    try:
        return len(_UNREAD.rows(person.pk))
    except DatabaseError:
        return 0


# Asked with every page.
_UNREAD = Prepared(
    lambda person: (
        Notification.objects.shown_to(person).filter(read_at=None).values_list("pk")[: MOST_COUNTED + 1]
    ),
    int,
)


def leads_of(project: Project | None) -> list[Person]:
    """Whom something that a project's leads should look at is told: its leads; of the installation, its admins."""
    people = Person.objects.signing_in()
    if project is None:
        return list(people.filter(is_admin=True))
    return list(
        people.filter(memberships__project=project, memberships__role=LEAD, memberships__ended_at=None)
    )
