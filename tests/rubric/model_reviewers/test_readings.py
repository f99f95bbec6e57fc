"""Answers read anew by a better reader, or corrected by hand: both readings are kept, and both replay."""

import json

import pytest
from django.urls import reverse
from msgspec import to_builtins

from rubric.checks.actions import CHECKS
from rubric.comparisons.actions import add_reviewer
from rubric.model_reviewers import queries
from rubric.model_reviewers.actions.answers import paste_answer
from rubric.model_reviewers.actions.prompts import ask_again, ensure_prompt
from rubric.model_reviewers.actions.readings import correct_reading, reread_answer, reread_answers
from rubric.model_reviewers.forms import CorrectionForm
from rubric.model_reviewers.queries import load_asked, reviews_to_read
from rubric.models import Review
from rubric.models.comparisons import MODEL
from rubric.reviews.core.answer_record import MIXING_READER, READER, STRICT_READER, read_review
from rubric.reviews.core.corrections import Correction, parse_typed_ranking
from tests.factories.comparisons import make_set
from tests.factories.model_reviewers import SIXES
from tests.factories.people import NOW, moment
from tests.factories.versions import three_scales
from workspace.checks.core import run_check
from workspace.core.refusals import Conflict, Unacceptable

pytestmark = pytest.mark.django_db
LABELS = ["Response A", "Response B", "Response C"]
FLAT = json.dumps(dict.fromkeys(LABELS, SIXES))


def make_read_by_first_reader(monkeypatch, text=FLAT):
    """A model's answer that was stored when the first reader was the only one."""
    made = make_set()
    model = add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=made.created_by, now=NOW)
    pair = {"comparison": made.comparisons.get(), "reviewer": model, "by": made.created_by, "now": NOW}
    ensure_prompt(**pair)

    def read_strictly(text, labels, rubric, *, reader):
        return read_review(text, labels, rubric, reader=STRICT_READER)

    with monkeypatch.context() as patch:
        patch.setattr(queries, "read_review", read_strictly)
        review = paste_answer(**pair, text=text)
    Review.objects.filter(pk=review.pk).update(reader=STRICT_READER)
    return reviews_to_read().get(pk=review.pk)


def newest(review):
    return reviews_to_read().get(comparison=review.comparison_id, state="submitted")


def breaches():
    return [said for check in CHECKS for said in run_check(check, moment(90)).breaches]


def test_an_answer_is_read_anew_and_the_earlier_reading_stays(monkeypatch, client):
    review = make_read_by_first_reader(monkeypatch)
    by, held_by = review.reviewer.set.created_by, review.reviewer.set
    assert (review.mode, review.flags) == ("unreadable", [])
    assert breaches() == []
    client.force_login(by)
    listed = client.get(reverse("set_readings", args=[held_by.project.slug, held_by.number])).content.decode()
    assert "The current parser parses 1 answer differently" in " ".join(listed.split())
    page = client.get(reverse("reading", args=[held_by.project.slug, held_by.number, review.pk]))
    assert "not under" in page.content.decode() and "No score could be read" in page.content.decode()
    assert reread_answers(comparison_set=held_by, by=by, now=moment(1)) == 1
    again = newest(review)
    assert (again.mode, again.reader, again.read_from, again.order) == (
        "rubric",
        READER,
        review,
        review.order,
    )
    review.refresh_from_db()
    assert (review.state, review.mode) == ("superseded", "unreadable")
    assert breaches() == []
    with pytest.raises(Conflict):
        reread_answer(review=again, by=by, now=moment(2))
    [asked] = load_asked(held_by, [again.reviewer])
    assert (asked.state, asked.superseded_count) == ("answered", 0)
    shown = client.get(
        reverse("model_answer", args=[held_by.project.slug, held_by.number, 1, again.reviewer_id])
    ).content.decode()
    assert "How it was parsed" in shown and "Download the prompt" in shown
    ask_again(comparison=again.comparison, reviewer=again.reviewer, by=by, now=moment(3))
    [asked] = load_asked(held_by, [again.reviewer])
    assert (asked.state, asked.superseded_count) == ("open", 1)


def test_what_a_person_corrected_says_who_and_why_and_is_replayed(monkeypatch, client):
    review = make_read_by_first_reader(monkeypatch, text="A is best: 9. Then C: 4. B is not worth a number.")
    held_by = review.reviewer.set
    client.force_login(held_by.created_by)
    address = reverse("correct_reading", args=[held_by.project.slug, held_by.number, review.pk])
    assert client.post(address, {"ranking": "A > D", "reason": "x"}).status_code == 422
    sent = {
        "s1-accuracy": "9",
        "s3-accuracy": "4.5",
        "ranking": "a > C",
        "reason": "The numbers stand in prose.",
    }
    answer = client.post(address, sent)
    assert answer.status_code == 303
    corrected = newest(review)
    assert (corrected.mode, corrected.corrected_by, corrected.read_from) == (
        "partial",
        held_by.created_by,
        review,
    )
    assert corrected.reported_ranking == [["Response A"], ["Response C"]]
    scores = [row.scores for row in corrected.reviewed.order_by("position")]
    assert scores == [{"accuracy": 9}, {}, {"accuracy": 4.5}]
    assert "A person corrected this reading: The numbers stand in prose." in [
        flag["message"] for flag in corrected.flags
    ]
    assert breaches() == []
    page = " ".join(client.get(answer["Location"]).content.decode().split())
    assert (
        "Corrected by" in page and held_by.created_by.name in page and "The numbers stand in prose." in page
    )
    again = reread_answer(review=corrected, by=held_by.created_by, now=moment(4))
    assert (again.mode, again.read_from, again.correction) == ("unreadable", review, {})
    assert breaches() == []
    with pytest.raises(Unacceptable):
        correct_reading(review=again, correction=Correction({}, " "), by=held_by.created_by, now=moment(5))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("B > A = C", [["Response B"], ["Response A", "Response C"]]),
        ("response b", [["Response B"]]),
        ("B > B", None),
        ("B > X", None),
        ("B >", None),
    ],
)
def test_a_typed_ranking_names_each_response_once(text, places):
    assert parse_typed_ranking(text, LABELS) == places


def test_a_correction_is_held_to_the_scale_of_each_criterion():
    record = three_scales()
    names = {criterion.key: criterion.label for criterion in record.criteria}
    sheet = {"labels": ["Response A", "Response B"], "criteria": names, "scales": record.scales}
    sent = {
        "s1-coherence": "6",
        "s1-recommend": "1",
        "s2-depth": "0",
        "s2-coherence": "3.5",
        "reason": "Misread",
    }
    form = CorrectionForm(sent, **sheet)
    assert form.errors == {
        "s1-coherence": ["Coherence lies on a scale of 1 to 5."],
        "s2-depth": ["Depth lies on a scale of 1 to 10."],
    }
    assert form["s1-recommend"].label == "Response A, Recommend (0 or 1)"
    right = CorrectionForm(sent | {"s1-coherence": "5", "s2-depth": "10"}, **sheet)
    assert right.is_valid()
    assert right.to_correction().scores == {
        "Response A": {"coherence": 5, "recommend": 1},
        "Response B": {"coherence": 3.5, "depth": 10},
    }


def test_a_review_of_two_answers_is_replayed_by_the_reader_that_kept_a_stray_ranking():
    made = make_set(mode="both")
    model = add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=made.created_by, now=NOW)
    pair = {"comparison": made.comparisons.get(), "reviewer": model, "by": made.created_by, "now": NOW}
    ensure_prompt(**pair)
    first = {"scores": dict(zip(LABELS, (8, 6, 4), strict=True))}
    second = {
        "scores": dict(zip(LABELS, (7, 9, 2), strict=True)),
        "ranking": [LABELS[1], LABELS[0], LABELS[2]],
    }
    paste_answer(**pair, text=json.dumps(first), part="whole")
    review = paste_answer(**pair, text=json.dumps(second))
    review = reviews_to_read().get(pk=review.pk)
    assert breaches() == [] and not queries.reads_otherwise(review)
    earlier = queries.parse_answer(review, reader=MIXING_READER)
    assert earlier.reported_ranking == [[label] for label in second["ranking"]]
    kept = {"reader": MIXING_READER, "ranking": earlier.ranking, "reported_ranking": earlier.reported_ranking}
    Review.objects.filter(pk=review.pk).update(**kept, flags=to_builtins(earlier.flags))
    review.refresh_from_db()
    assert breaches() == [] and queries.reads_otherwise(review)
    assert reread_answer(review=review, by=made.created_by, now=NOW).reported_ranking is None
