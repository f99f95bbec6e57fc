"""A program that reviews: it takes a comparison, sees what its person may see, marks, and submits."""

import pytest

from rubric.models import Mark
from tests.factories.human_reviewers import begin, list_reviewers, make_review_set, start, submitted
from tests.factories.people import make_member
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_review_set(mode="both")


def address_of(made):
    return f"projects/{made.project.slug}/comparison-sets/{made.number}/"


def marks_for(work, value="7"):
    """Marks of everything that is asked and has no score."""
    return [
        {"kind": one["kind"], "subject": one["subject"], "value": value}
        for one in work["scores"]
        if not one["value"]
    ]


def test_a_program_takes_a_review_marks_it_and_submits(made):
    program = program_of(list_reviewers(made)[0])
    listed = program.get("reviews/").json()["items"][0]
    assert (listed["set"], listed["to_review_count"], listed["comparisons"]) == (made.number, 1, [])
    taken = program.post(f"{address_of(made)}next/").json()["review"]
    address = f"reviews/{taken['id']}/"
    work = program.get(address).json()
    assert (taken["number"], work["question"]) == (1, "How do you make soup number 1?")
    assert [shown["label"] for shown in work["responses"]] == ["Response A", "Response B", "Response C"]
    assert ({one["kind"] for one in work["scores"]}, work["criteria"]) == ({"holistic"}, [])
    early = program.post(f"{address}submit/")
    assert (early.status_code, early.json()["code"]) == (422, "missing")
    work = program.post(f"{address}marks/", {"marks": marks_for(work)}).json()
    assert {one["kind"] for one in work["scores"]} == {"holistic", "score"}
    assert work["criteria"][0]["question"]
    assert [len(work["criteria"][0][name]) for name in ("good_examples", "bad_examples")] == [2, 2]
    cannot = {"kind": "score", "subject": work["missing"][0]["subject"], "value": "cannot"}
    assert program.post(f"{address}marks/", {"marks": [cannot]}).json()["field"] == "reason"
    reasoned = {**cannot, "reason": "It names no dish."}
    work = program.post(f"{address}marks/", {"marks": [reasoned]}).json()
    work = program.post(f"{address}marks/", {"marks": marks_for(work, "6")}).json()
    assert (work["missing"], bool(work["ranking"])) == ([], True)
    more = [
        {"kind": "ranking", "value": "2>1=3"},
        {"kind": "notes", "subject": "2", "value": "Warm and clear."},
    ]
    work = program.post(f"{address}marks/", {"marks": more}).json()
    assert (work["ranking"], work["ranking_version"], work["responses"][1]["notes"]) == (
        "2>1=3",
        1,
        "Warm and clear.",
    )
    done = program.post(f"{address}submit/").json()
    assert (done["state"], done["submitted"][0]["label"], done["submitted"][0]["rank"]) == (
        "submitted",
        "Response B",
        "1",
    )
    assert program.post(f"{address_of(made)}next/").json() == {"review": None}


def test_a_stale_mark_is_a_conflict_and_all_marks_of_one_request_are_stored_or_none(made):
    program = program_of(list_reviewers(made)[0])
    address = f"reviews/{program.post(f'{address_of(made)}next/').json()['review']['id']}/"
    first = {"kind": "holistic", "subject": "1", "value": "7"}
    program.post(f"{address}marks/", {"marks": [first]})
    stale = program.post(f"{address}marks/", {"marks": [{**first, "subject": "2"}, {**first, "value": "5"}]})
    assert (stale.status_code, stale.json()["code"], Mark.objects.count()) == (409, "stale", 1)
    undone = program.post(f"{address}undo/", {}).json()
    assert {one["value"] for one in undone["scores"]} == {""}


def test_a_second_round_shows_what_others_gave_and_nobody_reads_anothers_review():
    review = submitted(start(mode="holistic", people=2, has_second_round=True))
    made = review.reviewer.set
    one, other = list_reviewers(made)
    submitted(begin(made, by=other))
    program = program_of(one)
    (waiting,) = program.get("reviews/").json()["items"][0]["comparisons"]
    assert (waiting["state"], waiting["number"]) == ("second", 1)
    second = program.post(f"reviews/begin/{waiting['comparison']}/").json()
    assert (second["round"], [len(shown["others"]) for shown in second["scores"]]) == (2, [1, 1, 1])
    assert program_of(other).get(f"reviews/{second['id']}/").status_code == 404
    stranger = program_of(make_member(project=made.project))
    assert stranger.post(f"{address_of(made)}next/").status_code == 404


def test_a_review_is_read_in_few_queries(made, django_assert_max_num_queries):
    program = program_of(list_reviewers(made)[0])
    taken = program.post(f"{address_of(made)}next/").json()["review"]
    with django_assert_max_num_queries(11):
        program.get(f"reviews/{taken['id']}/")
