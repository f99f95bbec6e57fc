"""The report of a recorded verdict: a page to print, Markdown and JSON under names of ours."""

import msgspec
import pytest
from django.urls import reverse

from discussions.verdicts.core.report import Report
from tests.factories.rating import game_of, say_what_is_missing, start
from tests.factories.verdicts import game_to_settle, get_lead, settled

pytestmark = pytest.mark.django_db


FORMS = ("report", "report_markdown", "report_json")


def address(game, name="report"):
    return reverse(name, args=[game.project.slug, game.number])


def test_the_page_says_the_seven_lines_the_result_and_who_judged(client):
    verdict = settled()
    client.force_login(get_lead(verdict.game))
    said = client.get(address(verdict.game)).content.decode()
    for part in (
        "Memory accuracy",
        "Engagement",
        "Result",
        "Recommendation",
        "Who judged",
        verdict.created_by.name,
    ):
        assert part in said


@pytest.mark.parametrize("name", ["report_markdown", "report_json"])
def test_files_are_attachments_under_our_names(client, name):
    game = settled().game
    client.force_login(get_lead(game))
    answer = client.get(address(game, name))
    ending = "md" if name == "report_markdown" else "json"
    assert (
        answer["Content-Disposition"]
        == f'attachment; filename="{game.project.slug}-game-{game.number}.{ending}"'
    )
    assert answer["Cache-Control"] == "no-store"


def test_the_json_is_the_record(client):
    verdict = settled()
    client.force_login(get_lead(verdict.game))
    report = msgspec.json.decode(client.get(address(verdict.game, "report_json")).content, type=Report)
    assert (report.passes, report.number, report.basis_sha256) == (verdict.passes, 1, verdict.basis_sha256)
    assert [len(report.lines), len(report.judges)] == [7, 1]
    assert report.judges[0].rating == "3.5"


@pytest.mark.parametrize("name", FORMS)
def test_without_a_verdict_there_is_no_report(client, name):
    game = game_to_settle()
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
    verdict = settled(content=content)
    verdict.game.project.name = "<b>P</b>"
    verdict.game.project.save()
    client.force_login(get_lead(verdict.game))
    page = client.get(address(verdict.game)).content.decode()
    assert "<b>P" not in page
    assert "\\<b\\>P" in client.get(address(verdict.game, "report_markdown")).content.decode()


def test_queries_are_the_same_for_a_small_and_a_large_game(client, django_assert_num_queries):
    for count in (12, 60):
        verdict = settled(message_count=count)
        client.force_login(get_lead(verdict.game))
        client.get(address(verdict.game))
        with django_assert_num_queries(12):
            assert client.get(address(verdict.game)).status_code == 200
