"""Every page is asked for once by every role, in a made-up language: its words, what it offers, and where one is."""

import json
import re
from typing import NamedTuple

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import Resolver404, resolve, reverse

from tests.site.drawn_acts import Offer, list_offers, list_unexplained, read_page
from tests.site.pseudo_locale import install, mark_text, stored_texts
from tests.site.rights_matrix import MATRIX
from tests.site.test_rights_matrix import ROUTES, ask, get_address, world  # noqa: F401  a fixture
from tests.site.test_translatable import forget_said, is_page, list_faults

pytestmark = pytest.mark.django_db

ROLES = ("anonymous", "assigned", "same_project", "lead", "admin")
SENDERS = ("anonymous", "assigned", "lead", "admin")
PAGES = [(name, row) for name, rows in MATRIX.items() for row in rows if row.verb == "GET" and not row.scope]
# The gallery of page parts shows made-up data, and what goes nowhere.
SAMPLES = {"design"}
REFUSED = (403, 404)
FORMS = [(name, row) for name, rows in MATRIX.items() for row in rows if row.verb == "POST" and not row.scope]

# Files with many kinds of faults, for the pages that read them at once.
CRITERION = {
    "key": "alpha",
    "label": "",
    "description": "",
    "question": "",
    "weight": 7,
    "scale": {"lowest": 9},
}
FILES = {
    "import_rubric": [
        b"",
        b"{",
        b'{"alpha": 1, "alpha": 2}',
        b"\xff\xfe",
        b'{"name": "Alpha"}',
        json.dumps(
            {
                "name": "",
                "version": "",
                "kind": "alpha",
                "criteria": [CRITERION],
                "parameters": {},
                "lists": {},
            }
        ).encode(),
        json.dumps(
            {
                "name": "Alpha",
                "version": "9",
                "kind": "response",
                "criteria": [
                    {"key": "alpha", "label": "Alpha", "description": "", "question": "", "weight": 0.3},
                    {"key": "alpha", "label": "Alpha", "description": "", "question": "", "weight": 2},
                ],
                "parameters": {"alpha": 1},
                "lists": {"alpha": []},
            }
        ).encode(),
    ],
    "import_comparisons": [
        b"",
        b"{\n",
        b"[]\n",
        b'{"id": "", "question": "", "responses": [{"id": "alpha", "text": "", "author": 1}]}\n',
        b'{"id": "alpha", "question": "Alpha?", "responses": [{"id": "alpha", "text": "Alpha"}, {"id": "alpha"}]}\n',
        b'{"comparison": "alpha", "reviewer": "alpha", "scores": {"alpha": {"alpha": 99}}, "alpha": 1}\n',
        b'{"comparison": "alpha", "reviewer": "alpha", "text": 1, "ranking": 2, "scale": 3, "labels": 4}\n',
    ],
    "upload_answers": [b"", b"alpha\n", b"[]\n", b'{"comparison": "alpha", "reviewer": 1, "text": ""}\n'],
}
# The reference of operations is in the words of the code.
FOR_PROGRAMS = {"api_docs"}


class Seen(NamedTuple):
    """What a role was answered; `is_usual` where it is a page that the matrix lets it see."""

    name: str
    role: str
    address: str
    answer: object
    is_usual: bool


@pytest.fixture(scope="module")
def known(world):  # noqa: F811
    """The made-up language, for all tests here, and what the database holds in words."""
    with pytest.MonkeyPatch.context() as patch:
        install(patch)
        forget_said()
        yield stored_texts()
    forget_said()


@pytest.fixture(scope="module")
def pages(world, known) -> list[Seen]:  # noqa: F811
    """Every page as every role gets it; where the matrix sends parameters along, also without them."""
    found = []
    for name, row in PAGES:
        address = get_address(name, world)
        for role in ROLES if name not in SAMPLES else ():
            is_usual = row.expected(role, as_htmx=False) == 200
            for body in (row.body, None) if row.body else (row.body,):
                answer = ask(world, role, "GET", address, body)
                found.append(Seen(name, role, address, answer, is_usual and body == row.body))
    return found


def test_every_page_of_every_role_is_translated(pages, known):
    faults = list_faults(((one.name, one.answer) for one in pages if one.name not in FOR_PROGRAMS), known)
    assert not faults, "\n".join(faults)


def ask_wrongly(world):  # noqa: F811
    """What forms answer to nothing, to nonsense, and to people who may not."""
    for name, row in FORMS:
        address = get_address(name, world)
        for role in SENDERS:
            status = row.expected(role, as_htmx=False)
            if status in (400, 403, 409, 422):
                yield name, ask(world, role, "POST", address, row.body)
        able = next(
            (role for role in reversed(SENDERS) if row.expected(role, as_htmx=False) in (200, 303)), None
        )
        if able:
            yield name, ask(world, able, "POST", address, {})
            yield name, ask(world, able, "POST", address, dict.fromkeys(row.body, "?"))


def test_every_refusal_is_translated(world, known):  # noqa: F811
    faults = list_faults(ask_wrongly(world), known)
    assert not faults, "\n".join(faults)


def upload_wrongly(world):  # noqa: F811
    """What pages answer to files with faults."""
    client = world["client"]
    for name, files in FILES.items():
        address = get_address(name, world)
        for number, data in enumerate(files):
            ask(world, "admin", "GET", address)  # signs in
            with transaction.atomic():
                file = SimpleUploadedFile(f"Alpha{number}.json", data)
                answer = client.post(address, {"file": file, "note": "Alpha"})
                transaction.set_rollback(True)
            assert answer.status_code in (400, 422), (name, data)
            yield name, answer


def test_every_fault_of_a_file_is_translated(world, known):  # noqa: F811
    faults = list_faults(upload_wrongly(world), known + " alpha")
    assert not faults, "\n".join(faults)


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


def list_wrong_offers(made: dict, role: str, pages: list[Seen]) -> tuple[list[str], int]:
    """What is wrong on the pages that the role may see, and how many offers were looked at."""
    wrong: list[str] = []
    seen: set[Offer] = set()
    for name, _role, address, answer, _is_usual in pages:
        nodes = read_page(answer.content.decode())
        wrong += [f"{name}: {what} is greyed without a reason" for what in list_unexplained(nodes)]
        for offer in list_offers(nodes, address) - seen:
            seen.add(offer)
            if not offer.address.startswith(settings.STATIC_URL) and (fault := find_fault(made, role, offer)):
                wrong.append(f"{name}: {offer.verb} {offer.address}: {fault}")
    return wrong, len(seen)


@pytest.mark.parametrize("role", ROLES[1:])
def test_a_role_is_offered_what_it_may_do(world, pages, role: str):  # noqa: F811
    mine = [one for one in pages if one.role == role and one.is_usual and is_page(one.answer)]
    wrong, seen = list_wrong_offers(world, role, mine)
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


def test_each_page_of_a_project_is_in_one_tab_and_has_at_most_one_line_of_crumbs(world, pages):  # noqa: F811
    project = reverse("project", args=[world["slug"]])
    wrong, seen = [], 0
    for name, role, address, answer, is_usual in pages:
        if role != "lead" or not is_usual or not is_page(answer):
            continue
        if "slug" not in ROUTES[name].pattern.converters or not address.startswith(project):
            continue
        page = answer.content.decode()
        tabs = page.partition(f'<nav aria-label="{mark_text("Project")}">')[2].partition("</nav>")[0]
        crumbs = re.findall(r'<nav class="crumbs.*?</nav>', page, re.DOTALL)
        seen += 1
        is_said = all(each.count('aria-current="page"') == 1 and "href" in each for each in crumbs)
        if tabs.count('aria-current="page"') != 1 or len(crumbs) > 1 or not is_said:
            wrong.append(f"{name}: {tabs.count('current')} {crumbs}")
    assert (wrong, seen > 30) == ([], True)
