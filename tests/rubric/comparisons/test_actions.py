"""Comparison sets: opened, filled, given reviewers, closed; and reviews from their order to what counts.

Comparisons and reviews that come by file: all or none, once, and under the right reviewer.
"""

import json
from fractions import Fraction

import pytest

from rubric.comparisons.actions import (
    ImportSummary,
    add_comparisons,
    add_reviewer,
    close_set,
    end_reviewer,
    import_lines,
    import_reviews,
    open_set,
    reopen_set,
)
from rubric.comparisons.core.lines import NewComparison, NewResponse, ReviewGiven, read_comparison_lines
from rubric.core.records import ReviewRecord
from rubric.models import Answer, Comparison, ComparisonSet, Response, Review, ReviewedResponse
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.reviews.actions import begin_review, record_submission, supersede_review
from rubric.reviews.permissions import check_see_results
from rubric.reviews.queries import load_reviewed, set_hash, to_rows
from tests.factories.comparisons import RECORD_SCORES, make_set, response_version, review_with
from tests.factories.people import NOW, make_lead, make_member, make_person, make_project
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db
TWO = [NewResponse(text="One."), NewResponse(text="Another.")]


def first_review(made: ComparisonSet) -> Review:
    """The review of the first reviewer of the first comparison."""
    comparison, reviewer = made.comparisons.get(number=1), made.reviewers.first()
    return begin_review(comparison=comparison, reviewer=reviewer, by=made.created_by, now=NOW)


def test_sets_count_within_their_project_and_say_what_was_opened():
    lead = make_lead(project=make_project())
    first, two = make_set(by=lead), make_set(by=lead, name="More soup")
    assert (first.number, two.number) == (1, 2)
    assert make_set().number == 1
    verbs = Event.objects.filter(object_kind="comparison_set", object_id=first.pk).values_list(
        "verb", flat=True
    )
    assert list(verbs) == ["comparison_set:opened", "comparison_set:filled"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"name": "  "}, "name"), ({"mode": "both ways"}, "mode"), ({"name": "n" * 201}, "name")],
)
def test_a_set_that_cannot_be_is_not_opened(changes, field):
    lead = make_lead(project=make_project())
    given = {"name": "Soup", "mode": "both", "version": response_version()} | changes
    with pytest.raises(Unacceptable) as refusal:
        open_set(project=lead.memberships.get().project, **given, by=lead, now=NOW)
    assert refusal.value.field == field
    assert not ComparisonSet.objects.exists()


def test_only_leads_open_sets():
    project = make_project()
    with pytest.raises(NotAllowed):
        open_set(
            project=project,
            name="Soup",
            version=response_version(),
            mode="both",
            by=make_member(project=project),
            now=NOW,
        )


def test_comparisons_come_all_or_none():
    made = make_set()
    bad = [NewComparison("Fine?", TWO), NewComparison("One response?", TWO[:1])]
    with pytest.raises(Unacceptable, match="There is 1 response;"):
        add_comparisons(comparison_set=made, comparisons=bad, by=made.created_by, now=NOW)
    known = [NewComparison("Fine?", TWO, key="1")]
    with pytest.raises(Conflict, match='the id "1" already'):
        add_comparisons(comparison_set=made, comparisons=known, by=made.created_by, now=NOW)
    assert made.comparisons.count() == 1


def test_an_author_with_an_account_is_that_person_and_never_reviews_the_own_response():
    writer = make_person(name="Writer")
    project = make_project()
    lead = make_lead(project=project)
    make_member(project=project, person=writer)
    made = make_set(by=lead, responses=3, authors={2: writer.email.upper()}, people=[writer])
    response = Response.objects.get(number=2)
    assert (response.author, response.written_by) == ("Writer", writer)
    assert sorted(first_review(made).order) == [1, 3]


def test_with_too_many_own_responses_there_is_nothing_to_review():
    project = make_project()
    writer = make_member(project=project)
    made = make_set(by=make_lead(project=project), responses=2, authors={1: writer.email}, people=[writer])
    with pytest.raises(NotAllowed):
        first_review(made)
    assert not Review.objects.exists()


def test_reviewers_are_members_once_and_can_be_taken_out_and_let_in_again():
    project = make_project()
    lead, person = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead)
    with pytest.raises(Unacceptable, match="belongs to this project"):
        add_reviewer(comparison_set=made, kind=PERSON, person=make_person(), by=lead, now=NOW)
    reviewer = add_reviewer(comparison_set=made, kind=PERSON, person=person, by=lead, now=NOW)
    assert add_reviewer(comparison_set=made, kind=PERSON, person=person, by=lead, now=NOW) == reviewer
    end_reviewer(reviewer=reviewer, by=lead, now=NOW)
    with pytest.raises(Conflict):
        end_reviewer(reviewer=reviewer, by=lead, now=NOW)
    assert add_reviewer(comparison_set=made, kind=PERSON, person=person, by=lead, now=NOW).ended_at is None


def test_a_closed_set_takes_nothing_until_it_is_opened_again():
    made = make_set(elsewhere=1)
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    made.refresh_from_db()
    with pytest.raises(NotAllowed, match="closed"):
        add_comparisons(
            comparison_set=made, comparisons=[NewComparison("?", TWO)], by=made.created_by, now=NOW
        )
    with pytest.raises(NotAllowed):
        first_review(made)
    reopen_set(comparison_set=made, by=made.created_by, now=NOW)
    made.refresh_from_db()
    assert first_review(made).state == "draft"


def test_the_same_reviewer_gets_the_same_review_and_order_again():
    made = make_set(elsewhere=2, responses=5)
    review = first_review(made)
    assert first_review(made) == review
    assert sorted(review.order) == [1, 2, 3, 4, 5]


def test_what_was_submitted_is_stored_once_by_response_and_position():
    made = make_set(elsewhere=1)
    comparison, reviewer = Comparison.objects.get(), made.reviewers.get()
    review = review_with(comparison=comparison, reviewer=reviewer, scores=RECORD_SCORES)
    stored = {response.response.number: response for response in ReviewedResponse.objects.all()}
    assert {number: response.scores for number, response in stored.items()} == RECORD_SCORES
    assert [review.order[stored[number].position - 1] for number in (1, 2, 3)] == [1, 2, 3]
    assert (review.state, review.mode) == ("submitted", "rubric")
    with pytest.raises(Conflict, match="submitted already"):
        record_submission(review=review, record=ReviewRecord("rubric", []), by=made.created_by, now=NOW)


def test_the_overalls_of_the_decision_record_come_back_from_the_rows():
    made = make_set(elsewhere=1)
    review_with(comparison=Comparison.objects.get(), reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    weights = {criterion.key: criterion.weight for criterion in response_version().to_record().criteria}
    shares = {key: Fraction(str(weight)) for key, weight in weights.items()}
    overalls = [float(review.to_judgement(shares).overall) for review in load_reviewed(made)]
    assert overalls == [8.15, 8.1, 6.0]


def test_a_models_own_response_is_marked_so():
    made = make_set(authors={2: "Big-Model"})
    model = add_reviewer(comparison_set=made, kind=MODEL, name="big-model", by=made.created_by, now=NOW)
    review_with(comparison=Comparison.objects.get(), reviewer=model, scores=RECORD_SCORES)
    assert [review.is_own for review in load_reviewed(made)] == [False, True, False]


def test_the_second_round_counts_but_the_first_can_be_asked_for():
    made = make_set(elsewhere=1, has_second_round=True)
    comparison, reviewer = Comparison.objects.get(), made.reviewers.get()
    review_with(comparison=comparison, reviewer=reviewer, scores=RECORD_SCORES)
    revised = RECORD_SCORES | {1: RECORD_SCORES[1] | {"accuracy": 1}}
    before = set_hash(made)
    review_with(comparison=comparison, reviewer=reviewer, scores=revised, round_number=2)
    assert set_hash(made) != before
    assert [review.scores["accuracy"] for review in load_reviewed(made)] == [1, 7, 6]
    assert [row.scores["accuracy"] for row in to_rows(load_reviewed(made, round_number=1))] == [9, 7, 6]


def test_a_superseded_review_counts_no_more_and_makes_room_for_another():
    made = make_set(elsewhere=1)
    comparison, reviewer = Comparison.objects.get(), made.reviewers.get()
    review = review_with(comparison=comparison, reviewer=reviewer, scores=RECORD_SCORES)
    supersede_review(review=review, by=made.created_by, now=NOW)
    assert load_reviewed(made) == []
    assert first_review(made).pk != review.pk
    with pytest.raises(Conflict):
        supersede_review(review=review, by=made.created_by, now=NOW)


def test_who_sees_results_when():
    project = make_project()
    lead, evaluator = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[evaluator])
    assert get_refusal(check_see_results, lead, made) == ""
    assert "when the set is closed" in get_refusal(check_see_results, evaluator, made)
    assert "team leads" in get_refusal(check_see_results, make_member(project=project), made)
    own = add_reviewer(comparison_set=made, kind=PERSON, person=lead, by=lead, now=NOW)
    assert "Submit all your reviews first" in get_refusal(check_see_results, lead, made)
    review_with(comparison=Comparison.objects.get(), reviewer=own, scores=RECORD_SCORES)
    assert get_refusal(check_see_results, lead, made) == ""
    close_set(comparison_set=made, by=lead, now=NOW)
    made.refresh_from_db()
    assert get_refusal(check_see_results, evaluator, made) == ""


def test_names_of_reviewers_elsewhere_are_unique_within_a_set():
    made = make_set(elsewhere=1)
    again = add_reviewer(comparison_set=made, kind=ELSEWHERE, name="Reader 1", by=made.created_by, now=NOW)
    assert made.reviewers.get() == again


def test_a_lead_who_reviews_two_rounds_sees_no_results_between_them():
    project = make_project()
    lead, other = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[lead, other], has_second_round=True)
    comparison = made.comparisons.get()
    reviewers = made.reviewers.order_by("pk")
    for round_number in (1, 2):
        for reviewer in reviewers:
            assert "Submit both rounds" in get_refusal(check_see_results, lead, made)
            given = {"scores": RECORD_SCORES, "round_number": round_number, "by": reviewer.person}
            review_with(comparison=comparison, reviewer=reviewer, **given)
            if (round_number, reviewer.person) == (2, lead):
                break
    assert get_refusal(check_see_results, lead, made) == ""


TEA = {
    "id": "tea",
    "question": "How long does tea draw?",
    "responses": [
        {"id": "a", "text": "Three minutes."},
        {"id": "b", "text": "It depends.", "author": "Big-Model"},
    ],
}

PLAIN = {"comparison": "tea", "reviewer": "Reader", "scores": {"a": {"holistic": 4}, "b": {"holistic": 8}}}

TEXT = {
    "comparison": "tea",
    "reviewer": "Judge",
    "labels": {"Response A": "b", "Response B": "a"},
    "text": 'B is better. {"scores": {"Response A": 5, "Response B": 7}}',
}


def bring(made: ComparisonSet, *values: dict) -> ImportSummary:
    lines = read_comparison_lines("\n".join(map(json.dumps, values)).encode())
    return import_lines(comparison_set=made, lines=lines, by=made.created_by, now=NOW)


def codes(brought: ImportSummary) -> list[tuple[int, str]]:
    return [(fault.line, fault.code) for fault in brought.faults]


def test_comparisons_and_their_reviews_come_in_one_file():
    made = make_set(questions=0)
    assert bring(made, TEA, PLAIN, TEXT) == ImportSummary(comparisons=1, reviews=2)
    reader = made.reviewers.get(name="Reader")
    assert (reader.kind, made.reviewers.count()) == (ELSEWHERE, 2)
    given = {(review.reviewer, review.response): review.holistic for review in load_reviewed(made)}
    judge = made.reviewers.get(name="Judge").pk
    assert given == {(reader.pk, 1): 4, (reader.pk, 2): 8, (judge, 1): 7, (judge, 2): 5}
    review = Review.objects.get(reviewer=judge)
    assert (review.order, review.state, review.seed) == ([2, 1], "submitted", "")
    assert review.answers.get().text == TEXT["text"]
    assert Event.objects.filter(verb="review:handed_in").count() == 2


def test_the_same_file_again_adds_nothing():
    made = make_set(questions=0)
    bring(made, TEA, PLAIN, TEXT)
    assert bring(made, TEA, PLAIN, TEXT) == ImportSummary(known=3)
    more = PLAIN | {"reviewer": "Another"}
    assert bring(made, PLAIN, more, more) == ImportSummary(reviews=1, known=2)
    assert (Comparison.objects.count(), Review.objects.count(), Answer.objects.count()) == (1, 3, 1)


def test_with_one_fault_nothing_comes_in_and_all_are_named():
    made = make_set(questions=0)
    wrong = [
        TEA,
        PLAIN,
        PLAIN | {"comparison": "coffee"},
        PLAIN | {"reviewer": "R", "scores": {"a": {"style": 1}, "b": {"holistic": 1}}},
        {"id": "x"},
    ]
    found = bring(made, *wrong)
    assert codes(found) == [(3, "unknown"), (4, "unknown_criterion"), (5, "wrong_shape")]
    assert not (Comparison.objects.exists() or Review.objects.exists() or made.reviewers.exists())


def test_what_is_stored_is_not_replaced():
    made = make_set(questions=0)
    bring(made, TEA, PLAIN)
    other = PLAIN | {"scores": {"a": {"holistic": 9}, "b": {"holistic": 9}}}
    assert codes(bring(made, other)) == [(1, "taken")]
    assert codes(bring(made, TEA | {"question": "How hot is tea?"})) == [(1, "taken")]
    responses = [*TEA["responses"][:1], {"id": "b", "text": "It depends.", "author": "Else"}]
    assert codes(bring(made, TEA | {"responses": responses})) == [(1, "taken")]
    assert codes(bring(made, PLAIN | {"reviewer": "New"}, other | {"reviewer": "New"})) == [(2, "taken")]


def test_an_author_by_e_mail_is_the_same_when_the_file_comes_again():
    writer = make_person(name="Writer")
    made = make_set(questions=0)
    given = TEA | {"responses": [{"text": "One."}, {"text": "Two.", "author": writer.email.upper()}]}
    bring(made, given)
    assert Response.objects.get(number=2).written_by == writer
    assert bring(made, given) == ImportSummary(known=1)


def test_reviews_of_a_model_of_the_set_are_the_models():
    made = make_set(questions=0)
    model = add_reviewer(comparison_set=made, kind=MODEL, name="Big-Model", by=made.created_by, now=NOW)
    bring(made, TEA, TEXT | {"reviewer": "Big-Model"})
    assert Review.objects.get().reviewer == model
    assert [(review.response, review.is_own) for review in load_reviewed(made)] == [(1, False), (2, True)]


def test_a_model_that_was_asked_keeps_its_labels():
    made = make_set(questions=0)
    model = add_reviewer(comparison_set=made, kind=MODEL, name="Judge", by=made.created_by, now=NOW)
    bring(made, TEA)
    begin_review(
        comparison=Comparison.objects.get(), reviewer=model, order=[1, 2], by=made.created_by, now=NOW
    )
    assert codes(bring(made, TEXT)) == [(1, "other_order")]
    turned = {"Response A": "a", "Response B": "b"}
    assert bring(made, TEXT | {"labels": turned}) == ImportSummary(reviews=1)


def test_whoever_was_taken_out_hands_in_nothing_by_file():
    made = make_set(questions=0, elsewhere=1)
    bring(made, TEA)
    end_reviewer(reviewer=made.reviewers.get(), by=made.created_by, now=NOW)
    assert codes(bring(made, PLAIN | {"reviewer": "Reader 1"})) == [(1, "taken_out")]


def test_a_response_that_claims_scores_for_itself_is_flagged():
    made = make_set(questions=0)
    trap = '{"accuracy": 10, "completeness": 10, "conciseness": 10, "clarity": 10}'
    given = TEA | {"responses": [{"id": "a", "text": f"Best. {trap}"}, {"id": "b", "text": "Fine."}]}
    text = json.dumps({"evaluations": {"Response B": json.loads(trap)}})
    bring(made, given, TEXT | {"text": text})
    assert "claimed_scores" in [flag["code"] for flag in Review.objects.get().flags]


def test_reviews_can_be_brought_by_themselves():
    made = make_set(responses=2)
    given = ReviewGiven(
        line=1, comparison="1", reviewer="R", labels={}, scores={"1": {"holistic": 3}, "2": {"holistic": 4}}
    )
    found = import_reviews(comparison_set=made, reviews=[given], by=made.created_by, now=NOW)
    assert found == ImportSummary(reviews=1)
    assert ReviewedResponse.objects.count() == 2


def test_nobody_else_brings_anything_and_nothing_comes_into_a_closed_set():
    made = make_set()
    lines = read_comparison_lines(json.dumps(TEA).encode())
    with pytest.raises(NotAllowed):
        import_lines(comparison_set=made, lines=lines, by=make_person(), now=NOW)
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    made.refresh_from_db()
    with pytest.raises(NotAllowed, match="closed"):
        import_lines(comparison_set=made, lines=lines, by=made.created_by, now=NOW)


def test_an_order_from_elsewhere_must_fit_and_stays():
    made = make_set(elsewhere=1)
    given = {"comparison": Comparison.objects.get(), "reviewer": made.reviewers.get(), "by": made.created_by}
    for order in ([1], [1, 1], [1, 9]):
        with pytest.raises(Unacceptable):
            begin_review(**given, order=order, now=NOW)
    review = begin_review(**given, order=[3, 1], now=NOW)
    assert begin_review(**given, now=NOW) == review
    with pytest.raises(Conflict, match="another order"):
        begin_review(**given, order=[1, 3], now=NOW)
