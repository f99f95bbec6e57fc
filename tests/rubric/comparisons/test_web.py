"""The screens on which leads open comparison sets, fill them by hand, give them reviewers and close them.

Uploading a file of comparisons and reviews into a set.
"""

import html
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from rubric.comparisons import views
from rubric.comparisons.actions import add_comparisons, add_reviewer, close_set
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.models import Comparison, ComparisonSet, Response, Review, Reviewer
from rubric.models.comparisons import ELSEWHERE, MODEL, default_mode
from rubric.versions.actions import choose_scoring
from tests.factories.comparisons import RECORD_SCORES, make_set, response_version, review_with
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.versions import make_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def lead(client, project):
    """Somebody who leads the project and is signed in."""
    found = make_lead(project=project)
    client.force_login(found)
    return found


def address(name, made, *more):
    return reverse(name, args=[made.project.slug, made.number, *more])


def get_text(answer, status=200):
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def test_an_empty_list_leads_on(client, project, lead):
    place = reverse("comparison_sets", args=[project.slug])
    text = get_text(client.get(place))
    assert "No comparisons yet" in text and f'href="{place}new/"' in text
    client.force_login(make_member(project=project))
    text = get_text(client.get(place))
    assert "When a team lead asks you to review" in text and f'href="{place}new/"' not in text


@pytest.mark.usefixtures("lead")
def test_the_tabs_of_the_project_lead_to_the_list(client, project):
    text = get_text(client.get(reverse("project", args=[project.slug])))
    assert text.count(f'href="/projects/{project.slug}/comparisons/"') == 1


def test_a_set_is_opened_under_the_newest_version_and_leads_to_its_page(client, project, lead):
    place = reverse("open_set", args=[project.slug])
    assert f'value="{response_version().pk}"' in get_text(client.get(place))
    given = {"name": "Soup", "version": response_version().pk, "mode": "both", "has_second_round": "on"}
    answer = client.post(place, given)
    made = ComparisonSet.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, address("comparison_set", made))
    assert (made.name, made.mode, made.has_second_round, made.created_by) == ("Soup", "both", True, lead)
    text = get_text(client.get(answer["Location"]))
    assert "No comparisons yet" in text and "Nobody reviews this set yet" in text and "two rounds" in text


def test_what_cannot_be_opened_says_why_and_keeps_what_was_typed(client, project, lead):
    draft = make_draft()
    given = {"name": "Kept words", "version": draft.pk, "mode": "sideways"}
    text = get_text(client.post(reverse("open_set", args=[project.slug]), given), 422)
    assert "Kept words" in text and text.count('class="fault"') == 2
    assert not ComparisonSet.objects.exists()


def test_new_sets_begin_in_the_mode_that_an_admin_chose(client, project, lead):
    place = reverse("open_set", args=[project.slug])
    assert '<option value="holistic" selected>' in get_text(client.get(place))
    choose_scoring(is_on=True, by=make_admin(), now=NOW)
    assert '<option value="both" selected>' in get_text(client.get(place))


def test_an_admin_turns_scoring_by_criterion_on_and_off(client, project):
    client.force_login(make_admin())
    assert "New sets start with one holistic score." in get_text(client.get("/rubrics/"))
    assert client.post("/rubrics/scoring/", {"is_on": "yes"}).status_code == 303
    assert 'value="no">Start with one holistic score' in get_text(client.get("/rubrics/"))
    assert client.post("/rubrics/scoring/", {"is_on": "maybe"}).status_code == 400
    client.force_login(make_lead(project=project))
    assert client.post("/rubrics/scoring/", {"is_on": "no"}).status_code == 403
    assert "Turn scoring" not in get_text(client.get("/rubrics/"))
    assert default_mode() == "both"


def test_leads_see_all_sets_and_reviewers_their_own_with_their_progress(client, project, lead):
    reviewer = make_member(project=project)
    made = make_set(by=lead, questions=3, people=[reviewer], name="Soup for all")
    make_set(by=lead, name="Another set")
    review_with(
        comparison=made.comparisons.get(number=1), reviewer=made.reviewers.get(), scores=RECORD_SCORES
    )
    place = reverse("comparison_sets", args=[project.slug])
    text = get_text(client.get(place))
    assert "Soup for all" in text and "Another set" in text and "My reviews" not in text
    client.force_login(reviewer)
    text = get_text(client.get(place))
    assert "Soup for all" in text and "Another set" not in text and "1 of 3" in text
    assert f'href="{address("comparison_set", made)}"' not in text


def test_a_sets_page_counts_reviews_by_kind_and_never_names_authors(client, project, lead):
    person = make_member(project=project)
    made = make_set(by=lead, questions=2, people=[person], elsewhere=1, authors={1: "Secret-Model"})
    add_reviewer(comparison_set=made, kind=MODEL, name="Judge", by=lead, now=NOW)
    first = made.comparisons.get(number=1)
    for reviewer in made.reviewers.exclude(kind=ELSEWHERE):
        review_with(comparison=first, reviewer=reviewer, scores=RECORD_SCORES)
    text = get_text(client.get(address("comparison_set", made)))
    row = text[text.index("How do you make soup number 1?") :]
    assert row[: row.index("</tr>")].count('">1</td>') == 2
    assert text.count("1 of 2") == 2 and text.count("0 of 2") == 1
    assert "Secret-Model" not in text


def test_own_responses_are_not_counted_as_missing_reviews(client, project, lead):
    writer = make_member(project=project)
    made = make_set(by=lead, questions=2, responses=2, authors={1: writer.email}, people=[writer])
    text = get_text(client.get(address("comparison_set", made)))
    assert "0 of 0" in text and "2 are not theirs to review" in text


def test_one_comparison_is_written_by_hand(client, project, lead):
    made = make_set(by=lead, questions=0)
    given = {
        "question": " Why? ",
        "r1-text": "One.\r\nAnd more.",
        "r1-author": lead.email,
        "r3-text": "Two.",
        "do": "save",
    }
    answer = client.post(address("add_comparison", made), given)
    assert (answer.status_code, answer["Location"]) == (303, address("comparison_set", made))
    assert Comparison.objects.get().question == "Why?"
    stored = Response.objects.order_by("number").values_list("number", "text", "written_by")
    assert list(stored) == [(1, "One.\nAnd more.", lead.pk), (2, "Two.", None)]


def test_another_response_is_added_without_losing_or_judging_anything(client, project, lead):
    made = make_set(by=lead, questions=0)
    given = {"question": "  As typed ", "r1-text": "", "r2-author": "Somebody", "do": "more"}
    text = get_text(client.post(address("add_comparison", made), given))
    for words in ("  As typed ", "Somebody", 'name="r4-text"'):
        assert words in text
    assert 'class="fault"' not in text and not Comparison.objects.exists()
    assert text.partition("<main")[2].count("autofocus") == 1
    assert "autofocus" in text.split('name="r4-text"')[1].split(">")[0]
    many = {f"r{number}-text": f"Text {number}" for number in range(1, 27)}
    text = get_text(client.post(address("add_comparison", made), {**many, "do": "more"}))
    assert "Text 26" in text and "at most 26 responses" in text


def test_faults_stand_beside_their_fields_and_everything_stays(client, project, lead):
    made = make_set(by=lead, questions=0)
    given = {"question": "", "r2-author": "Kept name", "r3-text": "Kept text", "do": "save"}
    text = get_text(client.post(address("add_comparison", made), given), 422)
    assert "The question is empty" in text and "Kept name" in text and "Kept text" in text
    field = text[text.index('name="r2-text"') :]
    assert "is empty. Give its text" in field[: field.index('name="r2-author"')]
    text = get_text(client.post(address("add_comparison", made), {"question": "?", "r1-text": "1"}), 422)
    assert "There is 1 response;" in text
    assert not Comparison.objects.exists()


def test_saved_comparisons_make_room_for_the_next(client, project, lead):
    made = make_set(by=lead, questions=0)
    given = {"question": "Why?", "r1-text": "One.", "r2-text": "Two.", "do": "next"}
    answer = client.post(address("add_comparison", made), given)
    text = get_text(client.get(answer["Location"]))
    assert "was saved" in text and "Why?" not in text


def test_what_was_typed_stays_when_the_set_was_closed_meanwhile(client, project, lead):
    made = make_set(by=lead)
    close_set(comparison_set=made, by=lead, now=NOW)
    given = {"question": "A long thought", "r1-text": "One.", "r2-text": "Two.", "do": "save"}
    text = get_text(client.post(address("add_comparison", made), given), 403)
    assert "A long thought" in text and "This set is closed" in text
    assert client.get(address("add_comparison", made)).status_code == 403
    assert made.comparisons.count() == 1


def test_reviewers_come_go_and_come_again(client, project, lead):
    made, person = make_set(by=lead), make_member(project=project)
    place = address("add_reviewer", made)
    for given in (
        {"kind": "person", "person": person.pk},
        {"kind": "model", "name": "Judge", "model": "judge-2"},
        {"kind": "elsewhere", "name": "A reader"},
    ):
        assert client.post(place, given).status_code == 303
    text = get_text(client.get(address("comparison_set", made)))
    assert "judge-2" in text and "A reader" in text and person.name in text
    reader = made.reviewers.get(name="A reader")
    assert client.post(address("end_reviewer", made, reader.pk)).status_code == 303
    text = get_text(client.get(address("comparison_set", made)))
    assert "removed" in text and "Add again" in text
    assert client.post(address("end_reviewer", made, reader.pk)).status_code == 409
    client.post(place, {"kind": "elsewhere", "name": "A reader"})
    assert made.reviewers.filter(ended_at=None).count() == 3


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ({"kind": "person", "person": ""}, 422, "Choose somebody"),
        ({"kind": "person", "person": "999999"}, 422, "cannot be added now"),
        ({"kind": "model", "name": " "}, 422, "This field is required"),
        ({"kind": "elsewhere", "name": "n" * 201}, 422, "at most 200 characters"),
        ({"kind": "ghost", "name": "x"}, 400, "what kind of reviewer"),
    ],
)
def test_who_cannot_review_is_refused(client, project, lead, given, status, says):
    made = make_set(by=lead)
    assert says in get_text(client.post(address("add_reviewer", made), given), status)
    assert not Reviewer.objects.exists()


def test_a_reviewer_of_another_set_is_not_there(client, project, lead):
    made, other = make_set(by=lead), make_set(by=lead, elsewhere=1)
    assert client.post(address("end_reviewer", made, other.reviewers.get().pk)).status_code == 404


def test_closing_and_opening_again(client, project, lead):
    made = make_set(by=lead, elsewhere=1)
    assert client.post(address("close_set", made)).status_code == 303
    text = get_text(client.get(address("comparison_set", made)))
    assert "closed" in text and "This set is closed. Open it again first." in text and "Remove" not in text
    assert client.post(address("close_set", made)).status_code == 409
    assert client.post(address("reopen_set", made)).status_code == 303
    assert "Remove" in get_text(client.get(address("comparison_set", made)))


def test_a_long_set_comes_in_pages(client, project, lead):
    made = make_set(by=lead, questions=101, responses=2)
    text = get_text(client.get(address("comparison_set", made)))
    assert "1 to 100 of 101" in text and 'href="?from=101"' in text and "soup number 101?" not in text
    text = get_text(client.get(address("comparison_set", made), {"from": 101}))
    assert "soup number 101?" in text and 'href="?from=1"' in text


def test_texts_are_shown_as_text(client, project, lead):
    made = make_set(by=lead, questions=0, name="<b>Bold</b> claims")
    responses = [NewResponse("1"), NewResponse("2")]
    asked = [NewComparison("<script>alert(1)</script> \u202e backwards?", responses)]
    add_comparisons(comparison_set=made, comparisons=asked, by=lead, now=NOW)
    raw = client.get(address("comparison_set", made)).content.decode()
    assert "<script>alert(1)" not in raw and "<b>Bold" not in raw and 'class="badge"' in raw


@pytest.mark.parametrize(("name", "count"), [("comparison_sets", 10), ("comparison_set", 15)])
def test_queries_at_two_sizes(client, django_assert_num_queries, project, lead, name, count):
    person = make_member(project=project)
    made = make_set(by=lead, questions=2, people=[person, lead], elsewhere=1)
    place = address(name, made) if name == "comparison_set" else reverse(name, args=[project.slug])
    client.get(place)
    with django_assert_num_queries(count):
        assert client.get(place).status_code == 200
    for _each in range(4):
        make_set(by=lead, people=[person, lead], elsewhere=3)
    more = [NewComparison(f"More {n}?", [NewResponse("1"), NewResponse("2")]) for n in range(20)]
    add_comparisons(comparison_set=made, comparisons=more, by=lead, now=NOW)
    for reviewer in made.reviewers.all():
        review_with(comparison=made.comparisons.get(number=1), reviewer=reviewer, scores=RECORD_SCORES)
    for number in range(5):
        add_reviewer(comparison_set=made, kind=MODEL, name=f"Model {number}", by=lead, now=NOW)
    with django_assert_num_queries(count):
        assert client.get(place).status_code == 200


SOUP = {
    "id": "soup",
    "question": "How is soup made?",
    "responses": [{"text": "Boil."}, {"text": "Open a tin."}],
}

GIVEN = {"comparison": "soup", "reviewer": "Reader", "scores": {"1": {"holistic": 4}, "2": {"holistic": 9}}}


@pytest.fixture
def made(client):
    lead = make_lead(project=make_project())
    client.force_login(lead)
    return make_set(by=lead, questions=0)


def send(client, made, *values):
    data = "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values).encode()
    place = reverse("import_comparisons", args=[made.project.slug, made.number])
    return client.post(place, {"file": SimpleUploadedFile("soup.jsonl", data)})


def answer_text(answer):
    return html.unescape(answer.content.decode())


def test_a_file_comes_in_and_the_set_says_what_was_added(client, made):
    answer = send(client, made, SOUP, GIVEN)
    assert answer.status_code == 303
    text = answer_text(client.get(answer["Location"]))
    assert "1 comparison was added" in text and "1 review was added" in text
    text = answer_text(client.get(send(client, made, SOUP, GIVEN)["Location"]))
    assert "2 lines were there already" in text
    assert (Comparison.objects.count(), Review.objects.count()) == (1, 1)


def test_every_fault_is_listed_and_nothing_comes_in(client, made):
    answer = send(client, made, SOUP, GIVEN | {"comparison": "<b>stew</b>"}, "{")
    text = answer_text(answer)
    assert answer.status_code == 422
    assert "Nothing was imported" in text and '"<b>stew</b>"' in text
    assert "<b>stew</b>" not in answer.content.decode()
    assert not Comparison.objects.exists()


def test_without_a_file_the_form_says_so(client, made):
    place = reverse("import_comparisons", args=[made.project.slug, made.number])
    answer = client.post(place, {})
    assert (answer.status_code, "Choose a file." in answer_text(answer)) == (422, True)


def test_what_is_too_much_for_one_request_is_refused_whole(client, made, monkeypatch):
    monkeypatch.setattr(views, "MOST_REVIEWS", 1)
    answer = send(client, made, SOUP, GIVEN, GIVEN | {"reviewer": "Another"})
    assert (answer.status_code, "Upload at most" in answer_text(answer)) == (422, True)
    monkeypatch.setattr(views, "UPLOAD_LINES", 1)
    answer = send(client, made, SOUP, GIVEN, GIVEN)
    assert (answer.status_code, "more than 10,000 lines" in answer_text(answer)) == (422, True)
    monkeypatch.setattr(views, "UPLOAD_BYTES", 10)
    answer = send(client, made, SOUP)
    assert (answer.status_code, "larger than 32 MB" in answer_text(answer)) == (422, True)
    assert not Comparison.objects.exists()
