"""The save contract of a review: every act is one keyed, versioned revision with its audit line, or it is nothing.

Comparisons are opened by their reviewers: shuffled, one's own left out, and a second round when all are done.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubric.comparisons.actions import add_comparisons, close_set, end_reviewer
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.human_reviewers.actions import mark, open_review, submit_marked_review, undo_mark
from rubric.human_reviewers.queries.reviews import load_other_reviews
from rubric.human_reviewers.queries.waiting import waiting_sets
from rubric.models import Comparison, ComparisonSet, Mark, MarkRevision, Review, ReviewedResponse
from rubric.reviews.actions import begin_review
from tests.factories.human_reviewers import (
    begin,
    count_waiting,
    find_position,
    fresh,
    list_reviewers,
    make_review_set,
    say,
    say_all,
    start,
    submitted,
    work,
)
from tests.factories.people import NOW, make_member, moment
from workspace.audit.core import Act
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def stored(review, kind="score", subject="1.accuracy"):
    return Mark.objects.get(review=review, kind=kind, subject=subject)


def take_back(review, key, **given):
    return undo_mark(review=fresh(review), key=key, by=review.reviewer.person, now=NOW, **given)


def test_an_act_is_a_value_a_revision_and_an_audit_line():
    review = start()
    before = Event.objects.count()
    saved = say(review, "score", "1.accuracy", "8", took_ms=1200, now=moment(3))
    row = stored(review)
    assert (row.value, row.reason, row.version) == ("8", "", 1)
    assert (saved.revision.version, saved.revision.took_ms) == (1, 1200)
    assert saved.revision.created_at == moment(3)
    assert Event.objects.count() == before + 1
    event = Event.objects.latest("pk")
    assert (event.verb, event.object_id) == ("mark:made", str(row.pk))
    assert Review.objects.get().version == 1


def test_the_same_act_again_gives_the_stored_result_and_writes_nothing():
    review = start()
    first = say(review, "score", "1.accuracy", "8", version=0, key="k")
    events = Event.objects.count()
    again = say(review, "score", "1.accuracy", "8", version=0, key="k", now=moment(30))
    assert again.is_repeated
    assert again.revision == first.revision
    assert again.revision.created_at == NOW
    assert (MarkRevision.objects.count(), Event.objects.count()) == (1, events)


def test_a_repetition_is_answered_after_the_review_was_submitted():
    review = start()
    first = say(review, "score", "1.accuracy", "8", version=0, key="k")
    submitted(review)
    assert say(review, "score", "1.accuracy", "8", version=0, key="k").revision == first.revision


@pytest.mark.parametrize(
    "changed", [{"value": "7"}, {"version": 1}, {"subject": "2.accuracy"}, {"reason": "because"}]
)
def test_the_same_key_with_another_body_is_refused(changed):
    review = start()
    say(review, "score", "1.accuracy", "8", version=0, key="k")
    act = {"kind": "score", "subject": "1.accuracy", "value": "8", "version": 0, "key": "k"} | changed
    with pytest.raises(Unacceptable, match="already saved with another answer"):
        mark(review=fresh(review), act=Act(**act), by=review.reviewer.person, now=NOW)
    assert MarkRevision.objects.count() == 1


def test_a_key_is_of_one_review():
    made = make_review_set(questions=2)
    say(begin(made), "score", "1.accuracy", "8", version=0, key="k")
    with pytest.raises(Unacceptable, match="already saved"):
        say(begin(made, number=2), "score", "1.accuracy", "8", version=0, key="k")


def test_a_stale_version_is_a_conflict_that_shows_both_and_overwrites_nothing():
    review = start()
    say(review, "score", "1.accuracy", "8", version=0, now=moment(1))
    with pytest.raises(Conflict) as caught:
        say(review, "score", "1.accuracy", "3", version=0)
    detail = caught.value.detail
    assert (detail["yours"], detail["stored"], detail["version"]) == ("3", "8", 1)
    assert detail["stored_at"] == moment(1)
    assert (stored(review).value, MarkRevision.objects.count()) == ("8", 1)


@pytest.mark.parametrize("version", [1, 7])
def test_a_version_that_was_never_there_is_a_conflict(version):
    review = start()
    with pytest.raises(Conflict):
        say(review, "score", "1.accuracy", "8", version=version)
    assert not Mark.objects.exists()


def test_an_absent_field_stays_an_empty_one_clears_and_a_score_takes_the_reason_away():
    review = start()
    say(review, "score", "1.accuracy", "cannot", reason="it is cut off")
    say(review, "score", "1.accuracy", None, reason="it is in code")
    assert (stored(review).value, stored(review).reason) == ("cannot", "it is in code")
    say(review, "score", "1.accuracy", "cannot")
    assert stored(review).reason == "it is in code"
    say(review, "score", "1.accuracy", "4")
    assert (stored(review).value, stored(review).reason) == ("4", "")
    say(review, "score", "1.accuracy", "")
    assert (stored(review).value, stored(review).version) == ("", 5)
    assert work(review).values == {}


@pytest.mark.parametrize("reason", [None, "", "  ", "x" * 2001])
def test_cannot_judge_needs_a_reason_that_is_one(reason):
    review = start()
    with pytest.raises(Unacceptable):
        say(review, "score", "1.accuracy", "cannot", reason=reason)
    assert not Mark.objects.exists()


def test_nobody_marks_in_the_place_of_another_nor_what_is_closed():
    review = start()
    stranger = make_member(project=review.reviewer.set.project)
    act = Act(kind="score", subject="1.accuracy", value="8", version=0, key="k")
    with pytest.raises(NotAllowed, match="not your review"):
        mark(review=fresh(review), act=act, by=stranger, now=NOW)
    lead = review.reviewer.set.created_by
    close_set(comparison_set=review.reviewer.set, by=lead, now=NOW)
    with pytest.raises(NotAllowed, match="is closed"):
        say(review, "score", "1.accuracy", "8")
    assert not Mark.objects.exists()


@pytest.mark.services
@pytest.mark.parametrize("end", ["is closed", "removed you"])
def test_what_ends_while_an_act_is_under_way_ends_the_act(end):
    """The review was fetched before; what counts is how things stand when the act is stored."""
    review = say_all(start())
    open_page, made = fresh(review), ComparisonSet.objects.get()
    if end == "is closed":
        close_set(comparison_set=made, by=made.created_by, now=NOW)
    else:
        end_reviewer(reviewer=made.reviewers.get(), by=made.created_by, now=NOW)
    act = Act(kind="score", subject="1.accuracy", value="8", version=1, key="k")
    person = review.reviewer.person
    for late in (
        lambda: mark(review=open_page, act=act, by=person, now=NOW),
        lambda: undo_mark(review=open_page, key="u", by=person, now=NOW),
        lambda: submit_marked_review(review=open_page, by=person, now=NOW),
    ):
        with pytest.raises(NotAllowed, match=end):
            late()


@pytest.mark.parametrize("end", ["closed", "removed"])
def test_what_ends_while_a_comparison_is_opened_begins_no_review(end):
    made = make_review_set()
    person = list_reviewers(made)[0]
    comparison = Comparison.objects.select_related("set__project").get()
    reviewer = made.reviewers.select_related("set").get()
    if end == "closed":
        close_set(comparison_set=ComparisonSet.objects.get(), by=made.created_by, now=NOW)
    else:
        end_reviewer(reviewer=made.reviewers.get(), by=made.created_by, now=NOW)
    with pytest.raises(NotAllowed, match="takes no more reviews"):
        begin_review(comparison=comparison, reviewer=reviewer, by=person, now=NOW)


def test_handing_in_stores_scores_reasons_and_ranking_under_the_shown_order():
    review = say_all(start(mode="both"))
    place = find_position(review, 3)
    say(review, "score", f"{place}.clarity", "cannot", reason="it is cut off")
    say(review, "notes", str(place), "thin")
    done = submit_marked_review(review=fresh(review), by=review.reviewer.person, now=moment(9))
    assert (done.state, done.mode, done.submitted_at) == ("submitted", "partial", moment(9))
    rows = {row.response.number: row for row in ReviewedResponse.objects.all()}
    assert rows[1].scores == {"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": 8}
    assert [rows[number].holistic for number in (1, 2, 3)] == [8, 7, 6]
    assert [rows[number].position for number in (1, 2, 3)] == [find_position(review, n) for n in (1, 2, 3)]
    assert "clarity" not in rows[3].scores
    assert (rows[3].is_incomplete, rows[3].notes) == (True, "thin")
    assert rows[3].cannot_judge == {"clarity": "it is cut off"}
    assert done.reported_ranking is None
    assert [["ABC".index(label[-1]) + 1 for label in group] for group in done.ranking] == [
        [find_position(review, number)] for number in (1, 2, 3)
    ]


def test_handing_in_names_what_is_missing_and_twice_is_once():
    review = start()
    with pytest.raises(Unacceptable, match="Response A has no score for Accuracy") as caught:
        submit_marked_review(review=fresh(review), by=review.reviewer.person, now=NOW)
    assert caught.value.field == "score:1.accuracy"
    submitted(review)
    before = Event.objects.count()
    submit_marked_review(review=fresh(review), by=review.reviewer.person, now=moment(5))
    assert (ReviewedResponse.objects.count(), Event.objects.count()) == (3, before)
    assert Review.objects.get().submitted_at == NOW
    with pytest.raises(NotAllowed, match="was submitted"):
        say(review, "score", "1.accuracy", "2")


def test_acts_are_taken_back_newest_first():
    review = start()
    say(review, "score", "1.accuracy", "cannot", reason="it is cut off")
    say(review, "score", "1.accuracy", "5")
    say(review, "notes", "2", "thin")
    take_back(review, "u1")
    assert (stored(review, "notes", "2").value, stored(review).value) == ("", "5")
    saved = take_back(review, "u2")
    assert (stored(review).value, stored(review).reason) == ("cannot", "it is cut off")
    assert saved.revision.undoes == 2
    assert take_back(review, "u2").revision == saved.revision
    take_back(review, "u3")
    assert stored(review).value == ""
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        take_back(review, "u4")
    assert Event.objects.latest("pk").verb == "mark:undone"


def test_scores_as_a_whole_are_not_taken_back_once_the_criteria_are_open():
    review = start(mode="both")
    for place in (1, 2, 3):
        say(review, "holistic", str(place), "7")
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        take_back(review, "u")
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        take_back(review, "v", kind="holistic", subject="1")
    say(review, "score", "1.accuracy", "5")
    take_back(review, "w")
    assert stored(review).value == ""


KINDS = [("score", f"{place}.{key}") for place in (1, 2) for key in ("accuracy", "clarity")]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_sent_in_whatever_order_nothing_acknowledged_is_lost(data):
    """Acts, repetitions, stale ones and undos: every mark equals its newest revision, one event for each."""
    review = start(responses=2)
    sent: list[Act] = []
    acknowledged = 0
    before = Event.objects.count()
    for step in range(12):
        what = data.draw(st.sampled_from(["new", "new", "again", "stale", "undo"]))
        kind, subject = data.draw(st.sampled_from(KINDS))
        try:
            if what == "undo":
                saved = take_back(review, f"undo-{step}")
            else:
                version = work(review).mark(kind, subject).version + (what == "stale")
                value = data.draw(st.sampled_from(["1", "5", "10", ""]))
                act = Act(kind=kind, subject=subject, value=value, version=version, key=f"{review.pk}-{step}")
                act = data.draw(st.sampled_from(sent)) if what == "again" and sent else act
                saved = mark(review=fresh(review), act=act, by=review.reviewer.person, now=NOW)
                sent.append(act)
        except (Conflict, Unacceptable):
            continue
        acknowledged += not saved.is_repeated
    revisions = MarkRevision.objects.filter(mark__review=review)
    assert revisions.count() == acknowledged == fresh(review).version
    assert Event.objects.count() - before == acknowledged
    for row in Mark.objects.filter(review=review):
        newest = row.revisions.order_by("-version").first()
        assert (newest.value, newest.reason, newest.version) == (row.value, row.reason, row.version)
        assert row.revisions.count() == row.version


def states(person):
    return [row.state for waiting_set in waiting_sets(person) for row in waiting_set.comparisons]


def two_rounds(**given):
    """A set with two rounds and two reviewers who have both submitted the first."""
    made = make_review_set(people=2, has_second_round=True, **given)
    for person in list_reviewers(made):
        submitted(begin(made, by=person))
    return made


def test_a_comparison_is_started_once():
    made = make_review_set()
    assert begin(made).pk == begin(made).pk
    assert Review.objects.count() == 1


def test_only_reviewers_of_the_set_begin():
    made = make_review_set()
    with pytest.raises(NotAllowed, match="do not review this set"):
        begin(made, by=make_member(project=made.project))
    person = list_reviewers(made)[0]
    end_reviewer(reviewer=made.reviewers.get(), by=made.created_by, now=NOW)
    with pytest.raises(NotAllowed):
        open_review(comparison=made.comparisons.get(), by=person, now=NOW)
    assert not Review.objects.exists()


def test_ones_own_responses_are_not_shown_and_what_is_left_of_them_is_not_for_one():
    made = make_review_set()
    person = list_reviewers(made)[0]
    for own in (1, 2):
        texts = [NewResponse(text=f"Text {at}", author=person.email if at <= own else "") for at in (1, 2, 3)]
        comparison = NewComparison(question="Whose is it?", responses=texts)
        add_comparisons(comparison_set=made, comparisons=[comparison], by=made.created_by, now=NOW)
    assert sorted(begin(made, number=2).order) == [2, 3]
    with pytest.raises(NotAllowed, match="nothing is left to compare"):
        begin(made, number=3)
    assert states(person) == ["to_review", "started", "not_for_you"]
    assert count_waiting(person) == 2


def test_nothing_waits_in_a_closed_set():
    made = make_review_set()
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    assert count_waiting(list_reviewers(made)[0]) == 0
    with pytest.raises(NotAllowed, match="no more reviews"):
        begin(made)


def test_the_second_round_opens_when_everybody_has_submitted_the_first():
    made = make_review_set(people=2, has_second_round=True)
    left, other = list_reviewers(made)
    first = submitted(begin(made, by=left))
    assert begin(made, by=left).pk == first.pk
    assert states(left) == ["submitted"]
    submitted(begin(made, by=other))
    assert states(left) == states(other) == ["second"]
    second = begin(made, by=left)
    assert (second.round, second.state) == (2, "draft")
    assert begin(made, by=left).pk == second.pk
    assert states(left) == ["second_started"]
    assert Event.objects.filter(verb="review:begun", detail__contains='"round":2').count() == 1


def test_who_was_taken_out_or_cannot_review_is_not_waited_for():
    made = make_review_set(people=4, has_second_round=True)
    people = list_reviewers(made)
    texts = [NewResponse(text=f"Text {at}", author=people[3].email if at < 3 else "") for at in (1, 2, 3)]
    add_comparisons(
        comparison_set=made,
        comparisons=[NewComparison(question="Whose?", responses=texts)],
        by=made.created_by,
        now=NOW,
    )
    for person in people[:2]:
        submitted(begin(made, by=person, number=2))
    assert states(people[0])[1] == "submitted"
    end_reviewer(reviewer=made.reviewers.get(person=people[2]), by=made.created_by, now=NOW)
    assert states(people[0])[1] == "second"


@pytest.mark.parametrize("given", [{"people": 1, "has_second_round": True}, {"people": 2}])
def test_without_others_or_a_second_round_there_is_none(given):
    made = make_review_set(**given)
    for person in list_reviewers(made):
        first = submitted(begin(made, by=person))
    assert begin(made, by=person).pk == first.pk
    assert states(person) == ["submitted"]


def test_a_second_round_begins_with_what_the_first_said_and_both_are_kept():
    made = make_review_set(people=2, has_second_round=True, mode="both")
    left, other = list_reviewers(made)
    first = begin(made, by=left)
    say(first, "notes", str(find_position(first, 2)), "salty")
    first = submitted(first)
    submitted(begin(made, by=other))
    second = begin(made, by=left)
    values = work(second).values
    assert values["score", f"{find_position(second, 1)}.accuracy"] == "9"
    assert values["holistic", str(find_position(second, 3))] == "6"
    assert values["notes", str(find_position(second, 2))] == "salty"
    assert len(values) == 16
    with pytest.raises(Unacceptable, match="stay as they were given"):
        say(second, "holistic", "1", "2")
    say(second, "score", f"{find_position(second, 1)}.accuracy", "2")
    undo_mark(review=fresh(second), key="u", by=left, now=NOW)
    assert work(second).values == values
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        undo_mark(review=fresh(second), key="v", by=left, now=NOW)
    say(second, "score", f"{find_position(second, 1)}.accuracy", "5")
    submitted_again = submitted_as_it_is(second)
    rounds = {
        row.review_id: row.scores["accuracy"]
        for review in (first, submitted_again)
        for row in review.reviewed.filter(response__number=1)
    }
    assert rounds == {first.pk: 9, second.pk: 5}
    for row in Mark.objects.filter(review=second):
        assert row.revisions.count() == row.version


def submitted_as_it_is(review):
    return submit_marked_review(review=fresh(review), by=review.reviewer.person, now=NOW)


def test_others_are_shown_in_the_second_round_alone_without_names_in_an_order_of_the_seed():
    made = make_review_set(people=4, has_second_round=True)
    people = list_reviewers(made)
    for number, person in enumerate(people, start=1):
        first = begin(made, by=person)
        assert load_other_reviews(first) == []
        scores = dict.fromkeys(
            ("accuracy", "completeness", "conciseness", "clarity"), (number, number, number)
        )
        submitted(first, scores=scores)
        assert load_other_reviews(fresh(first)) == []
    second = begin(made, by=people[0])
    found = load_other_reviews(second)
    clarity = [other.scores["clarity"] for other in found]
    assert sorted(set(clarity)) == [2, 3, 4]
    assert clarity == sorted(clarity, key=clarity.index), "one person after the other"
    assert found == load_other_reviews(fresh(second))
    assert all(not hasattr(other, name) for other in found for name in ("reviewer", "person", "name"))


def test_a_second_round_that_was_started_twice_is_one():
    made = two_rounds()
    person = list_reviewers(made)[0]
    begin(made, by=person)
    revisions = MarkRevision.objects.count()
    begin(made, by=person)
    assert MarkRevision.objects.count() == revisions
    assert Review.objects.filter(round=2).count() == 1


def test_a_closed_set_begins_no_second_round():
    made = two_rounds()
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    assert begin(made).round == 1
    assert Comparison.objects.get(set=made).reviews.count() == 2
