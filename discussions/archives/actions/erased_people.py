"""What an erasure of a person, and of a whole project, removes."""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any

import msgspec
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Q

from discussions import models as games
from discussions.archives.queries.erasures import find_running, is_shared
from discussions.archives.queries.tables import OWN
from discussions.models import Stage, TeamFigures, Transcript
from discussions.search.actions import delete_words
from rubric.models import ImpactPreview, Response, Reviewer, SetFigures
from workspace import models
from workspace.audit.actions import delete_rows, end_passes, erase_details, let_pass, record_event
from workspace.audit.queries import load_renames
from workspace.blob_store import drop_bytes
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.exports.actions import drop_files
from workspace.jobs.actions import Clock, renew
from workspace.outbox.core import PASSWORD_RESET

NOWHERE = "erased.invalid"


def erase_person(erasure: models.Erasure, now: datetime) -> None:
    """Everything in the caller's transaction, with its tombstones. Erasing again changes nothing."""
    person = models.Person.objects.select_for_update().get(pk=erasure.row)
    if person.erased_at is not None:
        return
    alias = f"erased-{erasure.stamp[:12]}"
    names = _Names(person, alias)
    _forget_ways_in(erasure, person, alias, now)
    _forget_told(erasure, person, names)
    hashes = _replace_copies(erasure, person, names)
    _empty_account(person, alias, now)
    detail = {"reason": erasure.reason, "hashes": hashes}
    lines = models.Event.objects.filter(names.within("detail") | names.of_tokens()).select_related(
        "chain__project"
    )
    for project, found in groupby(lines.order_by("chain", "seq"), key=lambda line: line.chain.project):
        rows = [line for line in found if names.swap_line(line) != line.detail]
        changed = erase_details(erasure, rows, names.swap_line)
        if project is None:
            detail |= {"lines": changed}
        elif changed:
            told = {"lines": changed}
            record_event(
                "person:erased", person, by=erasure.created_by, now=now, project=project, detail=told
            )
    record_event("person:erased", person, by=erasure.created_by, now=now, project=None, detail=detail)
    end_passes(erasure)


class _Names:
    """The texts by which the person is known: name, former names, address; and what stands in their place."""

    def __init__(self, person: models.Person, alias: str) -> None:
        former = [name for _until, name in load_renames([person.pk]).get(person.pk, ())]
        changed = models.Event.objects.filter(
            verb="settings:changed", by=person, detail__contains='"former_name":'
        )
        former += [str(line.details.get("name", "")) for line in changed]
        self.alias, self.texts = (
            alias,
            sorted({person.name, person.email, *former} - {""}, key=len, reverse=True),
        )
        rows = models.AccessToken.objects.filter(person=person)
        self.tokens = {str(key): name for key, name in rows.values_list("pk", "name")}
        words = "|".join(re.escape(text) for text in self.texts)
        self.pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def within(self, column: str) -> Q:
        """The condition for rows whose text, or JSON, may hold one of them."""
        found = Q(pk=None)
        for text in self.texts:
            for written in {text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]}:
                found |= Q(**{f"{column}__icontains": written})
        return found

    def of_tokens(self) -> Q:
        """The condition for lines about the person's access tokens, whose names may say anything."""
        return Q(object_kind="access_token", object_id__in=self.tokens)

    def swap_line(self, line: models.Event) -> str:
        if line.object_kind != "access_token" or line.object_id not in self.tokens:
            return self.swap(line.detail)
        named = {name: self.alias for name in ("name",) if name in line.details}
        return self.swap(canonical_bytes(line.details | named).decode())

    def swap(self, body: str) -> str:
        """The JSON with the pseudonym in place of each; the same bytes if it holds none."""
        value = msgspec.json.decode(body)
        swapped = self._swap(value)
        return body if swapped == value else canonical_bytes(swapped).decode()

    def _swap(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._swap(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._swap(inner) for inner in value]
        return self.pattern.sub(self.alias, value) if isinstance(value, str) else value


def _forget_ways_in(erasure: models.Erasure, person: models.Person, alias: str, now: datetime) -> None:
    """End sign-ins, second factors, tokens, invitations and links."""
    models.SignIn.objects.of(person).delete()
    Authenticator.objects.filter(user=person).delete()
    tokens = models.AccessToken.objects.filter(person=person)
    for token in tokens.filter(revoked_at=None):
        detail = {"person": person.pk}
        record_event(
            "access_token:revoked", token, by=erasure.created_by, now=now, project=None, detail=detail
        )
    tokens.filter(revoked_at=None).update(revoked_at=now, revoked_by=erasure.created_by)
    tokens.update(name=alias, used_address="")
    invited = models.Invitation.objects.filter(Q(accepted_by=person) | Q(email__iexact=person.email))
    invited.update(email=f"{alias}@{NOWHERE}", name="")


def _forget_told(erasure: models.Erasure, person: models.Person, names: _Names) -> None:
    """Delete what the person was told, and what is computed or kept for some days and may name the person."""
    models.Notification.objects.filter(Q(person=person) | names.within("about")).delete()
    models.NotificationSettings.objects.filter(person=person).delete()
    models.Email.objects.filter(
        Q(person=person) | Q(address__iexact=person.email) | names.within("subject")
    ).delete()
    models.KeptAnswer.objects.all().delete()
    models.Counter.objects.filter(names.within("key") | names.within("value")).delete()
    models.Job.objects.filter(names.within("error") | names.within("cause")).update(error="", cause="")
    for model in (TeamFigures, SetFigures, ImpactPreview):
        delete_rows(erasure, model._default_manager.filter(names.within("body")))


def _replace_copies(erasure: models.Erasure, person: models.Person, names: _Names) -> dict[str, str]:
    """Replace the name where it was copied; return the hashes of gates that named the person."""
    authored: Iterable[Any] = (
        (Response.objects.filter(written_by=person), "author"),
        (Reviewer.objects.filter(person=person), "name"),
    )
    for rows, column in authored:
        let_pass(erasure, rows)
        rows.update(**{column: names.alias})
    hashes = {}
    for stage in Stage.objects.filter(names.within("door")):
        if (door := names.swap(stage.door)) != stage.door:
            Stage.objects.filter(pk=stage.pk).update(door=door)
            hashes[f"stage:{stage.pk}"] = bytes_hash(door.encode())
    return hashes


def _empty_account(person: models.Person, alias: str, now: datetime) -> None:
    models.Person.objects.filter(pk=person.pk).update(
        name=alias,
        email=f"{alias}@{NOWHERE}",
        password=make_password(None),
        is_active=False,
        keys=None,
        time_zone="",
        last_login=None,
        oidc_issuer="",
        oidc_subject="",
        erased_at=now,
    )


BATCH = 1000
# Rows of a project that its archive leaves out, and the path from each to it; they go before the others.
LEFT_OUT: dict[Any, str] = {
    games.UnindexedGame: "game__project",
    games.ImportRun: "transcript__project",
    games.ImportDismissal: "transcript__project",
    games.TeamFigures: "project",
    SetFigures: "set__project",
    models.Export: "project",
    models.Delivery: "webhook__project",
    models.Webhook: "project",
    models.Notification: "project",
    models.StorageLimit: "project",
}


def erase_project(erasure: models.Erasure, job: models.Job, clock: Clock) -> bool:
    """Whether everything is gone; False while another job works on the project. What was done before stays done."""
    project = models.Project.with_erased.get(pk=erasure.row)
    if find_running(project):
        return False
    models.Project.with_erased.filter(pk=project.pk, erased_at=None).update(erased_at=clock())
    drop_files(exports=models.Export.objects.filter(project=project), now=clock())
    for upload in Transcript.with_erased.filter(project=project).order_by("pk"):
        if not is_shared(upload, outside=project):
            drop_bytes(upload.sha256)
    with transaction.atomic():
        renew(job=job, now=clock())
        _forget_emails(project)
    for model, path in LEFT_OUT.items():
        _delete(erasure, model._base_manager.filter(**{path: project}), job, clock)
    _delete_words(project, job, clock)
    for table in reversed(OWN):
        if table.model not in (models.Project, models.Job):
            _delete(erasure, table.model._base_manager.filter(**{table.path: project}), job, clock)
    for model in (models.Invitation, models.Job):
        _delete(erasure, model._base_manager.filter(project=project), job, clock)
    with transaction.atomic():
        renew(job=job, now=clock())
        _leave_tombstone(erasure, project, clock())
    return True


def _delete(erasure: models.Erasure, rows: Any, job: models.Job, clock: Clock) -> None:
    """Delete the newest rows first: they name older ones of their table."""
    while True:
        with transaction.atomic():
            keys = list(rows.order_by("-pk").values_list("pk", flat=True)[:BATCH])
            if not keys:
                return
            renew(job=job, now=clock(), done_count=job.done_count + len(keys))
            delete_rows(erasure, rows.model._base_manager.filter(pk__in=keys))
            end_passes(erasure)


def _delete_words(project: models.Project, job: models.Job, clock: Clock) -> None:
    keys = list(games.Game.with_erased.filter(project=project).values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        with transaction.atomic():
            renew(job=job, now=clock())
            delete_words(keys[start : start + BATCH])


def _forget_emails(project: models.Project) -> None:
    """Delete e-mails to people of the project, except for new passwords, and what may quote anything of it."""
    people = models.Person.objects.filter(memberships__project=project)
    invited = models.Invitation.objects.filter(project=project).values("email")
    to_them = Q(person__in=people) | Q(address__in=invited) | Q(subject__icontains=project.name)
    models.Email.objects.filter(to_them).exclude(purpose=PASSWORD_RESET).delete()
    models.KeptAnswer.objects.all().delete()


def _leave_tombstone(erasure: models.Erasure, project: models.Project, now: datetime) -> None:
    """Replace the project's audit log by one line, with its head and first seals, in that of the installation."""
    chain = models.Chain.objects.filter(project=project).first()
    if chain is None:
        return
    delete_rows(erasure, ImpactPreview.objects.all())
    first = models.Event.objects.filter(chain=chain, seq=1).select_related("first_seal").first()
    known = [first.mac, getattr(first, "first_seal", first).mac] if first else []
    delete_rows(erasure, models.FirstSeal.objects.filter(event__chain=chain))
    delete_rows(erasure, models.Event.objects.filter(chain=chain))
    head = chain.to_head()
    chain.delete()
    lines = models.Event.objects.filter(
        chain__project=None, object_kind="project", object_id=str(project.pk)
    ).exclude(detail="{}")
    changed = erase_details(erasure, lines.order_by("seq"), lambda _line: "{}")
    models.Project.with_erased.filter(pk=project.pk).update(
        name=f"erased-{project.pk}", slug=f"erased-{project.pk}"
    )
    detail = {
        "reason": erasure.reason,
        "chain": head.chain,
        "line_count": head.seq,
        "head": head.mac,
        "first": sorted(set(known)),
        "lines": changed,
    }
    record_event("project:erased", project, by=erasure.created_by, now=now, project=None, detail=detail)
    end_passes(erasure)
