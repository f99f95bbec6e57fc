"""Answers read anew by a better reader, or corrected by hand: both readings are kept, and both replay."""

import json

import pytest
from django.urls import reverse
from msgspec import to_builtins
from msgspec.structs import replace

from rubric.checks.actions import CHECKS
from rubric.comparisons.actions import add_reviewer
from rubric.core.records import Flag
from rubric.model_reviewers import queries
from rubric.model_reviewers.actions.answers import (
    correct_reading,
    paste_answer,
    reread_answer,
    reread_answers,
)
from rubric.model_reviewers.actions.prompts import ask_again, ensure_prompt
from rubric.model_reviewers.forms import CorrectionForm
from rubric.model_reviewers.queries import load_asked, reviews_to_read
from rubric.models import Review
from rubric.models.comparisons import MODEL
from rubric.reviews.core.answer_record import MIXING_READER, READER, STRICT_READER, read_review
from rubric.reviews.core.corrections import Correction, parse_typed_ranking
from tests.factories.comparisons import make_set
from tests.factories.model_reviewers import SIXES
from tests.factories.people import NOW, moment
from tests.factories.tampering import without_triggers
from tests.factories.versions import three_scales
from workspace.checks.core import run_check
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db
LABELS = ["Response A", "Response B", "Response C"]
# In the shape that was asked for, with the weighted overall that the scores give.
ASKED = json.dumps({"evaluations": dict.fromkeys(LABELS, SIXES | {"overall": 6})})
FLAT = json.dumps(dict.fromkeys(LABELS, SIXES))


def read_strictly(text, labels, rubric, *, reader):
    """What the first reader gave."""
    return read_review(text, labels, rubric, reader=STRICT_READER)


def misread(text, labels, rubric, *, reader):
    """What a Python gave that found no block in the text."""
    return read_review(text.replace("{", ""), labels, rubric, reader=reader)


def make_read_by_first_reader(monkeypatch, text=FLAT, *, read=read_strictly, reader=STRICT_READER):
    """A model's answer that was stored by an earlier reader; the first one, when it was the only one."""
    made = make_set()
    model = add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=made.created_by, now=NOW)
    pair = {"comparison": made.comparisons.get(), "reviewer": model, "by": made.created_by, "now": NOW}
    ensure_prompt(**pair)

    with monkeypatch.context() as patch:
        patch.setattr(queries, "read_review", read)
        review = paste_answer(**pair, text=text)
    Review.objects.filter(pk=review.pk).update(reader=reader)
    return reviews_to_read().get(pk=review.pk)


def newest(review):
    return reviews_to_read().get(comparison=review.comparison_id, state="submitted")


def breaches():
    return [said for check in CHECKS for said in run_check(check, moment(90)).breaches]


def notes():
    return [said for check in CHECKS for said in run_check(check, moment(90)).notes]


def read_all_again(client, held_by):
    """Press the button on the page Parsed answers, and return what the page says before."""
    client.force_login(held_by.created_by)
    place = [held_by.project.slug, held_by.number]
    page = client.get(reverse("set_readings", args=place)).content.decode()
    client.post(reverse("reread_answers", args=place))
    return " ".join(page.split())


@pytest.mark.parametrize("reader", range(1, READER))
def test_what_an_earlier_reader_misread_is_a_note_until_it_is_read_again(monkeypatch, client, reader):
    review = make_read_by_first_reader(monkeypatch, ASKED, read=misread, reader=reader)
    held_by, stored = review.reviewer.set, list(review.reviewed.order_by("pk").values())
    assert review.mode == "unreadable"
    assert breaches() == []
    (said,) = notes()
    assert said == (
        f"Comparison set {held_by.number} of project {held_by.project.slug}: today's reader ({READER}) gives other "
        f"results than an earlier reader stored. Answers: 1 (rows of reviews: {review.pk}). "
        'Press "Parse all of these again" on the set\'s page Parsed answers.'
    )
    assert "The current parser parses 1 answer differently" in read_all_again(client, held_by)
    again = newest(review)
    assert (again.mode, again.reader, again.read_from) == ("rubric", READER, review)
    assert (breaches(), notes()) == ([], [])
    lines = Event.objects.filter(object_kind="review", by=held_by.created_by).order_by("pk")
    said = list(lines.values_list("verb", "object_id"))[-3:]
    assert said == [
        ("review:superseded", str(review.pk)),
        ("review:begun", str(again.pk)),
        ("review:handed_in", str(again.pk)),
    ]
    review.refresh_from_db()
    assert (review.state, review.mode, review.reader) == ("superseded", "unreadable", reader)
    assert list(review.reviewed.order_by("pk").values()) == stored
    place = [held_by.project.slug, held_by.number, review.pk]
    page = client.get(reverse("reading", args=place)).content.decode()
    assert "This result was superseded." in page and 'id="reread"' not in page


def test_remarks_that_only_the_old_python_made_are_a_reason_to_read_again(monkeypatch, client):
    def read(text, labels, rubric, *, reader):
        found = read_review(text, labels, rubric, reader=reader)
        return replace(found, flags=[*found.flags, Flag("broken_block", "A block is cut off.")])

    review = make_read_by_first_reader(monkeypatch, ASKED, read=read, reader=READER - 1)
    assert (len(notes()), breaches()) == (1, [])
    read_all_again(client, review.reviewer.set)
    assert (newest(review).flags, notes(), breaches()) == ([], [], [])


def test_remarks_that_the_earlier_reader_words_differently_are_none(monkeypatch):
    make_read_by_first_reader(monkeypatch, "Nothing to see.")
    assert (notes(), breaches()) == ([], [])


def test_a_reading_by_todays_reader_that_differs_is_broken(monkeypatch):
    review = make_read_by_first_reader(monkeypatch, ASKED, read=misread, reader=READER)
    assert notes() == []
    (said,) = breaches()
    assert said.startswith(f"Review {review.pk} of") and "does not say what its first answer" in said


@pytest.mark.parametrize("is_corrected", [False, True])
@pytest.mark.parametrize(
    "changes",
    [
        {"scores": SIXES | {"accuracy": 1}},
        {"scores": {"accuracy": 6}},
        {"holistic": 3, "scores": {}},
        {"is_incomplete": True},
        {"cannot_judge": {"clarity": "x"}},
    ],
)
def test_an_altered_reading_of_an_earlier_reader_does_not_fit_itself(monkeypatch, changes, is_corrected):
    review = make_read_by_first_reader(monkeypatch, ASKED, read=read_review, reader=READER - 1)
    if is_corrected:
        given = Correction(dict.fromkeys(LABELS, SIXES), "Misread")
        by = review.reviewer.set.created_by
        review = correct_reading(review=review, correction=given, by=by, now=moment(1))
        Review.objects.filter(pk=review.pk).update(reader=READER - 1)
    assert (breaches(), notes()) == ([], [])
    with without_triggers():
        assert review.reviewed.filter(position=1).update(**changes)
    (said,) = breaches()
    assert said == (
        f"Review {review.pk} of comparison {review.comparison_id}, round 1, holds scores, a ranking and remarks that "
        "do not fit one another."
    )


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
