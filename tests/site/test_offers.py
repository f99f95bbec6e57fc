"""What a role may never do is hidden from it; what it may not do now is greyed, with the reason."""

import pytest
from django.conf import settings
from django.urls import Resolver404, resolve

from tests.site.drawn_acts import Offer, list_offers, list_unexplained, read_page
from tests.site.rights_matrix import MATRIX
from tests.site.test_rights_matrix import ask, get_address, world  # noqa: F401  a fixture

pytestmark = pytest.mark.django_db

ROLES = ("assigned", "same_project", "lead", "admin")
PAGES = [(name, row) for name, rows in MATRIX.items() for row in rows if row.verb == "GET" and not row.scope]
REFUSED = (403, 404)
# The gallery of page parts shows what goes nowhere.
SAMPLES = {"design"}


def find_fault(made: dict, role: str, offer: Offer) -> str:
    """Why the offer should not be drawn for that role, "" when it is right.

    What the matrix refuses the role is asked itself: the page may show another thing of the kind than the matrix has.
    """
    try:
        name = resolve(offer.address).view_name
    except Resolver404:
        return "no such address"
    rows = [row for row in MATRIX[name] if row.verb == offer.verb]
    if not rows:
        return f"{name} does not understand it"
    if any(row.expected(role, as_htmx=False) not in REFUSED for row in rows):
        return ""
    answered = ask(made, role, offer.verb, offer.address, rows[0].body).status_code
    return f"{name} answers {answered}" if answered in REFUSED else ""


def find_faults(made: dict, role: str) -> tuple[list[str], int]:
    """What is wrong on the pages that the role may see, and how many offers were looked at."""
    wrong: list[str] = []
    seen: set[Offer] = set()
    for name, row in PAGES:
        if name in SAMPLES or row.expected(role, as_htmx=False) != 200:
            continue
        page = get_address(name, made)
        answer = ask(made, role, "GET", page, row.body)
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        nodes = read_page(answer.content.decode())
        wrong += [f"{name}: {what} is greyed without a reason" for what in list_unexplained(nodes)]
        for offer in list_offers(nodes, page) - seen:
            seen.add(offer)
            if not offer.address.startswith(settings.STATIC_URL) and (fault := find_fault(made, role, offer)):
                wrong.append(f"{name}: {offer.verb} {offer.address}: {fault}")
    return wrong, len(seen)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_offered_what_it_may_do(world, role: str):  # noqa: F811
    wrong, seen = find_faults(world, role)
    assert (wrong, seen > 40) == ([], True)


def test_what_a_role_may_not_do_is_found(world):  # noqa: F811
    offers = [
        Offer("GET", get_address("members", world)),
        Offer("POST", get_address("record_games", world)),
        Offer("POST", get_address("project", world)),
        Offer("GET", "/nowhere/"),
    ]
    found = [find_fault(world, "same_project", offer) for offer in offers]
    assert found == [
        "members answers 403",
        "record_games answers 403",
        "project does not understand it",
        "no such address",
    ]
    assert [find_fault(world, "lead", offer) for offer in offers[:2]] == ["", ""]


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ('<a href="../there/?a=1#b">x</a><a href="#c">x</a>', {("GET", "/there/"), ("GET", "/here/")}),
        ('<a href="https://example.org/">x</a><a href="mailto:a@example.org">x</a>', set()),
        ('<form method="post" action="/a/"><button>x</button></form>', {("POST", "/a/")}),
        ('<form method="post" action="/a/"><button disabled>x</button></form>', set()),
        ('<form action="/a/"><fieldset disabled><button>x</button></fieldset></form>', set()),
        ('<form><input type="submit" formaction="/b/" formmethod="post"></form>', {("POST", "/b/")}),
        (
            '<form id="f" method="post" action="/a/"></form><button form="f">x</button>',
            {("POST", "/a/")},
        ),
        ('<p hx-get="/c/"><br>x</p><button type="button" hx-post="/d/">x</button>', {("GET", "/c/"), ("POST", "/d/")}),
    ],
)  # fmt: skip
def test_offers_are_read_from_a_page(drawn, expected):
    assert list_offers(read_page(drawn), "/here/") == {Offer(*offer) for offer in expected}


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("<form><button disabled>Save <kbd>s</kbd></button></form>", ["Save s"]),
        ('<p><input name="a" disabled></p><p><span class="because">It is closed.</span></p>', ["a"]),
        ('<p><button disabled>Save</button><span class="because"> </span></p>', ["Save"]),
        ('<p><button disabled>Save</button><span class="because">It is closed.</span></p>', []),
        ('<p><button disabled title="It is closed.">Save</button></p>', []),
        ('<p id="d">It is closed.</p><p><a aria-disabled="true" aria-describedby="d">Save</a></p>', []),
    ],
)
def test_what_is_greyed_without_a_reason_is_found(drawn, expected):
    assert list_unexplained(read_page(drawn)) == expected
