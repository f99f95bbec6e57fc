"""Every route answers every kind of person as the rights matrix says, as a page and as htmx, and in words."""

import json
import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.template import engines
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories.routes import named_routes
from tests.factories.tokens import Program, make_token
from tests.factories.world import ARGUMENTS, make_world
from tests.site.python_reprs import find_reprs
from tests.site.rights_matrix import COLUMNS, MATRIX, Row
from workspace.models import Chain, Event, Person, SignIn
from workspace.tokens.core import SCOPES
from workspace.web.problems import API

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "main"}


VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")


ROUTES = named_routes()


ROWS = [(name, row) for name, rows in MATRIX.items() for row in rows]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """One world for all cases: each case is undone, and at the end the world."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = make_world()
        made["client"] = Client(raise_request_exception=False)
        made["cookies"] = {column: get_cookies(person) for column, person in made["people"].items()}
        made["programs"] = {column: get_program(person) for column, person in made["people"].items()}
        Person.objects.filter(pk=made["people"]["deactivated"].pk).update(is_active=False)
        yield made
        transaction.set_rollback(True)


def get_cookies(person: Person | None) -> str:
    """What the browser of somebody who signed in sends along, and opened a page with: later ones note no beginning."""
    client = Client()
    if person is not None:
        client.force_login(person)
        client.get(reverse("home"))
    return client.cookies.output(attrs=[], header="", sep=";")


def get_program(person: Person | None) -> Program:
    """A program with a token of the person, with all scopes."""
    return Program(make_token(person) if person is not None else "")


def get_address(name: str, world: dict) -> str:
    """The address of a route in the world."""
    names = ROUTES[name].pattern.converters or {}
    other = ARGUMENTS.get(name, {})
    return reverse(name, kwargs={argument: world[other.get(argument, argument)] for argument in names})


def count_events() -> int:
    """How many lines all audit logs have: asked twice for each request, so without the queryset."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {Event._meta.db_table}")
        return cursor.fetchone()[0]


def ask(world: dict, column: str, verb: str, address: str, body=None, *, as_htmx: bool = False):
    """What somebody of that column is answered; everything it did is undone. Asking by GET writes no audit line."""
    client = world["client"]
    client.cookies.clear()
    client.cookies.load(world["cookies"][column])
    body = {key: value.format(**world) for key, value in (body or {}).items()}
    headers = HTMX if as_htmx else {}
    with transaction.atomic():
        before = count_events()
        if address.startswith(API):
            program = world["programs"][column]
            path = address.removeprefix(API)
            answer = program.get(path, **body) if verb == "GET" else program.send(verb, path, read_json(body))
        elif verb in ("GET", "POST"):
            answer = getattr(client, verb.lower())(address, body, headers=headers)
        else:
            answer = client.generic(verb, address, headers=headers)
        if answer.streaming:
            b"".join(answer)  # read to its end, which closes the file
        assert verb != "GET" or count_events() == before, f"GET {address} wrote to the audit log"
        transaction.set_rollback(True)
    return answer


def read_json(body: dict[str, str]) -> object:
    """What a body of the matrix becomes for the API: values in JSON where they are JSON, all else as text.

    A number, or true, is written with a sign before it: "=5".
    """
    if "bytes" in body:
        return body["bytes"].encode()
    return {
        key: json.loads(value.removeprefix("=")) if value[:1] in "=[{" else value
        for key, value in body.items()
    }


def list_reprs(answer) -> list[str]:
    """What an answer in HTML holds as Python writes it; files are read by programs."""
    is_page = answer.get("Content-Type", "").startswith("text/html")
    return find_reprs(answer.content.decode()) if is_page else []


@pytest.mark.parametrize(
    "written",
    [
        "{{ record }}",
        "{{ row }}",
        "{{ row.cost }}",
        "{{ row.at }}",
        "{{ row.items() }}",
        "{{ names }}",
        "{{ row.none }}",
        "{{ call }}",
        "{{ chain }}",
    ],
)
def test_an_object_on_a_page_is_found(written):
    record = Row("GET", "200")
    row = {"cost": [Decimal("1.5")], "at": [datetime(2026, 3, 2, tzinfo=UTC)], "none": None}
    given = {"record": record, "row": row, "names": ["a", "b"], "call": len, "chain": [Chain(pk=1)]}
    page = engines["jinja2"].from_string(f"<p class='a'>{written}</p>").render(given)
    assert find_reprs(page)


def test_words_on_a_page_are_no_objects():
    said = "<p title=\"('a')\">None of Alpha (the 'first') said f(x=1), {a: 1} or &lt;b&gt; at 0x1</p>"
    assert find_reprs(said) == []


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{row.verb} {name}" for name, row in ROWS])
def test_everybody_is_answered_as_the_matrix_says(world, name: str, row: Row):
    wrong = []
    answered_as_htmx = set()
    address = get_address(name, world)
    ways = (False,) if address.startswith(API) else (False, True)  # programs do not ask as htmx
    for column in COLUMNS:
        expected = {as_htmx: row.expected(column, as_htmx=as_htmx) for as_htmx in ways}
        for as_htmx, status in expected.items():
            if as_htmx and tuple(expected.values()) in answered_as_htmx:
                continue  # how htmx is told the same is no other for this person
            answer = ask(world, column, row.verb, address, row.body, as_htmx=as_htmx)
            got, asker = answer.status_code, f"{column}{' (htmx)' if as_htmx else ''}"
            if got != status:
                wrong.append(f"{asker}: {got}, expected {status}")
            wrong += [f"{asker}: the page holds {written}" for written in list_reprs(answer)]
        answered_as_htmx.add(tuple(expected.values()))
    assert not wrong, f"{row.verb} {name}: " + "; ".join(wrong)


def test_every_route_names_its_permission_and_has_a_row_for_each_verb():
    assert len(ROUTES) > 350
    for name, route in ROUTES.items():
        view = route.callback
        assert getattr(view, "permission", ""), f"{name} names no permission: decorate its view with needs()"
        assert {row.verb for row in MATRIX[name]} == set(view.methods) - {"HEAD"}, name
        assert {len(row.statuses.split()) for row in MATRIX[name]} == {len(COLUMNS)}, name


# What nobody could read: no JSON (of a form: nothing), the wrong fields; and parameters of that kind in the address.
WRONG_FIELDS = {"nothing": "of this"}
UNREADABLE = {True: ({"bytes": "{{"}, WRONG_FIELDS), False: ({}, WRONG_FIELDS)}
ODD_PARAMETERS = "?limit=no&after=no&nothing=of+this"
# What an act writes; how often somebody asked is counted also for what is refused.
WRITES = re.compile(r"(INSERT|UPDATE|DELETE)\b(?!.*(_session|_counter)\b)", re.DOTALL)

# Not who may, but what is sent or the state of the thing is refused there.
REFUSED_BY_STATE = {
    ("api:api_next_stage", "lead"),
    ("api:api_settings", "lead"),
    *(
        (name, column)
        for name in (
            "api:api_decision",
            "next_game",
            "open_for_rating",
            "replay_reference",
            "take_calibration",
        )
        for column in ("lead", "admin")
    ),
}
REFUSED = [
    (name, row)
    for name, row in ROWS
    if row.verb in ("GET", "POST") and {"403", "404"} & set(row.statuses.split())
]


def find_told_otherwise(world, name: str, row: Row) -> list[str]:
    """Who may not, and is told something else when what is sent is not in order."""
    address = get_address(name, world)
    bodies = UNREADABLE[address.startswith(API)]
    sent = [(address, body) for body in bodies if row.verb == "POST"]
    sent.append((address + ODD_PARAMETERS, row.body))
    columns = [column for column in (*COLUMNS[-1:], *COLUMNS[:-1]) if (name, column) not in REFUSED_BY_STATE]
    # Of those who are refused alike who may most, and so comes nearest to what is sent.
    refused = {row.expected(column, as_htmx=False): column for column in columns}
    wrong = []
    for expected, column in refused.items():
        if expected not in (403, 404):
            continue
        for asked, body in sent:
            got = ask(world, column, row.verb, asked, body).status_code
            if got != expected:
                wrong.append(f"{column}, sent {body} to {asked}: {got}, expected {expected}")
    return wrong


def test_who_may_not_is_told_so_whatever_is_sent(world):
    assert len(REFUSED) > 350
    wrong = [said for name, row in REFUSED for said in find_told_otherwise(world, name, row)]
    assert not wrong, "\n".join(wrong)


def test_an_act_whose_address_is_refused_is_not_done(world):
    refused, wrong = 0, []
    for name, row in ROWS:
        address = get_address(name, world)
        if row.verb != "POST" or address.startswith(API):
            continue
        for column in COLUMNS:
            if row.expected(column, as_htmx=False) not in (200, 303):
                continue
            with CaptureQueriesContext(connection) as asked:
                answer = ask(world, column, "POST", address + ODD_PARAMETERS, row.body)
            if answer.status_code == 400:
                refused += 1
                written = [query["sql"] for query in asked if WRITES.match(query["sql"])]
                # That a sign-in is used is noted once a minute.
                others = [sql for sql in written if f'"{SignIn._meta.db_table}"' not in sql]
                wrong += [f"{column} {name}: {sql:.90}" for sql in others]
    assert not wrong, "\n".join(wrong)
    assert refused > 30


OPERATIONS = [(name, row) for name, row in ROWS if hasattr(ROUTES[name].callback, "scopes")]


def test_a_token_without_the_scope_of_an_operation_does_nothing(world):
    admin = world["people"]["admin"]
    others = {needed: [scope for scope in SCOPES if scope != needed] for needed in SCOPES}
    programs = {needed: Program(make_token(admin, *scopes)) for needed, scopes in others.items()}
    assert len(OPERATIONS) > 120
    for name, row in OPERATIONS:
        needed = ROUTES[name].callback.scopes[row.verb]
        assert row.scope == needed, name
        mine = {**world, "programs": {"admin": programs[needed]}}
        answer = ask(mine, "admin", row.verb, get_address(name, world), row.body)
        assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing"), f"{row.verb} {name}"


def refuse(world: dict, verb: str, name: str):
    """What a verb that the route does not know is answered: on a page by the gate before its view."""
    address = get_address(name, world)
    if address.startswith(API):
        return ask(world, "admin", verb, address)
    request = RequestFactory().generic(verb, address)
    request.user = world["people"]["admin"]
    return ROUTES[name].callback(request)


def test_other_verbs_are_refused(world):
    known = {name: set(route.callback.methods) for name, route in ROUTES.items()}
    others = [(name, verb) for name in ROUTES for verb in VERBS if verb not in known[name]]
    assert len(others) > 1000
    for name, verb in others:
        answer = refuse(world, verb, name)
        assert answer.status_code == 405, f"{verb} {name}"
        assert set(answer["Allow"].split(", ")) == known[name], f"{verb} {name}"


@pytest.mark.services(is_long=True)
def test_every_route_answers_who_may_use_it_on_postgresql_too(world):
    if connection.vendor == "sqlite":
        pytest.skip("the test above asks everybody on SQLite")
    wrong = []
    for name, row in ROWS:
        allowed = [column for column in COLUMNS if row.expected(column, as_htmx=False) in (200, 303)][-1:]
        for column in allowed:
            got = ask(world, column, row.verb, get_address(name, world), row.body).status_code
            expected = row.expected(column, as_htmx=False)
            if got != expected:
                wrong.append(f"{row.verb} {name}: {got}, expected {expected}")
    assert not wrong


def test_the_matrix_can_fail(world):
    wrong = Row("GET", "200 200 200 200 200 200 200 200")
    got = ask(world, "anonymous", wrong.verb, get_address("projects", world)).status_code
    assert got != wrong.expected("anonymous", as_htmx=False)
