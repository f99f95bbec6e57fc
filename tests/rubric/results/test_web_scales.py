"""A set whose version has three scales, from the people's pages to results, figures and `verify`.

Two people and one file: what is given is shown as "4 of 5", and every figure counts it on 1 to 10.
"""

import html
import re

import msgspec
import pytest
from django.test import Client
from django.urls import reverse

from rubric.checks.actions import CHECKS
from rubric.comparisons.actions import import_lines
from rubric.comparisons.core.lines import read_comparison_lines
from rubric.core.scales import Scale
from rubric.human_reviewers.actions import submit_marked_review
from rubric.models import SetFigures
from rubric.reviewer_statistics.queries import load_input
from tests.factories.human_reviewers import begin, fresh, list_reviewers, make_review_set, say_all, submitted
from tests.factories.people import NOW, make_admin, moment
from tests.factories.reviewer_statistics import figure
from tests.factories.versions import publish_three_scales
from tests.site.python_reprs import find_reprs
from workspace.checks.core import run_check
from workspace.core.words import say_stored
from workspace.statistics.alpha import krippendorff_alpha

# By the number of the response. The first response has the overalls 7.675 and 9.4, and 8.875 by the file.
FIRST = {"coherence": (4, 3, 2), "recommend": (1, 0, 1), "depth": (6, 4, 4)}
OTHER = {"coherence": (5, 2, 3), "recommend": (1, 0, 0), "depth": (8, 5, 4)}
BY_FILE = b"""{"comparison": "1", "reviewer": "Reader", "scale": [0, 100], "scores": {
 "1": {"coherence": 75, "recommend": 100, "depth": 100}, "2": {"coherence": 0, "recommend": 0, "depth": 0},
 "3": {"coherence": 50, "recommend": 50, "depth": 50}}}""".replace(b"\n", b"")


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """The set with its reviews and figures, for all tests of this module; undone at their end."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        found = make_review_set(people=3, version=publish_three_scales())
        for person, scores in zip(list_reviewers(found), (FIRST, OTHER), strict=False):
            submitted(begin(found, by=person), scores=scores)
        lines = read_comparison_lines(BY_FILE)
        assert import_lines(comparison_set=found, lines=lines, by=found.created_by, now=NOW).faults == []
        figure(found)
        yield found
        transaction.set_rollback(True)


def get_text(made, name, *more, person=None):
    client = Client()
    client.force_login(person or made.created_by)
    answer = client.get(reverse(name, args=[made.project.slug, made.number, *more]))
    assert answer.status_code == 200
    assert find_reprs(answer.content.decode()) == []
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.mark.django_db
def test_scores_are_shown_as_given_and_opened_into_what_counts(made):
    text = get_text(made, "comparison_result", 1)
    assert "Coherence 1 to 5 4 of 5 = 7.75 5 of 5 = 10.00 4 of 5 = 7.75 4.33 of 5" in text
    assert "Recommend 0 or 1 1 of 1 = 10.00 1 of 1 = 10.00 1 of 1 = 10.00 1.00 of 1" in text
    assert "Depth 1 to 10 6 of 10 8 of 10 10 of 10 8.00 of 10" in text
    assert "Overall 7.68 9.40 8.88 8.65" in text
    assert "brought to 1 to 10 first: 1 + 9 × (score − lowest) / (highest − lowest)" in text
    assert "mapped onto the scale of each criterion" in text


@pytest.mark.django_db
def test_a_set_shows_means_on_the_scales_and_the_overall_on_the_common_one(made):
    text = get_text(made, "set_results")
    assert re.search(r"Coherence [\d.]+ % 1 to 5 Recommend [\d.]+ % 0 or 1 Depth [\d.]+ % 1 to 10", text)
    assert re.search(r"4\.33 of 5 1\.00 of 1 8\.00 of 10", text) and " 8.65 " in text


@pytest.mark.django_db
def test_figures_count_on_the_common_scale_and_agreement_is_that_of_the_scores_as_given(made):
    given = load_input(made)
    assert given.scales["coherence"] == Scale(1, 5)
    assert {float(row.scores["recommend"]) for row in given.rows} == {1.0, 5.5, 10.0}
    body = msgspec.json.decode(SetFigures.objects.get(set=made, kind="agreement").body)
    lines = {line["key"]: line for line in body["report"]["lines"]}
    as_given = krippendorff_alpha([[4, 5, 4], [3, 2, 1], [2, 3, 3]], level="interval")
    assert lines["coherence"]["alpha"]["value"] == pytest.approx(as_given.value)
    flat = msgspec.json.decode(SetFigures.objects.get(set=made, kind="manners").body)["flat"]
    assert {say_stored(line["reason"]) for line in flat} == {
        "No two criteria have the same scale, so no score can be the same on both."
    }


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["set_reviewers", "set_agreement", "set_success", "set_weights"])
def test_the_pages_of_figures_open(made, name):
    assert get_text(made, name)


@pytest.mark.django_db
def test_a_reviewer_is_shown_with_the_scores_as_given(made):
    reviewer = made.reviewers.get(person=list_reviewers(made)[0])
    assert "4 of 5 1 of 1 6 of 10 – 7.68" in get_text(made, "set_reviewer", reviewer.pk)


@pytest.mark.django_db
def test_verify_finds_every_score_on_its_scale(made):
    assert [said for check in CHECKS for said in run_check(check, moment(90)).breaches] == []


@pytest.mark.django_db
def test_the_page_of_a_reviewer_offers_the_steps_of_each_scale(made):
    person = list_reviewers(made)[2]
    review = begin(made, by=person)
    client = Client()
    client.force_login(person)
    page = client.get(reverse("review", args=[review.pk])).content.decode()
    assert find_reprs(page) == []
    assert [f'value="score~1.coherence~0~{point}"' in page for point in range(7)] == [
        *[False], *[True] * 5, *[False],
    ]  # fmt: skip
    assert [f'value="score~1.recommend~0~{point}"' in page for point in range(3)] == [True, True, False]
    assert "Scale: 0 or 1" in page
    refused = client.post(
        reverse("mark", args=[review.pk]),
        {"act": "score~1.recommend~0~7", "nonce": "0123456789abcdef", "step": "criteria"},
        headers={"HX-Request": "true", "HX-Target": "answer"},
    )
    assert "“7” is no score for Recommend, whose scale is 0 or 1." in refused.content.decode()
    say_all(review, scores=FIRST)
    page = client.get(reverse("review", args=[review.pk])).content.decode()
    assert "Scale: 1 to 5" in page
    assert re.search(r'name="act"\s+value="score~\d.coherence~1~4"[^>]*aria-pressed="true"', page)
    submit_marked_review(review=fresh(review, person), by=person, now=NOW)
    text = client.get(reverse("review", args=[review.pk])).content.decode()
    assert "4 of 5" in text and "7.68" in text and "brought to 1 to 10 first" in text


@pytest.mark.django_db
def test_the_page_of_the_version_says_the_scales(made):
    client = Client()
    client.force_login(make_admin())
    version = made.rubric_version
    page = client.get(reverse("rubric_version", args=[version.rubric.key, version.number])).content.decode()
    assert "<dd>1 to 5</dd>" in page and "<dd>0 or 1</dd>" in page
