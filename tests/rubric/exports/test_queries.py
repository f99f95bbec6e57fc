"""Reviews as lines and rows of an export: the decision record's JSON, what cannot be judged, both rounds."""

import pytest

from rubric.calibration.actions import change_repeats
from rubric.exports.queries import TABLES, build_answer, rows_of, stream_own_reviews, stream_set
from rubric.models import ComparisonSet
from tests.factories.human_reviewers import begin, list_reviewers, make_review_set, say, submitted
from tests.factories.human_reviewers import start as start_review
from tests.factories.model_reviewers import make_asked
from tests.factories.people import NOW, make_lead, make_project
from tests.factories.response_calibration import review_next
from tests.factories.versions import publish_three_scales

pytestmark = pytest.mark.django_db


class NAMES:
    """People by their keys."""

    @staticmethod
    def person(key):
        return None if key is None else f"person {key}"

    @staticmethod
    def reviewer(_key, _person, _kind, name):
        return name


def stream(made, left_out=""):
    return list(stream_set(made, left_out=left_out, names=NAMES))


def marks_of(item):
    (marks,) = (table for table in TABLES if table.name == "marks")
    return [
        dict(zip([column.name for column in marks.columns], marks.read_row(row), strict=True))
        for name, row in rows_of(item)
        if name == "marks"
    ]


def test_places_are_labels_and_ties_are_lists():
    answer = build_answer([["Response B"], ["Response A", "Response C"]], {"Response A": {"accuracy": 9}})
    assert answer == {
        "ranking": ["Response B", ["Response A", "Response C"]],
        "evaluations": {"Response A": {"accuracy": 9}},
    }


def test_what_cannot_be_judged_has_its_reason_and_no_score():
    review = start_review(mode="holistic")
    submitted(review, whole=(8, 7, 6))
    made = review.comparison.set
    _held, item = stream(made)
    assert sorted(row["score"] for row in marks_of(item) if row["criterion"] == "holistic") == [6.0, 7.0, 8.0]
    other = start_review(mode="holistic")
    say(other, "holistic", "1", "cannot", reason="It is in a language that I do not read.")
    (line,) = list(stream_own_reviews(other.comparison.set.project, other.reviewer.person, NAMES))
    (mark,) = line["marks"]
    assert (mark["value"], mark["reason"]) == ("cannot", "It is in a language that I do not read.")
    assert marks_of(stream(other.comparison.set)[1]) == []


def test_marks_point_at_the_response_wherever_it_was_shown():
    made = make_review_set(mode="rubric")
    submitted(begin(made, by=list_reviewers(made)[0]))
    _held, item = stream(made)
    accuracy = {row["response"]: row["score"] for row in marks_of(item) if row["criterion"] == "accuracy"}
    assert accuracy == {1: 9.0, 2: 7.0, 3: 6.0}
    by_position = {row["position"]: row["response"] for row in marks_of(item)}
    assert [by_position[place] for place in (1, 2, 3)] == list(item["reviews"][0]["labels"].values())


def test_raw_answers_of_models_are_kept_and_prompts_are_not():
    made = ComparisonSet.objects.get(
        project__slug="asked",
        number=make_asked(by=make_lead(project=make_project(slug="asked")))["asked_number"],
    )
    _held, *items = stream(made)
    answers = [answer for item in items for review in item["reviews"] for answer in review["answers"]]
    assert any("evaluations" in answer["text"] for answer in answers)


def test_a_set_with_a_reason_is_left_without_reviews_authors_and_ids():
    made = make_review_set(mode="rubric", authors={1: "some-model"})
    submitted(begin(made))
    held, item = stream(made, left_out="Not yet.")
    assert (held["left_out"], item["reviews"], item["id"]) == ("Not yet.", [], "")
    assert [row["author"] for name, row in rows_of(item) if name == "responses"] == ["", "", ""]
    authors = [row["author"] for name, row in rows_of(stream(made)[1]) if name == "responses"]
    assert authors[0] == "some-model"


def test_scores_stay_as_given_and_the_overall_is_on_the_common_scale():
    made = make_review_set(mode="rubric", version=publish_three_scales())
    given = {"coherence": (5, 3, 1), "recommend": (1, 1, 0), "depth": (10, 4, 1)}
    submitted(begin(made), scores=given)
    _held, item = stream(made)
    rows = {(row["response"], row["criterion"]): row["score"] for row in marks_of(item)}
    assert [rows[number, "coherence"] for number in (1, 2, 3)] == [5.0, 3.0, 1.0]
    # 0.5 x (1 + 9 x 2/4) + 0.2 x 10 + 0.3 x 4
    assert [rows[number, "overall"] for number in (1, 2, 3)] == [10.0, 5.95, 1.0]


def test_a_hidden_repeat_is_exported_to_its_reviewer_like_any_other_review(monkeypatch):
    monkeypatch.setattr("workspace.core.hidden_duplicates.APART", 0)
    monkeypatch.setattr("workspace.core.hidden_duplicates.is_due", lambda *_given: True)
    monkeypatch.setattr("rubric.human_reviewers.actions.is_due", lambda *_given: True)
    made = make_review_set(mode="holistic", questions=3)
    change_repeats(comparison_set=made, repeat_percent=50, by=made.created_by, now=NOW)
    [reviewer] = list_reviewers(made)
    for _first_and_again in range(2):
        review_next(made, reviewer)
    items = [item for item in stream(made) if item["kind"] == "comparison"]
    purposes = [(review["purpose"], review["state"]) for item in items for review in item["reviews"]]
    assert purposes == [("rating", "submitted"), ("repeat", "set_apart")], "a lead's export tells them apart"
    lines = list(stream_own_reviews(made.project, made.reviewers.get().person, NAMES))
    assert [(line["comparison"], line["state"]) for line in lines] == [(1, "submitted"), (2, "submitted")]
