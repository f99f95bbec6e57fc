"""A lead at a browser: a baseline, how many games it takes, the reference played again, and what to do first."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import LEAD, SLUG, Watch, prepare_site, sign_in
from tests.services.live_stack import LiveStack

pytestmark = pytest.mark.slow

_BEGIN = f"""
from django.utils import timezone
from discussions.core.outcome import ENGAGEMENT
from discussions.iterations.actions import StagePlan, open_stage
from discussions.iterations.actions import open_for_rating
from discussions.models import Iteration, Stage
from discussions.planning.actions import open_change
from discussions.planning.core import Plan
from discussions.transcripts.actions import Upload, import_files
from tests.factories.iterations import figures, rate_games
from tests.factories.transcripts import as_bytes, native_game
from workspace.models import Person, Project
project, lead, now = Project.objects.get(slug={SLUG!r}), Person.objects.get(email={LEAD!r}), timezone.now()
"""
_OPEN_STAGE = 'open_stage(project=project, plan=StagePlan(name="Stage 1"), by=lead, now=now)'
_OPEN_CHANGE = """
stage = Stage.objects.get()
reference = Iteration.objects.get(kind="baseline")
plan = Plan(name="Reasons", prompt=reference.prompt + "Give reasons.", change_note="Reasons.", target="coherence")
open_change(stage=stage, plan=plan, compared_with=reference.pk, by=lead, now=now)
"""
_IMPORT = """
iteration = Iteration.objects.get(number=%d)
games = as_bytes([native_game(gameId=f"{iteration.number}-{number}") for number in range(3)])
upload = Upload(f"{iteration.number}.json", games)
import_files(project=project, files=[upload], by=lead, now=now, iteration=iteration)
"""
_RATE = """
iteration = Iteration.objects.select_related("project", "stage").get(number=%d)
open_for_rating(iteration=iteration, by=lead, now=now)
rate_games(iteration=iteration, games=[figures(coherence=score) for score in %r])
"""
MEASURED = "SELECT COUNT(*) FROM discussions_measured"


def play(stack: LiveStack, iteration: int, *scores: int, measured: int) -> None:
    """Three games of an iteration come in, are measured by the real worker, and are rated."""
    stack.script(_BEGIN + _IMPORT % iteration)
    stack.wait_for(MEASURED, measured)
    stack.script(_BEGIN + _RATE % (iteration, list(scores)))


def open_baseline(page: Page, stack: LiveStack) -> int:
    """The lead plans a baseline and is told what so many games can find; its number."""
    page.goto(f"{stack.url}/projects/{SLUG}/stages/1/iterations/new/")
    told = page.locator("#plan-games-title").locator("..")
    expect(told).to_contain_text(
        re.compile(r"3 against 3 finds a gain of \d+ points .*; 9 against 9 one in two\.")
    )
    page.get_by_label("Name", exact=True).fill("Baseline")
    page.get_by_label("Prompt", exact=True).fill("You play Mafia.\n")
    page.get_by_role("button", name="Open for import").click()
    page.wait_for_url(re.compile(r"/iterations/\d+/$"))
    return int(page.url.rstrip("/").rpartition("/")[2])


def test_a_lead_plays_the_reference_again_and_reads_what_to_do(live_stack, page: Page) -> None:
    watch = Watch(page)
    prepare_site(live_stack)
    live_stack.script(_BEGIN + _OPEN_STAGE)
    sign_in(page, live_stack, LEAD)
    first = open_baseline(page, live_stack)
    play(live_stack, first, 60, 61, 62, measured=3)
    live_stack.script(_BEGIN + _OPEN_CHANGE)
    play(live_stack, first + 1, 88, 89, 90, measured=6)
    place = f"{live_stack.url}/projects/{SLUG}/iterations"
    page.goto(f"{place}/{first + 1}/compare/")
    page.locator("#compare-other summary").click()
    page.get_by_role("button", name="Run the reference again").click()
    page.wait_for_url(f"{place}/{first + 2}/")
    expect(page.locator(".chips")).to_contain_text("re-play")
    play(live_stack, first + 2, 61, 62, 60, measured=9)
    page.goto(f"{place}/{first + 1}/compare/")
    answer = page.locator("#compare-answer")
    expect(answer.get_by_role("heading")).to_have_text(
        re.compile(r"Conversation coherence is \d+ to \d+ points better: 89 against 61")
    )
    expect(answer).to_contain_text("Keep the change.")
    why = page.locator("#compare-why")
    expect(why.get_by_text("Difference as played")).to_be_hidden()
    why.locator("summary").first.click()
    expect(why).to_contain_text(
        f"Games 7 to 9 played the prompt of iteration {first} too and count with its games."
    )
    expect(why.get_by_text("Difference as played")).to_be_visible()
    watch.check()
