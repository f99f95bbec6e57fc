"""Who may do what with rubrics: `check_<verb>` raises NotAllowed with the sentence that the greyed button shows."""

from django.utils.translation import gettext as _

from rubric.models import RubricVersion
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person
from workspace.permissions import is_admin


def check_read_rubric(person: Person, version: RubricVersion) -> None:
    """Everybody with an account reads what a published version asks; drafts are the admins'."""
    if is_admin(person):
        return
    if not person.is_active or version.published_at is None:
        raise NotAllowed(_("This version is a draft; only admins read it until it is published."))


def check_see_weights(person: Person) -> None:
    """Leads and admins see weights; evaluators do not, since weights must not guide what they rate."""
    if is_admin(person):
        return
    leads = Membership.objects.filter(person=person, role="lead", ended_at=None)
    if not (person.is_active and leads.exists()):
        raise NotAllowed(_("Only team leads and admins see weights."))
