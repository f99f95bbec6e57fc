"""People in front of a live stack: signed in, posting forms over plain HTTP, told what a browser is told."""

import http.client
import json
import re
import time
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from tools.processes import PATIENCE

TOKEN = "c" * 32
BOUNDARY = "one-file-after-another"

SET_UP = """
import json, time
from django.test import Client
from django.utils import timezone
from discussions.queue.actions import take_next_game
from tests.factories.people import make_lead, make_member
from tests.factories.jobs import run_waiting_jobs
from tests.factories.transcripts import upload
from tests.factories.rating import game_of, make_rating_project
from workspace.models import Job
now = timezone.now()
project = make_rating_project(slug="ours")
lead = make_lead(project=project, now=now)
if {evaluators}:
    upload(project=project, by=lead, games=[game_of(12) for _ in range({evaluators})], name="first.json", now=now)
    run_waiting_jobs(now=now)
while Job.objects.filter(state="running").exists():  # the worker of the stack was faster
    time.sleep(0.05)
    run_waiting_jobs(now=now)
people = [make_member(project=project, now=now) for _ in range({evaluators})]
evaluations = [take_next_game(project=project, by=person, now=now).pk for person in people]
cookies = []
for person in [lead, *people]:
    client = Client()
    client.force_login(person)
    cookies.append(client.cookies["sessionid"].value)
print(json.dumps([lead.email, cookies, evaluations]))
"""


class Answer(NamedTuple):
    """What came back, and after how many seconds."""

    status: int
    headers: Mapping[str, str]
    text: str
    seconds: float


class Visitor:
    """Somebody signed in. Every request goes over a connection of its own; ConnectionError when nobody answers."""

    def __init__(self, url: str, cookie: str) -> None:
        self.where = urlsplit(url)
        self.headers = {
            "Cookie": f"sessionid={cookie}; csrftoken={TOKEN}",
            "Host": self.where.netloc,
            "Connection": "close",
        }

    def get(self, path: str) -> Answer:
        """A page."""
        return self._ask("GET", path, None, {})

    def post(self, path: str, **fields: object) -> Answer:
        """A form, as htmx sends it."""
        body = urlencode(
            {name: str(value) for name, value in fields.items()} | {"csrfmiddlewaretoken": TOKEN}
        )
        form = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        return self._ask("POST", path, body.encode(), form)

    def upload(self, path: str, files: Mapping[str, bytes]) -> Answer:
        """A form with files, as a browser without script sends it."""
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{TOKEN}'.encode()
        ]
        for name, data in files.items():
            head = (
                f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="transcripts"; filename="{name}"\r\n'
            )
            parts.append(f"{head}Content-Type: application/json\r\n\r\n".encode() + data)
        body = b"\r\n".join([*parts, f"--{BOUNDARY}--\r\n".encode()])
        return self._ask("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"})

    def _ask(self, verb: str, path: str, body: bytes | None, more: dict[str, str]) -> Answer:
        began = time.monotonic()
        connection = http.client.HTTPConnection(self.where.hostname, self.where.port, timeout=PATIENCE)
        try:
            connection.request(verb, path, body, self.headers | more)
            answer = connection.getresponse()
            text = answer.read().decode()
        except http.client.HTTPException as cut:
            raise ConnectionError(str(cut)) from cut
        finally:
            connection.close()
        return Answer(answer.status, answer.headers, text, time.monotonic() - began)


class Team(NamedTuple):
    """A project's lead and evaluators, each with a game to rate."""

    email: str
    lead: Visitor
    evaluators: list[Visitor]
    evaluations: list[int]


def make_team(stack, evaluators: int = 0) -> Team:
    """Set up the project "ours" on this stack through the real actions."""
    said = stack.script(SET_UP.format(evaluators=evaluators))
    email, cookies, evaluations = json.loads(said)
    lead, *others = [Visitor(stack.url, cookie) for cookie in cookies]
    return Team(email, lead, others, evaluations)


def words(text: str) -> str:
    """The text of a page without its tags, for asserting sentences."""
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())
