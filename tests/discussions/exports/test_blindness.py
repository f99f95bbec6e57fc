"""An evaluator's export holds nothing that is hidden from them, in any format."""

import pytest
from django.db import transaction

from discussions.models import Evaluation
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark
from discussions.rating.queries import load_state
from tests.factories.blindness import HIDDEN_ALWAYS, HIDDEN_UNTIL_REVEAL, found, game_with_marks
from tests.factories.exports import read_lines, unzip, write_export
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.rating import make_rating_project, say, say_what_is_missing
from tests.factories.transcripts import upload

pytestmark = pytest.mark.django_db

FORMATS = ("jsonl", "csv", "markdown", "huggingface")


def rated(content, *, name, people):
    """An evaluation in which everything before the reveal is judged, beside somebody else's work on the same game."""
    lead, other, evaluator = people
    project = make_rating_project(evaluator_count=2, slug="blind")
    for person, role in ((lead, "lead"), (other, "evaluator"), (evaluator, "evaluator")):
        project.memberships.create(person=person, role=role, created_at=NOW, created_by=lead)
    upload(project=project, by=lead, games=content, name=f"{name}.json")
    run_waiting_jobs()
    theirs = take_next_game(project=project, by=other, now=NOW)
    given = {"kind": "comment", "target": "message:3", "text": f"OTHER{name}", "key": "o"}
    remark(evaluation=theirs, **given, by=other, now=NOW)
    if name == "two":  # what others do meanwhile is hidden, too: also how much of it there is
        say(Evaluation.objects.with_work().get(pk=theirs.pk), "question", "1", "no")
    own = Evaluation.objects.with_work().get(pk=take_next_game(project=project, by=evaluator, now=NOW).pk)
    say_what_is_missing(own)
    return own


def exported(world, people):
    role, personality, secret = {"one": ("MAFIA", "bold", "MARK"), "two": ("VILLAGER", "shy", "SIGN")}[world]
    with transaction.atomic():
        content = game_with_marks(role=role, personality=personality, secret=secret)
        own = rated(content, name=world, people=people)
        samples = load_state(own).samples["coherence"]
        files = {name: write_export(own.game.project, own.evaluator, name) for name in FORMATS}
        transaction.set_rollback(True)
    return samples, files


def test_two_databases_that_differ_in_hidden_values_only_export_byte_for_byte_alike():
    people = [make_person() for _ in range(3)]
    (first, one), (second, two) = exported("one", people), exported("two", people)
    assert first == second
    assert one == two


def test_no_hidden_mark_is_in_an_evaluators_export_even_after_the_reveal():
    people = [make_person() for _ in range(3)]
    own = rated(game_with_marks(), name="one", people=people)
    Evaluation.objects.get(pk=own.pk).reveals.create(what="roles", created_at=NOW)
    for format_name in FORMATS:
        data = write_export(own.game.project, own.evaluator, format_name)
        text = data.decode() if format_name in ("jsonl", "markdown") else "".join(unzip(data).values())
        assert not found(text, (*HIDDEN_ALWAYS, *HIDDEN_UNTIL_REVEAL, "OTHERone"))
    whole = write_export(own.game.project, people[0]).decode()
    assert found(whole, HIDDEN_UNTIL_REVEAL) == list(HIDDEN_UNTIL_REVEAL)


def test_the_transcript_stays_closed_until_the_blind_test_is_over():
    project = make_rating_project(slug="tested")
    project.iterations.update(identification="test")
    upload(project=project, by=make_lead(project=project), games=game_with_marks(messages=40), name="g.json")
    run_waiting_jobs()
    taken = take_next_game(project=project, by=make_member(project=project), now=NOW)
    (line,) = read_lines(write_export(project, taken.evaluator), "own_evaluation")
    assert line["transcript"] is None
