"""Exports that other tools read, manage.py export, and what an export hides."""

import csv
import io
import json
import re
import sys
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import transaction

from discussions.models import Evaluation, Game
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark
from discussions.rating.queries import load_state
from rubric.models.comparisons import ELSEWHERE
from tests.factories.adjudication import list_evaluations, make_shared_game, submit_as
from tests.factories.blindness import HIDDEN_ALWAYS, HIDDEN_UNTIL_REVEAL, found, game_with_marks
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.exports import read_lines, unzip, write_export
from tests.factories.human_reviewers import begin, submitted
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.rating import make_game, make_rating_project, say, say_what_is_missing, start
from tests.factories.transcripts import upload
from tests.factories.verdicts import fresh, record, recorded_verdict
from workspace.core.refusals import NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


def read_events(data: bytes) -> list[tuple[dict, dict]]:
    """Each log record with its attributes, as a collector reads OTLP JSON."""
    events = []
    for line in data.splitlines():
        (resource,) = json.loads(line)["resourceLogs"]
        named = {part["key"]: part["value"]["stringValue"] for part in resource["resource"]["attributes"]}
        assert named["service.name"] == "evalsite"
        for event in resource["scopeLogs"][0]["logRecords"]:
            values = {part["key"]: next(iter(part["value"].values())) for part in event["attributes"]}
            events.append((event, values))
    return events


def test_a_verdict_is_an_event_for_each_metric_and_one_for_itself():
    verdict = recorded_verdict()
    game = verdict.game
    events = read_events(write_export(game.project, make_lead(project=game.project), "otlp"))
    assert {event["eventName"] for event, _ in events} == {"gen_ai.evaluation.result"}
    assert {event["timeUnixNano"] for event, _ in events} == {
        f"{int(verdict.created_at.timestamp())}000000000"
    }
    scores = {values["gen_ai.evaluation.name"]: values for _, values in events}
    assert len(events) == len(scores) == 8
    about = {"gen_ai.conversation.id": game.source_id, "evalsite.game": "1", "evalsite.verdict": "1"}
    assert all(about.items() <= values.items() for values in scores.values())
    outcome = json.loads(verdict.outcome)
    for line in outcome["lines"]:
        said = scores[line["key"]]
        assert said.get("gen_ai.evaluation.score.value") == line["score"]
        assert said["gen_ai.evaluation.score.label"] == ("pass" if line["passes"] else "fail")
        assert re.fullmatch(r"\d+ of \d+; the threshold is [\d.]+\.", said["gen_ai.evaluation.explanation"])
    whole = scores["verdict"]
    assert whole["gen_ai.evaluation.score.value"] == float(verdict.passes)
    assert whole["gen_ai.evaluation.explanation"].startswith(outcome["headline"])


def test_a_game_without_a_verdict_has_its_automatic_scores_without_labels():
    game = make_game(project=make_rating_project())
    events = read_events(write_export(game.project, make_lead(project=game.project), "otlp"))
    names = {values["gen_ai.evaluation.name"] for _, values in events}
    assert "coherence" in names and not names & {"verdict", "engagement"}
    assert not [values for _, values in events if "gen_ai.evaluation.score.label" in values]


def test_a_game_is_a_session_for_the_viewer_of_the_hub():
    game = make_game(project=make_rating_project(slug="ours"))
    (name, text), *others = unzip(
        write_export(game.project, make_lead(project=game.project), "traces", "game:1")
    ).items()
    head, *messages = [json.loads(line) for line in text.splitlines()]
    assert (name, others) == ("ours-game-1.jsonl", [])
    assert (head["type"], head["harness"], head["id"]) == ("session", "evalsite", "ours-game-1")
    assert len(messages) == Game.objects.get().message_count
    assert {line["type"] for line in messages} == {"message"}
    first, names = messages[0]["message"], {player["name"] for player in head["players"]}
    assert first["role"] == "assistant" and first["content"].partition(":")[0] in names


def test_a_row_has_the_answers_of_all_evaluators_side_by_side():
    game = make_shared_game()
    for evaluation, answer in zip(list_evaluations(game), ("no", "no", "yes"), strict=True):
        submit_as(evaluation, values={("coherence", "4"): answer})
    lead = make_lead(project=game.project)
    record(fresh(game), by=lead)
    data = write_export(game.project, lead, "wide", pseudonyms=True, byte_order_mark=True)
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    people = [f"Evaluator {number}" for number in (1, 2, 3)]
    assert list(rows[0]) == ["game", "set", "comparison", "round", "response", "about", "subject", *people]
    found = {(row["about"], row["subject"]): [row[name] for name in people] for row in rows}
    assert len(found) == len(rows)
    assert sorted(found["coherence", "4"]) == ["no", "no", "yes"]


def test_scores_of_responses_stand_side_by_side_too():
    project = make_rating_project()
    lead, person = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[person], elsewhere=1)
    submitted(begin(made, by=person))
    outside = made.reviewers.get(kind=ELSEWHERE)
    review_with(comparison=made.comparisons.get(), reviewer=outside, scores=RECORD_SCORES)
    rows = list(csv.DictReader(io.StringIO(write_export(made.project, lead, "wide").decode())))
    scores = {(row["response"], row["about"]): (row[person.name], row[outside.name]) for row in rows}
    assert len(scores) == len(rows) > 12
    assert {row["game"] for row in rows} == {""} and {row["set"] for row in rows} == {str(made.number)}
    assert all(own and other for (_response, about), (own, other) in scores.items() if about == "accuracy")


@pytest.mark.parametrize("format_name", ["otlp", "traces", "wide"])
def test_evaluators_do_not_export_in_formats_of_leads(format_name):
    project = make_rating_project()
    with pytest.raises(NotAllowed, match="Only team leads"):
        write_export(project, make_member(project=project), format_name)


@pytest.fixture
def evaluation():
    return start()


@pytest.fixture
def lead(evaluation):
    return make_lead(project=evaluation.game.project)


def run(evaluation, by, *more, out="-", format_name="jsonl"):
    """Exit code, standard output and standard error."""
    said, faults = io.StringIO(), io.StringIO()
    slug = evaluation.game.project.slug
    given = ["--project", slug, "--format", format_name, "--by", by.email, "--out", str(out), *more]
    try:
        call_command("export", *given, stdout=said, stderr=faults)
    except SystemExit as end:
        return end.code, said.getvalue(), faults.getvalue()
    return 0, said.getvalue(), faults.getvalue()


def test_a_game_is_written_into_a_file(evaluation, lead, tmp_path):
    out = tmp_path / "game.jsonl"
    code, said, _faults = run(evaluation, lead, "--game", "1", out=out)
    assert (code, said) == (0, f"{out}: 1 rubric_version, 1 iteration, 1 game\n")
    assert read_lines(out.read_bytes(), "game")[0]["number"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]
    assert Event.objects.filter(verb="export:made", by=lead).count() == 1


@pytest.mark.parametrize("numbers", ["1", "1, 1-1"])
def test_several_games_are_named_by_their_numbers(evaluation, lead, tmp_path, numbers):
    out = tmp_path / "games.jsonl"
    code, said, _faults = run(evaluation, lead, "--games", numbers, out=out)
    assert (code, said) == (0, f"{out}: 1 rubric_version, 1 iteration, 1 game\n")


@pytest.mark.parametrize("numbers", ["1-2", "first", "", "3-1"])
def test_games_that_are_not_there_end_with_2(evaluation, lead, tmp_path, numbers):
    code, _said, faults = run(evaluation, lead, "--games", numbers, out=tmp_path / "x.jsonl")
    assert (code, "nothing to export under" in faults) == (2, True)


def test_standard_output_carries_the_export_alone(evaluation, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=raw))
    code, said, told = run(evaluation, evaluation.evaluator, "--json")
    assert (code, said) == (0, "")
    assert [line["kind"] for line in read_lines(raw.getvalue())] == ["export", "own_evaluation", "end"]
    assert json.loads(told) == {"file": "-", "format": "jsonl", "lines": {"export": 1, "own_evaluation": 1}}


def test_what_cannot_begin_ends_with_2_and_writes_nothing(evaluation, lead, tmp_path):
    out = tmp_path / "x.jsonl"
    code, _said, faults = run(evaluation, lead, "--game", "99", "--json", out=out)
    (fault,) = json.loads(faults)["faults"]
    assert (code, fault["code"]) == (2, "bad_input")
    assert "game:99" in fault["message"]
    code, _said, faults = run(evaluation, evaluation.evaluator, "--game", "1", out=out)
    assert (code, "Only team leads" in faults) == (2, True)
    assert run(evaluation, SimpleNamespace(email="nobody@example.org"), out=out)[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_ends_with_1(evaluation, lead, tmp_path):
    code, _said, faults = run(evaluation, lead, out=tmp_path / "missing" / "x.jsonl")
    assert (code, "could not be written" in faults) == (1, True)


def test_the_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        call_command("export", "--help")
    assert "Example: manage.py export --project mafia --game 7" in capsys.readouterr().out


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
