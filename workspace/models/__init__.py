"""The rows of the workspace wing."""

from workspace.models.counters import Counter
from workspace.models.events import Chain, Event
from workspace.models.jobs import Heartbeat, Job
from workspace.models.people import Person
from workspace.models.projects import Invitation, Membership, Project
from workspace.models.sign_ins import SignIn

__all__ = [
    "Chain",
    "Counter",
    "Event",
    "Heartbeat",
    "Invitation",
    "Job",
    "Membership",
    "Person",
    "Project",
    "SignIn",
]
