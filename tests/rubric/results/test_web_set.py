"""The page of a set's results: authors across comparisons, means, views, criteria beside each other, the list."""

import html
import re
from fractions import Fraction

import pytest
from django.urls import reverse

from rubric.comparisons.actions import add_comparisons, add_reviewer
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.core.response_order import labels
from rubric.results.core.whole_set import Scored
from rubric.results.pages.outcomes import pick_letters, place_marks
from rubric.results.pages.whole_set import shade
from rubric.reviews.actions import begin_review, record_submission
from rubric.reviews.core.answer_record import read_review
from rubric.versions.actions import publish_version
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.versions import make_changed_draft

pytestmark = pytest.mark.django_db
AUTHORS = {1: "Alpha", 2: "Beta", 3: "Gamma"}


def place(made, **given):
    query = "&".join(f"{key}={value}" for key, value in given.items())
    return reverse("set_results", args=[made.project.slug, made.number]) + (f"?{query}" if query else "")


def get_text(client, address, *, person=None):
    client.force_login(person or make_admin())
    answer = client.get(address)
    assert answer.status_code == 200, answer.content[:300]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def reviewed(*, questions=2, readers=1, scores=None, **given):
    """A set whose readers gave the record's scores throughout, or those that `scores(question, reader)` gives."""
    made = make_set(questions=questions, elsewhere=readers, **{"authors": AUTHORS, **given})
    for row in made.comparisons.all():
        row.set = made
        for at, reviewer in enumerate(made.reviewers.order_by("pk"), start=1):
            found = scores(row.number, at) if scores else RECORD_SCORES
            review_with(comparison=row, reviewer=reviewer, scores=found)
    return made


def test_authors_stand_by_their_means_over_comparisons(client):
    def scores(question, _reader):
        return RECORD_SCORES if question < 3 else {**RECORD_SCORES, 1: RECORD_SCORES[3], 3: RECORD_SCORES[1]}

    text = get_text(client, place(reviewed(questions=3, readers=3, scores=scores)))
    assert "Beta and Alpha cannot be told apart: 0.67 (−2.43 to 3.76)." in text
    assert "Beta and Gamma cannot be told apart: 1.38 (−1.71 to 4.48)." in text
    assert "Nobody can tell who answers best" in text and "The order is another by: Mean rank." in text
    assert (
        "1 Beta 8.10 3 values 2 Alpha 7.43 3 values 0.67 (−2.43 to 3.76), cannot be told apart 3 Gamma 6.72"
        in text
    )
    assert "First alone: B Beta : 0; A Alpha : 2; G Gamma : 1." in text
    assert "Beta 3 8.10 2.00 rank 2 changes 8.10 – Alpha 3 7.43 1.67 rank 1 changes" in text
    assert "An interval needs at least 20 comparisons; there are 3." in text
    assert "Conciseness differs most, Accuracy least" in text and "Beta 7.00 9.00 9.00 8.00 Alpha" in text
    assert "Mean rank: 2 of 3 change rank." in text


def test_who_leads_is_said_where_the_interval_over_common_questions_excludes_0(client):
    def scores(question, _reader):
        return {**RECORD_SCORES, 1: {**RECORD_SCORES[1], "accuracy": 9 + question % 2, "clarity": 10}}

    text = get_text(client, place(reviewed(questions=6, readers=3, scores=scores)))
    assert (
        "Alpha answers best, by 0.63 points Same order in all 3 analyses: 6 questions, 3 reviewers." in text
    )
    assert (
        "1 Alpha 8.73 6 values 2 Beta 8.10 6 values 0.63 (0.39 to 0.86) 3 Gamma" in text
        and "cannot be" not in text
    )
    assert "Close the set" in text and "Add questions" not in text


def test_one_question_tells_nobody_apart(client):
    text = get_text(client, place(reviewed(questions=1)))
    assert "Alpha and Beta cannot be told apart by one common question; they differ by 0.05 there." in text


def test_authors_without_a_common_question_are_not_compared(client):
    made = make_set(elsewhere=1, questions=0)
    pairs = [("Ann", "Bob"), ("Cid", "Dan")]
    new = [
        NewComparison(question=f"{pair}?", responses=[NewResponse(text=name, author=name) for name in pair])
        for pair in pairs
    ]
    stored = add_comparisons(comparison_set=made, comparisons=new, by=made.created_by, now=NOW)
    for at, row in enumerate(stored):
        row.set = made
        shift = {key: score - at for key, score in RECORD_SCORES[1].items()}
        review_with(comparison=row, reviewer=made.reviewers.get(), scores={1: shift, 2: RECORD_SCORES[3]})
    text = get_text(client, place(made))
    assert "Ann and Cid have no question in common, so they are not compared." in text
    assert "Nor does Ann lead 1 other: see below." in text
    assert "2 Cid 7.15 –, no common question" in text


def test_where_nobody_names_an_author_the_keys_stand_for_them(client):
    text = get_text(client, place(reviewed(authors={})))
    assert "responses with the same key are taken together" in text
    assert "1 Response 1 8.15" in text
    made = make_set(elsewhere=1, questions=0)
    responses = [NewResponse(text="x", key="bart"), NewResponse(text="y", key="dpr")]
    new = [NewComparison(question=f"{at}?", responses=responses) for at in range(2)]
    for row in add_comparisons(comparison_set=made, comparisons=new, by=made.created_by, now=NOW):
        row.set = made
        review_with(comparison=row, reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    assert "1 bart 8.15" in get_text(client, place(made))


def test_ties_are_ties(client):
    text = get_text(client, place(reviewed(scores=lambda *_: {**RECORD_SCORES, 2: RECORD_SCORES[1]})))
    assert "Alpha and Beta share the first rank with a mean of 8.15: a tie" in text
    assert "1 tie Alpha 8.15 1 tie Beta 8.15 0.00" in text and "A Alpha : 0, 2 in a tie; B Beta" in text
    assert "Alpha and Beta, a tie fragile 0.00" in text


def test_views_are_offered_or_said_why_not(client):
    text = get_text(client, place(reviewed(readers=2)))
    assert "z-normalised is not offered:" in text and "scored 6 responses" in text

    def scores(question, reader):
        shift = 1 if reader == 2 else 0
        return {
            number: {key: max(1, score - shift - question % 3) for key, score in given.items()}
            for number, given in RECORD_SCORES.items()
            if (question + number) % 3 or reader == 1
        }

    text = get_text(client, place(reviewed(questions=6, readers=2, scores=scores)))
    assert "z-normalised: 0 of 3 change rank." in text
    assert "Crossed random effects: 0 of 3 change rank." in text


def test_criteria_go_together_in_a_table_and_plots(client):
    made = reviewed(questions=4, scores=lambda question, _r: {
        number: {"accuracy": 2 * number, "completeness": 9 - 2 * number, "conciseness": 5, "clarity": question}
        for number in (1, 2, 3)
    })  # fmt: skip
    client.force_login(make_admin())
    body = client.get(place(made)).content.decode()
    # Conciseness does not vary, so three of six pairs have a correlation and a plot.
    assert re.findall(r'<a href="#(pair-\d)">([^<]+)</a>', body) == [
        ("pair-1", "−1.00"), ("pair-3", "0.00"), ("pair-5", "0.00"),
    ]  # fmt: skip
    assert re.findall(r'<figure class="plot" id="(pair-\d)">', body) == ["pair-1", "pair-3", "pair-5"]
    text = get_text(client, place(made))
    assert "Where Accuracy is high, Completeness is low" in text
    assert "Completeness −1.00 Conciseness – – Clarity 0.00 0.00 –" in text


def test_shade_counts_within_a_column_and_over_a_least_span():
    assert shade([Fraction(81, 10), Fraction(65, 10), Fraction(56, 10), Fraction(47, 10)]) == [4, 2, 1, 0]
    assert shade([6.2, 6.6, None, 6.1]) == [0, 1, 0, 0]
    assert shade([0.97, 0.12], lowest=0.0, span=1.0) == [4, 0] and shade([]) == []


def test_letters_are_initials_or_ranks_and_never_cover_each_other():
    assert pick_letters(["Birch", "Onyx"]) == {"Birch": "B", "Onyx": "O"}
    assert pick_letters(["Birch", "Bison"]) == {"Birch": "1", "Bison": "2"}
    names = {("1", "1"): "Birch", ("1", "2"): "Onyx", ("1", "3"): "Calder"}
    scored = [
        Scored("1", key, {"r": Fraction(value)}, {}, None) for key, value in (("1", 8), ("2", 8), ("3", 2))
    ]
    marks = place_marks(scored, names, pick_letters(list(names.values())))
    assert [(letter, line, is_first) for letter, _x, line, is_first in marks] == [
        ("C", 0, False), ("B", 0, True), ("O", 1, True),
    ]  # fmt: skip


def test_questions_stand_closest_first(client):
    def scores(question, _reader):
        return {**RECORD_SCORES, 1: {**RECORD_SCORES[1], "accuracy": {1: 10, 2: 9, 3: 8}[question]}}

    text = get_text(client, place(reviewed(questions=3, readers=3, scores=scores)))
    assert re.findall(r"soup number (\d)\?", text) == ["2", "3", "1"]


def test_what_does_not_count_is_said_and_can_be_let_in(client):
    def scores(question, reader):
        if reader == 1:
            return RECORD_SCORES
        if question == 1:
            return {number: {"holistic": 5} for number in (1, 2, 3)}
        return {number: {"accuracy": 2} for number in (1, 2, 3)}

    made = reviewed(readers=2, scores=scores)
    text = get_text(client, place(made))
    assert "1 review gave only a holistic score" in text and "Alpha 8.15" in text
    text = get_text(client, place(made, incomplete="yes"))
    assert "3 incomplete judgements count, divided by" in text and "Alpha 6.61" in text


def test_what_is_reviewed_is_counted_alike_and_an_unreadable_answer_is_no_review(client):
    made = reviewed(questions=6, readers=0)
    scoring, other = (
        add_reviewer(comparison_set=made, kind="elsewhere", name=name, by=made.created_by, now=NOW)
        for name in ("Eve", "Model")
    )
    for row in made.comparisons.filter(number__lte=2):
        row.set = made
        review_with(comparison=row, reviewer=scoring, scores=RECORD_SCORES)
    review = begin_review(comparison=row, reviewer=other, by=made.created_by, now=NOW)
    record = read_review("A and B.", labels(3), made.rubric_version.to_record())
    record_submission(review=review, record=record, by=made.created_by, now=NOW)
    text = get_text(client, place(made))
    assert "cannot be told apart with 1 reviewer" in text
    assert "2 of 6 questions reviewed, 1 reviewer." in text
    shown = get_text(client, reverse("comparison_set", args=[made.project.slug, made.number]))
    assert "Eve external 2 of 6" in shown and "Model external 0 of 6" in shown


def test_both_modes_and_holistic_sets(client):
    def scores(*_):
        return {number: {**given, "holistic": 2 * number} for number, given in RECORD_SCORES.items()}

    text = get_text(client, place(reviewed(mode="both", scores=scores)))
    assert "Holistic: 2 of 3 change rank." in text and "Alpha 9.00 8.00 7.00 8.00 2.00" in text
    text = get_text(client, place(reviewed(mode="holistic", scores=scores)))
    assert "Gamma and Beta cannot be told apart with 1 reviewer: 2.00 (−1.67 to 5.67)." in text
    assert "Correlation" not in text and "Mean by criterion" not in text


def test_comparisons_are_listed_by_fifty(client):
    made = reviewed(questions=52, readers=0)
    row = made.comparisons.get(number=52)
    row.set = made
    reader = add_reviewer(comparison_set=made, kind="elsewhere", name="Eve", by=made.created_by, now=NOW)
    review_with(comparison=row, reviewer=reader, scores=RECORD_SCORES)
    text = get_text(client, place(made))
    assert "1 to 50 of 52" in text and "soup number 50?" not in text
    assert (
        "How do you make soup number 52? G B A Alpha first, unclear fragile 0.05 How do you make soup number 1?"
        in text
    )
    assert "Fragile: less than 0.05" in text
    text = get_text(client, place(made, page="2"))
    assert "51 to 52 of 52" in text and "soup number 49?" not in text
    assert "Fragile: less than 0.05" not in text
    assert "How do you make soup number 51? – –" in text
    assert client.get(place(made, page="x")).status_code == 400
    assert client.get(place(made, colour="red")).status_code == 400


def test_results_under_another_version(client):
    made, admin = reviewed(), make_admin()
    draft = make_changed_draft(by=admin, weights=(0.2, 0.3, 0.3, 0.2))
    client.force_login(admin)
    assert client.get(place(made, under="1.3")).status_code == 404
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=admin, now=NOW)
    text = get_text(client, place(made, under="1.3"), person=admin)
    assert "As it would be under version 1.3" in text and "1 Beta 8.40" in text
    text = get_text(client, place(made), person=admin)
    assert "As it would be" not in text and "1 Alpha 8.15" in text


def test_an_empty_set_says_so_and_others_do_not_see_it(client):
    project = make_project()
    made = make_set(by=make_lead(project=project))
    assert "Results appear as soon as a review is submitted." in get_text(client, place(made))
    client.force_login(make_member(project=project))
    assert client.get(place(made)).status_code == 404


@pytest.mark.parametrize(("readers", "questions"), [(1, 2), (3, 55)])
def test_queries_do_not_grow_with_the_set(client, django_assert_num_queries, readers, questions):
    made = reviewed(readers=readers, questions=questions)
    client.force_login(make_admin())
    client.get(place(made))
    with django_assert_num_queries(10):
        client.get(place(made))
