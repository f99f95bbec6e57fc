"""What must hold for people, projects, jobs, the audit log and the database; and the work that is only due by time.

`CHECKS` is the workspace's part of `manage.py verify`; every later app adds its own table. The heads of the audit log
are stored outside the database once a day.
"""

import logging
from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from fnmatch import fnmatch
from functools import partial
from typing import Any

import msgspec
from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection
from django.db.models import F, QuerySet
from django.utils.module_loading import import_string
from msgspec import Struct

from workspace import models
from workspace.audit.queries import hash_first_seals, list_erased, load_erased, load_imports
from workspace.blob_store import audit_heads, drop_parts, keep_file, new_file
from workspace.checks.core import RIGHTS, Check, Checked, Checks, read_rights, run_check
from workspace.checks.queries import SWEPT, SweepAct, load_acts
from workspace.core.audit_chain import Head, first_break
from workspace.core.causes import describe_cause
from workspace.database.startup_checks import pragma_faults, trigger_faults
from workspace.database.transactions import snapshot
from workspace.jobs.actions import NOTIFY_AGAIN, sweep_jobs
from workspace.models.jobs import RUNNING

CHECKS = Checks()

HEADS = "heads-*.json"
logger = logging.getLogger("evalsite.checks")


class DailyHeads(Struct, frozen=True):
    at: datetime
    heads: list[Head]


def verify(*, checks: Iterable[Check], by: models.Person, now: datetime) -> list[Checked]:
    """Run the checks one after the other, all on the rows as of one moment; others may go on saving meanwhile.

    If the audit log holds, today's heads are stored. Changes no row.
    """
    with snapshot():
        checked = [_run(check, now) for check in checks]
        if any(check.code == "I7" and not check.breach_count for check in checked):
            keep_heads(by=by, now=now, is_renewed=True)
    return checked


def _run(check: Check, now: datetime) -> Checked:
    """Run one check. An error of the check itself is a breach; an error of the database ends all checks."""
    try:
        return run_check(check, now)
    except Error:
        raise
    except Exception as fault:
        logger.exception("check %s ended with an error", check.code)
        says = f"The check ended with an error, so it is not known to hold: {describe_cause(fault)}."
        return Checked(check.code, check.says, 1, [says])


def keep_heads(*, by: models.Person, now: datetime, is_renewed: bool = False) -> None:
    """Write the heads of all audit chains to the day's file, once a day; `is_renewed` writes today's again.

    Only verified heads may replace them: otherwise the heads of a cut log would overwrite those that show the cut.
    """
    name = name_heads(now)
    if audit_heads().exists(name) and not is_renewed:
        return
    heads = [chain.to_head() for chain in models.Chain.objects.order_by("pk")]
    with new_file(audit_heads()) as part:
        part.write(msgspec.json.format(msgspec.json.encode(DailyHeads(now, heads)), indent=1) + b"\n")
        keep_file(part, name, audit_heads())


def name_heads(day: datetime) -> str:
    return f"heads-{day:%Y-%m-%d}.json"


def list_heads() -> list[str]:
    """The names of all kept heads, the oldest first."""
    try:
        names = audit_heads().listdir("")[1]
    except FileNotFoundError:
        return []
    return sorted(name for name in names if fnmatch(name, HEADS))


@CHECKS.add("I7", "The audit log is unbroken, and reaches every head that was kept")
def _audit_holds(_now: datetime) -> Iterator[str]:
    anchors: list[Head] = []
    for name in list_heads():
        try:
            with audit_heads().open(name) as file:
                anchors += msgspec.json.decode(file.read(), type=DailyHeads).heads
        except (msgspec.MsgspecError, OSError) as fault:
            yield f"The kept heads in {name} cannot be read: {fault}."
    chains = list(models.Chain.objects.order_by("pk"))
    for chain in chains:
        lines = models.Event.objects.filter(chain=chain).order_by("seq").iterator(chunk_size=2000)
        broken = first_break(
            (line.to_sealed() for line in lines),
            chain.to_head(),
            settings.AUDIT_KEY,
            anchors=anchors,
            erased=load_erased(chain.pk),
        )
        if broken is not None:
            yield broken.sentence
    erased = {detail["chain"] for _key, detail in read_details("project:erased")}
    for lost in sorted({head.chain for head in anchors} - {chain.pk for chain in chains} - erased):
        yield f"Audit chain {lost} was there when heads were kept, and is gone."


@CHECKS.add("I7a", "Every account, project, membership and invitation has its audit line")
def _acts_have_events(_now: datetime) -> Iterator[str]:
    yield from missing_events(
        ("person", "account:created service_account:created", models.Person.objects.filter(is_system=False)),
        ("project", "project:created", models.Project.objects.all()),
        ("membership", "membership:added membership:changed", models.Membership.objects.all()),
        ("invitation", "invitation:created", models.Invitation.objects.all()),
        ("invitation", "invitation:accepted", models.Invitation.objects.exclude(accepted_at=None)),
        ("invitation", "invitation:withdrawn", models.Invitation.objects.exclude(withdrawn_at=None)),
    )


@CHECKS.add("I7b", "Nobody has a right that the audit log does not give them")
def _rights_are_logged(_now: datetime) -> Iterator[str]:
    logged = read_rights(
        (event.object_id, event.verb, event.details)
        for event in models.Event.objects.filter(verb__in=RIGHTS).order_by("pk").iterator(chunk_size=2000)
    )
    people = models.Person.objects.filter(is_system=False)
    for key, is_admin, is_active in people.values_list("pk", "is_admin", "is_active").order_by("pk"):
        if is_admin and key not in logged.admins:
            yield f"Person {key} is an admin; the audit log does not say that they became one."
        if is_active and key in logged.switched_off:
            yield f"Person {key} is active; the audit log says that the account was deactivated."
    open_still = models.Membership.objects.filter(ended_at=None)
    for key, role in open_still.values_list("pk", "role").order_by("pk"):
        if (said := logged.roles.get(key)) != role:
            yield f"Membership {key} gives the role {role}; the audit log says {said or 'that it ended'}."
    usable = models.AccessToken.objects.filter(revoked_at=None)
    for key, scopes in usable.values_list("pk", "scopes").order_by("pk"):
        said_scopes = logged.scopes.get(key)
        if said_scopes is None or set(scopes.split()) != said_scopes:
            known = " ".join(sorted(said_scopes)) if said_scopes else "that it is not to be used"
            yield f"Access token {key} may {scopes}; the audit log says {known}."


@CHECKS.add("I7f", "The first seals of imported audit lines are as they were imported")
def _first_seals_are_kept(_now: datetime) -> Iterator[str]:
    sealed = set(
        models.Chain.objects.filter(events__first_seal__isnull=False).values_list("project", flat=True)
    )
    told = load_imports()
    for project in sorted(sealed | set(told), key=lambda key: key or 0):
        if project not in told:
            yield f"Audit lines of project {project} have first seals, and the log tells of no import."
        # Imports made before this was recorded lack it.
        elif told[project].get("first_seals") not in (None, hash_first_seals(project)):
            yield f"The first seals of project {project} are not those that were imported."


@CHECKS.add("I8", "No job is stuck")
def _jobs_move(now: datetime) -> Iterator[str]:
    late = models.Job.objects.filter(state=RUNNING, lease_until__lt=now - timedelta(seconds=60))
    for job in late.order_by("pk"):
        yield f"Job {job.pk} ({job.kind}, {job.subject}) runs past its lease, which ended {job.lease_until:%F %T}."
    for job in models.Job.objects.filter(done_count__gt=F("total_count"), total_count__gt=0).order_by("pk"):
        yield f"Job {job.pk} ({job.kind}, {job.subject}) did {job.done_count} of {job.total_count}."


@CHECKS.add("I12", "The database is whole, guarded and set as it must be")
def _database_is_sound(_now: datetime) -> Iterator[str]:
    yield from (str(fault.msg) for fault in [*pragma_faults(connection), *trigger_faults(connection)])
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        yield from (f"SQLite: {said}" for (said,) in cursor.fetchall() if said != "ok")
        cursor.execute("PRAGMA foreign_key_check")
        yield from (
            f"SQLite: row {row[1]} of {row[0]} names a row of {row[2]} that is not there" for row in cursor
        )


@CHECKS.add("I14", "Nobody who was switched off is signed in")
def _nobody_stays_signed_in(now: datetime) -> Iterator[str]:
    stored = models.SignIn.objects.filter(expire_date__gt=now, person__is_active=False)
    for person in stored.order_by("person").values_list("person", flat=True).distinct():
        yield f"Person {person} is switched off but has a stored sign-in."


def list_told(*verbs: str) -> set[str]:
    """The keys of what the audit log tells of with one of these verbs."""
    return set(models.Event.objects.filter(verb__in=verbs).values_list("object_id", flat=True))


def read_details(verb: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The key of what each audit line of the verb is about, and its detail."""
    lines = models.Event.objects.filter(verb=verb).exclude(object_id="").order_by("pk")
    for key, detail in lines.values_list("object_id", "detail").iterator(chunk_size=2000):
        yield int(key), msgspec.json.decode(detail)


def missing_events(*expected: "tuple[str, str, QuerySet[Any]]") -> Iterator[str]:
    """Of each kind, rows without exactly one event of these verbs, and events about rows that are not there.

    Lines from an archive about things that it leaves out name no row, and tombstones name rows that were erased.
    """
    for kind, verbs, rows in expected:
        wanted, seen = {str(key) for key in rows.values_list("pk", flat=True)}, Counts[str]()
        lines = models.Event.objects.filter(object_kind=kind, verb__in=verbs.split()).exclude(object_id="")
        seen.update(lines.values_list("object_id", flat=True))
        what = verbs.replace(" ", " or ")
        for number in sorted(
            {*wanted, *seen} - (list_erased(kind) - wanted), key=lambda text: (len(text), text)
        ):
            if number not in wanted:
                yield f"The audit log tells of {what} of {kind} {number}, which is not there."
            elif seen[number] != 1:
                yield f"The audit log has {seen[number]} lines of {what} for {kind} {number}; it must have one."


def run_daily_maintenance(*, by: models.Person, now: datetime) -> bool:
    """Delete what expired, and keep the heads of the day; return whether there was any work.

    The heads are kept also when something cannot be deleted, and that is tried again with the next sweep.
    """
    is_due = not audit_heads().exists(name_heads(now))
    try:
        expired = models.SignIn.objects.filter(expire_date__lt=now).delete()[0]
        expired += models.Counter.objects.filter(expires_at__lt=now).delete()[0]
    finally:
        keep_heads(by=by, now=now)
    return is_due or expired > 0


def sweep(*, by: models.Person, now: datetime, notify_again: timedelta = NOTIFY_AGAIN) -> int:
    """Send messages again for jobs that wait or were dropped, and do what is due; return the jobs that got a message.

    Several sweeps at the same moment do no harm: each act is a conditional update, or asks what is still to be done.
    An act that fails is logged and noted, and the others are done: nothing else would ever do them.
    """
    notified: list[int] = []
    acts: dict[str, Callable[[], object]] = {
        "workspace.jobs.actions.sweep_jobs": lambda: notified.append(
            sweep_jobs(by=by, now=now, notify_again=notify_again)
        ),
        **{
            name: partial(lambda path: import_string(path)(by=by, now=now), name)
            for name in settings.SWEEP_ACTIONS
        },
        "workspace.checks.actions.run_daily_maintenance": lambda: run_daily_maintenance(by=by, now=now),
        "workspace.blob_store.drop_parts": lambda: drop_parts(before=now - timedelta(hours=24)),
    }
    before = {act.name: act for act in load_acts()}
    cache.set(SWEPT, [_do(name, act, before.get(name), now) for name, act in acts.items()], timeout=None)
    return sum(notified)


def _do(name: str, act: Callable[[], object], before: SweepAct | None, now: datetime) -> SweepAct:
    try:
        act()
    except Exception as fault:
        logger.exception("the sweep could not do %s", name)
        if not connection.in_atomic_block:
            # The next act gets a new connection where this one broke.
            connection.close_if_unusable_or_obsolete()
        was = before or SweepAct(name, None)
        return SweepAct(name, was.succeeded_at, was.failing_since or now, describe_cause(fault))
    return SweepAct(name, now)
