"""An unknown log of events in a browser: few choices, each shows the game anew, and the next file asks nothing."""

import json

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from discussions.models import Game, Transcript
from discussions.queries import game_record
from tests.browser.test_verdict_pages import sign_in
from tests.factories.columns import upload_table
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead
from tests.factories.transcripts import make_games_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
NAMES = ("Marisol", "Anselm", "Tuva", "Okon")


def event_log(title: str) -> bytes:
    """Rows of five types, each with its own keys, in a list inside an object; names under keys that hold ids."""
    rows: list[dict[str, object]] = []
    for day in range(3):
        rows.append({"kind": "dawn"})
        for turn in range(8):
            seat, other = NAMES[turn % 4], NAMES[(turn + day + 1) % 4]
            line = f"On day {day} of {title} I say for the {turn}. time that {other} lost nothing."
            rows.append({"kind": "speech", "seat": seat, "line": line, f"p_{turn:04}": {"ms": turn}})
            if turn % 4 == 1:
                rows.append(
                    {"kind": "undertone", "seat": seat, "line": f"{other} must not learn it, {turn}."}
                )
        rows += [{"kind": "ballot_vote", "seat": seat, "against": "Okon"} for seat in NAMES[:3]]
        rows.append({"kind": "exile", "seat": NAMES[3 - day]})
    return json.dumps({"lab": {"seed": 7}, "events": rows, "cast": [{"of": name} for name in NAMES]}).encode()


@pytest.fixture
def lead(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_lead(project=make_games_project(slug="ours"))


def come_in(lead, title: str) -> Transcript:
    project = lead.memberships.get().project
    found = upload_table(project=project, by=lead, data=event_log(title), name=f"{title}.json")
    run_waiting_jobs()
    return found


def test_a_log_of_five_types_comes_in_with_three_choices_and_its_brother_at_once(
    page: Page, live_server, lead
):
    log = come_in(lead, "harbour")
    assert not Game.objects.exists()
    sign_in(page, live_server, lead)
    page.goto(live_server.url + reverse("import_show", args=["ours", log.pk]))
    page.get_by_role("link", name="Is this the game?").click()
    # The list, player, text, votes and rounds are proposed.
    expect(page.get_by_role("radio", name="events", exact=True)).to_be_checked()
    expect(page.get_by_role("radio", name="At “dawn”, 3 rounds")).to_be_checked()
    expect(page.locator("#first-game")).to_contain_text("4 players, 3 rounds, 24 messages, 9 votes.")
    # One choice shows the game anew: without its rounds, and with them again.
    page.get_by_role("radio", name="Nowhere").check()
    expect(page.locator("#first-game")).to_contain_text("4 players, 1 round, 24 messages")
    page.get_by_role("radio", name="At “dawn”, 3 rounds").check()
    expect(page.locator("#first-game")).to_contain_text("3 rounds")
    page.get_by_role("radio", name="A thought that nobody hears").check()
    expect(page.locator("#left-out-rows")).to_contain_text("Thoughts")
    page.get_by_role("button", name="Import this game").click()
    expect(page.locator("h1")).to_contain_text("harbour.json")
    run_waiting_jobs()
    game = Game.objects.get(transcript=log)
    record = game_record(game.pk, game.content_sha256)
    assert (len(record.messages), record.rounds, len(record.votes), len(record.eliminations)) == (24, 3, 9, 3)
    assert len(game.private_track.to_entries()) == 6
    brother = come_in(lead, "market")
    assert Game.objects.get(transcript=brother).message_count == 24


def test_a_text_of_unknown_lines_is_described_by_templates(page: Page, live_server, lead):
    lines = [
        f"🗣️ {n}. {NAMES[n % 4]} On turn {n} I say that {NAMES[(n + 1) % 4]} lost nothing." for n in range(8)
    ]
    thoughts = [f"💭 {name} Strategy: {name} must not show it." for name in NAMES]
    data = "\n".join(["Starting the round", *lines, *thoughts]).encode()
    log = upload_table(project=lead.memberships.get().project, by=lead, data=data, name="supper.txt")
    run_waiting_jobs()
    sign_in(page, live_server, lead)
    page.goto(live_server.url + reverse("map_columns", args=["ours", log.pk]))
    written = page.get_by_label("How its lines are written")
    if not written.is_visible():
        page.get_by_text("Lines", exact=True).click()
    written.fill("🗣️ {turn}. {player} {text}\n💭 {player} Strategy: {thought}")
    written.press("Tab")
    expect(page.locator("#first-game")).to_contain_text("4 players, 1 round, 8 messages")
    expect(page.locator("#left-out-rows")).to_contain_text("Thoughts")
    page.get_by_role("button", name="Import this game").click()
    expect(page.locator("h1")).to_contain_text("supper.txt")
    run_waiting_jobs()
    game = Game.objects.get(transcript=log)
    assert (game.message_count, len(game.private_track.to_entries())) == (8, 4)
