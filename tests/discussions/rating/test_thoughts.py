"""What agents thought opens after the last answer on the roles; a sample of statements is judged beside it."""

from collections import Counter
from html import unescape

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from discussions.core.judgement_kinds import parse_subject
from discussions.metrics.core.text import split
from discussions.models import Judgement
from discussions.rating.actions import reveal_roles, submit_evaluation, undo
from discussions.rating.core.refusals import say_thoughts_closed
from discussions.rating.queries import load_state
from tests.factories.exports import unzip, write_export
from tests.factories.people import NOW, make_lead
from tests.factories.rating import (
    ANSWERS,
    game_of,
    list_asked,
    make_rating_project,
    ready_to_submit,
    say,
    say_what_is_missing,
    start,
    thinking_game,
)
from tests.factories.tokens import program_of
from workspace.core.refusals import Unacceptable

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
MARKS = ("PONDER", "WHISPER")


def begin(reveal="blind_first", **given):
    """Under a version that asks for no more messages while a score is open, so that answers can be counted."""
    return start(project=make_rating_project(reveal=reveal, number="1.2"), **given)


def finish(reveal="blind_first", **given):
    return ready_to_submit(project=make_rating_project(reveal=reveal, number="1.2"), **given)


def judge_all_but_one(evaluation):
    """Judge everything but one label of role consistency: its subject."""
    kind = "role_consistency"
    for missing in list_asked(load_state(evaluation)):
        if missing.kind != kind:
            say(evaluation, missing.kind, missing.subject, ANSWERS.get(missing.kind, "yes"))
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    left = [missing.subject for missing in list_asked(load_state(evaluation))]
    for subject in left[1:]:
        say(evaluation, kind, subject, "consistent")
    return left[0]


def columns(client, evaluation, message="", **headers):
    address = reverse("thoughts", args=[evaluation.pk])
    return client.get(f"{address}?message={message}", headers=headers)


def read(client, evaluation, step=""):
    return client.get(reverse("rate", args=[evaluation.pk]) + f"?step={step}").content.decode()


@pytest.mark.parametrize("reveal", ["blind_first", "alongside", "never"])
def test_thoughts_open_with_the_last_answer_on_the_roles(client, reveal):
    evaluation = begin(content=thinking_game(24), reveal=reveal)
    client.force_login(evaluation.evaluator)
    last = judge_all_but_one(evaluation)
    for headers in ({}, HTMX):
        refused = columns(client, evaluation, 2, **headers)
        assert refused.status_code == 403
        assert say_thoughts_closed() in unescape(refused.content.decode())
    page = read(client, evaluation, "statements")
    assert not any(mark in page for mark in (*MARKS, "Thought and vote", "drawn by lot"))
    act = {"act": f"role_consistency~{last}~0~consistent", "nonce": "n", "step": "roles"}
    answer = client.post(reverse("judge", args=[evaluation.pk]), act, headers=HTMX)
    text = answer.content.decode()
    assert text.count("believe the marked sentence?") == len(load_state(evaluation).statements) > 4
    assert text.count("Thought and vote") == sum(
        said.is_any for said in load_state(evaluation).unsaid.values()
    )
    opened = columns(client, evaluation, 2, **HTMX).content.decode()
    assert "PONDER2" in opened and "VOTEPONDER" in opened and "WHISPER" in opened
    assert "<html" not in opened
    assert "PONDER4" not in opened
    assert "thoughts" in load_state(evaluation).revealed


def test_a_game_without_a_private_track_looks_the_same_until_then_and_has_no_such_step(client):
    texts = []
    for content in (thinking_game(24), game_of(24)):
        evaluation = begin(content=content)
        client.force_login(evaluation.evaluator)
        judge_all_but_one(evaluation)
        refused = columns(client, evaluation, 2, **HTMX)
        texts.append((refused.status_code, refused.content, read(client, evaluation).count("<")))
        say_what_is_missing(evaluation)
    assert texts[0] == texts[1]
    assert columns(client, evaluation, 2).status_code == 404
    assert "Statements" not in read(client, evaluation).replace('id="ask-statements">Statements', "")
    with pytest.raises(Unacceptable, match="Nothing is asked about this sentence"):
        say(evaluation, "statement", "2.1", "bluff")


def test_a_statement_is_refused_before_the_reveal_and_outside_the_sample():
    evaluation = begin(content=thinking_game(24))
    judge_all_but_one(evaluation)
    drawn = load_state(evaluation).statements
    for value in ("bluff", "", None):
        with pytest.raises(Unacceptable, match="once you have stored every answer"):
            say(evaluation, "statement", drawn[0], value)
    say_what_is_missing(evaluation)
    with pytest.raises(Unacceptable, match="Nothing is asked"):
        say(evaluation, "statement", "1.1", "bluff")
    with pytest.raises(Unacceptable, match="is not an answer"):
        say(evaluation, "statement", drawn[0], "yes")
    assert not Judgement.objects.filter(kind="statement").exists()


def test_labels_of_statements_are_optional_undone_and_change_no_figure(client):
    evaluation = finish(content=thinking_game(24))
    before = load_state(evaluation)
    outcome = msgspec.json.encode(before.own_outcome)
    first, second = before.statements[:2]
    say(evaluation, "statement", first, "bluff")
    say(evaluation, "statement", second, "mistaken")
    state = load_state(evaluation)
    assert state.values["statement"] == {first: "bluff", second: "mistaken"}
    assert not state.visibility.missing
    assert msgspec.json.encode(state.own_outcome) == outcome
    client.force_login(evaluation.evaluator)
    assert "2 of " in read(client, evaluation, "statements")
    undo(evaluation=evaluation, key="u", by=evaluation.evaluator, now=NOW)
    assert load_state(evaluation).values["statement"] == {first: "bluff"}
    stored = Judgement.objects.get(kind="statement", subject=first)
    assert (stored.blind_value, stored.revisions.get().phase) == ("", "revealed")
    assert submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW).state == "submitted"
    assert "PONDER2" in columns(client, evaluation, 2).content.decode()


@pytest.mark.parametrize("reveal", ["blind_first", "never"])
def test_blind_answers_stay_as_they_were_and_thoughts_stay_open(reveal):
    evaluation = finish(content=thinking_game(24), reveal=reveal)
    kind, subject = "role_consistency", str(load_state(evaluation).samples["role_consistency"][0])
    for about in ((kind, subject), ("question", "1")):
        say(evaluation, *about, {"question": "no"}.get(about[0], "inconsistent"))
        row = Judgement.objects.get(evaluation=evaluation, kind=about[0], subject=about[1])
        assert row.blind_value and row.blind_value != row.value
        assert row.revisions.latest("pk").phase == "revealed"
    say(evaluation, kind, subject, "")
    state = load_state(evaluation)
    assert state.visibility.missing
    assert state.visibility.thoughts


def test_the_sample_takes_from_each_agent_in_turn_and_shares_a_half():
    first = finish(content=thinking_game(120, every=1))
    drawn = load_state(first).statements
    messages = load_state(first).game.messages
    counts = Counter(messages[parse_subject(subject)[0] - 1].player for subject in drawn)
    assert len(drawn) == 10
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert max(counts.values()) == 2
    assert load_state(first).statements == drawn
    texts = [sentence_of(first, subject) for subject in drawn]
    assert not any(text.endswith("?") for text in texts)


def sentence_of(evaluation, subject):
    position, number = parse_subject(subject)
    text = load_state(evaluation).game.messages[position - 1].text
    return text[slice(*split(text)[number - 1])]


def test_the_page_of_a_message_shows_those_around_it_and_leads_on(client):
    evaluation = finish(content=thinking_game(24))
    client.force_login(evaluation.evaluator)
    page = columns(client, evaluation, 4).content.decode()
    for words in ("PONDER4", "message 4", "?message=2", "?message=6", "Back to the game"):
        assert words in page
    assert columns(client, evaluation, 3).status_code == 404
    assert columns(client, evaluation, 999).status_code == 404
    assert "PONDER2" in columns(client, evaluation).content.decode()


def test_a_program_reads_thoughts_and_statements_and_labels_one():
    evaluation = begin(content=thinking_game(24))
    judge_all_but_one(evaluation)
    program = program_of(evaluation.evaluator)
    address = f"evaluations/{evaluation.pk}/"
    before = program.get(address).json()
    assert (before["thoughts"], before["statements"]) == ([], [])
    say_what_is_missing(evaluation)
    after = program.get(address).json()
    assert after["thoughts"][0]["message"] == 2
    assert after["thoughts"][0]["thoughts"][0].startswith("PONDER2")
    subject = after["statements"][0]["subject"]
    assert after["statements"][0]["text"] == sentence_of(evaluation, subject)
    given = {"judgements": [{"kind": "statement", "subject": subject, "value": "honest"}]}
    assert program.post(f"{address}judgements/", given).status_code == 200
    assert load_state(evaluation).values["statement"] == {subject: "honest"}


@pytest.mark.parametrize("format_name", ["jsonl", "csv"])
def test_exports_hold_labels_under_pseudonyms_and_no_thought(format_name):
    evaluation = finish(content=thinking_game(24))
    subject = load_state(evaluation).statements[0]
    say(evaluation, "statement", subject, "mistaken")
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    project = evaluation.game.project
    whole = write_export(project, make_lead(project=project), format_name, pseudonyms=True)
    own = write_export(project, evaluation.evaluator)
    texts = [*unzip(whole).values()] if format_name == "csv" else [whole.decode()]
    row = next(line for text in texts for line in text.splitlines() if "mistaken" in line)
    assert "statement" in row and subject in row
    assert not any(evaluation.evaluator.name in text for text in texts)
    assert not any(mark in text for text in (*texts, own.decode()) for mark in MARKS)


def test_a_page_asks_nothing_more_of_the_database_for_thoughts(client):
    counts = []
    for content in (thinking_game(24), game_of(24)):
        evaluation = finish(content=content)
        client.force_login(evaluation.evaluator)
        with CaptureQueriesContext(connection) as asked:
            read(client, evaluation)
        counts.append(len(asked))
    assert counts[0] == counts[1] > 5
