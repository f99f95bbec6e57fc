"""Label Studio and Potato for `make bench PEERS=1`: installed into their own environments and driven like the site.

Each is installed in VAR_DIR/cache/peers and reused the next time. A server listens only on 127.0.0.1, with its data and
its home in a folder that is deleted afterwards; its telemetry is switched off. The requests are those that a browser
sends there; where it sends several, the fewest that show or save the same.
"""

import http.client
import json
import os
import shutil
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from benchmarks.driver import ROOT, Answer, Browser, Server
from benchmarks.installing import Installed, install
from benchmarks.measuring import (
    CLIENTS,
    EVALUATORS,
    LONGEST_WAIT,
    SAVES,
    SETTLED,
    VISITS,
    Notes,
    checked,
    cpu_of,
    crowd,
    first_visit_kb,
    idle_cpu,
    made_games,
    slowness,
    wait_until_idle,
)
from tools.redis_server import free_port

PASSWORD = "only-for-benchmarks"
IN_A_REQUEST = 1_000
ROWS = 30
Act = Callable[[], object]


class Desk(NamedTuple):
    """The acts of an evaluator: load the page of a game, go to the next, save a judgement on one game after another."""

    page: Act
    next: Act
    save: Act


class Peer(ABC):
    """A product that is measured beside the site; `name`, `package` and `version` say which."""

    name: str
    package: str
    version: str
    path: str

    def __init__(self, environment: Path, folder: Path) -> None:
        """`environment` is where it is installed, `folder` where its data goes."""
        folder.mkdir(parents=True)
        self.bin, self.port = environment / "bin", free_port()
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "LANG": "C.UTF-8", **self.switches}
        self.server = Server(folder, self.port, self.command, env, path=self.path, cwd=folder)

    switches: dict[str, str] = {}

    @property
    @abstractmethod
    def command(self) -> list[str]:
        """The command that starts it."""

    @abstractmethod
    def prepare(self) -> None:
        """Prepare it before its first start, so that it has something to show."""

    @abstractmethod
    def import_games(self, notes: Notes, games: int) -> None:
        """Import that many made-up games in its own way, and wait until they are listed."""

    @abstractmethod
    def arrive(self, number: int) -> Desk:
        """An evaluator with an account and a game open."""

    @abstractmethod
    def show_list(self) -> object:
        """The first 30 games."""

    @abstractmethod
    def first_visit_kb(self) -> float:
        """KB of the page of a game, with the files that it names."""

    def browser(self) -> Browser:
        """A client of it."""
        return Browser(self.server.address, timeout=LONGEST_WAIT)


class LabelStudio(Peer):
    """Label Studio: a project with a dialogue, a choice and a rating; games as tasks, by the API that its pages use."""

    name, package, version = "Label Studio", "label-studio", "1.23.2"
    path = "/user/login/"
    switches = {"COLLECT_ANALYTICS": "False", "LATEST_VERSION_CHECK": "False"}
    FORM = (
        '<View><Paragraphs name="game" value="$messages" nameKey="playerName" textKey="message" layout="dialogue"/>'
        '<Choices name="verdict" toName="game"><Choice value="yes"/><Choice value="no"/></Choices>'
        '<Rating name="rating" toName="game"/></View>'
    )
    RESULT = [
        {"from_name": "verdict", "to_name": "game", "type": "choices", "value": {"choices": ["yes"]}},
        {"from_name": "rating", "to_name": "game", "type": "rating", "value": {"rating": 4}},
    ]

    @property
    def command(self) -> list[str]:
        """Its own server, as its documentation starts it."""
        at = ["--internal-host", "127.0.0.1", "--port", str(self.port)]
        program = [str(self.bin / "python"), str(self.bin / "label-studio"), "start", "--no-browser"]
        return [*program, *at, "--data-dir", "data"]

    def prepare(self) -> None:
        """Nothing."""

    def import_games(self, notes: Notes, games: int) -> None:
        """Import by its API, 1,000 in a request."""
        self.lead = self.sign_up("lead")
        self.project = self.post(self.lead, "/api/projects/", {"title": "bench", "label_config": self.FORM})[
            "id"
        ]
        view = {"project": self.project, "data": {"title": "Default"}}
        self.view = self.post(self.lead, "/api/dm/views/", view)["id"]
        bodies = [
            json.dumps(
                [{"data": game} for game in made_games(first, min(games, first + IN_A_REQUEST))]
            ).encode()
            for first in range(0, games, IN_A_REQUEST)
        ]
        before, cpu, began = slowness(), self.server.tree.cpu(), time.perf_counter()
        for body in bodies:
            self.send(self.lead, f"/api/projects/{self.project}/import", body)
        listed = json.loads(self.show_list().text)
        lasted, cpu = time.perf_counter() - began, self.server.tree.cpu() - cpu
        if listed["total"] != games:
            raise RuntimeError(f"{listed['total']} of {games} games were imported")
        after = (before + slowness()) / 2
        notes.add("import", games / lasted, after)
        notes.add("import_cpu", 1000 * cpu / games, after)
        first = listed["tasks"][0]["id"]
        self.tasks = range(first, first + games)

    def arrive(self, number: int) -> Desk:
        """A person who signed up."""
        browser = self.sign_up(f"evaluator-{number}")
        tasks = turns(self.tasks, number)
        stream = f"/api/dm/actions?id=next_task&tabID={self.view}&project={self.project}"
        first = next(tasks)

        def take_next() -> None:
            self.post(browser, stream, {"project": str(self.project)})
            checked(browser.get(f"/api/label_links?project={self.project}&expand=label"))

        def save() -> None:
            judged = {"result": self.RESULT, "lead_time": 8.1, "draft_id": 0, "project": str(self.project)}
            self.post(browser, f"/api/tasks/{next(tasks)}/annotations?project={self.project}", judged)

        return Desk(lambda: [checked(browser.get(path)) for path in self.page_of(first)], take_next, save)

    def page_of(self, task: int) -> list[str]:
        """The page around a task, and the task."""
        return [f"/projects/{self.project}/data?task={task}", f"/api/tasks/{task}?project={self.project}"]

    def show_list(self) -> Answer:
        """The data of its table of tasks."""
        query = f"page=1&page_size={ROWS}&view={self.view}&project={self.project}"
        return checked(self.lead.get(f"/api/tasks?{query}"))

    def first_visit_kb(self) -> float:
        """Its scripts load twice as much again later, which is not counted."""
        return first_visit_kb(self.lead, *self.page_of(self.tasks[0]))

    def sign_up(self, name: str) -> Browser:
        """A new account, signed in."""
        browser = self.browser()
        checked(browser.get("/user/signup/"))
        checked(browser.post("/user/signup/", {"email": f"{name}@example.org", "password": PASSWORD}), 302)
        return browser

    def post(self, browser: Browser, path: str, data: object) -> dict[str, int]:
        """Send JSON; return the response."""
        return json.loads(self.send(browser, path, json.dumps(data).encode()).text)

    def send(self, browser: Browser, path: str, body: bytes) -> Answer:
        """Send JSON with the token that its pages send."""
        token = browser.cookies["csrftoken"]
        return checked(browser.send(path, body, "application/json", **{"X-CSRFToken": token}), 200, 201)


class Potato(Peer):
    """Potato: a task with a dialogue, two radio buttons and a scale; it reads games from a file when it starts."""

    name, package, version = "Potato", "potato-annotation", "2.12.1"
    path = "/"
    TASK = {
        "annotation_task_name": "bench",
        "task_dir": ".",
        "output_annotation_dir": "out",
        "output_annotation_format": "json",
        "data_files": ["games.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "messages"},
        "require_password": True,
        "admin_api_key": PASSWORD,
        "secret_key": PASSWORD * 2,
        "instance_display": {"fields": [{"key": "messages", "type": "dialogue"}]},
        "annotation_schemes": [
            {"annotation_type": "radio", "name": "verdict", "description": "Verdict", "labels": ["yes", "no"]},
            {
                "annotation_type": "likert", "name": "rating", "description": "Rating",
                "min_label": "low", "max_label": "high", "size": 5,
            },
        ],
    }  # fmt: skip

    @property
    def command(self) -> list[str]:
        """Its own server, as its documentation starts it."""
        at = ["--host", "127.0.0.1", "--port", str(self.port)]
        return [str(self.bin / "python"), str(self.bin / "potato"), "start", "task.yaml", *at]

    def prepare(self) -> None:
        """Write the task, with one game: it does not start without one."""
        (self.server.folder / "task.yaml").write_text(json.dumps(self.TASK))  # YAML holds JSON
        self.write(1)

    def write(self, games: int) -> None:
        """Write the file of games."""
        with (self.server.folder / "games.jsonl").open("w") as file:
            for game in made_games(0, games):
                messages = [
                    {"speaker": said["playerName"], "text": said["message"]} for said in game["messages"]
                ]
                file.write(json.dumps({"id": game["gameId"], "messages": messages}) + "\n")

    def import_games(self, notes: Notes, games: int) -> None:
        """Measured by starts: with all games, less with one; the fastest of three, since the difference is small."""
        before, took = slowness(), []
        for many in (1, games):
            self.write(many)
            took.append(min(self.start_again() for _ in range(3)))
        if took[1] > took[0]:
            notes.add("import", games / (took[1] - took[0]), (before + slowness()) / 2)
        self.lead, self.games = self.browser(), [game["gameId"] for game in made_games(0, games)]
        listed = json.loads(self.show_list().text)
        if len(listed["instances"]) != min(games, ROWS):
            raise RuntimeError(f"{len(listed['instances'])} games are listed")

    def start_again(self) -> float:
        """Restart it; return the seconds of the start."""
        self.server.stop()
        return self.server.start()

    def arrive(self, number: int) -> Desk:
        """A person who registered."""
        browser = self.browser()
        email = f"evaluator-{number}@example.org"
        checked(browser.post("/register", {"email": email, "pass": PASSWORD, "action": "signup"}), 302)
        checked(browser.get("/annotate"))
        games = turns(self.games, number)

        def take_next() -> None:
            self.send(browser, "/annotate", {"action": "next_instance", "instance_id": self.games[0]})
            checked(browser.get("/annotate"))

        def save() -> None:
            judged = {"instance_id": next(games), "annotations": {"verdict:yes": "yes"}}
            self.send(browser, "/updateinstance", judged | {"cleared_schemas": [], "span_annotations": []})

        return Desk(lambda: checked(browser.get("/annotate")), take_next, save)

    def show_list(self) -> Answer:
        """The data of the list on its page for admins."""
        listed = f"/admin/api/instances?page=1&page_size={ROWS}"
        return checked(self.lead.get(listed, **{"X-API-Key": PASSWORD}))

    def first_visit_kb(self) -> float:
        """The page of a person who registers for it."""
        browser = self.browser()
        form = {"email": "visitor@example.org", "pass": PASSWORD, "action": "signup"}
        checked(browser.post("/register", form), 302)
        return first_visit_kb(browser, "/annotate")

    def send(self, browser: Browser, path: str, data: object) -> Answer:
        """Send JSON."""
        return checked(browser.send(path, json.dumps(data).encode(), "application/json"))


PEERS: tuple[type[Peer], ...] = (LabelStudio, Potato)


def turns(games: list | range, number: int) -> Iterator:
    """One game after the other without end; people begin at places far from each other."""
    return (games[(turn + number * len(games) // EVALUATORS) % len(games)] for turn in count())


def measure_peers(folder: Path, games: int) -> dict[str, Notes]:
    """The figures of each peer by its name and version; a sentence is printed where one cannot be had or measured."""
    found = {}
    for kind in PEERS:
        label = f"{kind.name} {kind.version}"
        print(label, file=sys.stderr, flush=True)
        found[label] = Notes()
        try:
            environment, installed = environment_of(kind)
            measure_peer(found[label], kind(environment, folder / kind.package), installed, games)
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            why = " ".join(str(error).split())[-400:]
            measured = "measured in part" if found[label].values else "not measured"
            print(f"{label} is {measured}: {why}", file=sys.stderr, flush=True)
    return found


def environment_of(kind: type[Peer]) -> tuple[Path, Installed]:
    """Where a peer is installed, and what that took; installs it the first time. Raises RuntimeError on failure."""
    cache = Path(os.environ.get("VAR_DIR", "").strip() or ROOT / "var").resolve() / "cache" / "peers"
    where = cache / f"{kind.package}-{kind.version}"
    said = where / "installed.json"
    if not said.is_file():
        shutil.rmtree(where, ignore_errors=True)
        installed = install([f"{kind.package}=={kind.version}"], where)
        said.write_text(json.dumps(installed._asdict()))
    return where, Installed(**json.loads(said.read_text()))


def measure_peer(notes: Notes, peer: Peer, installed: Installed, games: int) -> None:
    """Measure a peer in the same way as the site."""
    notes.add("install", installed.seconds)
    notes.add("installed", installed.mb)
    notes.add("packages", installed.packages)
    peer.prepare()
    try:
        notes.loops("start_empty", peer.server.start)
        peer.server.stop()
        notes.loops("start_existing", peer.server.start)
        time.sleep(SETTLED)
        notes.add("idle", peer.server.tree.pss())
        peer.import_games(notes, games)
        time.sleep(5)
        notes.add("after_import", peer.server.tree.pss())
        wait_until_idle(peer.server.tree)
        measure_people(notes, peer)
    finally:
        peer.server.stop()


def measure_people(notes: Notes, peer: Peer) -> None:
    """Pages, taking games, saving alone and in a crowd."""
    tree = peer.server.tree
    cpu = partial(cpu_of, tree, idle=idle_cpu(notes, tree))
    notes.loops("list", lambda: cpu([peer.show_list], VISITS))
    desks = [peer.arrive(number) for number in range(EVALUATORS)]
    notes.add("first_visit", peer.first_visit_kb())
    notes.loops("evaluator", lambda: cpu([desk.page for desk in desks], VISITS))
    notes.loops("next", lambda: cpu([desk.next for desk in desks], EVALUATORS))
    notes.loops("save", lambda: cpu([desk.save for desk in desks[CLIENTS + 1 :]], SAVES))
    crowd(notes, [desk.save for desk in desks[1 : CLIENTS + 1]])
