"""One world seen through every page, file and operation: the same figure has the same value, or it says why not."""

import csv
import html
import io
import re
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from discussions.games.actions import enter_figure, withdraw_game
from discussions.metrics.core.registry import METRICS
from discussions.models import Game
from discussions.models.manual_figures import COST
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark
from tests.factories.adjudication import submit_as
from tests.factories.exports import unzip, write_export
from tests.factories.iterations import import_costed, make_stage, open_empty_baseline
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_rating_project
from tests.factories.reliability import figure_team
from tests.factories.tokens import program_of
from tests.factories.verdicts import record

pytestmark = pytest.mark.django_db

# Number of the game -> what its file reports; the third cost comes in by hand, nobody knows the fourth.
REPORTED = {1: "1.2", 2: "3.5", 3: None, 4: None, 5: "1.1", 6: "1.3", 7: "1.4"}
BY_HAND = {3: "1.85"}
COSTS = {1: "$1.20", 2: "$3.50", 3: "$1.85", 4: "", 5: "$1.10", 6: "$1.30", 7: "$1.40"}
RATINGS = {
    1: ("4.0", "4.5"),
    2: ("4.5", "4.5"),
    3: ("3.5", "4.0"),
    4: ("5.0", "4.0"),
    5: ("4.0", "4.0"),
    6: ("3.5", "3.5"),
}
# Game 2 fails by its cost, 5 waits for its verdict, 6 is withdrawn after it, 7 waits for evaluators.
PASSED, FAILED, READY, WITHDRAWN, OPEN = [1, 3, 4], [2], 5, 6, 7
COUNTED = [1, 2, 3, 4, 5, 7]


class World:
    """A project in its second week, read as a lead reads it and as a lead's program does."""

    def __init__(self, client) -> None:
        self.client = client
        self.project = make_rating_project(slug="same")
        self.lead = make_lead(project=self.project)
        self.iteration = open_empty_baseline(
            stage=make_stage(project=self.project, by=self.lead), minutes=1, evaluator_count=2
        )
        costs = [{"totalUsd": float(cost)} if cost else {} for cost in REPORTED.values()]
        import_costed(iteration=self.iteration, costs=costs, minutes=2)
        client.force_login(self.lead)
        client.cookies["games_columns"] = ".".join(["id", *METRICS, "composite", "flips", "cost"])
        assert (
            client.post(reverse("open_for_rating", args=["same", self.iteration.number])).status_code == 303
        )
        self._rate()
        self.program = program_of(self.lead)

    def _rate(self) -> None:
        now = timezone.now()
        for number, cost in BY_HAND.items():
            game = Game.objects.get(number=number)
            enter_figure(
                game=game, kind=COST, value=Decimal(cost), reason="An invoice", by=self.lead, now=NOW
            )
        people = [make_member(project=self.project) for _number in range(2)]
        Game.objects.filter(number=OPEN).update(withdrawn_at=NOW, withdrawn_by=self.lead)
        for _game in RATINGS:
            for place, person in enumerate(people):
                taken = take_next_game(project=self.project, by=person, now=now)
                values = {("rating", ""): RATINGS[taken.game.number][place]}
                if (taken.game.number, place) == (1, 0):
                    given = {"kind": "flag", "target": "message:2", "text": "Look at this"}
                    remark(evaluation=taken, by=person, now=now, key="flag-1", **given)
                submit_as(taken, values=values, now=now)
        Game.objects.filter(number=OPEN).update(withdrawn_at=None, withdrawn_by=None)
        for number in (*PASSED, *FAILED, WITHDRAWN):
            record(Game.objects.get(number=number), by=self.lead, minutes=(now - NOW).total_seconds() / 60)
        withdraw_game(game=Game.objects.get(number=WITHDRAWN), reason="Cut short", by=self.lead, now=now)

    def read(self, name: str, *args: object, **asked: object) -> str:
        """The words of a page of the project."""
        return self.read_any(name, "same", *args, **asked)

    def read_any(self, name: str, *args: object, **asked: object) -> str:
        """The words of any page."""
        answer = self.client.get(reverse(name, args=args), asked)
        assert answer.status_code == 200, name
        page = re.sub(r"<(script|style).*?</\1>", " ", answer.content.decode(), flags=re.DOTALL)
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ").split())

    def ask(self, path: str):
        """What the API answers."""
        answer = self.program.get(f"projects/same/{path}")
        assert answer.status_code == 200, path
        return answer.json()

    def listed(self, **asked: object) -> dict[int, list[str]]:
        """The list of games: number -> the texts of its cells."""
        page = self.client.get(reverse("games", args=["same"]), asked).content.decode()
        found = {}
        for row in re.findall(r"<tr.*?</tr>", page.split("<tbody")[1], re.DOTALL):
            cells = re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)
            texts = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in cells]
            found[int(next(text for text in texts if text.isdigit()))] = texts
        return found


@pytest.fixture
def world(client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return World(client)


def dollars(value: object) -> str:
    return "" if value in (None, "") else f"${float(value):.2f}"  # type: ignore[arg-type]


def read_table(world: World, name: str) -> list[dict[str, str]]:
    """The rows of a table of the project's CSV export."""
    files = unzip(write_export(world.project, world.lead, "csv"))
    return list(csv.DictReader(io.StringIO(files[f"{name}.csv"])))


def find(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return found[1]


def list_composites(world: World, number: int) -> dict[str, str]:
    """Where a recorded composite is said: place -> one decimal."""
    report = world.client.get(reverse("report_json", args=["same", number])).json()
    listed = next(game for game in world.ask("games/")["items"] if game["number"] == number)
    row = next(row for row in read_table(world, "verdicts") if row["game"] == str(number))
    return {
        "list": world.listed()[number][11],
        "verdict": find(r"Composite ([\d.]+)", world.read("verdict", number)),
        "report": f"{report['verdict']['composite']:.1f}",
        "api of the list": f"{listed['verdict']['composite']:.1f}",
        "api of the verdict": f"{world.ask(f'games/{number}/verdict/')['outcome']['composite']:.1f}",
        "export": f"{float(row['composite']):.1f}",
    }


def list_costs(world: World, number: int) -> dict[str, str]:
    """Where the cost of a game is said, also in a verdict: place -> dollars, "" for not reported."""
    listed = next(game for game in world.ask("games/")["items"] if game["number"] == number)
    row = next(row for row in read_table(world, "games") if row["game"] == str(number))
    # The row of the game in the table of the iteration ends with its cost and its cache hits.
    rows = re.split(r" (?=\d verdict: |\d rated|\d waiting|6 withdrawn|Plan )", world.read("iteration", 1))
    places = {
        "list": find(r"(\$[\d.]+|–)", world.listed()[number][13]),
        "game": find(r"Cost (\$[\d.]+|not reported)", world.read("game", number)),
        "iteration": find(
            r"(\$[\d.]+|not reported)(?: by hand)? not reported",
            next(one for one in rows if one.startswith(f"{number} ")),
        ),
        "api of the list": dollars(listed["cost_usd"]),
        "api of the game": dollars(world.ask(f"games/{number}/")["cost_usd"]),
        "export": dollars(row["cost_by_hand_usd"] or row["cost_usd"]),
    }
    if number in (*PASSED, *FAILED):
        report = world.client.get(reverse("report_json", args=["same", number])).json()
        places["report"] = dollars(report["game"]["cost_usd"])
        places["verdict"] = find(r"Cost (\$[\d.]+|not reported)", world.read("verdict", number))
    return {place: "" if text in ("–", "not reported") else text for place, text in places.items()}


def test_composite_and_cost_of_a_game_are_the_same_wherever_they_are_said(world):
    for number in (*PASSED, *FAILED):
        composites = list_composites(world, number)
        assert len(set(composites.values())) == 1, (number, composites)
    assert list_composites(world, 1)["list"] != list_composites(world, 3)["list"]
    for number, cost in COSTS.items():
        assert set(list_costs(world, number).values()) == {cost}, (number, list_costs(world, number))
    # A game's page says what its verdict would be; the list has recorded ones alone, and says so.
    assert world.listed()[READY][11] == "–" and "Composite" in world.read("game", READY)
    assert "not rated, or whose ties wait for a lead, are automatic" in world.read("games")


def test_counts_and_the_pass_rate_are_the_same_or_say_whom_they_leave_out(world):
    page, listed, api = world.read("project"), world.listed(), world.ask("dashboard/")
    stage, summary = world.read("stage", 1), world.ask("stages/1/summary/")["items"][0]
    assert len(listed) == 7 and "7 games" in world.read("games")
    assert find(r"(\d) games 3 pass", page) == "6" and "1 withdrawn game is not counted" in page
    assert api["games"]["total"] == summary["game_count"] == len(COUNTED)
    assert "6 5 of 6 rated, 1 withdrawn" in stage
    assert f"{len(COUNTED)} count and 1 withdrawn" in world.read("iteration", 1)
    assert world.listed(verdict="pass").keys() == {*PASSED, WITHDRAWN}
    assert "withdrawn" in world.listed()[WITHDRAWN][3], "why the list has one more"
    assert (find(r"(\d) pass", page), find(r"(\d) fail", page)) == ("3", "1")
    assert (api["games"]["passed"], api["games"]["failed"]) == (3, 1)
    assert world.listed(verdict="fail").keys() == set(FAILED)
    week = api["periods"][-1]
    assert (week["count"], week["passed"], week["rate"], week["costed"]) == (4, 3, 75.0, 3)
    assert "4 3 75.0 % $2.18 3" in page and f"{week['cost']:.2f}" == "2.18"
    # The mean of an iteration is over all its games, that of a week over those with a verdict: both say so.
    assert dollars(summary["mean_cost_usd"]) == "$1.81" == find(r"pending (\$[\d.]+)", stage)
    assert "Over games with a verdict" in page and "1 not reported, 1 by hand" in stage
    assert world.ask("verdicts/ready/")["items"][0]["number"] == READY
    assert f"game {READY}" in find(r"ready to record Rated: (game \d)", page)
    assert f"game {READY}" in find(r"ready to record .*?(game \d)", world.read_any("home"))


def test_evaluations_flags_and_agreement_are_the_same_wherever_they_are_said(world):
    page, api = world.read("project"), world.ask("dashboard/")
    games = {int(row["game"]): int(row["evaluations"]) for row in read_table(world, "games")}
    assert sum(games.values()) == 12 and games[OPEN] == 0
    workers = {worker["name"]: worker["submitted"] for worker in api["workers"]}
    assert list(workers.values()) == [6, 6]
    for name, count in workers.items():
        assert re.search(rf"{name} \S[^|]{{0,30}} 0 {count} ", page)
    assert sum(len(world.ask(f"games/{number}/evaluations/")["items"]) for number in COSTS) == 12
    assert api["to_do"]["flags"] == 1 == len(world.listed(flag="yes"))
    assert "1 flag waits for an answer" in page
    assert world.read("flags").count("Look at this") == 1
    figure_team(world.project, by=world.lead)
    alpha = find(r"Krippendorff's alpha (-?[\d.]+)", world.read("stages"))
    detailed = find(r"Rating (-?\d\.\d{3}) ", world.read("agreement"))
    assert f"{float(detailed):.2f}" == alpha, "three decimals there, two here"
