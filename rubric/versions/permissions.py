"""Who may read, draft, publish, discard and retire rubric versions, and who sees weights."""

from django.utils.translation import gettext as _

from rubric.models import RubricVersion
from rubric.models.rubrics import DISCARDED, DRAFT, IMPORTED, RETIRED
from workspace.access.permissions import is_admin
from workspace.core.refusals import NotAllowed
from workspace.models import Membership, Person


def check_read_rubric(person: Person, version: RubricVersion) -> None:
    """Everybody with an account reads published versions; only admins read drafts."""
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


def check_edit_rubrics(person: Person) -> None:
    if not is_admin(person):
        raise NotAllowed(_("Only admins change rubrics. Ask one of them."))


def check_edit_version(person: Person, version: RubricVersion) -> None:
    """Only admins change drafts; a published version never changes."""
    check_edit_rubrics(person)
    if version.published_at is not None:
        raise NotAllowed(_("A published version never changes. Make a new draft from it."))
    _check_not_discarded(version)


def check_publish_version(person: Person, version: RubricVersion) -> None:
    """Only admins publish drafts; a draft is published once."""
    check_edit_rubrics(person)
    if version.published_at is not None:
        raise NotAllowed(_("This version was published already. Make a new draft from it."))
    _check_not_discarded(version)


def check_discard_version(person: Person, version: RubricVersion) -> None:
    """Only admins discard drafts; a published version is evidence and can only be retired."""
    check_edit_rubrics(person)
    if version.published_at is not None:
        raise NotAllowed(_("A published version stays for what was made with it. Retire it instead."))
    _check_not_discarded(version)


def check_retire_version(person: Person, version: RubricVersion) -> None:
    """Only admins retire published versions, but not the last one that new work could use."""
    check_edit_rubrics(person)
    if version.state in (DRAFT, DISCARDED):
        raise NotAllowed(_("A draft is not in use, so there is nothing to retire."))
    if version.state == RETIRED:
        raise NotAllowed(_("This version is retired already."))
    if version.state == IMPORTED:
        raise NotAllowed(_("New work does not use this version, so there is nothing to retire."))
    others = RubricVersion.objects.published().filter(rubric=version.rubric_id).exclude(pk=version.pk)
    if not others.exists():
        raise NotAllowed(_("This is the only published version of its rubric. Publish another one first."))


def check_offer_version(person: Person, version: RubricVersion) -> None:
    """Only admins let new work use versions that came with a project archive."""
    check_edit_rubrics(person)
    if version.state != IMPORTED:
        raise NotAllowed(_("Only a version that was imported with a project can be offered for new work."))


def _check_not_discarded(version: RubricVersion) -> None:
    if version.state == DISCARDED:
        raise NotAllowed(_("This draft was discarded. Make a new draft from it."))
