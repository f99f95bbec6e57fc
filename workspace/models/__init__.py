"""The rows of the workspace app."""

from workspace.models.counters import Counter
from workspace.models.emails import Email
from workspace.models.erasures import Erasure, ErasurePass
from workspace.models.events import Chain, Event, FirstSeal
from workspace.models.exports import Export
from workspace.models.jobs import Heartbeat, Job
from workspace.models.notifications import Notification, NotificationSettings
from workspace.models.people import Made, Person
from workspace.models.projects import Invitation, Membership, Project, StorageLimit
from workspace.models.sign_ins import SignIn
from workspace.models.tokens import AccessToken, KeptAnswer
from workspace.models.webhooks import Delivery, Webhook
