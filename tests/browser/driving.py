"""How the browser tests prepare the site and drive the page: people, games, signing in, counted keys, and a watch."""

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Route, expect

from discussions.models import Evaluation
from tests.factories.people import PASSWORD
from tests.services.live_stack import LiveStack
from tools.processes import PATIENCE
from workspace.models import Person

SLUG = "table"
EVALUATOR, SECOND, LEAD, ADMIN = (f"{who}@example.org" for who in ("evaluator", "second", "lead", "admin"))
_MEMBERS = (
    (EVALUATOR, "Eva Luator", "evaluator"),
    (SECOND, "Sec Ond", "evaluator"),
    (LEAD, "Lea Der", "lead"),
)
_SITE = f"""
import pathlib
from django.utils import timezone
from discussions.models import Iteration
from rubric.models import RubricVersion
from tests.factories.people import make_admin, make_member, make_person
from tests.factories.transcripts import make_games_project, upload
now = timezone.now()
project = make_games_project(slug={SLUG!r}, now=now)
# Under a version that asks for no more messages while a score is open, so that what is asked can be counted.
version = RubricVersion.objects.get(rubric__key="discussion", number="1.2")
Iteration.objects.filter(project=project).update(identification="question", rubric_version=version)
for email, name, role in {_MEMBERS!r}:
    person = make_member(project=project, role=role, person=make_person(email=email, name=name, now=now), now=now)
make_admin(email={ADMIN!r}, name="Ad Min", now=now)
games = pathlib.Path(%r).read_bytes()
if games != b"[]":
    upload(project=project, by=person, games=games, now=now)
"""
_SIGN_IN = """
from django.test import Client
from tools.processes import PATIENCE
from workspace.models import Person
client = Client()
client.force_login(Person.objects.get(email=%r))
print(client.cookies["sessionid"].value)
"""


def prepare_site(stack: LiveStack, *games: dict[str, Any]) -> None:
    """A project with its people, and these games in it, each measured by the real worker and with its free place."""
    file = stack.folder / "games.json"
    file.write_text(json.dumps(games))
    stack.script(_SITE % str(file))
    if games:
        stack.wait_for("SELECT COUNT(*) FROM discussions_measured", len(games))


def sign_in(page: Page, stack: LiveStack, email: str = EVALUATOR) -> None:
    """By the cookie of somebody who has signed in, on the home page."""
    cookie = stack.script(_SIGN_IN % email).strip()
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": stack.url}])
    page.goto(f"{stack.url}/")


def sign_in_as(page: Page, site: str, person: Person) -> None:
    """By the cookie of that person, on a live server."""
    client = Client()
    client.force_login(person)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": site}])


def open_rating_page(page: Page, site: str, evaluation: Evaluation) -> Page:
    """The evaluator's page of an evaluation on a live server, with the first thing to judge in focus."""
    sign_in_as(page, site, evaluation.evaluator)
    page.goto(f"{site}/rate/{evaluation.pk}/")
    start_judging(page)
    page.locator(".item:focus").wait_for()
    return page


def start_judging(page: Page) -> None:
    """Leave the phase in which a new game is read, if it is in it."""
    if page.locator("body.phase-read").count():
        page.get_by_role("link", name="Start judging").click()
        expect(page.locator("body.phase-judge")).to_have_count(1)


def sign_in_by_form(page: Page, stack: LiveStack) -> None:
    """As an evaluator does, with a password, which the site checks at its full cost; to the home page."""
    page.goto(f"{stack.url}/sign-in/")
    page.get_by_label("E-mail").fill(EVALUATOR)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{stack.url}/")


def take_next_game(page: Page) -> None:
    """Press Next game on the home page; a newcomer to the project is first shown how rating works."""
    page.get_by_role("button", name="Next game").click()
    page.wait_for_url(re.compile(r"/rate/\d+/|/guideline/"))
    if "/guideline/" in page.url:
        page.get_by_role("button", name="Next game").click()
        page.wait_for_url(re.compile(r"/rate/\d+/"))
    start_judging(page)


def judgements(stack: LiveStack) -> dict[tuple[str, str], str]:
    """What is stored of every judgement: (kind, subject) -> value."""
    rows = stack.rows("SELECT kind, subject, value FROM discussions_judgement")
    return {(kind, subject): value for kind, subject, value in rows}


def settle(page: Page) -> None:
    """Until no act is on its way: sent, answered, swapped in, focus moved; or the page has given way to another.

    A field that is being loaded is on its way, too: what was typed meanwhile is sent after it.
    """
    still = "body:not([data-busy], [data-looking]):not(:has(#unsent:not([hidden])))"
    expect(page.locator(still)).to_have_count(1)


def hold(page: Page, address: str) -> Callable[[], list[str]]:
    """Let requests to this address wait. What is returned waits for one, lets them go on, and names their methods."""
    held: list[Route] = []
    page.route(address, lambda route: held.append(route))  # noqa: PLW0108  Playwright sets attributes on it

    def let_go() -> list[str]:
        for _turn in range(int(PATIENCE * 100)):
            if held:
                break
            page.wait_for_timeout(10)
        assert held, f"the page asks for nothing at {address}"
        for route in held:
            route.continue_()
        page.unroute(address)
        return [route.request.method for route in held]

    return let_go


def focused(page: Page) -> Locator:
    """The element that has the focus."""
    return page.locator(":focus")


class Keyboard:
    """A keyboard that counts: every press waits until the page has settled, as a person would see it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed: list[str] = []

    def press(self, *keys: str) -> None:
        """Press these keys one after the other. A modifier held down counts with its key as one."""
        for key in keys:
            self.page.keyboard.press(key)
            self.pressed.append(key)
            settle(self.page)

    def tab_to(self, target: Locator, most: int = 40) -> None:
        """Press Tab until the target has the focus."""
        for _ in range(most):
            if target.evaluate("one => one === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"{most} Tabs did not reach {target}")

    def __len__(self) -> int:
        return len(self.pressed)


# The id of the thing to judge or the message that has the focus.
HERE = "(document.activeElement.closest('.item, .msg') ?? document.activeElement).id"
_KEYS = {"reference": "a", "rating": "3", "reveal": "y", "role_consistency": "c"}


def answer_by_keys(keys: Keyboard, *, objected: Collection[int] = ()) -> Iterator[str]:
    """Answer the focused thing until nothing is left to do; the id of each after its key.

    The messages in `objected` are labelled inconsistent, everything else gets its first answer. Suggested references
    are no references.
    """
    while True:
        here = focused(keys.page)
        kind = here.get_attribute("data-kind") or ""
        if not kind:
            return
        key = _KEYS.get(kind, "y")
        if kind == "role_consistency" and int(here.get_attribute("data-message") or 0) in objected:
            key = "i"
        if here.get_attribute("data-suggested") is not None:
            key = "d"
        place = here.get_attribute("id") or ""
        keys.press(key, *(["."] if kind == "rating" else []))
        yield place


class Watch:
    """What a page complains of: console errors, exceptions, violations of the content policy, dialogs."""

    def __init__(self, page: Page | BrowserContext, *, allowed: Iterable[str] = ()) -> None:
        self.allowed = tuple(allowed)
        self.complaints: list[str] = []
        self.dialogs: list[str] = []
        page.on("console", self._console)
        page.on("dialog", self._dialog)
        page.on(
            "pageerror" if isinstance(page, Page) else "weberror",
            lambda error: self.complaints.append(str(error)),
        )

    def _console(self, message: ConsoleMessage) -> None:
        is_refusal = re.match(r"Failed to load resource: .* status of 4\d\d", message.text)
        if (
            message.type in ("error", "warning")
            and not is_refusal
            and not message.text.startswith(self.allowed or "\0")
        ):
            self.complaints.append(message.text)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(f"{dialog.type}: {dialog.message}")
        dialog.accept()

    def check(self) -> None:
        """Nothing was complained of."""
        assert not self.complaints, "\n".join(self.complaints)
        assert not self.dialogs, "\n".join(self.dialogs)


def tell(line: str) -> None:
    """Say a figure; seen with pytest -s."""
    sys.stdout.write(f"\n{line}\n")


def artefacts(name: str) -> Path:
    """A folder under var/ for what a test leaves to be looked at."""
    folder = Path(__file__).resolve().parents[2] / "var" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder
