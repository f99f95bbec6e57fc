"""The report of a recorded verdict: a page to print, and files in Markdown, JSON and CSV under names of ours."""

import html
import re
from pathlib import Path

import msgspec
import pytest
from django.urls import reverse
from django.utils.html import escape

from discussions.core.outcome import Outcome
from discussions.queries import rubric_record
from discussions.verdicts.core.report import COLUMNS
from tests.factories.rating import game_of, say_what_is_missing, start
from tests.factories.verdicts import game_to_record, get_lead, recorded_verdict

pytestmark = pytest.mark.django_db


DOCS = Path(__file__).parents[3] / "docs" / "report.md"
FORMS = ("report", "report_markdown", "report_json", "report_csv")
ENDINGS = {"report_markdown": "md", "report_json": "json", "report_csv": "csv"}


def address(game, name="report"):
    return reverse(name, args=[game.project.slug, game.number])


def test_the_page_says_the_seven_lines_the_result_and_who_judged(client):
    verdict = recorded_verdict()
    client.force_login(get_lead(verdict.game))
    said = client.get(address(verdict.game)).content.decode()
    for part in (
        "Memory accuracy",
        "Engagement",
        "Result",
        "Recommendation",
        "Evaluators",
        verdict.game.source_id,
        verdict.game.transcript.name,
        verdict.created_by.name,
    ):
        assert part in said


@pytest.mark.parametrize("name", ENDINGS)
def test_files_are_attachments_under_our_names(client, name):
    game = recorded_verdict().game
    client.force_login(get_lead(game))
    answer = client.get(address(game, name))
    ending = ENDINGS[name]
    assert (
        answer["Content-Disposition"]
        == f'attachment; filename="{game.project.slug}-game-{game.number}.{ending}"'
    )
    assert answer["Cache-Control"] == "no-store"


def test_the_json_is_the_record_and_fits_its_documented_format(client):
    verdict = recorded_verdict()
    client.force_login(get_lead(verdict.game))
    data = client.get(address(verdict.game, "report_json")).content
    report = msgspec.json.decode(data)
    recorded = report["verdict"]
    assert (report["format"], recorded["pass"], recorded["number"]) == (3, verdict.passes, 1)
    assert recorded["basis_sha256"] == verdict.basis_sha256
    assert [len(report["metrics"]), len(report["evaluators"])] == [7, 1]
    assert report["evaluators"][0]["rating"] == 3.5
    stored = msgspec.json.decode(verdict.outcome, type=Outcome).lines
    assert [(line["score"], line["numerator"], line["pass"]) for line in report["metrics"]] == [
        (line.score, line.numerator, line.passes) for line in stored
    ]
    assert report["game"]["id"] == verdict.game.source_id


def test_the_docs_name_every_key_of_the_json(client):
    verdict = recorded_verdict()
    client.force_login(get_lead(verdict.game))
    documented = set(re.findall(r"`(\w+)`", DOCS.read_text(encoding="utf-8")))
    found = client.get(address(verdict.game, "report_json")).json()
    parts = [
        found,
        found["game"],
        found["verdict"],
        *found["metrics"],
        *found["evaluators"],
        *found["overrides"],
    ]
    assert {key for part in parts for key in part} <= documented
    assert set(COLUMNS) <= documented
    assert f"## Format {found['format']}" in DOCS.read_text(encoding="utf-8")


def test_the_questions_stand_with_their_answers_and_no_sentence_twice(client):
    verdict = recorded_verdict()
    client.force_login(get_lead(verdict.game))
    said = client.get(address(verdict.game)).content.decode()
    page = said.split('<article class="stack loose">')[1].split("</article>")[0]
    version = verdict.rubric_version
    for question in rubric_record(version.pk, version.sha256).criterion("engagement").guiding_questions:
        assert page.count(escape(question)) == 1
    plain = html.unescape(re.sub(r"<[^>]+>", "\n", page))
    sentences = [line.strip() for line in plain.splitlines() if len(line.split()) > 5]
    assert sentences
    assert len(sentences) == len(set(sentences))


def test_no_raw_key_is_shown(client):
    verdict = recorded_verdict()
    client.force_login(get_lead(verdict.game))
    for name in ("report", "report_markdown"):
        said = client.get(address(verdict.game, name)).content.decode().split("<article")[-1]
        assert not re.findall(
            r"\b(?:not_a_reference|not_assessable|strategic_depth|role_consistency)\b", said
        )


def test_an_evaluator_gets_no_advice_for_those_who_write_prompts(client):
    verdict = recorded_verdict()
    client.force_login(verdict.created_by)
    for name in FORMS:
        answer = client.get(address(verdict.game, name))
        assert answer.status_code == 200
        assert "Recommendation" not in answer.content.decode()
    assert client.get(address(verdict.game, "report_json")).json()["recommendations"] == []


def test_advice_for_prompts_is_in_no_form_of_an_evaluators_report(client):
    verdict = recorded_verdict()
    advised = {}
    for person in (verdict.created_by, get_lead(verdict.game)):
        client.force_login(person)
        said = [client.get(address(verdict.game, name)).content.decode() for name in FORMS]
        advised[person.pk] = ["Recommendation" in text for text in said[:2]]
        advised[person.pk].append(msgspec.json.decode(said[2])["recommendations"] != [])
    assert list(advised.values()) == [[False] * 3, [True] * 3]


@pytest.mark.parametrize("name", FORMS)
def test_without_a_verdict_there_is_no_report(client, name):
    game = game_to_record()
    client.force_login(get_lead(game))
    answer = client.get(address(game, name))
    assert answer.status_code == 403
    assert "no verdict is recorded" in answer.content.decode()


@pytest.mark.parametrize("name", FORMS)
def test_who_has_not_handed_in_does_not_know_of_it(client, name):
    evaluation = start()
    say_what_is_missing(evaluation)
    client.force_login(evaluation.evaluator)
    assert client.get(address(evaluation.game, name)).status_code == 404


def test_hostile_names_stay_text(client):
    content = game_of(12)
    content["gameId"] = "<script>x</script>"
    verdict = recorded_verdict(content=content)
    verdict.game.project.name = "<b>P</b>"
    verdict.game.project.save()
    client.force_login(get_lead(verdict.game))
    page = client.get(address(verdict.game)).content.decode()
    assert "<b>P" not in page
    assert "\\<b\\>P" in client.get(address(verdict.game, "report_markdown")).content.decode()


def test_queries_are_the_same_for_a_small_and_a_large_game(client, django_assert_num_queries):
    for count in (12, 60):
        verdict = recorded_verdict(message_count=count)
        client.force_login(get_lead(verdict.game))
        client.get(address(verdict.game))
        with django_assert_num_queries(11):
            assert client.get(address(verdict.game)).status_code == 200
