"""The database is away at any moment of a request: 503 with the page and all headers, for everybody."""

import contextlib
import re
import time

import psycopg
import pytest
from django.db import InterfaceError, InternalError, OperationalError, connection
from django.test import Client

from evalsite.settings import SQLITE_OPTIONS
from tests.factories.people import make_admin, make_lead, make_project
from tests.guards.layout import ROOT

pytestmark = pytest.mark.django_db(transaction=True)


@contextlib.contextmanager
def away(after, fault=OperationalError):
    """Answer so many statements, then none."""
    left, real = [after], connection.cursor

    def cursor(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            raise fault("server closed the connection unexpectedly")
        return real(*args, **kwargs)

    connection.cursor = cursor
    try:
        yield left
    finally:
        del connection.cursor


@pytest.mark.parametrize("fault", [OperationalError, InterfaceError])
@pytest.mark.parametrize("kind", ["page", "region", "form", "program", "anonymous"])
def test_database_that_goes_away_within_a_request_is_503(kind, fault):
    project = make_project(slug="ours")
    client = Client(raise_request_exception=False)
    if kind != "anonymous":
        client.force_login(make_lead(project=project))
    headers = {"HX-Request": "true"} if kind == "region" else {}
    path = {"program": "/api/v1/projects/", "anonymous": "/sign-in/"}.get(kind, "/projects/ours/")
    statuses = []
    for after in range(40):
        with away(after, fault) as left:
            act = client.post if kind == "form" else client.get
            answer = act(path, headers=headers)
        statuses.append(answer.status_code)
        if left[0] >= 0:
            break
        assert answer.status_code == 503, after
        assert "Content-Security-Policy" in answer.headers
        assert answer.headers["Retry-After"] == "60"
        said = answer.content.decode()
        assert "in a minute" in said, said
    assert kind == "anonymous" or len(statuses) > 2
    assert statuses[-1] != 503


@pytest.mark.parametrize("path", ["/projects/ours/", "/api/v1/projects/"])
@pytest.mark.parametrize(
    "cause", ["ReadOnlySqlTransaction", "IdleInTransactionSessionTimeout", "TransactionTimeout"]
)
def test_database_that_only_reads_or_ended_the_transaction_is_503_for_who_writes(path, cause):
    project = make_project(slug="ours")
    client = Client(raise_request_exception=False)
    client.force_login(make_lead(project=project))

    def refuse(execute, sql, params, many, context):
        if sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE")) or path.startswith("/api/"):
            raise InternalError("no such statement now") from getattr(psycopg.errors, cause)()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        answer = client.get(path)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "60"
    assert "in a minute" in answer.content.decode()


@pytest.mark.services
def test_transaction_that_postgres_ended_is_503_and_the_next_request_is_served():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite ends no transaction")
    make_project(slug="ours")
    client = Client(raise_request_exception=False)
    client.force_login(make_admin())
    ended = []

    def stand_still(execute, sql, params, many, context):
        if sql.lstrip().startswith("INSERT") and not ended:
            connection.connection.execute("SET idle_in_transaction_session_timeout = '50ms'")
            time.sleep(0.3)
            try:
                return execute(sql, params, many, context)
            except Exception as fault:
                ended.append(type(fault.__cause__))
                raise
        return execute(sql, params, many, context)

    sent = {"name": "Another", "slug": "another"}
    with connection.execute_wrapper(stand_still):
        refused = client.post("/projects/new/", sent)
        served = client.get("/projects/ours/")
    assert ended == [psycopg.errors.IdleInTransactionSessionTimeout]
    assert (refused.status_code, refused.headers["Retry-After"], served.status_code) == (503, "60", 200)


@pytest.mark.parametrize("document", ["operations.md", "scaling.md"])
def test_how_long_a_save_waits_for_another_writer_is_documented(document):
    said = " ".join((ROOT / "docs" / document).read_text().split())
    assert re.search(rf"save waits for up to {SQLITE_OPTIONS['timeout']} seconds", said)
