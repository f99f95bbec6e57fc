"""Answers under a version whose criteria have scales of their own: what is read, and what is put right by hand."""

from fractions import Fraction

from rubric.core.records import ReviewRecord
from rubric.reviews.core.answer_record import read_review
from rubric.reviews.core.corrections import Correction, apply_correction
from tests.factories.reviews import LABELS, fenced
from tests.factories.versions import three_scales


def read_scaled(**scores: object) -> ReviewRecord:
    """One response of a version with three scales, with these scores and another that has all."""
    all_in = {"coherence": 5, "recommend": 0, "depth": 10}
    answer = {"evaluations": {"Response A": scores, "Response B": all_in}}
    return read_review(fenced(answer), LABELS[:2], three_scales())


def test_every_criterion_is_read_on_its_own_scale():
    record = read_scaled(coherence=4, recommend=1, depth=6)
    assert (record.mode, record.flags) == ("rubric", [])
    assert [said.scores for said in record.responses][0] == {"coherence": 4, "recommend": 1, "depth": 6}
    assert [said.overall for said in record.responses] == [Fraction("7.675"), Fraction("8.2")]
    assert record.ranking == [["Response B"], ["Response A"]]


def test_a_score_beyond_its_own_scale_is_left_out_and_the_scale_is_named():
    record = read_scaled(coherence=7, recommend=2, depth=11)
    assert record.responses[0].scores == {}
    assert [(flag.code, flag.criterion, flag.message) for flag in record.flags] == [
        ("out_of_range", "coherence", "Response A: coherence is 7; its scale is 1 to 5, so it is left out."),
        ("out_of_range", "recommend", "Response A: recommend is 2; its scale is 0 or 1, so it is left out."),
        ("out_of_range", "depth", "Response A: depth is 11; its scale is 1 to 10, so it is left out."),
    ]


def test_a_score_between_two_steps_counts_and_is_told():
    record = read_scaled(coherence=3.5, recommend=1, depth=6)
    assert record.responses[0].scores["coherence"] == 3.5
    assert [(flag.code, flag.criterion) for flag in record.flags] == [("between_steps", "coherence")]


def test_a_correction_by_hand_is_weighed_on_the_same_scales():
    record = read_scaled(coherence=1, recommend=0, depth=1)
    put_right = Correction(
        {label: {"coherence": 4, "recommend": 1, "depth": 6} for label in LABELS[:2]}, "Misread"
    )
    corrected = apply_correction(record, put_right, three_scales())
    assert [said.overall for said in corrected.responses] == [Fraction("7.675")] * 2
