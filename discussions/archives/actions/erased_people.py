"""Erasing a person: name, address and sign-ins go; what the person judged and wrote stays, under a pseudonym."""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any

import msgspec
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db.models import Q

from discussions.models import Stage, TeamFigures
from rubric.models import ImpactPreview, Response, Reviewer, SetFigures
from workspace import models
from workspace.audit.actions import delete_rows, end_passes, erase_details, let_pass, record_event
from workspace.audit.queries import load_renames
from workspace.core.canonical import bytes_hash, canonical_bytes

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
