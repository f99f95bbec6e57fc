"""One comparison's results: ranking, uncertainty, what would change it, what does not count, who sees it."""

import html
import json
import re

import pytest
from django.urls import reverse

from rubric.comparisons.actions import add_comparisons, add_reviewer, close_set, import_lines
from rubric.comparisons.core.lines import NewComparison, NewResponse, read_comparison_lines
from rubric.core.response_order import labels
from rubric.results.actions import pass_survey_over
from rubric.reviewer_statistics.queries import load_input
from rubric.reviews.actions import begin_review, record_submission, supersede_review
from rubric.reviews.core.answer_record import read_review
from rubric.versions.actions import publish_version
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.versions import make_changed_draft

pytestmark = pytest.mark.django_db
AUTHORS = {1: "Alpha", 2: "Beta", 3: "Gamma"}


def place(row, **given):
    return reverse("comparison_result", args=[row.set.project.slug, row.set.number, row.number]) + (
        "?" + "&".join(f"{key}={value}" for key, value in given.items()) if given else ""
    )


def get_text(client, address, *, person=None, **given):
    client.force_login(person or make_admin())
    answer = client.get(address, **given)
    assert answer.status_code == 200, answer.content[:300]
    return plain(answer)


def plain(answer):
    """The words of an answer, without tags and runs of spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def reviewed(scores=RECORD_SCORES, *, readers=1, **given):
    """The first comparison of a set whose readers all gave these scores."""
    made = make_set(elsewhere=readers, authors=AUTHORS, **given)
    row = made.comparisons.get(number=1)
    row.set = made
    for reviewer in made.reviewers.all():
        review_with(comparison=row, reviewer=reviewer, scores=scores)
    return row


def moved(scores, **changes):
    """The scores with those of accuracy moved, by number of the response."""
    return {
        number: {**given, "accuracy": given["accuracy"] + changes.get(f"r{number}", 0)}
        for number, given in scores.items()
    }


def test_the_example_of_the_record_with_its_flip(client):
    text = get_text(client, place(reviewed()))
    assert "How do you make soup number 1?" in text
    for words in (
        "Alpha scores 0.05 more than Beta. One of the two was judged by one reviewer alone",
        "Beta 0.05 – – can't tell with 1 reviewer",
        "1 Alpha response 1 8.15",
        "2 Beta response 2 8.10",
        "3 Gamma response 3 6.00",
        "Level once 1.25 % from Accuracy goes to Conciseness.",
        "Never: no weights bring it level.",
        "below 33.33 % Beta is first",
        "above 28.57 % Beta is first",
        "above 21.95 % Beta is first",
        "no value changes the first",
        "fragile",
    ):
        assert words in text
    assert "Alpha 63 % 34 %" in text and "Beta 37 % 66 %" in text


def test_a_gap_that_may_be_chance_is_no_tie_and_says_how_many_reviewers_it_rests_on(client):
    row = reviewed(readers=0)
    made = row.set
    for number, changes in enumerate(({"r1": 0}, {"r1": -3}, {"r1": 1, "r2": 1}), start=1):
        reviewer = add_reviewer(
            comparison_set=made, kind="elsewhere", name=f"Reader {number}", by=row.created_by, now=NOW
        )
        review_with(comparison=row, reviewer=reviewer, scores=moved(RECORD_SCORES, **changes))
    text = get_text(client, place(row))
    assert (
        "Beta scores 0.30 (−1.29 to 1.89) more than Alpha: whether others would agree cannot be told" in text
    )
    assert "ahead in 70 % of draws" in text
    assert "Alpha 0.30 −1.29 to 1.89 70 % can't tell with 3 reviewers" in text
    assert "tie Alpha" not in text and "put it first" not in text


def test_that_every_reviewer_puts_it_first_is_said_first(client):
    row = reviewed(readers=0)
    for number, changes in enumerate(({"r2": 1}, {"r2": 2}, {"r1": -3}), start=1):
        reviewer = add_reviewer(
            comparison_set=row.set, kind="elsewhere", name=f"Reader {number}", by=row.created_by, now=NOW
        )
        review_with(comparison=row, reviewer=reviewer, scores=moved(RECORD_SCORES, **changes))
    text = get_text(client, place(row))
    assert (
        "Nobody can tell who answers best Beta: all 3 reviewers put it first (by chance 11 %). "
        "By how much it leads Alpha is open: 0.65 (−0.36 to 1.66)." in text
    )
    assert "Alpha 0.65 −0.36 to 1.66 100 % by how much is open" in text and "can't tell" not in text


def test_a_difference_inside_the_margin_is_level(client):
    text = get_text(client, place(reviewed(readers=12)))
    assert "Alpha and Beta are level: 0.05 (−0.08 to 0.18)." in text
    assert "The whole interval lies within 0.25 points either way." in text
    assert "Gamma 2.15 2.02 to 2.28 100 % ahead" in text


def test_three_equal_reviews_of_whole_scores_are_not_certain(client):
    text = get_text(client, place(reviewed(readers=3)))
    assert (
        "Alpha: all 3 reviewers put it first (by chance 11 %). "
        "By how much it leads Beta is open: 0.05 (−0.47 to 0.57)." in text
    )
    assert "Gamma 2.15 1.63 to 2.67 100 % ahead" in text


def test_equal_means_share_a_place(client):
    text = get_text(client, place(reviewed({1: RECORD_SCORES[1], 2: RECORD_SCORES[1], 3: RECORD_SCORES[3]})))
    assert "Alpha and Beta share the first rank with a mean of 8.15: a tie." in text
    assert "1 tie Alpha" in text and "3 Gamma" in text
    assert "Level already: any other weights may put it first." in text


def test_holistic_answers_are_marked_and_never_averaged_with_overalls(client):
    row = reviewed(readers=2)
    client.force_login(make_admin())
    first, second = row.set.reviewers.order_by("pk")
    supersede_review(review=row.reviews.get(reviewer=second), by=row.created_by, now=NOW)
    only_whole = {number: {"holistic": 10 - number * 3} for number in (1, 2, 3)}
    review_with(comparison=row, reviewer=second, scores=only_whole)
    text = get_text(client, place(row))
    assert f"Only a holistic score came from {second.name}" in text
    assert "1 Alpha response 1 8.15 – 1" in text and first.name in text
    assert "no criteria, a holistic score or ranking" in text
    assert "Fallback: by holistic score Alpha scores 3.00 more than Beta." in text


def test_incomplete_judgements_are_left_out_until_asked_for(client):
    row = reviewed(readers=2)
    second = row.set.reviewers.order_by("pk").last()
    supersede_review(review=row.reviews.get(reviewer=second), by=row.created_by, now=NOW)
    part = {number: {"accuracy": 1} for number in (1, 2, 3)}
    review_with(comparison=row, reviewer=second, scores=part)
    text = get_text(client, place(row))
    assert "3 incomplete judgements are left out." in text
    assert "Include incomplete judgements (3)" in text and "8.15 – 1" in text
    text = get_text(client, place(row, incomplete="yes"))
    assert "Incomplete judgements count" in text and "1 Alpha response 1 4.58" in text
    assert client.get(place(row, incomplete="maybe")).status_code == 400


def test_both_kinds_of_score_stand_beside_each_other(client):
    scores = {
        number: {**given, "holistic": {1: 6, 2: 9, 3: 4}[number]} for number, given in RECORD_SCORES.items()
    }
    text = get_text(client, place(reviewed(scores, mode="both")))
    assert (
        "Nobody can tell who answers best Alpha scores" in text
        and "By holistic score Beta scores 3.00 more than Alpha" in text
    )
    assert "give other ranks: Alpha: 2 instead of 1 and Beta: 1 instead of 2." in text


def test_a_holistic_set_has_one_ranking_and_no_weights(client):
    scores = {number: {"holistic": 4 + number} for number in (1, 2, 3)}
    text = get_text(client, place(reviewed(scores, mode="holistic")))
    assert "Nobody can tell who answers best Gamma scores" in text and "By holistic score" in text
    assert "By overall" not in text and "What would change the winner" not in text


def test_own_responses_do_not_count_and_the_page_says_so(client):
    made = make_set(elsewhere=1, authors={**AUTHORS, 1: "Reader 1"})
    row = made.comparisons.get(number=1)
    row.set = made
    review_with(comparison=row, reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    text = get_text(client, place(row))
    assert "Judgements of own responses do not count: Reader 1 (Reader 1)." in text
    assert "Beta scores 2.10 more than Gamma" in text


def test_who_declined_is_named(client):
    row = reviewed(readers=2)
    second = row.set.reviewers.order_by("pk").last()
    supersede_review(review=row.reviews.get(reviewer=second), by=row.created_by, now=NOW)
    review = begin_review(comparison=row, reviewer=second, by=row.created_by, now=NOW)
    record = read_review("I cannot help with that.", labels(3), row.set.rubric_version.to_record())
    record_submission(review=review, record=record, by=row.created_by, now=NOW)
    assert f"No scores came from {second.name}: declined, or unreadable." in get_text(client, place(row))


def test_every_review_is_there_with_flags_notes_reasons_and_both_rounds(client):
    row = reviewed(has_second_round=True)
    reviewer = row.set.reviewers.get()
    review = begin_review(comparison=row, reviewer=reviewer, round_number=2, by=row.created_by, now=NOW)
    label = {number: label for label, number in zip(labels(3), review.order, strict=True)}
    given = {label[number]: dict(scores) for number, scores in moved(RECORD_SCORES, r1=-4).items()}
    given[label[1]] |= {"overall": 9.5, "notes": "Tastes of stones."}
    del given[label[3]]["clarity"]
    record = read_review(
        json.dumps({"evaluations": given, "ranking": [label[2], label[1], label[3]]}),
        labels(3),
        row.set.rubric_version.to_record(),
    )
    reasons = {label[3]: {"clarity": "Too short to tell."}}
    record_submission(review=review, record=record, cannot_judge=reasons, by=row.created_by, now=NOW)
    text = get_text(client, place(row))
    assert "round 1, all criteria scored" in text and "round 2, some criteria missing" in text
    assert record.flags and all(flag.message in text for flag in record.flags)
    assert "Gamma , Clarity: cannot judge. Too short to tell." in text
    assert "Alpha Tastes of stones." in text
    assert "Ranking given: 1. Beta ; 2. Alpha ; 3. Gamma" in text
    assert f"Alpha {label[1]} 5 8 7 8 – 6.75 9.5" in text
    assert "Beta scores 1.35 more than Alpha" in text  # the newest round counts


def test_notes_and_names_of_strangers_are_escaped(client):
    row = reviewed(readers=0)
    reviewer = add_reviewer(
        comparison_set=row.set, kind="elsewhere", name="<b>Eve</b>", by=row.created_by, now=NOW
    )
    scores = {
        number: {**given, "notes": "<script>x</script>\u202e"} for number, given in RECORD_SCORES.items()
    }
    review_with(comparison=row, reviewer=reviewer, scores=scores)
    client.force_login(make_admin())
    body = client.get(place(row)).content.decode()
    assert "<script>x" not in body and "<b>Eve" not in body
    assert "&lt;script&gt;x" in body and "&lt;b&gt;Eve" in body and "\u202e" not in body


def test_weights_tried_out_give_their_ranking_with_and_without_script(client):
    row = reviewed()
    given = {"weight-accuracy": "30", "was-accuracy": "35"}
    text = get_text(client, place(row, **given))
    assert "Beta would be first instead of Alpha." in text
    assert "Accuracy 31.58 %, Completeness 26.32 %, Conciseness 21.05 %, Clarity 21.05 %" in text
    assert "1 Beta 8.16 up 1" in text
    answer = client.get(place(row, **given), headers={"HX-Request": "true"})
    body = answer.content.decode()
    assert body.lstrip().startswith('<div id="whatif-result"') and "Every score" not in body
    assert "Beta would be first" in plain(answer)
    # The number was typed, so the slider follows, and what both stood at.
    assert re.search(r'id="slider-accuracy"[^>]*value="30"[^>]*hx-swap-oob', body)
    assert re.search(r'id="was-accuracy"[^>]*value="30"[^>]*hx-swap-oob', body)
    assert 'id="weight-accuracy"' not in body


def test_a_slider_that_was_moved_takes_its_number_along(client):
    row = reviewed()
    given = {"weight-clarity": "20", "slider-clarity": "90", "was-clarity": "20"}
    client.force_login(make_admin())
    body = client.get(place(row, **given), headers={"HX-Request": "true"}).content.decode()
    assert re.search(r'id="weight-clarity"[^>]*value="90"', body) and 'id="slider-clarity"' not in body


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_what_is_no_weight_is_said_beside_the_form(client, headers):
    row = reviewed()
    client.force_login(make_admin())
    given = {"weight-accuracy": "much", "was-accuracy": "35"}
    answer = client.get(place(row, **given), headers=headers)
    assert answer.status_code == 422
    assert 'Accuracy: "much" is no weight. Write a percentage from 0 to 100' in plain(answer)
    none = {f"weight-{key}": "0" for key in ("accuracy", "completeness", "conciseness", "clarity")}
    answer = client.get(place(row, **none), headers=headers)
    assert answer.status_code == 422 and "All weights are 0" in plain(answer)


def test_results_under_another_version_are_marked_and_nothing_is_stored(client):
    row = reviewed()
    admin = make_admin()
    draft = make_changed_draft(by=admin, weights=(0.2, 0.3, 0.3, 0.2))
    assert client.get(place(row, under="1.3")).status_code == 302  # to the sign-in
    client.force_login(admin)
    assert client.get(place(row, under="1.3")).status_code == 404
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=admin, now=NOW)
    text = get_text(client, place(row, under="1.3"), person=admin)
    assert "As it would be under version 1.3" in text and "Beta scores 0.50 more than Alpha" in text
    assert "As it would be" not in get_text(client, place(row), person=admin)


def test_a_long_response_is_cut_until_it_is_asked_for(client):
    made = make_set()
    responses = [NewResponse(text="soup " * 2000), NewResponse(text="stones")]
    new = NewComparison(question="And now?", responses=responses)
    [row] = add_comparisons(comparison_set=made, comparisons=[new], by=made.created_by, now=NOW)
    row.set = made
    assert "The whole text" in get_text(client, place(row))
    text = get_text(client, place(row, whole="1"))
    assert "The whole text" not in text and text.count("soup") >= 2000


def test_a_response_without_an_author_is_named_once(client):
    made = make_set(elsewhere=1)
    row = made.comparisons.get()
    row.set = made
    review_with(comparison=row, reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    text = get_text(client, place(row))
    assert "Response 2" in text and "Response 2 response 2" not in text


def test_nothing_handed_in_yet(client):
    made = make_set()
    row = made.comparisons.get()
    row.set = made
    assert "Results appear as soon as a review is submitted." in get_text(client, place(row))


def test_reviewers_see_results_once_closed_without_weights_and_others_names(client):
    project = make_project()
    lead = make_lead(project=project)
    first, other = make_member(project=project), make_member(project=project)
    made = make_set(by=lead, people=[first, other], authors=AUTHORS)
    row = made.comparisons.get()
    row.set = made
    for reviewer in made.reviewers.all():
        review_with(comparison=row, reviewer=reviewer, scores=RECORD_SCORES)
    client.force_login(first)
    assert client.get(place(row)).status_code == 403
    close_set(comparison_set=made, by=lead, now=NOW)
    row.set.refresh_from_db()
    pass_survey_over(comparison=row, by=first, now=NOW)
    text = get_text(client, place(row), person=first)
    assert "By how much it leads Beta is open" in text and first.name in text and other.name not in text
    assert "What would change the winner" not in text and "1.25 %" not in text
    assert client.get(place(row, under="1.3")).status_code == 403
    given = {"weight-accuracy": "30", "was-accuracy": "35"}
    assert client.get(place(row, **given), headers={"HX-Request": "true"}).status_code == 403
    assert other.name in get_text(client, place(row), person=lead)


@pytest.mark.parametrize(("readers", "questions"), [(2, 2), (6, 5)])
def test_queries_do_not_grow_with_reviewers_or_comparisons(
    client, django_assert_num_queries, readers, questions
):
    row = reviewed(readers=readers, questions=questions)
    client.force_login(make_admin())
    client.get(place(row))
    with django_assert_num_queries(14):
        client.get(place(row))


def test_rankings_without_scores_enter_the_mean_places_and_are_marked(client):
    row = reviewed()
    lines = [
        {"comparison": row.key, "reviewer": name, "ranking": ["2", "1", "3"]} for name in ("Ranker", "Other")
    ]
    read = read_comparison_lines("\n".join(map(json.dumps, lines)).encode())
    assert import_lines(comparison_set=row.set, lines=read, by=row.created_by, now=NOW).reviews == 2
    assert import_lines(comparison_set=row.set, lines=read, by=row.created_by, now=NOW).known == 2
    text = get_text(client, place(row))
    assert "Only the ranking of Ranker and Other counts, in the mean ranks; no score of theirs does." in text
    assert "1 Alpha response 1 8.15 – 1 1.67 2 changes" in text
    whole = get_text(client, reverse("set_results", args=[row.set.project.slug, row.set.number]))
    assert "2 reviews count by their rankings alone, in the mean ranks." in whole
    assert "Alpha 1 8.15 1.67" in whole
    assert len(load_input(row.set).preferences) == 6


def test_rankings_alone_are_shown_where_no_score_counts(client):
    row = reviewed(readers=0)
    line = {"comparison": row.key, "reviewer": "Ranker", "ranking": [["2", "1"], "3"]}
    import_lines(
        comparison_set=row.set,
        lines=read_comparison_lines(json.dumps(line).encode()),
        by=row.created_by,
        now=NOW,
    )
    said = "No score counts yet. By rankings alone the best mean rank, 1.50, goes to Alpha and Beta."
    assert said in get_text(client, place(row))
    assert said in get_text(client, reverse("set_results", args=[row.set.project.slug, row.set.number]))


def test_criteria_alone_where_a_score_as_a_whole_was_asked_for_are_named(client):
    row = reviewed(mode="holistic")
    said = (
        "Scores of Reader 1 are by criterion alone. They do not count here: a holistic score was asked for."
    )
    assert said in get_text(client, place(row))
    whole = get_text(client, reverse("set_results", args=[row.set.project.slug, row.set.number]))
    assert "1 review scored criteria alone where a holistic score was asked for; it does not count" in whole
