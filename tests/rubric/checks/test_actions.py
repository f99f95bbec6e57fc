"""`verify` on reviews: clean when nothing was touched, and every kind of damage is named."""

import pytest
from django.db import connection

from rubric.checks.actions import CHECKS
from rubric.comparisons.actions import add_reviewer, import_lines
from rubric.comparisons.core.lines import read_comparison_lines
from rubric.human_reviewers.actions import submit_marked_review, undo_mark
from rubric.model_reviewers.actions.answers import paste_answer, upload_answers
from rubric.model_reviewers.actions.prompts import ask_again, ensure_prompt
from rubric.model_reviewers.core import AnswerLine
from rubric.models import Answer, Mark, MarkRevision, Review, ReviewedResponse
from rubric.models.comparisons import MODEL
from rubric.reviews.core.answer_record import READER
from tests.factories.comparisons import RECORD_SCORES, review_with
from tests.factories.human_reviewers import (
    begin,
    fresh,
    list_reviewers,
    make_review_set,
    say,
    say_all,
    start,
    submitted,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.model_reviewers import TENS, answer_text
from tests.factories.people import NOW, moment
from tests.factories.tampering import without_triggers
from workspace.checks.core import run_check
from workspace.models import Event

pytestmark = pytest.mark.django_db


TEXT = """{"comparison": "1", "reviewer": "Reader", "labels": {"Response A": "2", "Response B": "1"}, "text": "No."}
{"comparison": "1", "reviewer": "Guest", "scale": [0, 100], "scores": {"1": {"accuracy": 35}, "3": {"holistic": 80}}}"""


def breaches():
    found = {check.code: run_check(check, moment(90)).breaches for check in CHECKS}
    return {code: said for code, said in found.items() if said}


def answered(made, text, name="one-model"):
    """A model's review of the first comparison, as it was pasted."""
    by, comparison = made.created_by, made.comparisons.get(number=1)
    model = add_reviewer(comparison_set=made, kind=MODEL, name=name, by=by, now=NOW)
    ensure_prompt(comparison=comparison, reviewer=model, by=by, now=NOW)
    pair = {"comparison": comparison, "reviewer": model, "by": by, "now": NOW}
    if made.mode == "both":
        paste_answer(**pair, text='{"scores": {"Response A": 7, "Response B": 5}}', part="whole")
    return paste_answer(**pair, text=text)


def tampered(rows, **changes):
    with without_triggers():
        assert rows.update(**changes)


@pytest.mark.services
def test_reviews_of_every_kind_that_nobody_touched_hold():
    made = make_review_set(people=2, mode="both", has_second_round=True)
    by = made.created_by
    for person in list_reviewers(made):
        review = begin(made, by=person)
        say(review, "notes", "1", "Short.")
        undo_mark(review=fresh(review), key="undo", by=person, now=NOW)
        say(say_all(review), "score", "2.clarity", "cannot", reason="No idea.")
        submit_marked_review(review=fresh(review), by=person, now=NOW)
    second = begin(made)
    say(second, "score", "1.accuracy", "cannot", reason="Not sure any more.")
    submit_marked_review(review=fresh(second), by=second.reviewer.person, now=NOW)
    review = answered(made, answer_text(scores=TENS))
    ask_again(comparison=review.comparison, reviewer=review.reviewer, by=by, now=NOW)
    answered(made, "I cannot review this.", "other-model")
    assert not import_lines(
        comparison_set=made, lines=read_comparison_lines(TEXT.encode()), by=by, now=NOW
    ).faults
    assert set(Review.objects.values_list("state", flat=True)) == {"draft", "submitted", "superseded"}
    assert breaches() == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"mode": "partial"},
        {"ranking": []},
        {"reported_ranking": [["Response A"]]},
        {"flags": [{"code": "x"}]},
    ],
)
def test_a_review_that_was_changed_after_it_was_submitted_is_named(changes):
    review = submitted(start())
    tampered(Review.objects.filter(pk=review.pk), **changes)
    (said,) = breaches()["R1"]
    assert (
        said
        == f"Review {review.pk} of comparison {review.comparison_id}, round 1, does not say what its marks say."
    )


@pytest.mark.parametrize(
    "changes",
    [{"scores": {"accuracy": 10}}, {"holistic": 3}, {"notes": "x"}, {"cannot_judge": {"clarity": "x"}}],
)
def test_a_row_that_was_changed_is_named_by_a_person_and_by_a_model(changes):
    made = make_review_set()
    submitted(begin(made))
    answered(made, answer_text())
    tampered(ReviewedResponse.objects.filter(position=1), **changes)
    assert {code: len(said) for code, said in breaches().items()} == {"R1": 1, "R2": 1}


def test_an_answer_that_was_changed_is_named():
    answered(make_review_set(), answer_text())
    tampered(Answer.objects.all(), text=answer_text(scores=TENS))
    read, kept = breaches()["R2"]
    assert "first answer" in read and "is not the text that its audit line names" in kept


def test_an_uploaded_answer_that_was_changed_is_named_whoever_read_it():
    made = make_review_set(questions=2)
    by = made.created_by
    model = add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=by, now=NOW)
    for comparison in made.comparisons.all():
        ensure_prompt(comparison=comparison, reviewer=model, by=by, now=NOW)
    keys = made.comparisons.order_by("number").values_list("key", flat=True)
    assert len(keys) == 2
    for key in keys:
        line = AnswerLine(1, key, "one-model", answer_text())
        assert not upload_answers(comparison_set=made, lines=[line], by=by, now=NOW)
    run_waiting_jobs()
    Review.objects.update(reader=READER - 1)
    assert breaches() == {}
    newest = Answer.objects.latest("pk")
    tampered(Answer.objects.filter(pk=newest.pk), text=answer_text(scores=TENS))
    line = Event.objects.filter(verb="comparison_set:answered").latest("pk")
    assert breaches() == {"R2": [f"Uploaded answers (1) are not those that audit line {line.pk} names."]}


def test_a_reading_of_an_earlier_reader_has_the_mode_that_its_audit_line_names():
    review = answered(make_review_set(), "Nothing to see.")
    Review.objects.update(reader=READER - 1)
    assert breaches() == {}
    tampered(Review.objects.filter(pk=review.pk), mode="abstained")
    (said,) = breaches()["R2"]
    assert said.endswith("round 1, holds scores, a ranking and remarks that do not fit one another.")


def test_another_order_is_named_and_what_was_shown_to_its_writer():
    review = submitted(start())
    order = Review.objects.get().order
    tampered(Review.objects.filter(pk=review.pk), order=order[::-1])
    found = breaches()
    assert "another order than its seed gives" in found["R3"][0]
    assert "each response in its order" in found["R4"][0]
    tampered(Review.objects.filter(pk=review.pk), order=order)
    tampered(review.comparison.responses.filter(number=1), written_by=review.reviewer.person)
    assert "not its reviewer's to judge" in breaches()["R3"][0]


def test_scores_beyond_the_scale_and_wrong_writers_are_named():
    made = make_review_set(elsewhere=1)
    comparison, reviewer = made.comparisons.get(), made.reviewers.get(kind="elsewhere")
    review_with(comparison=comparison, reviewer=reviewer, scores=RECORD_SCORES)
    tampered(ReviewedResponse.objects.filter(position=1), scores={"accuracy": 11})
    tampered(ReviewedResponse.objects.filter(position=2), scores={"taste": 5}, is_own=True)
    assert len(breaches()["R4"]) == 3


def test_marks_that_are_not_the_newest_of_their_revisions_are_named():
    review = start()
    say(review, "notes", "1", "first")
    say(review, "notes", "2", "other")
    tampered(Mark.objects.filter(subject="1"), value="second")
    tampered(MarkRevision.objects.filter(mark__subject="2"), created_by=review.comparison.created_by)
    assert [said.split(" of ")[0] for said in breaches()["R5"]] == [
        f"Mark {Mark.objects.get(subject='1').pk} (notes)",
        f"Revision {MarkRevision.objects.get(mark__subject='2').pk}",
    ]


def test_an_act_without_its_audit_line_is_named():
    review = submitted(start())
    with without_triggers(), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM workspace_event WHERE verb IN ('review:handed_in', 'comparison_set:opened')"
        )
        cursor.execute("DELETE FROM workspace_event WHERE verb = 'mark:made' AND object_id = %s",
                       [str(Mark.objects.first().pk)])  # fmt: skip
    assert len(breaches()["R6"]) == 3
    assert f"review {review.pk}" in " ".join(breaches()["R6"])


def test_reviews_that_count_nowhere_have_what_they_rest_on():
    made = make_review_set(questions=2, mode="holistic")
    submitted(begin(made))
    tampered(Review.objects.filter(), purpose="repeat", state="set_apart")
    [only] = breaches()["R7"]
    assert "did not submit before" in only
    tampered(Review.objects.filter(), purpose="calibration")
    assert "no round has its comparison" in breaches()["R7"][0]
