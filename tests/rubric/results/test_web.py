"""The survey on the screen: before a result opens, with what the arm shows, and on the result afterwards."""

import pytest
from django.urls import reverse

from rubric.models import Survey
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import make_lead, make_member, make_project
from tests.factories.reviewer_statistics import close

pytestmark = pytest.mark.django_db


BREAKDOWN = "Mean scores by criterion"


ANSWER = {"do": "answer", "understood": "4", "named": "accuracy", "text": ""}


@pytest.fixture
def made():
    project = make_project()
    person = make_member(project=project)
    made = make_set(by=make_lead(project=project), people=[person], questions=2)
    for comparison in made.comparisons.all():
        review_with(comparison=comparison, reviewer=made.reviewers.get(), scores=RECORD_SCORES, by=person)
    close(made)
    return made


@pytest.fixture
def reviewer(client, made):
    client.force_login(made.reviewers.get().person)
    return client


def at(name, made, comparison=1):
    return reverse(name, args=[made.project.slug, made.number, comparison])


def test_a_result_opens_after_the_survey_and_a_get_writes_nothing(reviewer, made):
    sent = reviewer.get(at("comparison_result", made))
    assert (sent.status_code, sent["Location"]) == (302, at("survey", made))
    said = reviewer.get(at("survey", made)).content.decode()
    assert "Tell us whether this result is clear" in said
    for words in ("8.15", BREAKDOWN, "I understand why"):
        assert words not in said
    assert not Survey.objects.exists()


@pytest.mark.parametrize(("arm", "is_shown"), [("with", True), ("without", False)])
def test_the_arm_decides_what_is_shown_while_answering(reviewer, made, arm, is_shown):
    started = reviewer.post(at("survey", made), {"do": "begin"})
    assert (started.status_code, started["Location"]) == (303, at("survey", made))
    Survey.objects.update(arm=arm)
    said = reviewer.get(at("survey", made)).content.decode()
    for words in ("8.15", "8.10", "I understand why A ranked above B.", "I can&#39;t tell"):
        assert words in said
    assert (BREAKDOWN in said) == is_shown
    assert reviewer.get(at("comparison_result", made)).status_code == 302
    answered = reviewer.post(at("survey", made), ANSWER)
    assert (answered.status_code, answered["Location"]) == (303, at("comparison_result", made))
    said = reviewer.get(at("comparison_result", made)).content.decode()
    assert "You rated your understanding 4 of 5." in said
    assert "which separated A and B most" in said
    assert reviewer.get(at("survey", made))["Location"] == at("comparison_result", made)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"understood": ""}, "Choose one answer."),
        ({"named": ""}, "Choose one answer."),
        ({"understood": "6"}, "Choose from 1 to 5."),
        ({"named": "luck"}, "Select a valid choice"),
        ({"text": "x" * 2001}, "2000"),
    ],
)
def test_a_faulty_answer_is_kept_on_the_page_and_not_stored(reviewer, made, changes, fault):
    reviewer.post(at("survey", made), {"do": "begin"})
    answer = reviewer.post(at("survey", made), ANSWER | {"text": "Fine"} | changes)
    assert answer.status_code == 422
    assert fault in answer.content.decode()
    assert Survey.objects.get().answered_at is None


def test_what_no_page_sends_is_malformed(reviewer, made):
    assert reviewer.post(at("survey", made), {"do": "peek"}).status_code == 400
    assert reviewer.post(at("survey", made), ANSWER | {"luck": "1"}).status_code == 400
    assert reviewer.post(at("survey", made), ANSWER).status_code == 409


def test_passing_over_opens_everything(reviewer, made):
    passed = reviewer.post(at("survey", made), {"do": "pass"})
    assert (passed.status_code, passed["Location"]) == (303, at("comparison_result", made))
    for comparison in (1, 2):
        assert reviewer.get(at("comparison_result", made, comparison)).status_code == 200


def test_leads_see_results_at_once_and_strangers_nothing(client, made):
    client.force_login(made.created_by)
    assert client.get(at("comparison_result", made)).status_code == 200
    refused = client.get(at("survey", made))
    assert refused.status_code == 403
    assert "The survey asks reviewers alone." in refused.content.decode()
    client.force_login(make_member(project=made.project))
    assert client.get(at("survey", made)).status_code == 404
    assert client.get(at("survey", made, 9)).status_code == 404


def test_answers_are_on_the_success_page(client, reviewer, made):
    reviewer.post(at("survey", made), {"do": "begin"})
    Survey.objects.update(arm="with")
    reviewer.post(at("survey", made), ANSWER)
    page = reverse("set_success", args=[made.project.slug, made.number])
    said = reviewer.get(page).content.decode()
    assert "People understand results better with scores by criterion." in said
    assert "100\u00a0%" in said
    assert "Nobody in the arm without the breakdown has answered." in said


def test_queries(reviewer, made, django_assert_num_queries):
    reviewer.post(at("survey", made), {"do": "begin"})
    with django_assert_num_queries(15):
        assert reviewer.get(at("survey", made)).status_code == 200
