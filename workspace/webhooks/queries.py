"""Which webhooks of a project an event is sent to."""

from workspace.database.prepared_queries import Prepared
from workspace.models import Project, Webhook


def find_listening(project: Project, event: str) -> list[int]:
    """The numbers of the active webhooks that chose the event."""
    return [key for key, events in _LISTENING.rows(project.pk) if event in events.split()]


# Runs with every submission.
_LISTENING = Prepared(
    lambda project: Webhook.objects.listening().filter(project=project).values_list("pk", "events"), int
)
