"""A game's whole way by the API alone, on the running site: imported, assigned, rated, decided, exported."""

import csv
import io
import json
import uuid

import httpx2 as httpx
import pytest

from tests.factories.rating import ANSWERS, game_of
from tools.processes import PATIENCE, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.services]

SET_UP = """
from tests.factories.people import make_lead, make_member
from tests.factories.rating import make_rating_project
from tests.factories.tokens import make_token
project = make_rating_project(slug="live")
print(make_token(make_lead(project=project)), make_token(make_member(project=project)))
"""
FIELDS = {"player": "who", "text": "what", "round": "night", "role": "part", "vote": "against"}
DONE = ("done", "failed", "columns")


class Caller:
    """A program with a token; what it asks for must be answered."""

    def __init__(self, url, token):
        headers = {"Authorization": f"Bearer {token}"}
        self.site = httpx.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=PATIENCE)

    def get(self, path):
        answer = self.site.get(path.removeprefix("/api/v1/"))
        assert answer.is_success, answer.text
        return answer.json()

    def send(self, path, **given):
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        answer = self.site.post(path.removeprefix("/api/v1/"), headers=headers, **given)
        assert answer.is_success, answer.text
        return answer

    def post(self, path, body=None):
        return self.send(path, json=body or {}).json()

    def wait(self, path, *states):
        assert wait_until(lambda: self.get(path)["state"] in states, every=0.1), self.get(path)
        return self.get(path)


def as_table(game):
    """The game as rows of a CSV file whose columns have names of their own."""
    roles = {player["name"]: player["role"] for player in game["players"]}
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(FIELDS.values())
    for message in game["messages"]:
        name = message["playerName"]
        rows.writerow([name, message["message"], message["roundNumber"], roles[name], ""])
    for vote in game["votes"]:
        name = vote["voterName"]
        rows.writerow([name, "", vote["roundNumber"], roles[name], vote["targetName"]])
    return out.getvalue().encode()


def rate(evaluator, address):
    """Judge everything that is asked for, and override what the program found in one message."""
    asked = set()
    while missing := evaluator.get(address)["missing"]:
        asked |= {one["kind"] for one in missing}
        now = [one for one in missing if one["kind"] != "reveal"] or missing[:1]
        acts = [
            {
                "kind": one["kind"],
                "subject": one["subject"],
                "value": ANSWERS.get(one["kind"], one["values"][0]),
            }
            for one in now
        ]
        evaluator.post(f"{address}judgements/", {"judgements": acts})
    said = {(one["kind"], one["subject"]): one for one in evaluator.get(address)["judgements"]}
    before = said.get(("coherence", "4"), {"version": 0})
    override = {"kind": "coherence", "subject": "4", "value": "no", "reason": "It answers nobody."}
    given = {"judgements": [{**override, "version": before["version"]}]}
    assert evaluator.post(f"{address}judgements/", given)["judgements"][0]["value"] == "no"
    return asked


@pytest.fixture
def callers(live_stack):
    """A lead's program and an evaluator's."""
    made = [Caller(live_stack.url, token) for token in live_stack.script(SET_UP).split()]
    yield made
    for caller in made:
        caller.site.close()


def test_a_game_goes_its_whole_way_by_the_api_alone(callers):
    lead, evaluator = callers
    here = "projects/live/"
    sent = lead.send(f"{here}imports/?name=night.csv&format=csv", content=as_table(game_of(12))).json()
    address = sent["items"][0]["address"]
    assert lead.wait(address, *DONE)["state"] == "columns"
    assert lead.post(f"{address}columns/", {"fields": FIELDS})["messages"]
    number = lead.wait(address, "done")["games"][0]
    person = lead.get(f"{here}team/")["evaluators"][0]["id"]
    lead.post(f"{here}assignments/", {"person": person, "games": [number]})

    taken = evaluator.post(f"{here}next/")["evaluation"]
    work = evaluator.get(f"evaluations/{taken['id']}/")
    assert (taken["game"], len(work["messages"])) == (number, 12)
    assert {reference["check"] for reference in work["references"]} == {""}
    asked = rate(evaluator, f"evaluations/{taken['id']}/")
    assert asked >= {"question", "rating", "reference", "coherence", "role_consistency", "reveal"}
    assert all(
        row["check"]
        for row in evaluator.get(f"evaluations/{taken['id']}/")["references"]
        if row["is_counted"]
    )
    assert evaluator.post(f"evaluations/{taken['id']}/submit/")["state"] == "submitted"

    game = f"{here}games/{number}/"
    lead.post(f"{game}figures/", {"kind": "cost", "value": "1.35", "reason": "The invoice"})
    verdict = lead.get(f"{game}verdict/")
    assert verdict["refusal"] == ""
    recorded = lead.post(f"{game}verdict/", {"basis_sha256": verdict["basis_sha256"]})
    assert evaluator.get(f"{game}verdict/")["recorded"][0]["passes"] is recorded["passes"]

    export = f"{here}exports/{lead.post(f'{here}exports/')['id']}/"
    lead.wait(export, "ready")
    lines = [json.loads(line) for line in lead.send(f"{export}file/").content.splitlines()]
    of_game = next(line for line in lines if line["kind"] == "game")
    assert recorded["basis_sha256"] in json.dumps(of_game)
    assert "It answers nobody." in json.dumps(of_game)
