"""Projects and their members."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from workspace.audit.actions import record_event
from workspace.core.identifiers import is_slug, plain_name
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Membership, Person, Project, StorageLimit
from workspace.models.projects import EVALUATOR, LEAD
from workspace.people.permissions import (
    check_change_membership,
    check_create_project,
    check_manage_members,
    check_set_storage_limit,
)

ROLES = (EVALUATOR, LEAD)
MOST_MEGABYTES = 1_000_000


def create_project(*, name: str, slug: str, by: Person, now: datetime) -> Project:
    """Open a project with its audit chain. The discussions app adds what games need in it (the unsorted iteration).

    Raises NotAllowed unless `by` is an admin, Unacceptable for a bad name or short name, Conflict when it is taken.
    """
    check_create_project(by)
    plain = clean_name(name)
    check_slug(slug)
    with transaction.atomic():
        try:
            with transaction.atomic():
                project = Project.objects.create(name=plain, slug=slug, created_at=now, created_by=by)
        except IntegrityError:
            raise Conflict(_("There is a project with this short name already."), code="slug_taken") from None
        record_event("project:created", project, by=by, now=now, detail={"slug": slug})
    return project


def clean_name(name: str) -> str:
    plain = plain_name(name)
    if plain is None:
        raise Unacceptable(_("Write a name of 1 to 200 visible characters."), field="name")
    return plain


def check_slug(slug: str) -> None:
    if not is_slug(slug):
        raise Unacceptable(
            _("Write a short name of small letters, digits and hyphens, such as mafia-2026; “new” is taken."),
            field="slug",
        )


def add_member(*, project: Project, person: Person, role: str, by: Person, now: datetime) -> Membership:
    """Add a person to a project. Raises NotAllowed, Unacceptable (role, inactive account), Conflict (is a member)."""
    check_manage_members(by, project)
    return insert_membership(project=project, person=person, role=role, by=by, now=now)


def insert_membership(
    *, project: Project, person: Person, role: str, by: Person, now: datetime
) -> Membership:
    """Insert the row and its event; the caller has checked the permission."""
    _check_role(role)
    if not person.is_active:
        raise Unacceptable(_("This account is deactivated. Activate it first."), field="person")
    with transaction.atomic():
        try:
            with transaction.atomic():
                membership = Membership.objects.create(
                    project=project, person=person, role=role, created_at=now, created_by=by
                )
        except IntegrityError:
            raise Conflict(_("This person belongs to the project already."), code="already_member") from None
        detail = {"person": person.pk, "role": role}
        record_event("membership:added", membership, by=by, now=now, detail=detail)
    return membership


def change_role(*, membership: Membership, role: str, by: Person, now: datetime) -> Membership:
    """Give a member another role: the present membership ends and a new one begins at the same moment.

    Raises NotAllowed (also for one's own role), Unacceptable, Conflict when it ended meanwhile or the role is the same.
    """
    check_change_membership(by, membership)
    _check_role(role)
    with transaction.atomic():
        _end(membership, by, now)
        if membership.role == role:
            raise Conflict(_("This person has this role already."), code="same_role")
        new = Membership.objects.create(
            project=membership.project, person=membership.person, role=role, created_at=now, created_by=by
        )
        detail = {"person": new.person_id, "from": membership.role, "to": role}
        record_event("membership:changed", new, by=by, now=now, detail=detail)
    return new


def end_membership(*, membership: Membership, by: Person, now: datetime) -> Membership:
    """Remove a person from a project; their work stays. Raises NotAllowed, Conflict when it ended already."""
    check_change_membership(by, membership)
    with transaction.atomic():
        _end(membership, by, now)
        record_event("membership:ended", membership, by=by, now=now, detail={"person": membership.person_id})
    return membership


def set_storage_limit(*, project: Project, megabytes: int | None, by: Person, now: datetime) -> None:
    """Set how much a project may store; None: the installation's usual limit. The same limit changes nothing.

    A project that stores more keeps it, but accepts nothing new. Raises NotAllowed, Unacceptable.
    """
    check_set_storage_limit(by, project)
    if megabytes is not None and not 1 <= megabytes <= MOST_MEGABYTES:
        says = _("Write whole MB from 1 to %(most)s, or nothing.") % {"most": f"{MOST_MEGABYTES:,}"}
        raise Unacceptable(says, field="megabytes", code="range")
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        rows = StorageLimit.objects.filter(project=project)
        before = rows.values_list("megabytes", flat=True).first()
        if before == megabytes:
            return
        if megabytes is None:
            rows.delete()
        else:
            made = {"megabytes": megabytes, "changed_at": now, "changed_by": by}
            StorageLimit.objects.update_or_create(project=project, defaults=made)
        detail = {"before": before, "after": megabytes}
        record_event("project:storage_limit_changed", project, by=by, now=now, detail=detail)


def _end(membership: Membership, by: Person, now: datetime) -> None:
    open_still = Membership.objects.filter(pk=membership.pk, ended_at=None)
    if not open_still.update(ended_at=now, ended_by=by):
        says = _(
            "This membership has changed since the page was opened: the person was removed or given another role "
            "meanwhile. Open the page again."
        )
        raise Conflict(says, code="membership_ended")
    membership.ended_at, membership.ended_by = now, by


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise Unacceptable(_("Choose a role: evaluator or team lead."), field="role")
