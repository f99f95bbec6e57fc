"""Nothing hidden reaches an evaluator: marks in every hidden field, and two worlds that differ only there."""

import re

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from discussions.models import Evaluation
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark
from discussions.rating.queries import load_state
from tests.factories.blindness import (
    HIDDEN_ALWAYS,
    HIDDEN_UNTIL_REVEAL,
    PRIVATE,
    ask_operations,
    found,
    game_with_marks,
    masked,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_rating_project, say, say_engagement, say_what_is_missing
from tests.factories.tokens import program_of
from tests.factories.transcripts import upload

pytestmark = pytest.mark.django_db


SENTENCES = (
    "The rule:",
    "The rule finds",
    "similar to",
    "supported by the vote record",
    "close to the vote record",
)


def started(content, *, name="filemark.json"):
    """An evaluation of that game, and somebody else's work on it."""
    project = make_rating_project(evaluator_count=2, slug="blind")
    upload(project=project, by=make_lead(project=project), games=content, name=name)
    run_waiting_jobs()
    other = take_next_game(project=project, by=make_member(project=project), now=NOW)
    remark(
        evaluation=other,
        kind="comment",
        target="message:3",
        text="OTHERMARK",
        key="o",
        by=other.evaluator,
        now=NOW,
    )
    taken = take_next_game(project=project, by=make_member(project=project), now=NOW)
    return Evaluation.objects.with_work().get(pk=taken.pk)


def everything(client, evaluation, *, acts=()):
    """Everything the site answers this evaluator now: pages, regions, headers, refusals, and answers to acts."""
    rate = reverse("rate", args=[evaluation.pk])
    htmx = {"HX-Request": "true"}
    slug = evaluation.game.project.slug
    steps = (
        "references",
        "depth",
        "coherence",
        "repetition",
        "identify",
        "engagement",
        "roles",
        "statements",
    )
    steps += ("review",)
    answers = [client.get(f"{rate}?step={step}&nonce=n&player=2&votes=1") for step in steps]
    answers += [client.get(f"{rate}?at={position}&nonce=n", headers=htmx) for position in range(1, 21)]
    thoughts = [f"{reverse('thoughts', args=[evaluation.pk])}?message={number}" for number in ("", 1, 2, 3)]
    answers += [client.get(address, headers=headers) for address in thoughts for headers in ({}, htmx)]
    answers += [client.get(reverse(name)) for name in ("home", "mine", "own_history", "projects")]
    answers += [client.get(reverse(name, args=[slug])) for name in ("project", "queue", "games")]
    number = evaluation.game.number
    given = {"slug": slug, "number": number, "evaluation": evaluation.pk, "stage": 1, "iteration": 0}
    given |= {
        "transcript": evaluation.game.transcript_id,
        "table": evaluation.game.transcript_id,
        "export": 1,
        "webhook": 1,
        "mapping": 1,
        "calibration": 1,
        "judge": 1,
        "category": 1,
        "coding": 1,
    }
    operations = ask_operations(program_of(evaluation.evaluator), **given)
    assert len(operations) > 15
    assert evaluation.pk in [answer.json().get("id") for answer in operations]
    answers += operations
    answers += [client.get(reverse(name, args=[slug, number])) for name in ("game", "verdict", "report")]
    answers.append(
        client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:s"}, headers=htmx)
    )
    for key, act in enumerate(acts):
        body = {"act": act, "nonce": f"n{key}", "step": "coherence"}
        answers.append(client.post(reverse("judge", args=[evaluation.pk]), body, headers=htmx))
    return "\n".join(f"{answer.headers}\n{answer.content.decode()}" for answer in answers)


def list_acts(evaluation):
    """Good, stale and impossible acts."""
    position = load_state(evaluation).samples["coherence"][0]
    return (
        f"coherence~{position}~0~yes",
        f"coherence~{position}~0~no",
        "question~1~0~yes",
        "comment~message:3~0~",
        "role_consistency~1~0~consistent",
        "statement~1.1~0~bluff",
        "statement~1.1~0~",
        "reveal~thoughts~0~yes",
        "reveal~roles~0~yes",
        "coherence~999~0~yes",
    )


TEXT = """Players:
Ann: SEER
Bea: MAFIA
Cid: VILLAGER

Day 1
{talk}
Ann (thinks): THOUGHTMARK
Ann (whispers to Bea): WHISPERMARK
goes on in a PONDERMARK
Night 1
The WOLVESMARK wake.
Bea: WOLVESMARK
Vote: Bea -> WOLVESMARK
Day 2
{talk}
"""


def test_no_mark_of_a_night_a_whisper_or_a_thought_in_a_text_is_in_any_answer():
    said = [f"{name}: I think that number {n} is right." for n in range(6) for name in ("Ann", "Bea", "Cid")]
    evaluation = started(TEXT.format(talk="\n".join(said)).encode(), name="filemark.txt")
    assert len(evaluation.game.private_track.to_entries()) == 5
    client = Client()
    client.force_login(evaluation.evaluator)
    text = everything(client, evaluation, acts=list_acts(evaluation))
    say_what_is_missing(evaluation)
    client.post(reverse("judge", args=[evaluation.pk]), {"act": "reveal~roles~0~yes", "nonce": "r"})
    text += everything(client, evaluation)
    assert not found(text, HIDDEN_ALWAYS) and "number 5 is right" in text


def test_no_mark_of_a_hidden_field_is_in_any_answer_until_it_is_revealed():
    evaluation = started(game_with_marks())
    client = Client()
    client.force_login(evaluation.evaluator)
    text = everything(client, evaluation, acts=list_acts(evaluation))
    assert not found(text, HIDDEN_ALWAYS + HIDDEN_UNTIL_REVEAL + SENTENCES)
    assert "Ann" in text
    say_what_is_missing(evaluation)
    text = everything(client, evaluation)
    assert not found(text, HIDDEN_ALWAYS + HIDDEN_UNTIL_REVEAL + ("The rule:",))
    client.post(reverse("judge", args=[evaluation.pk]), {"act": "reveal~roles~0~yes", "nonce": "r"})
    text = everything(client, evaluation)
    assert found(text, HIDDEN_UNTIL_REVEAL) == list(HIDDEN_UNTIL_REVEAL)
    assert not found(text, HIDDEN_ALWAYS)
    say_what_is_missing(evaluation)
    statement = load_state(evaluation).statements[0]
    labelled = client.post(
        reverse("judge", args=[evaluation.pk]), {"act": f"statement~{statement}~0~bluff", "nonce": "s"}
    )
    assert labelled.status_code == 303
    text = everything(client, evaluation)
    assert set(found(text, HIDDEN_ALWAYS)) == {"7.77", *PRIVATE}


def test_a_check_and_chips_are_in_no_answer_before_ones_own_judgement():
    evaluation = started(game_with_marks())
    client = Client()
    client.force_login(evaluation.evaluator)
    page = reverse("rate", args=[evaluation.pk])
    before = client.get(page).content.decode()
    assert "check-says" not in before
    assert 'class="chip ' not in before
    assert "Scores appear once" in before
    *first, last = load_state(evaluation).judgeable.counted
    for subject in first:
        say(evaluation, "reference", subject, "accurate")
    say_engagement(evaluation)
    assert "check-says" not in client.get(page).content.decode(), "a reference has no label"
    say(evaluation, "reference", last, "accurate")
    after = client.get(page).content.decode()
    for subject in (*first, last):
        found_id = "item-reference-" + subject.replace(".", "-")
        item = re.search(rf'id="{found_id}".*?</blockquote>(.*?)<div class="buttons', after, re.DOTALL)
        assert "check-says" in item[1]


def answers_in(world):
    """What an evaluator is answered in a world of its own: with the same row numbers, and other hidden values."""
    role, personality = {"one": ("MAFIA", "bold"), "two": ("VILLAGER", "shy")}[world]
    secret = {"one": "MARK", "two": "SIGN"}[world]
    with transaction.atomic():
        content = game_with_marks(role=role, personality=personality, secret=secret)
        evaluation = started(content, name=f"{world}.json")
        client = Client()
        client.force_login(evaluation.evaluator)
        text = everything(client, evaluation, acts=list_acts(evaluation)[:-2])
        say_what_is_missing(evaluation)
        text += everything(client, evaluation)
        transaction.set_rollback(True)
    return masked(text)


def test_two_worlds_that_differ_in_hidden_values_only_answer_byte_for_byte_alike():
    assert answers_in("one") == answers_in("two")
