"""Odd games that are in order come in, are rated and judged, and every page of them answers."""

import pytest
from django.urls import reverse

from discussions.models import Evaluation, Game, Transcript, Verdict
from discussions.queue.actions import take_next_game
from discussions.rating.actions import submit_evaluation
from discussions.rating.queries import load_state
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member, moment
from tests.factories.rating import make_rating_project, say_what_is_missing
from tests.factories.transcripts import as_bytes
from tests.factories.verdicts import record
from tests.faults.crowd import breaches
from tests.faults.odd_games import ACCEPTED, any_odd_game
from tests.faults.uploading import send

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# What a database could take amiss is tried in each; what only the code could, in one. Others by `make faults` alone.
ODD_MARKS = dict.fromkeys(ACCEPTED, pytest.mark.long) | {
    "nul and lone surrogates": pytest.mark.services,
    "one player": (),
    "markup everywhere": (),
}
STEPS = ("engagement", "references", "depth", "coherence", "repetition", "identify", "roles", "review")


@pytest.fixture
def lead(db, settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    return make_lead(project=make_rating_project(slug="ours"))


def answers(client, *addresses):
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)


def rate_to_the_end(client, evaluation):
    """Judge all that is asked, at every step looking at every page and region of the evaluator."""
    client.force_login(evaluation.evaluator)
    home = reverse("rate", args=[evaluation.pk])
    for _phase in range(6):
        answers(client, home, *(f"{home}?step={step}" for step in STEPS), f"{home}?at=1", f"{home}?player=1")
        work = load_state(Evaluation.objects.with_work().get(pk=evaluation.pk))
        if not work.visibility.missing:
            return
        say_what_is_missing(evaluation)
        if work.visibility.can_reveal_roles or not [
            step for step in work.visibility.missing if step.kind != "reveal"
        ]:
            body = {"act": "reveal~roles~0~yes", "nonce": "n", "step": "roles"}
            posted = client.post(reverse("judge", args=[evaluation.pk]), body)
            assert posted.status_code == 303
    raise AssertionError(f"still missing: {work.visibility.missing[:3]}")


def resolve_through_the_pages(client, lead, game):
    project = game.project
    evaluator = make_member(project=project)
    started = take_next_game(project=project, by=evaluator, now=moment())
    evaluation = Evaluation.objects.with_work().get(pk=started.pk)
    rate_to_the_end(client, evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluator, now=moment(30))
    where = [project.slug, game.number]
    answers(client, reverse("rate", args=[evaluation.pk]), reverse("verdict", args=where), reverse("mine"))
    record(game)
    seen = [reverse(name, args=where) for name in ("verdict", "report", "report_markdown", "report_json")]
    answers(client, *seen, reverse("home"))
    client.force_login(lead)
    answers(client, *seen, reverse("game", args=where), reverse("games", args=[project.slug]))
    answers(client, reverse("audit", args=[project.slug]), reverse("imports", args=[project.slug]))
    assert Verdict.objects.get().game == game


def bring_in(client, lead, game):
    client.force_login(lead)
    assert send(client, as_bytes(game)).status_code == 303
    run_waiting_jobs()
    assert Transcript.objects.get().fault_count == 0, Transcript.objects.get().faults
    answers(client, reverse("import_show", args=["ours", Transcript.objects.get().pk]))
    return Game.objects.get()


@pytest.mark.parametrize("name", [pytest.param(text, marks=ODD_MARKS[text]) for text in ACCEPTED])
def test_an_odd_game_is_rated_to_a_verdict(client, lead, name):
    resolve_through_the_pages(client, lead, bring_in(client, lead, ACCEPTED[name]))
    assert breaches() == {}


@pytest.mark.parametrize("seed", [4, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4))])
def test_whatever_game_comes_in_can_be_rated_to_a_verdict(client, lead, seed):
    resolve_through_the_pages(client, lead, bring_in(client, lead, any_odd_game(seed)))
    assert breaches() == {}
