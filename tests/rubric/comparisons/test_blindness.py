"""Whoever could see answers or results of a set reviews in it without being blind; own responses name nobody."""

import html
import re

import pytest
from django.urls import reverse

from rubric.comparisons.actions import (
    add_comparisons,
    add_reviewer,
    close_set,
    end_reviewer,
    import_lines,
    reopen_set,
)
from rubric.comparisons.core.lines import NewComparison, NewResponse, read_comparison_lines
from rubric.models import ComparisonSet
from rubric.models.comparisons import PERSON
from rubric.results.actions import pass_survey_over
from rubric.reviewer_statistics.queries import count_not_blind, load_input
from tests.factories.comparisons import make_set
from tests.factories.human_reviewers import begin, submitted
from tests.factories.people import NOW, make_lead, make_member, make_project, moment

pytestmark = pytest.mark.django_db
LINE = b'{"comparison": "1", "reviewer": "Reader", "scores": {"1": {"accuracy": 5}, "2": {"accuracy": 9}}}'


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def lead(project):
    return make_lead(project=project)


def bring(made):
    read = read_comparison_lines(LINE)
    assert import_lines(comparison_set=made, lines=read, by=made.created_by, now=NOW).reviews == 1


def add(made, person):
    return add_reviewer(comparison_set=made, kind=PERSON, person=person, by=made.created_by, now=moment(1))


def get_text(client, person, made):
    client.force_login(person)
    answer = client.get(reverse("comparison_result", args=[made.project.slug, made.number, 1]))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def test_a_lead_who_could_see_results_is_not_blind_and_out_of_the_figures(client, project, lead):
    made = make_set(by=lead)
    member = make_member(project=project)
    bring(made)
    assert add(made, member).could_see_since is None
    add(made, lead)
    assert made.reviewers.get(person=lead).could_see_since == moment(1)
    assert submitted(begin(made, by=member)).is_blind
    review = submitted(begin(made, by=lead))
    review.refresh_from_db()
    assert not review.is_blind
    assert {row.reviewer for row in load_input(made).rows} == {
        str(reviewer.pk) for reviewer in made.reviewers.exclude(person=lead)
    }
    assert count_not_blind(made) == 1
    assert "1 review is not blind" in get_text(client, lead, made)
    client.force_login(lead)
    page = client.get(reverse("comparison_set", args=[project.slug, made.number])).content.decode()
    assert "could see answers or results" in page


def test_a_lead_who_reviews_from_the_start_is_blind_until_all_is_submitted(lead):
    made = make_set(by=lead, people=[lead])
    bring(made)
    assert submitted(begin(made, by=lead)).is_blind
    two = [NewResponse(text="One."), NewResponse(text="Another.")]
    add_comparisons(
        comparison_set=made, comparisons=[NewComparison("What else?", two)], by=lead, now=moment(2)
    )
    assert made.reviewers.get(person=lead).could_see_since == moment(2)


def test_closing_shows_results_to_those_who_review_then(project, lead):
    stays, goes = make_member(project=project), make_member(project=project)
    made = make_set(by=lead, people=[stays, goes])
    bring(made)
    end_reviewer(reviewer=made.reviewers.get(person=goes), by=lead, now=NOW)
    close_set(comparison_set=made, by=lead, now=moment(3))
    reopen_set(comparison_set=made, by=lead, now=moment(4))
    assert add(made, goes).could_see_since is None
    assert made.reviewers.get(person=stays).could_see_since == moment(3)
    review = submitted(begin(made, by=stays))
    review.refresh_from_db()
    assert not review.is_blind


def test_other_reviewers_are_not_told_who_wrote_what(client, project, lead):
    writer, other = make_member(project=project), make_member(project=project)
    made = make_set(by=lead, people=[writer, other], authors={1: writer.email, 2: "Beta", 3: "Gamma"})
    for person in (writer, other):
        submitted(begin(made, by=person))
    close_set(comparison_set=made, by=lead, now=NOW)
    made = ComparisonSet.objects.get(pk=made.pk)
    for person in (writer, other):
        pass_survey_over(comparison=made.comparisons.get(), by=person, now=NOW)
    named = f"{writer.name} ({writer.name}, not shown)"
    assert named in get_text(client, lead, made)
    assert named in get_text(client, writer, made)
    shown = get_text(client, other, made)
    assert "1 reviewer's own response does not count in their review." in shown
    assert "not shown" not in shown and "who wrote it" not in shown
