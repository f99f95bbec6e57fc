"""What is in an export: everything for leads, in every format, and the same things under pseudonyms."""

import csv
import io
import json
import re
from difflib import ndiff
from types import SimpleNamespace
from typing import Any

import pytest

from discussions.adjudication.core.effective import ADJUDICATED_KINDS
from discussions.core.judgement_kinds import VALUES
from discussions.core.outcome import ENGAGEMENT
from discussions.exports.actions import build_project_export
from discussions.exports.queries.lines import JUDGEMENT_WORDS
from discussions.exports.queries.tables import OWN_TABLES, TABLES
from discussions.metrics.core.registry import METRICS
from discussions.models import GameText, Verdict
from rubric.models.comparisons import ELSEWHERE
from tests.factories.adjudication import (
    LABEL,
    list_evaluations,
    make_shared_game,
    resolve_difference,
    submit_as,
    submitted_game,
)
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.exports import make_export, read_lines, unzip, write_export
from tests.factories.human_reviewers import begin, say, submitted
from tests.factories.iterations import figures, make_baseline, make_change, make_stage
from tests.factories.people import make_lead, make_member, make_project
from tests.factories.rating import make_rating_project, start
from tests.factories.rating import say as judge
from tests.factories.verdicts import fresh, record, recorded_verdict
from tools.export_tables import DOCS, write_tables
from workspace.blob_store import open_file
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.exports.core.choices import FILES
from workspace.models import Chain

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """A project with a judged and resolved game, a stage, and a set with a person's and a file's review."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        verdict = recorded_verdict()
        project, evaluator = verdict.game.project, verdict.created_by
        lead = make_lead(project=project)
        again = record(verdict.game, by=lead, reason="Looked at again.")
        stage = make_stage(project=project, by=lead)
        make_baseline(stage=stage, games=[figures(), figures(), figures()])
        make_change(stage=stage)
        made = make_set(by=lead, people=[evaluator], elsewhere=1, authors={2: "some-model"})
        submitted(begin(made, by=evaluator))
        outside = made.reviewers.get(kind=ELSEWHERE)
        review_with(comparison=made.comparisons.get(), reviewer=outside, scores=RECORD_SCORES)
        yield SimpleNamespace(project=project, lead=lead, evaluator=evaluator, verdict=again, outside=outside)
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def lines(world):
    return read_lines(write_export(world.project, world.lead))


def of_kind(lines, kind):
    return [line for line in lines if line["kind"] == kind]


def test_several_games_are_exported_with_their_iterations_alone(world):
    own, *others = world.project.games.order_by("number")
    lines = read_lines(write_export(world.project, world.lead, of=f"games:{own.number},{others[0].number}"))
    assert [game["number"] for game in of_kind(lines, "game")] == [own.number, others[0].number]
    assert len(of_kind(lines, "iteration")) == 2 and len(of_kind(lines, "stage")) == 1
    assert not of_kind(lines, "comparison_set")
    for unknown in ("games:", "games:0", "games:999", f"games:{own.number},999", "games:x"):
        with pytest.raises(Unacceptable):
            write_export(world.project, world.lead, of=unknown)
    with pytest.raises(NotAllowed):
        write_export(world.project, world.evaluator, of=f"games:{own.number}")


def test_a_project_holds_every_kind_of_line_and_ends_with_their_counts(world, lines):
    assert [line["kind"] for line in lines[:3]] == ["export", "rubric_version", "rubric_version"]
    counts = {
        "export": 1,
        "rubric_version": 2,
        "stage": 1,
        "iteration": 3,
        "game": 4,
        "comparison_set": 1,
        "comparison": 1,
    }
    assert lines[-1] == {"kind": "end", "lines": counts}
    head, chain = lines[0], Chain.objects.get(project=world.project)
    assert (head["holds"], head["subject"], head["made_by"]) == ("everything", "project", world.lead.name)
    assert set(head["audit_head"]) == {"seq", "mac"}
    assert 0 < head["audit_head"]["seq"] <= chain.seq


def test_a_game_has_its_text_measurement_judgements_and_verdicts_with_their_bases(world, lines):
    game = of_kind(lines, "game")[0]
    assert game["record"] == json.loads(GameText.objects.get(game=world.verdict.game).body)
    findings = game["measurements"][0]["findings"]
    assert findings["memory_accuracy"]["references"][0]["text"]
    evaluation = game["evaluations"][0]
    assert (evaluation["evaluator"], evaluation["state"]) == (world.evaluator.name, "submitted")
    words = {judgement["word"] for judgement in evaluation["judgements"]}
    assert words == {"label", "override", "answer", "rating"}
    first, second = game["verdicts"]
    assert (first["is_current"], second["is_current"], second["supersedes"]) == (False, True, 1)
    assert second["by"] == world.lead.name
    stored = Verdict.objects.get(game=world.verdict.game, number=2)
    assert second["basis"] == json.loads(stored.basis)
    assert second["basis_sha256"] == bytes_hash(stored.basis.encode())


def test_every_act_says_what_was_before_and_after_it():
    evaluation = start()
    judge(evaluation, "question", "1", "yes")
    judge(evaluation, "question", "1", "no", reason="I read it again.")
    project = evaluation.game.project
    (game,) = read_lines(write_export(project, make_lead(project=project)), "game")
    (judgement,) = game["evaluations"][0]["judgements"]
    acts = [(act["before"], act["after"], act["reason"], act["by"]) for act in judgement["history"]]
    name = evaluation.evaluator.name
    assert acts == [("", "yes", "", name), ("yes", "no", "I read it again.", name)]
    assert (judgement["value"], judgement["blind_value"], judgement["word"]) == ("no", "no", "answer")


def test_comparisons_are_in_the_json_of_the_decision_record(world, lines):
    (comparison,) = of_kind(lines, "comparison")
    assert [response["author"] for response in comparison["responses"]] == ["", "some-model", ""]
    person, outside = comparison["reviews"]
    for review in (person, outside):
        by_number = {
            review["labels"][label]: given for label, given in review["answer"]["evaluations"].items()
        }
        assert {number: given["overall"] for number, given in by_number.items()} == {1: 8.15, 2: 8.1, 3: 6.0}
        assert {key: by_number[1][key] for key in RECORD_SCORES[1]} == RECORD_SCORES[1]
    places = person["answer"]["ranking"]
    assert [person["labels"][label] for label in places] == [1, 2, 3]
    assert (person["reviewer"], outside["reviewer"]) == (world.evaluator.name, "Reader 1")
    assert person["marks"][0]["history"][0]["before"] == ""


@pytest.mark.parametrize(
    ("of", "kinds"),
    [
        ("stage:1", {"rubric_version", "stage", "iteration", "game"}),
        ("iteration:1", {"rubric_version", "stage", "iteration", "game"}),
        ("game:1", {"rubric_version", "iteration", "game"}),
        ("set:1", {"rubric_version", "comparison_set", "comparison"}),
    ],
)
def test_a_part_of_a_project_holds_what_belongs_to_it(world, of, kinds):
    counts = read_lines(write_export(world.project, world.lead, of=of))[-1]["lines"]
    assert set(counts) == kinds | {"export"}
    assert counts.get("game", 0) == {"stage:1": 3, "iteration:1": 3, "game:1": 1}.get(of, 0)


@pytest.mark.parametrize("of", ["game:99", "stage:9", "set:2", "evaluation:1", "game:x"])
def test_what_is_not_there_is_refused(world, of):
    with pytest.raises(Unacceptable):
        write_export(world.project, world.lead, of=of)


@pytest.mark.parametrize("of", ["game:1", "stage:1", "iteration:1", "set:1", "game:99"])
def test_an_evaluator_exports_no_part_and_does_not_learn_which_there_are(world, of):
    with pytest.raises(NotAllowed):
        write_export(world.project, world.evaluator, of=of)


def test_tables_hold_a_row_for_each_thing(world):
    files = unzip(write_export(world.project, world.lead, "csv"))
    assert set(files) == {f"{table.name}.csv" for table in TABLES}
    tables = {name[:-4]: list(csv.DictReader(io.StringIO(text))) for name, text in files.items()}
    assert [row["game"] for row in tables["games"]] == ["1", "2", "3", "4"]
    assert tables["games"][0]["passes"] == "yes"
    messages = [row for row in tables["messages"] if row["game"] == "1"]
    assert [row["position"] for row in messages] == [str(number) for number in range(1, 13)]
    assert messages[0]["name"] == "Ann"
    assert {row["metric"] for row in tables["measurements"]} == set(METRICS) - {ENGAGEMENT}
    coherence = next(row for row in tables["measurements"] if row["metric"] == "coherence")
    share = 100 * int(coherence["numerator"]) / int(coherence["denominator"])
    assert float(coherence["score"]) == pytest.approx(share)
    rating = next(row for row in tables["judgements"] if row["word"] == "rating")
    assert (rating["value"], rating["evaluator"]) == ("3.5", world.evaluator.name)
    assert [row["number"] for row in tables["verdicts"] if row["game"] == "1"] == ["1", "2"]
    assert [row["kind"] for row in tables["iterations"]] == ["unsorted", "baseline", "change"]
    overalls = [row["score"] for row in tables["marks"] if row["criterion"] == "overall"]
    assert sorted(overalls) == ["6.0", "6.0", "8.1", "8.1", "8.15", "8.15"]


def test_a_report_tells_games_and_comparisons_and_one_game_in_detail(world):
    whole = write_export(world.project, world.lead, "markdown").decode()
    assert "## Games" in whole
    assert "## Comparisons" in whole
    assert "| coherence |" not in whole
    detailed = write_export(world.project, world.lead, "markdown", of="game:1").decode()
    assert re.search(r"### \d/7 PASS", detailed)
    assert "| coherence |" in detailed


@pytest.mark.parametrize("format_name", ["jsonl", "csv", "huggingface", "markdown"])
def test_pseudonyms_leave_no_name_address_or_key_of_a_person(world, format_name):
    data = write_export(world.project, world.lead, format_name, pseudonyms=True)
    text = data.decode() if format_name in ("jsonl", "markdown") else "".join(unzip(data).values())
    for person in (world.lead, world.evaluator):
        assert person.name not in text
        assert person.email not in text
    assert "Reader 1" not in text
    assert {"Evaluator 1", "Reviewer 1", "Lead 1"} - {
        name for name in ("Evaluator 1", "Reviewer 1", "Lead 1") if name in text
    } == set()


def test_pseudonyms_are_one_for_a_person_also_in_bases(world):
    lines = read_lines(write_export(world.project, world.lead, pseudonyms=True))
    game = of_kind(lines, "game")[0]
    name = game["evaluations"][0]["evaluator"]
    (submitted,) = game["verdicts"][0]["basis"]["evaluations"]
    assert (submitted["id"], submitted["evaluator"]) == (game["evaluations"][0]["id"], name)
    person, outside = of_kind(lines, "comparison")[0]["reviews"]
    assert person["reviewer"] == name
    assert outside["reviewer"].startswith("Reviewer")


def test_adjudications_say_what_was_decided_before():
    game = submitted_game(2, differing={LABEL: ("accurate", "vague")})
    first, second = list_evaluations(game)
    resolve_difference(game, adopted=second, reason="He says it twice.")
    resolve_difference(game, adopted=first, reason="Read it again.")
    (line,) = read_lines(write_export(game.project, make_lead(project=game.project)), "game")
    decided = [(row["number"], row["before"], row["after"], row["reason"]) for row in line["adjudications"]]
    assert decided == [(1, None, "vague", "He says it twice."), (2, "vague", "accurate", "Read it again.")]
    rows = unzip(write_export(game.project, make_lead(project=game.project), "csv"))["adjudications.csv"]
    assert "vague,He says it twice." in rows


def test_a_lead_who_still_reviews_a_set_exports_neither_its_reviews_nor_its_authors():
    lead = make_lead(project=make_project())
    made = make_set(by=lead, people=[lead], elsewhere=1, authors={1: "secret-author"})
    outside = made.reviewers.get(kind=ELSEWHERE)
    review_with(comparison=made.comparisons.get(), reviewer=outside, scores=RECORD_SCORES)
    data = write_export(made.project, lead)
    assert b"secret-author" not in data
    (comparison,), (held,) = read_lines(data, "comparison"), read_lines(data, "comparison_set")
    assert comparison["reviews"] == []
    assert "You review this set yourself" in held["left_out"]
    submitted(begin(made, by=lead))
    assert b"secret-author" in write_export(made.project, lead)


def test_an_evaluators_own_work_has_acts_marks_and_what_was_shown(world):
    lines = read_lines(write_export(world.project, world.evaluator))
    assert [line["kind"] for line in lines] == ["export", "own_evaluation", "own_review", "end"]
    head, evaluation, review, _end = lines
    assert (head["holds"], head["audit_head"]) == ("own work", None)
    assert (evaluation["game"], evaluation["state"]) == (1, "submitted")
    assert len(evaluation["transcript"]["messages"]) == 12
    assert set(evaluation["transcript"]["players"][0]) == {
        "number", "name", "message_count", "out_round", "is_confusable",
    }  # fmt: skip
    assert set(review["responses"]) == {"Response A", "Response B", "Response C"}
    assert "some-model" not in json.dumps(lines)
    assert {mark["about"] for mark in review["marks"]} == {"score"}


def test_what_was_set_aside_shows_no_transcript():
    evaluation = start()
    evaluation.__class__.objects.filter(pk=evaluation.pk).update(state="lapsed")
    (line,) = read_lines(write_export(evaluation.game.project, evaluation.evaluator), "own_evaluation")
    assert line["transcript"] is None


def test_a_reviewers_draft_is_exported_with_its_acts():
    lead = make_lead(project=make_project())
    reviewer = make_member(project=lead.memberships.get().project)
    made = make_set(by=lead, people=[reviewer])
    review = begin(made, by=reviewer)
    say(review, "score", "1.accuracy", "7")
    (own,) = read_lines(write_export(made.project, reviewer), "own_review")
    (mark,) = own["marks"]
    assert (own["state"], mark["about"], mark["value"]) == ("draft", "score", "7")
    (whole,) = read_lines(write_export(made.project, lead), "comparison")
    assert whole["reviews"][0]["marks"][0]["value"] == "7"


def test_a_worker_writes_the_same_bytes_as_the_command(world, settings):
    export = make_export(world.project, world.lead, of="game:1")
    assert settings.JOB_ACTIONS["export"].rpartition(".")[2] == build_project_export.__name__
    with open_file(export.stored_as) as file:
        lines = read_lines(file.read())
    again = read_lines(write_export(world.project, world.lead, of="game:1"))
    assert lines[1:] == again[1:]


def test_every_kind_of_judgement_has_a_word():
    assert set(JUDGEMENT_WORDS) == set(VALUES) >= set(ADJUDICATED_KINDS)


def test_a_project_without_anything_is_a_head_and_its_iteration():
    project = make_rating_project(slug="bare")
    lead = make_lead(project=project)
    assert read_lines(write_export(project, lead))[-1]["lines"] == {
        "export": 1, "rubric_version": 1, "iteration": 1,
    }  # fmt: skip
    assert write_export(project, make_member(project=project), "huggingface")


def test_the_docs_list_every_table_and_column():
    text = DOCS.read_text(encoding="utf-8")
    changes = [line for line in ndiff(text.splitlines(), write_tables(text).splitlines()) if line[0] in "+-"]
    assert not changes, "\n".join(
        ["python -m tools.export_tables writes these into docs/exports.md:", *changes]
    )


@pytest.mark.django_db
def test_a_verdict_is_checked_from_its_export_as_the_docs_say():
    game = make_shared_game()
    for evaluation, answer in zip(list_evaluations(game), ("no", "no", "yes"), strict=True):
        submit_as(evaluation, values={("strategic_depth", "3"): answer, ("coherence", "4"): answer})
    lead = make_lead(project=game.project)
    record(fresh(game), by=lead)
    (line,) = read_lines(write_export(game.project, lead), "game")
    verdict, measured = line["verdicts"][0], line["measurements"][-1]
    basis = verdict["basis"]
    text = DOCS.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["hash_basis"](basis) == verdict["basis_sha256"]
    assert measured["findings_sha256"] == basis["measured"]["findings_sha256"]
    for key in ("strategic_depth", "coherence"):
        counted, total = set(measured["findings"][key]["counted"]), len(line["record"]["messages"])
        for message in range(1, total + 1):
            said = [
                row["value"]
                for row in basis["judgements"]
                if (row["kind"], row["subject"]) == (key, str(message))
            ]
            if said:
                (counted.add if 2 * said.count("yes") > len(said) else counted.discard)(message)
        (found,) = (row for row in verdict["outcome"]["lines"] if row["key"] == key)
        assert (found["numerator"], found["denominator"]) == (len(counted), total)


def test_the_docs_name_every_format():
    text = DOCS.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in FILES)


def test_columns_and_tables_have_one_name_each():
    for tables in (TABLES, OWN_TABLES):
        assert len({table.name for table in tables}) == len(tables)
        for table in tables:
            assert len({column.name for column in table.columns}) == len(table.columns)
