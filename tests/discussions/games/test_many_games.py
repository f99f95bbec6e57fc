"""A lead among 2,000 games: one game is found by its id, and 40 that are ready are recorded in one act."""

import re

import pytest
from django.urls import reverse

from benchmarks.bench_pages import fill_games
from discussions.models import Verdict
from tests.factories.people import make_lead
from tests.factories.verdicts import recorded_verdict
from workspace.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
COUNT, READY = 2_000, 40


def read_numbers(page):
    return re.findall(r'name="game"\s+value="(\d+)"', page)


def test_a_lead_finds_one_game_and_records_forty_in_one_act(client):
    first = fill_games(recorded_verdict(), COUNT, ready=READY)
    project = first.project
    client.force_login(make_lead(project=project))
    address = reverse("games", args=[project.slug])

    found = client.get(address, {"q": "g1777"}).content.decode()
    assert len(read_numbers(found)) == 1
    assert ">g1777<" in re.sub(r"</?bdi>|\s", "", found).replace('<spanclass="tinyquiet">', "<")

    ready = client.get(address, {"state": "submitted"}).content.decode()
    assert f"All {READY} that match" in " ".join(ready.split())
    choose = reverse("choose_games", args=[project.slug])
    answer = client.get(choose, {"act": "record", "which": "all", "in": "state=submitted"})
    preview = client.get(answer["Location"])
    shown = re.findall(r'name="ready"\s+value="([^"]+)"', preview.content.decode())
    assert len(shown) == READY
    before = Verdict.objects.count()
    done = client.post(answer["Location"], {"ready": shown})
    assert done.status_code == 303
    assert Verdict.objects.count() == before + READY
    assert Event.objects.filter(verb="verdict:recorded", by__email__contains="@").count() >= READY
    assert "No matching games" in client.get(address, {"state": "submitted"}).content.decode()
