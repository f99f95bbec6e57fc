"""Access tokens for tests, and what programs ask with them."""

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from tests.factories.numbers import numbers
from workspace.models import Person, Project
from workspace.tokens.actions import create_service_account, create_token
from workspace.tokens.core import SCOPES


def make_token(person: Person, *scopes: str) -> str:
    """The secret of a new token of the person, with all scopes unless some are named."""
    given = {"name": "A program", "scopes": scopes or SCOPES, "days": 90}
    return create_token(person=person, **given, by=person, now=timezone.now())[1]


def make_account(*, project: Project, by: Person, role: str = "lead") -> Person:
    """A service account in the project."""
    return create_service_account(name="Pipeline", project=project, role=role, by=by, now=timezone.now())


class Program:
    """A program that asks the API with a token."""

    def __init__(self, secret: str) -> None:
        self.client, self.secret = Client(raise_request_exception=False), secret

    def get(self, path: str, **given: Any) -> HttpResponse:
        """A question; `path` is below /api/v1/. What is given takes the place of parameters in the path."""
        return self.client.get(f"/api/v1/{path}", given, headers=self.headers())

    def post(self, path: str, body: object = None, *, key: str | None = None, **more: Any) -> HttpResponse:
        """Something to do, under a new key unless one is named; `body` becomes JSON unless it is bytes."""
        return self.send("POST", path, body, key=key, **more)

    def send(
        self, verb: str, path: str, body: object = None, *, key: str | None = None, **more: Any
    ) -> HttpResponse:
        """The same with any verb that changes something."""
        sent = body if isinstance(body, bytes) else json.dumps(body or {})
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        headers = {**self.headers(), "Idempotency-Key": f"key-{next(numbers)}" if key is None else key}
        return self.client.generic(verb, f"/api/v1/{path}", sent, content_type=kind, headers=headers, **more)

    def headers(self) -> dict[str, str]:
        """What every request brings."""
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}


def program_of(person: Person, *scopes: str) -> Program:
    """A program with a new token of the person."""
    return Program(make_token(person, *scopes))
