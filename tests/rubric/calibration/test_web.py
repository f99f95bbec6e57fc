"""Pages of calibration and repeats: what leads see, what the person sees, and that nothing tells of a repeat."""

import re

import pytest
from django.test import Client
from django.urls import reverse

import workspace.core.hidden_duplicates
from rubric.calibration.actions import change_repeats
from rubric.human_reviewers.queries.waiting import repeat_seed
from rubric.models import CalibrationRound, CalibrationWaiver, ComparisonSet
from rubric.models.reviews import REPEAT
from tests.factories.human_reviewers import begin, list_reviewers, make_review_set, submitted
from tests.factories.people import NOW
from tests.factories.response_calibration import make_set_round, review_next, take
from tests.factories.tokens import program_of
from tests.factories.versions import publish_three_scales
from workspace.models import Membership

pytestmark = pytest.mark.django_db

MARKS = "1.1: 8\n1.2: 7\n1.3: 6"
PLAN = {
    "name": "First",
    "comparisons": "1",
    "is_required": "on",
    "mark_within": "1.5",
    "pass_percent": "75",
    "first_percent": "0",
    "marks": MARKS,
    "notes": "1: Response 2 NOTEMARK.",
}


def words(answer):
    return " ".join(answer.content.decode().split())


def signed(person):
    client = Client()
    client.force_login(person)
    return client


def address(name, made, *more):
    return reverse(name, args=[made.project.slug, made.number, *more])


def test_a_lead_opens_a_round_reads_its_rule_and_closes_it():
    made = make_review_set(questions=2, mode="holistic")
    lead = signed(made.created_by)
    answer = lead.post(address("set_calibrations", made), PLAN)
    assert (answer.status_code, answer["Location"]) == (303, address("set_calibration", made, 1))
    opened = CalibrationRound.objects.get()
    assert (opened.pass_percent, opened.is_required, str(opened.mark_within)) == (75, True, "1.50")
    shown = words(lead.get(answer["Location"]))
    assert "at least 75 % of the marks within 1.50 of the key’s, in points of the scale 1 to 10" in shown
    assert "Response 2 NOTEMARK." in shown and "Holistic 8" in shown
    assert "A round is open. Close it first." in words(lead.get(address("set_calibrations", made)))
    assert lead.post(address("close_set_calibration", made, 1)).status_code == 303
    opened.refresh_from_db()
    assert opened.closed_by == made.created_by


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"comparisons": "7-3"}, "names no comparisons"),
        ({"comparisons": "99", "marks": "", "notes": ""}, "has no comparison 99"),
        ({"comparisons": ""}, "required"),
        ({"marks": "1.1: good"}, "is no number"),
        ({"marks": "1.1: 8"}, "response 2 has no mark for Holistic"),
        ({"marks": ""}, "there is no consensus"),
        ({"notes": "no number"}, "does not begin with"),
        ({"pass_percent": "101"}, "less than or equal to 100"),
    ],
)
def test_what_cannot_be_is_said_and_everything_typed_stays(changes, says):
    made = make_review_set(mode="holistic")
    given = PLAN | {"name": "Kept as typed"} | changes
    answer = signed(made.created_by).post(address("set_calibrations", made), given)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert "Kept as typed" in answer.content.decode()
    assert not CalibrationRound.objects.exists()


def test_a_person_sees_after_submission_where_they_differ_and_why_and_a_lead_lets_them_review():
    made = make_review_set(questions=2, people=2, mode="holistic")
    person, _other = list_reviewers(made)
    make_set_round(made, notes={1: "Response 2 NOTEMARK."})
    me, lead = signed(person), signed(made.created_by)
    listed = words(me.get(reverse("reviews")))
    assert "Calibration: " in listed and "Next comparison of the calibration" in listed
    assert "0 of 1 comparisons done" in listed
    answer = me.post(reverse("next_review", args=[made.pk]))
    review = take(made, person)
    assert answer["Location"] == reverse("review", args=[review.pk])
    page = words(me.get(answer["Location"]))
    assert "calibration" in page and "NOTEMARK" not in page
    submitted(review, whole=(2, 7, 9))
    shown = words(me.get(answer["Location"]))
    assert "1 of your 3 marks agree with the team's." in shown
    assert "2 marks differ" in shown and "Not passed yet" in shown
    label = "ABC"[review.order.index(2)]
    assert f"Response {label} NOTEMARK." in shown, "the letter that they saw"
    assert re.search(r"Over all comparisons 33[.\d]* % of your marks agree", shown)
    assert "Go through the differences with a team lead" in words(me.get(reverse("reviews")))
    assert me.post(reverse("next_review", args=[made.pk])).status_code == 403
    place = address("let_review", made, 1, made.reviewers.get(person=person).pk)
    refused = lead.post(place, {"reason": " "})
    assert refused.status_code == 422 and "Say why they may review" in refused.content.decode()
    assert "Let them review" in words(lead.get(address("set_calibration", made, 1)))
    assert lead.post(place, {"reason": "We talked"}).status_code == 303
    assert CalibrationWaiver.objects.get().reason == "We talked"
    assert "You may review" in words(me.get(answer["Location"]))
    assert me.post(reverse("next_review", args=[made.pk])).status_code == 303


def test_who_put_another_response_first_reads_how_often_the_key_asks_for_it():
    made = make_review_set(mode="holistic")
    make_set_round(made, mark_within=9, first_percent=100)
    person = list_reviewers(made)[0]
    review = take(made, person)
    submitted(review, whole=(6, 7, 8))
    shown = words(signed(person).get(reverse("review", args=[review.pk])))
    assert (
        "In 0.0 % of the comparisons you put the team's response first; at least 100 % are required." in shown
    )


def test_who_left_meanwhile_is_not_let_review_and_the_lead_is_told():
    made = make_review_set(mode="holistic")
    [person] = list_reviewers(made)
    make_set_round(made)
    Membership.objects.filter(person=person).update(ended_at=NOW, ended_by=made.created_by)
    place = address("let_review", made, 1, made.reviewers.get(person=person).pk)
    answer = signed(made.created_by).post(place, {"reason": "We talked"})
    assert (answer.status_code, "does not review the set as an evaluator now" in words(answer)) == (409, True)


def test_agreed_marks_are_shown_with_all_their_decimals_and_their_scale():
    made = make_review_set(version=publish_three_scales())
    agreed = {"coherence": "25/8", "recommend": "1", "depth": "9"}
    make_set_round(made, marks={1: dict.fromkeys(("1", "2", "3"), agreed)})
    page = words(signed(made.created_by).get(address("set_calibration", made, 1)))
    assert "Coherence 3.125 of 5, Recommend 1 of 1, Depth 9 of 10" in page
    [person] = list_reviewers(made)
    scores = {"coherence": (5, 3, 3), "recommend": (1, 1, 1), "depth": (9, 9, 9)}
    review = submitted(take(made, person), scores=scores)
    shown = words(signed(person).get(reverse("review", args=[review.pk])))
    assert re.search(r"5 of 5 ?</td> ?<td[^>]*> ?3\.125 of 5", shown)
    assert "The team ranks Response A and Response B and Response C first together" in shown


def test_where_several_differ_from_the_key_the_page_says_so():
    made = make_review_set(questions=2, people=2, mode="holistic")
    make_set_round(made)
    for person in list_reviewers(made):
        review_next(made, person, (8, 7, 9))
    page = words(signed(made.created_by).get(address("set_calibration", made, 1)))
    assert "Scores in which several people differ from the key" in page and "2 of 2" in page


def test_the_set_page_counts_comparisons_for_calibration_as_nobodys():
    made = make_review_set(questions=3, mode="holistic", people_needed=1)
    make_set_round(made)
    page = words(signed(made.created_by).get(address("comparison_set", made)))
    assert page.count('<span class="chip">calibration</span>') == 1
    assert "0 of 2 slots are taken" in page and "0 (equal share: 2)" in page


def test_leads_set_the_share_of_repeats_and_see_how_people_agree_with_themselves(monkeypatch):
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)
    monkeypatch.setattr("rubric.human_reviewers.actions.is_due", lambda *_given: True)
    monkeypatch.setattr("workspace.core.hidden_duplicates.is_due", lambda *_given: True)
    made = make_review_set(questions=2, mode="holistic")
    [person] = list_reviewers(made)
    lead = signed(made.created_by)
    refused = lead.post(address("change_repeats", made), {"repeat_percent": "99"})
    assert refused.status_code == 422 and 'value="99"' in refused.content.decode()
    assert lead.post(address("change_repeats", made), {"repeat_percent": "50"}).status_code == 303
    review_next(made, person)
    assert "Agreement with oneself" not in words(lead.get(address("set_reviewers", made)))
    assert review_next(made, person, (8, 6, 4)).purpose == REPEAT
    page = words(lead.get(address("set_reviewers", made)))
    assert "Agreement with oneself" in page
    assert "1 of 3 (33&nbsp;%)" in page and "2 of 3 (67&nbsp;%)" in page and "1 of 1 (100&nbsp;%)" in page
    review_next(made, person)
    lead.post(address("close_set", made))
    assert "Agreement with oneself" not in words(signed(person).get(address("set_reviewers", made)))


# ---------------------------------------------------------------- a repeat looks like any other comparison


def test_leads_find_the_numbers_that_a_reviewer_knows_and_reviewers_do_not():
    made = make_review_set(questions=3, mode="holistic")
    [person] = list_reviewers(made)
    for number in (3, 1):
        submitted(begin(made, by=person, number=number))
    page = address("set_reviewer", made, made.reviewers.get().pk)
    found = r"(\d), response 1 ?</a> ?</th> ?<td class=\"num\"[^>]*> ?(\d)"
    rows = re.findall(found, words(signed(made.created_by).get(page)))
    assert rows == [("1", "2"), ("3", "1")]
    signed(made.created_by).post(address("close_set", made))
    shown = words(signed(person).get(page))
    assert "Reviews by" in shown and "Their comparison" not in shown


def everything(person, review):
    """What the site shows the person around one of their reviews, without what differs from review to review."""
    client = signed(person)
    page = reverse("review", args=[review.pk])
    places = [reverse("home"), reverse("reviews"), page, f"{page}?step=review"]
    acts = {"act": "notes~1~0~", "text": "A note", "nonce": "n", "step": "whole"}
    answers = [client.get(place) for place in places]
    answers.append(client.post(reverse("mark", args=[review.pk]), acts, headers={"HX-Request": "true"}))
    program = program_of(person)
    answers += [program.get(path) for path in ("reviews/", f"reviews/{review.pk}/")]
    return "\n".join(plain(answer.content.decode()) for answer in answers)


def plain(text):
    """Without tokens, keys of rows, the words of the question, and the texts in the order of their letters."""
    text = re.sub(r'csrfmiddlewaretoken" value="\w+|"X-CSRFToken": "\w+', "csrf", text)
    text = re.sub(r"/(reviews|next|begin|comparisons)/\d+|review-\d+", r"/\1/N", text)
    text = re.sub(r'"(id|review|comparison)":\d+', r'"\1":N', text)
    text = re.sub(r"project-\d+|Project \d+|evaluator-?\d+|soup number \d+", "", text)
    text = re.sub(r"(water and )+", "water and ", text)
    return re.sub(r"\b[0-9a-f]{16}\b|\d\d:\d\d(:\d\d)?", "", text)


def world(questions, percent):
    made = make_review_set(mode="holistic", questions=questions)
    if percent:
        change_repeats(comparison_set=made, repeat_percent=percent, by=made.created_by, now=NOW)
    [person] = list_reviewers(made)
    type(person).objects.filter(pk=person.pk).update(name="Somebody", email=f"somebody-{made.pk}@example.org")
    person.refresh_from_db()
    type(made.project).objects.filter(pk=made.project_id).update(name="Soup")
    return made, person


def test_no_page_of_a_person_differs_between_a_repeat_and_a_comparison_that_is_new(monkeypatch):
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)
    repeats, person = world(2, 50)
    other, someone = world(3, 0)
    seed = repeat_seed(repeats, person)
    monkeypatch.setattr("rubric.human_reviewers.actions.is_due", lambda name, *_given: name == seed)
    monkeypatch.setattr(
        "workspace.core.hidden_duplicates.is_due", lambda name, given_count, _percent: given_count == 1
    )
    review_next(repeats, person)
    review_next(other, someone)
    again, new = take(repeats, person), begin(other, by=someone, number=2)
    assert again.purpose == REPEAT
    before = everything(person, again)
    assert before == everything(someone, new)
    assert "Your comparison 2" in before and "Continue with your comparison 2" in before
    for review in (again, new):
        submitted(review, whole=(7, 7, 7))
    after = everything(person, again)
    assert after == everything(someone, new)
    assert not re.search(r"repeat|calibrat|set_apart", before + after, re.IGNORECASE)
    left = ComparisonSet.objects.get(pk=repeats.pk)
    assert left.repeat_percent == 50
