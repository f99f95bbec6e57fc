"""Writing the audit log: the only way to add a line."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

from workspace.access.permissions import Role, role_in
from workspace.core.audit_chain import seal
from workspace.core.canonical import canonical_bytes
from workspace.database.prepared_queries import Prepared, insert_row, update_row
from workspace.models import Chain, Event, Person, Project


def record_event(
    *,
    by: Person,
    now: datetime,
    project: Project | None,
    verb: str,
    object_kind: str,
    object_id: object,
    detail: Mapping[str, Any] | None = None,
    role: Role | None = None,
) -> Event:
    """Append one line to the project's audit chain (the installation's when None), inside the current transaction.

    `verb` is past tense ("verdict:recorded"). `detail` holds plain values, never transcript text or secrets. `role` is
    the person's role where the caller's check has established it; else it is read. The chain row is locked, so lines of
    one chain are written one after the other. The function that settings.EVENT_ACTIONS names for the verb is called
    with the line. Raises RuntimeError outside a transaction: a line must be committed or rolled back with the action
    that it records.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(
            f'The event "{verb}" was recorded outside of a transaction; open one around act and event.'
        )
    chain = _lock_chain(project)
    event = Event(
        chain=chain,
        seq=chain.seq + 1,
        at=now,
        by=by,
        role="system" if by.is_system else role or role_in(by, project) or "",
        verb=verb,
        object_kind=object_kind,
        object_id=str(object_id),
        detail=canonical_bytes(dict(detail or {})).decode(),
    )
    event.mac = seal(event.to_line(), chain.mac, settings.AUDIT_KEY)
    insert_row(event)
    chain.seq, chain.mac = event.seq, event.mac
    update_row(Chain, chain.pk, {"seq": chain.seq, "mac": chain.mac})
    for action in settings.EVENT_ACTIONS.get(verb, ()):
        import_string(action)(event)
    return event


def _lock_chain(project: Project | None) -> Chain:
    found = _CHAIN.rows(project.pk) if project is not None else []
    if found:
        key, seq, mac = found[0]
        return Chain(pk=key, project=project, seq=seq, mac=mac)
    return Chain.objects.select_for_update().get_or_create(project=project)[0]


_CHAIN = Prepared(
    lambda project: Chain.objects.select_for_update().filter(project=project).values_list("pk", "seq", "mac"),
    int,
)
