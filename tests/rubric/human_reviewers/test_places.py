"""Some people for each comparison: given to those who take it first, an incomplete and connected design."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse

from rubric.comparisons.actions import change_people_needed
from rubric.core.response_order import order_places
from rubric.human_reviewers.queries.waiting import waiting_sets
from rubric.models import Comparison, ComparisonSet, Review
from rubric.reviews.permissions import check_see_results
from rubric.reviews.queries import PLACE_LEASE, count_taken
from tests.factories.comparisons import make_set
from tests.factories.human_reviewers import begin, list_reviewers, make_review_set, submitted
from tests.factories.people import NOW, make_lead, make_member, make_project
from workspace.access.permissions import may
from workspace.core.refusals import Conflict, NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


def states(person):
    [waiting_set] = waiting_sets(person)
    numbers = dict(Comparison.objects.values_list("pk", "number"))
    return {numbers[waiting.comparison]: waiting.state for waiting in waiting_set.comparisons}


def test_a_comparison_that_has_its_people_is_given_to_nobody_else(client):
    made = make_review_set(people=3, questions=2, people_needed=1)
    left, middle, right = list_reviewers(made)
    submitted(begin(made, by=left, number=1))
    assert states(left) == {1: "submitted", 2: "to_review"}
    assert states(middle) == {1: "full", 2: "to_review"}
    with pytest.raises(Conflict, match="All slots of this comparison"):
        begin(made, by=middle, number=1)
    begin(made, by=middle, number=2)
    client.force_login(right)
    assert "1 taken by others" in client.get(reverse("reviews")).content.decode()
    client.force_login(made.created_by)
    page = " ".join(
        client.get(reverse("comparison_set", args=[made.project.slug, made.number])).content.decode().split()
    )
    assert "1 person reviews each comparison:" in page and "1 (equal share: 1)" in page


def test_a_place_goes_back_when_its_lease_is_over_and_the_work_is_kept():
    made = make_review_set(people=2, people_needed=1)
    left, _right = list_reviewers(made)
    review = begin(made, by=left)
    key = made.comparisons.get().pk
    assert count_taken([made], now=NOW) == {key: 1}
    assert count_taken([made], now=NOW + PLACE_LEASE + timedelta(seconds=1)) == {key: 0}
    started = Comparison.objects.get(pk=key).reviews.get()
    assert started == review
    assert begin(made, by=left).pk == review.pk


def test_a_second_round_waits_for_as_many_as_are_needed():
    made = make_review_set(people=3, people_needed=2, has_second_round=True)
    left, right, other = list_reviewers(made)
    for person in (left, right):
        submitted(begin(made, by=person))
    assert begin(made, by=left).round == 2
    assert states(other) == {1: "full"}
    assert Review.objects.filter(round=2).count() == 1


def test_a_lead_who_reviews_sees_results_when_no_place_is_left_to_take():
    project = make_project()
    lead, member = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[lead, member], people_needed=1, questions=2)
    submitted(begin(made, by=lead, number=1))
    assert not may(check_see_results, lead, made)
    submitted(begin(made, by=member, number=2))
    assert may(check_see_results, lead, ComparisonSet.objects.get(pk=made.pk))


def test_the_number_of_people_is_changed_later_with_an_event(client):
    made = make_review_set(people=3, people_needed=1)
    left, right, _other = list_reviewers(made)
    submitted(begin(made, by=left))
    assert states(right) == {1: "full"}
    address = reverse("change_people_needed", args=[made.project.slug, made.number])
    client.force_login(made.created_by)
    refused = client.post(address, {"people_needed": "0"})
    assert (refused.status_code, "<details open>" in refused.content.decode()) == (422, True)
    for _again in range(2):
        assert client.post(address, {"people_needed": "2"}).status_code == 303
    event = Event.objects.get(verb="comparison_set:places_changed")
    assert json.loads(event.detail) == {"before": 1, "people_needed": 2}
    assert states(right) == {1: "to_review"}
    submitted(begin(made, by=right))
    client.post(address, {"people_needed": "1"})
    assert Review.objects.filter(state="submitted").count() == 2, "what was submitted counts on"
    client.post(address, {"people_needed": ""})
    assert ComparisonSet.objects.get(pk=made.pk).people_needed is None
    with pytest.raises(NotAllowed):
        change_people_needed(comparison_set=made, people_needed=3, by=left, now=NOW)


def test_with_more_places_a_lead_who_could_see_results_reviews_not_blind():
    project = make_project()
    lead, member = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[lead, member], people_needed=1)
    submitted(begin(made, by=member))
    change_people_needed(comparison_set=made, people_needed=2, by=lead, now=NOW)
    rows = made.reviewers.values_list("person", "could_see_since")
    assert dict(rows) == {lead.pk: NOW, member.pk: None}


@pytest.mark.parametrize(("people", "needed", "count"), [(6, 2, 30), (10, 3, 60), (4, 2, 8)])
def test_the_design_is_incomplete_even_and_connected(people, needed, count):
    taken, had = dict.fromkeys(range(count), 0), {person: set() for person in range(people)}
    for _turn in range(count):
        for person, done in had.items():
            open_ones = {key: at for key, at in taken.items() if at < needed and key not in done}
            if open_ones:
                key = order_places(open_ones, f"places {person}")[0]
                taken[key] += 1
                done.add(key)
    assert set(taken.values()) == {needed}
    sizes = [len(done) for done in had.values()]
    assert max(sizes) - min(sizes) <= 2
    reached, grown = set(), set(had[0])
    while grown != reached:
        reached = set(grown)
        grown |= {key for done in had.values() if done & reached for key in done}
    assert reached == set(taken)
