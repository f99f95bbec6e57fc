"""The reviewer's page and its acts over HTTP: with htmx and as plain forms, allowed and refused.

A slip in the holistic score, once the criteria are open; and what a second round changed.
"""

import html
import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from rubric.checks.actions import CHECKS
from rubric.core.scales import Scale
from rubric.human_reviewers.actions import submit_marked_review
from rubric.human_reviewers.queries.reviews import load_review_state
from rubric.models import Mark, MarkRevision, Review, RubricVersion
from tests.factories.human_reviewers import (
    begin,
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
from tests.factories.versions import publish_three_scales
from workspace.checks.core import run_check
from workspace.core.refusals import Unacceptable

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "answer"}


@pytest.fixture
def review(client):
    started = start(mode="both")
    client.force_login(started.reviewer.person)
    return started


def act(client, review, short, *, nonce="0123456789abcdef", headers=HTMX, **more):
    body = {"act": short, "nonce": nonce, "step": "whole"} | more
    return client.post(reverse("mark", args=[review.pk]), body, headers=headers)


def get_page(client, review, query=""):
    return client.get(reverse("review", args=[review.pk]) + query)


def buttons(content):
    """Every act that a press of a button on the page would post."""
    return [html.unescape(value) for value in re.findall(r'name="act" value="([^"]+)"', content)]


def test_the_page_shows_question_responses_and_what_is_asked(client, review):
    answer = get_page(client, review)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "How do you make soup number 1?" in text
    assert [f"Response {letter}" in text for letter in "ABCD"] == [True, True, True, False]
    assert "0 of 15 scored" in text
    assert "holistic~1~0~10" in buttons(text)
    assert not [short for short in buttons(text) if short.startswith("score")]
    assert "Factual correctness" not in text


def test_a_small_screen_shows_the_responses_until_something_is_scored_or_a_step_is_asked_for(client, review):
    def first_part(query=""):
        text = get_page(client, review, query).content.decode()
        return re.findall(r'id="part-(\w+)"\s+checked', text)

    assert first_part() == ["text"]
    assert first_part("?step=whole") == ["judge"]
    say(review, "holistic", "1", "7")
    assert first_part() == ["judge"]


def test_an_act_by_htmx_answers_regions_and_when_it_was_saved(client, review):
    answer = act(client, review, "holistic~2~0~7")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert re.fullmatch(r"\d\d:\d\d:\d\d", answer["X-Saved"])
    assert 'id="item-holistic-2"' in text
    assert "1 of 15 scored" in text
    assert "<html" not in text
    assert "holistic~2~1~7" in buttons(text)
    assert Mark.objects.get().value == "7"


def test_the_last_score_as_a_whole_opens_the_criteria_and_keeps_what_was_given(client, review):
    for place in (1, 2):
        assert "score~" not in act(client, review, f"holistic~{place}~0~7").content.decode()
    text = act(client, review, "holistic~3~0~7").content.decode()
    assert "score~1.accuracy~0~5" in buttons(text)
    assert "Is the information factually correct?" in text
    assert "Wrong or made up where it matters" in text
    assert not [short for short in buttons(text) if short.startswith("holistic") and not short.endswith("*")]
    assert "so these scores are final" in text
    assert act(client, review, "holistic~3~1~").status_code == 422
    assert "slip-item-holistic-3" in act(client, review, "holistic~3~1~8").content.decode()
    assert work(review).values["holistic", "3"] == "8"


def rows_so_far(text):
    table = re.search(r'<table class="sofar.*?</table>', text, re.DOTALL)
    return re.findall(r"<t[dh][^>]*>([^<]+)</t[dh]>", table[0].partition("<tbody>")[2]) if table else []


def test_the_ranking_so_far_is_from_the_criteria_that_all_responses_have(client, review):
    for place in (1, 2, 3):
        say(review, "holistic", str(place), "7")
    for subject, points in (("1.accuracy", "6"), ("2.accuracy", "9"), ("1.completeness", "10")):
        say(review, "score", subject, points)
    assert not rows_so_far(get_page(client, review).content.decode())
    text = act(client, review, "score~3.accuracy~0~5", step="by-accuracy").content.decode()
    assert "Ranking so far, from 1 criterion" in text
    assert rows_so_far(text) == ["1", "B", "9.0", "9", "2", "A", "6.0", "6", "3", "C", "5.0", "5"]
    say(review, "score", "2.completeness", "2")
    say(review, "score", "3.completeness", "cannot", reason="It is cut off")
    assert "from 1 criterion" in get_page(client, review).content.decode()
    say(review, "score", "3.completeness", "5")
    assert rows_so_far(get_page(client, review).content.decode())[:5] == ["1", "A", "7.7", "6", "10"]
    for subject in [f"{place}.{key}" for place in (1, 2, 3) for key in ("conciseness", "clarity")]:
        say(review, "score", subject, "8")
    shown = get_page(client, review).content.decode()
    assert '<span class="visually-hidden">Completeness</span>' in shown
    assert rows_so_far(shown)[:7] == [
        "1",
        "A",
        "7.8",
        "6",
        "10",
        "8",
        "8",
    ]


def test_each_criterion_is_a_step_once_the_criteria_are_open(client, review):
    def steps(query=""):
        page = get_page(client, review, query).content.decode()
        return re.findall(r'data-step="([\w-]+)"', page), re.findall(
            r'class="step[^"]* on" id="([\w-]+)"', page
        )

    assert steps() == (["whole", "criteria", "review", "whole"], ["step-whole"])
    for place in (1, 2, 3):
        say(review, "holistic", str(place), "7")
    names, shown = steps("?step=by-clarity")
    criteria = ["by-accuracy", "by-completeness", "by-conciseness", "by-clarity"]
    assert names == ["whole", *criteria, "review", "by-clarity"]
    assert shown == ["step-by-clarity"]
    assert steps("?step=criteria")[1] == ["step-by-accuracy"]


def test_a_plain_form_is_redirected_to_the_item(client, review):
    answer = act(client, review, "holistic~2~0~7", headers={})
    assert answer.status_code == 303
    assert answer["Location"] == f"/reviews/{review.pk}/?step=whole#item-holistic-2"


def test_cannot_judge_takes_a_reason(client, review):
    without = act(client, review, "holistic~2~0~cannot", text=" ", nonce="one")
    assert without.status_code == 422
    assert "why it cannot be judged" in without.content.decode()
    answer = act(client, review, "holistic~2~0~cannot", text="It is in a language I cannot read", nonce="two")
    assert answer.status_code == 200
    stored = Mark.objects.get()
    assert (stored.value, stored.reason) == ("cannot", "It is in a language I cannot read")
    assert "language I cannot read" in answer.content.decode()


def test_notes_are_saved_and_what_is_typed_meanwhile_stays(client, review):
    text = act(client, review, "notes~2~0~", text="Half of it\r\nis true.").content.decode()
    assert "notes~2~1~" in html.unescape(text)
    assert "<textarea" not in text
    assert Mark.objects.get().value == "Half of it\nis true."
    assert "Half of it\nis true.</textarea>" in get_page(client, review).content.decode()


def test_of_two_versions_of_a_note_the_own_one_comes_back_into_its_field(client, review):
    say(review, "notes", "2", "stored note")
    text = act(client, review, "notes~2~0~", text="my note").content.decode()
    assert "stored note</textarea>" in text
    assert 'name="page" value="1"' in text
    chosen = act(client, review, "notes~2~1~", text="my note", page="1", nonce="other").content.decode()
    assert "my note</textarea>" in chosen
    assert Mark.objects.get().value == "my note"


@pytest.mark.parametrize(
    ("name", "press"),
    [
        ("mark", {"act": "holistic~1~0~7"}),
        ("mark", {"act": "holistic~1~0~cannot", "text~holistic~1~0": "It is cut off"}),
        ("mark", {"act": "notes~1~0~", "text~notes~1~0": "Mine"}),
        ("mark", {"act": "holistic~1~0~11"}),
        ("undo_mark", {"key": "n:undo:1"}),
        ("submit_review", {"key": "n:submit"}),
    ],
)
def test_without_script_a_note_that_was_typed_is_stored_whatever_is_pressed(client, review, name, press):
    say(review, "notes", "3", "Old note")
    page = {
        "nonce": "n",
        "step": "whole",
        "text~notes~1~0": "",
        "text~notes~2~0": "Typed",
        "text~notes~3~1": "Old note",
    }
    answer = client.post(reverse(name, args=[review.pk]), page | press)
    assert answer.status_code in (303, 422), answer.content
    notes = dict(Mark.objects.filter(kind="notes").exclude(value="").values_list("subject", "value"))
    kept = {} if name == "undo_mark" else {"3": "Old note"}
    mine = {"1": "Mine"} if press.get("text~notes~1~0") else {}
    assert notes == {"2": "Typed"} | kept | mine
    assert MarkRevision.objects.filter(mark__kind="notes", mark__subject="1").count() == len(mine)


def test_without_script_a_note_that_another_page_changed_is_shown_with_what_was_typed(client, review):
    say(review, "notes", "2", "From another page")
    page = {"act": "holistic~1~0~7", "nonce": "n", "step": "whole", "text~notes~2~0": "Typed here"}
    answer = client.post(reverse("mark", args=[review.pk]), page)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "Typed here" in text and "From another page" in text
    assert Mark.objects.get(kind="holistic").value == "7"


def test_a_score_of_a_list_is_what_was_chosen(client):
    review = start(version=publish_three_scales(depth=Scale(0, 100, 5)))
    client.force_login(review.reviewer.person)
    refused = act(client, review, "score~1.depth~0~*", **{"value~score~1.depth~0": ""})
    assert refused.status_code == 422 and "Choose a score first" in refused.content.decode()
    act(client, review, "score~1.depth~0~*", nonce="other", **{"value~score~1.depth~0": "35"})
    assert Mark.objects.get().value == "35"


def test_examples_are_folded_under_their_criterion(client):
    review = start()
    client.force_login(review.reviewer.person)
    page = html.unescape(get_page(client, review).content.decode())
    criteria = review.comparison.set.rubric_version.to_record().criteria
    assert len(criteria) == 4
    for criterion in criteria:
        section = re.search(rf'aria-labelledby="criterion-{criterion.key}".*?</section>', page, re.DOTALL)
        folded = re.search(r"<details class=\"guide small\">.*?</details>", section[0], re.DOTALL)[0]
        assert folded.index("Good examples") < folded.index("Bad examples")
        examples = [*criterion.good_examples, *criterion.bad_examples]
        assert [example in folded for example in examples] == [True] * 4


def test_a_version_without_examples_shows_none(client):
    review = start(version=RubricVersion.objects.get(rubric__key="response", number="1.1"))
    client.force_login(review.reviewer.person)
    page = get_page(client, review).content.decode()
    assert 'id="criterion-clarity"' in page and "xamples" not in page


def test_a_key_used_for_something_else_is_refused(client, review):
    act(client, review, "holistic~2~0~7")
    answer = act(client, review, "holistic~2~0~8")
    assert answer.status_code == 422
    assert MarkRevision.objects.count() == 1


@pytest.mark.parametrize("short", ["holistic~2~0~4", "notes~2~0~"])
def test_a_stale_version_shows_both_and_overwrites_nothing(client, review, short):
    kind = short.partition("~")[0]
    say(review, kind, "2", "9")
    answer = act(client, review, short, text="my other note")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "Nothing was overwritten" in text
    assert ("my other note" if kind == "notes" else ">4<") in text
    assert ">9<" in text
    assert [button for button in buttons(text) if button.startswith(f"{kind}~2~1~")]
    assert Mark.objects.get().value == "9"
    plain = act(client, review, short, headers={}, nonce="another", text="my other note")
    assert plain.status_code == 409
    assert "<html" in plain.content.decode()


@pytest.mark.parametrize("headers", [HTMX, {}])
@pytest.mark.parametrize(
    "body",
    [
        {"act": "holistic~9~0~5"},
        {"act": "holistic~1~0~11"},
        {"act": "holistic~1~0~7.5"},
        {"act": "holistic~1~x~5"},
        {"act": "holistic~1"},
        {"act": "score~1.accuracy~0~5"},
        {"act": "score~1.taste~0~5"},
        {"act": "ranking~~0~1>2>3"},
        {"act": "ranking~~0~1>1>2"},
        {"act": "notes~7~0~", "text": "odd"},
        {"act": "notes~1~0~", "text": "x" * 4001},
        {"act": "holistic~1~0~cannot"},
        {"act": "nothing~~0~5"},
        {"kind": "holistic", "subject": "1", "value": "5"},
        {"kind": "holistic", "subject": "1" * 300, "value": "5", "version": "0"},
        {},
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_is_written(client, review, body, headers):
    more = {} if "act" in body else {"key": "k"}
    answer = client.post(reverse("mark", args=[review.pk]), body | {"nonce": "n"} | more, headers=headers)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not (Mark.objects.exists() or MarkRevision.objects.exists())


def test_undo_takes_back_the_newest_act(client, review):
    page = get_page(client, review).content.decode()
    assert re.search(r'disabled title="There is nothing to undo\."\s*>\s*Undo', page)
    act(client, review, "holistic~2~0~7")
    answer = client.post(reverse("undo_mark", args=[review.pk]), {"key": "u", "step": "whole"}, headers=HTMX)
    assert answer.status_code == 200
    assert 'id="item-holistic-2"' in answer.content.decode()
    assert Mark.objects.get().value == ""
    nothing = client.post(reverse("undo_mark", args=[review.pk]), {"key": "v"}, headers=HTMX)
    assert nothing.status_code == 422


def test_handing_in_names_the_first_missing_thing_and_leads_there(client, review):
    say(review, "holistic", "1", "7")
    answer = client.post(reverse("submit_review", args=[review.pk]), {"key": "s"}, headers=HTMX)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert re.search(
        r'href="[^"]+\?step=whole#item-holistic-2"[^>]*>Response B has no holistic score.</a>', text
    )
    (left,) = re.findall(r"(\d+) answers are missing. The first:", text)
    assert int(left) == len(load_review_state(Review.objects.get()).missing) > 1
    assert 'data-first="item-holistic-2"' in text
    assert Review.objects.get().state == "draft"


def test_overalls_are_shown_once_it_is_submitted_and_what_is_next(client):
    made = make_review_set(mode="both", questions=2)
    client.force_login(list_reviewers(made)[0])
    review = say_all(begin(made))
    before = get_page(client, review).content.decode()
    assert "8.15" not in before
    assert 'id="item-ranking-1"' in before
    gone = client.post(reverse("submit_review", args=[review.pk]), {"key": "s"}, headers=HTMX)
    assert gone["HX-Redirect"] == reverse("review", args=[review.pk])
    text = get_page(client, review).content.decode()
    rows = re.findall(r"<tr><th scope=\"row\">Response (\w)</th>.*?</tr>", text)
    assert rows == ["ABC"[find_position(review, number) - 1] for number in (1, 2, 3)]
    assert re.findall(r"strong\"[^>]*>(\d\.\d\d)", text) == ["8.15", "8.10", "6.00"]
    assert "reviewers do not see the weights" in text
    assert "Review the next comparison" in text
    assert client.post(reverse("submit_review", args=[review.pk]), {"key": "t"}).status_code == 303
    assert act(client, review, "notes~1~0~", text="late").status_code == 403


def test_the_ranking_is_offered_when_all_scores_are_in_and_can_be_changed(client):
    review = say_all(start())
    client.force_login(review.reviewer.person)
    text = get_page(client, review).content.decode()
    first, second, third = (find_position(review, number) for number in (1, 2, 3))
    assert "This is what your scores give" in text
    tied = f"{min(first, second)}={max(first, second)}>{third}"
    assert f"ranking~~0~{tied}" in buttons(text)
    text = act(client, review, f"ranking~~0~{second}>{first}>{third}").content.decode()
    assert "Your own ranking" in text
    assert "Different from your scores" in text
    client.post(reverse("submit_review", args=[review.pk]), {"key": "s"})
    stored = Review.objects.get()
    assert [flag["code"] for flag in stored.flags] == ["rank_mismatch"]
    assert stored.reported_ranking == [[f"Response {'ABC'[place - 1]}"] for place in (second, first, third)]
    assert "Your ranking differs from your scores" in get_page(client, review).content.decode()


def test_the_list_counts_what_is_ones_own_and_begins_the_next(client):
    made = make_review_set(questions=3, people=2)
    person = list_reviewers(made)[0]
    client.force_login(person)
    text = client.get(reverse("reviews")).content.decode()
    assert "You have 3 comparisons to review" in text
    comparison = made.comparisons.get(number=1)
    answer = client.post(reverse("begin_review", args=[comparison.pk]))
    review = Review.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, reverse("review", args=[review.pk]))
    again = client.post(reverse("begin_review", args=[comparison.pk]))
    assert again["Location"] == answer["Location"]
    assert "Continue with your comparison 1" in client.get(reverse("reviews")).content.decode()
    submitted(fresh(review, person))
    text = client.get(reverse("reviews")).content.decode()
    assert "Review the next comparison" in text
    assert "You have 2 comparisons to review" in text


def test_home_says_what_waits_with_a_way_there(client):
    made = make_review_set(questions=2)
    client.force_login(list_reviewers(made)[0])
    text = client.get(reverse("home")).content.decode()
    assert "2 to review" in text
    assert f'action="{reverse("next_review", args=[made.pk])}"' in text
    assert reverse("reviews") in text
    client.force_login(make_member(project=made.project))
    assert reverse("reviews") not in client.get(reverse("home")).content.decode()


def test_a_closed_set_is_read_and_not_changed(client, review):
    made = review.reviewer.set
    type(made).objects.filter(pk=made.pk).update(
        closed_at=made.project.created_at, closed_by=made.created_by_id
    )
    text = get_page(client, review).content.decode()
    assert "takes no more reviews" in text
    assert not buttons(text)
    assert act(client, review, "holistic~1~0~5").status_code == 403
    listed = client.get(reverse("reviews")).content.decode()
    assert "0 comparisons" not in listed and "See its results" not in listed


def test_who_submitted_finds_the_results_of_a_closed_set_in_the_list(client, review):
    made = submitted(review).reviewer.set
    type(made).objects.filter(pk=made.pk).update(
        closed_at=made.project.created_at, closed_by=made.created_by_id
    )
    listed = client.get(reverse("reviews")).content.decode()
    assert f'href="{reverse("set_results", args=[made.project.slug, made.number])}"' in listed


def test_queries_and_size_do_not_grow_with_the_responses(client):
    counts = {}
    for responses in (2, 8):
        review = start(mode="both", responses=responses)
        client.force_login(review.reviewer.person)
        get_page(client, review)
        with CaptureQueriesContext(connection) as queries:
            get_page(client, review)
        with CaptureQueriesContext(connection) as saving:
            act(client, review, "holistic~1~0~5")
        counts[responses] = len(queries), len(saving)
    assert counts[2] == counts[8] == (9, 15)


def test_a_page_of_four_responses_is_small(client):
    review = start(mode="both", responses=4)
    for place in range(1, 5):
        say(review, "holistic", str(place), "7")
    client.force_login(review.reviewer.person)
    assert len(get_page(client, review).content) < 90_000


def test_the_list_asks_as_often_however_much_there_is(client):
    counts = []
    for questions in (2, 12):
        made = make_review_set(questions=questions, has_second_round=True)
        person = list_reviewers(made)[0]
        for number in range(1, questions):
            submitted(begin(made, number=number))
        client.force_login(person)
        client.get(reverse("reviews"))
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("reviews"))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15


def test_without_single_keys_none_act_from_the_start(client, review):
    assert 'data-default="on"' in get_page(client, review).content.decode()
    person = review.reviewer.person
    type(person).objects.filter(pk=person.pk).update(has_single_keys=False)
    assert 'data-default="off"' in get_page(client, review).content.decode()


def test_own_keys_hold_for_acts_that_reviews_have(client, review):
    person = review.reviewer.person
    type(person).objects.filter(pk=person.pk).update(keys={"next": ";", "undo": "-", "yes": "q"})
    page = get_page(client, review).content.decode()
    keys = dict(re.findall(r'data-does="(\w+)">([^<]+)</kbd>', page))
    assert (keys["next"], keys["undo"], keys["previous"]) == (";", "-", ",")
    assert "yes" not in keys, "no review asks for it"
    assert 'data-press=";"' in page


def test_more_than_four_responses_are_lines_with_scores_so_far_and_one_text(client):
    review = start(mode="both", responses=5)
    client.force_login(review.reviewer.person)
    say(review, "holistic", "1", "7")
    text = get_page(client, review).content.decode()
    assert re.findall(r'<details name="response" (open)?', text) == ["", "open", "", "", ""]
    after = get_lines(act(client, review, "holistic~2~0~9"))
    assert after == ["7", "9", "1 left", "1 left", "1 left"]
    for place in range(3, 6):
        say(review, "holistic", str(place), "5")
    say(review, "score", "2.accuracy", "cannot", reason="No source")
    assert get_lines(get_page(client, review))[:2] == ["7 – – – – 4 left", "9 cannot – – – 3 left"]


def test_of_many_criteria_the_ranking_so_far_says_which_it_shows():
    so_far = SimpleNamespace(labels=["One", "Two", "Three", "Four", "Fifteen"], rows=[])
    said = render_to_string(
        "rubric/human_reviewers/_so_far.html", {"page": SimpleNamespace(so_far=so_far), "oob": False}
    )
    assert "from 5 criteria, the last 4 shown" in " ".join(said.split())
    assert "Fift…</span>" in said and ">Fifteen</span>" in said


def get_lines(answer):
    """What stands beside each letter, in words."""
    pattern = r'id="so-far-\d+"[^>]*>(.*?)(?=</summary>|<span\s+class="so-far|<section\s+class="step")'
    found = re.findall(pattern, answer.content.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", " ", line).split()) for line in found]


def test_a_scale_of_many_steps_is_a_list_to_choose_from(client):
    review = start(version=publish_three_scales(depth=Scale(0, 100, 5)))
    client.force_login(review.reviewer.person)
    page = get_page(client, review).content.decode()
    assert page.count("Choose a score") == 3
    assert re.findall(r'<option value="(\d+)"', page.partition('name="value~score~2.depth')[0]) == [
        str(point) for point in range(0, 101, 5)
    ]
    assert act(client, review, "").status_code == 422
    assert "55 of 100" in act(client, review, "score~1.depth~0~55").content.decode()
    refused = act(client, review, "score~2.depth~0~57")
    assert refused.status_code == 422
    assert "“57” is no score for Depth, whose scale is 0 to 100 in steps of 5." in refused.content.decode()


def breaches():
    return [said for check in CHECKS for said in run_check(check, moment(90)).breaches]


def test_a_slip_needs_a_reason_after_ten_seconds_and_the_reason_stays():
    review = say_all(start(mode="both"))
    say(review, "holistic", "1", "9", now=NOW + timedelta(seconds=10))
    assert work(review).slips == {}
    late = NOW + timedelta(seconds=21)
    for reason in (None, " "):
        with pytest.raises(Unacceptable, match="what the slip was"):
            say(review, "holistic", "1", "2", now=late, reason=reason)
    say(review, "holistic", "1", "2", now=late, reason="I hit 9 for 2.")
    assert MarkRevision.objects.latest("pk").reason == "I hit 9 for 2."
    done = submit_marked_review(review=fresh(review), by=review.reviewer.person, now=moment(9))
    assert [flag["message"] for flag in done.flags] == [
        "Response A: the holistic score was corrected after the criteria were open: I hit 9 for 2."
    ]
    assert done.reviewed.get(position=1).holistic == 2
    assert breaches() == []


def test_a_slip_after_cannot_judge_does_not_take_over_its_reason():
    review = start(mode="both")
    say(review, "holistic", "1", "cannot", reason="In a language that I cannot read.")
    for place in ("2", "3"):
        say(review, "holistic", place, "7")
    say(review, "holistic", "1", "4", now=NOW + timedelta(seconds=5))
    assert work(review).slips == {}
    with pytest.raises(Unacceptable, match="give the score that you meant"):
        say(review, "holistic", "1", "", now=NOW + timedelta(seconds=6))


def test_what_the_second_round_changed_is_marked_for_reviewer_and_lead(client):
    made = make_review_set(people=2, has_second_round=True)
    left, other = list_reviewers(made)
    for person in (left, other):
        submitted(begin(made, by=person))
    second = begin(made, by=left)
    client.force_login(left)
    address = reverse("review", args=[second.pk])
    assert "changed, was" not in client.get(address).content.decode()
    say(second, "score", f"{find_position(second, 1)}.accuracy", "5")
    assert "changed, was 9" in client.get(address).content.decode()
    submit_marked_review(review=fresh(second), by=left, now=NOW)
    assert "Accuracy was 9" in client.get(address).content.decode()
    client.force_login(made.created_by)
    page = client.get(reverse("comparison_result", args=[made.project.slug, made.number, 1]))
    text = " ".join(page.content.decode().split())
    assert "changed in round 2:" in text and text.count("Accuracy was 9") == 1
