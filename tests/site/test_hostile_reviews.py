"""Whatever people, files and models write, no page of comparisons lets it act, and invisible characters are seen."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from rubric.comparisons.actions import (
    add_comparisons,
    add_reviewer,
    close_set,
    end_reviewer,
    import_lines,
    open_set,
)
from rubric.comparisons.core.lines import NewComparison, NewResponse, read_comparison_lines
from rubric.human_reviewers.actions import submit_marked_review
from rubric.model_reviewers.actions.answers import paste_answer
from rubric.model_reviewers.actions.prompts import ask_again, ensure_prompt
from rubric.models.comparisons import MODEL, PERSON
from tests.factories.comparisons import response_version
from tests.factories.human_reviewers import begin, fresh, say, say_all
from tests.factories.model_reviewers import ONES, TENS
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.reviewer_statistics import figure
from workspace.models import Person

pytestmark = pytest.mark.django_db


# Turns round what follows, hides, is an isolate, a soft hyphen, a line separator.
HIDDEN = "\u202e\u200b\u2066\u00ad\u2028"


ODD = f"</title></textarea><script>alert(1)</script>\"'&{HIDDEN}{{{{ 7|add:7 }}}}"


def odd(name: str) -> str:
    return f"{name} {ODD}"


def answer(**others):
    """An answer whose every text is odd, with unknown names so that there are remarks."""
    given = {f"Response {letter}": others.get(letter, ONES) | {"notes": odd("NOTE")} for letter in "ABC"}
    given |= {odd("LABEL"): TENS}
    given["Response A"] |= {odd("CRITERION"): 3, "clarity": odd("SCORE")}
    said = {"ranking": ["Response B", odd("RANKED")], "evaluations": given}
    return f"{ODD}\n```json\n{json.dumps(said)}\n```\n{ODD}"


@pytest.fixture
def hostile():
    """A set in which every text is odd, reviewed by people, a model and somebody elsewhere; and who sees it."""
    project = make_project()
    lead, person, other = (
        make_lead(project=project),
        make_member(project=project),
        make_member(project=project),
    )
    Person.objects.filter(pk__in=(person.pk, other.pk)).update(name=odd("PERSON").replace(HIDDEN, ""))
    made = open_set(
        project=project, name=odd("SET").replace(HIDDEN, ""), version=response_version(), mode="both",
        has_second_round=True, by=lead, now=NOW,
    )  # fmt: skip
    responses = [NewResponse(odd(f"TEXT {at}"), f"KEY {at} {ODD}", odd("AUTHOR")) for at in (1, 2, 3)]
    comparison = NewComparison(odd("QUESTION"), responses, f"ID {ODD}")
    (row,) = add_comparisons(comparison_set=made, comparisons=[comparison], by=lead, now=NOW)
    for visitor in (person, other):
        visitor.refresh_from_db()
        add_reviewer(comparison_set=made, kind=PERSON, person=visitor, by=lead, now=NOW)
    model = add_reviewer(
        comparison_set=made, kind=MODEL, name=odd("MODEL"), model=odd("CALLED"), by=lead, now=NOW
    )
    gone = add_reviewer(comparison_set=made, kind=MODEL, name=odd("GONE"), by=lead, now=NOW)
    end_reviewer(reviewer=gone, by=lead, now=NOW)
    for _time in range(2):
        ensure_prompt(comparison=row, reviewer=model, by=lead, now=NOW)
        pair = {"comparison": row, "reviewer": model, "by": lead, "now": NOW}
        paste_answer(**pair, text=answer(), part="whole")
        paste_answer(**pair, text=answer())
        if not _time:
            ask_again(comparison=row, reviewer=model, by=lead, now=NOW)
    scores = {response.key: ONES | {"notes": odd("ELSEWHERE")} for response in responses}
    line = json.dumps({"comparison": comparison.key, "reviewer": odd("READER"), "scores": scores})
    assert not import_lines(
        comparison_set=made, lines=read_comparison_lines(line.encode()), by=lead, now=NOW
    ).faults
    return made, row, model, person, other


def reviewed(made, person):
    review = begin(made, by=person)
    say(review, "notes", "1", odd("REMARK"))
    say_all(review)
    say(review, "score", "2.clarity", "cannot", reason=odd("REASON"))
    return as_it_is(review)


def as_it_is(review):
    return submit_marked_review(review=fresh(review), by=review.reviewer.person, now=NOW)


def list_pages(made, row, model):
    """The addresses of everything about the set."""
    place = [made.project.slug, made.number]
    names = ("comparison_set", "set_calibrations", "set_results", "set_reviewers", "set_agreement", "set_success",
             "set_weights", "set_answers", "set_readings", "add_comparison", "import_comparisons",
             "upload_answers")  # fmt: skip
    found = [reverse(name, args=place) for name in names]
    found += [reverse("set_reviewer", args=[*place, reviewer.pk]) for reviewer in made.reviewers.all()]
    found += [
        reverse("comparison_result", args=[*place, row.number]) + query for query in ("", "?incomplete=yes")
    ]
    found += [reverse("model_answer", args=[*place, row.number, model.pk])]
    read = row.reviews.filter(reviewer=model, state="submitted").get()
    found += [
        reverse("model_parameters", args=[*place, model.pk]),
        reverse("reading", args=[*place, read.pk]),
    ]
    found += [reverse("survey", args=[*place, row.number]), reverse("comparison_sets", args=place[:1])]
    return [*found, reverse("reviews"), reverse("home"), reverse("project", args=place[:1])]


# A title, a text field, an option and an attribute hold plain text: nothing in them can be marked.
PLAIN = re.compile(
    r"<title\b.*?</title>|<textarea.*?</textarea>|<option.*?</option>|<[a-z][^<>]*>", re.DOTALL
)


def faults(address, text):
    said = [f"{address}: {mark}" for mark in ("<script>alert", "</title></", "14}}") if mark in text]
    bare = PLAIN.sub("", text)
    for sign in HIDDEN:
        before, found, _after = bare.partition(sign)
        said += [f"{address}: U+{ord(sign):04X} after {before[-100:]!r}"] if found else []
    return said


def crawled(person, addresses):
    client = Client()
    client.force_login(person)
    found = []
    for address in addresses:
        answered = client.get(address)
        assert answered.status_code in (200, 302, 403, 404), address
        found += faults(f"{answered.status_code} {address}", answered.content.decode())
    return found


def test_nothing_acts_and_nothing_hides_on_any_page_of_a_set(hostile):
    made, row, model, person, other = hostile
    first = reviewed(made, person)
    second = reviewed(made, other)
    again = begin(made, by=person)
    addresses = list_pages(made, row, model)
    reviews = [reverse("review", args=[review.pk]) for review in (first, again)]
    found = crawled(
        person, [*addresses, *reviews, *(f"{reviews[1]}?step={step}" for step in ("whole", "review"))]
    )
    as_it_is(again)
    as_it_is(begin(made, by=other))
    found += crawled(person, reviews) + crawled(other, [reverse("review", args=[second.pk])])
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    figure(made)
    for visitor in (made.created_by, make_admin(), person):
        found += crawled(visitor, addresses)
    assert not sorted(set(found)), "\n".join(sorted(set(found)))


def test_notes_without_end_are_cut_on_pages_of_results(hostile):
    made, row, model, *_people = hostile
    lead = made.created_by
    ask_again(comparison=row, reviewer=model, by=lead, now=NOW)
    text = answer(A=ONES).replace("NOTE", "endless " * 20_000)
    paste_answer(comparison=row, reviewer=model, text=answer(), part="whole", by=lead, now=NOW)
    paste_answer(comparison=row, reviewer=model, text=text, by=lead, now=NOW)
    client = Client()
    client.force_login(lead)
    place = [made.project.slug, made.number, row.number]
    for address in (
        reverse("comparison_result", args=place),
        reverse("model_answer", args=[*place[:2], row.number, model.pk]),
    ):
        page = client.get(address).content.decode()
        assert 900 < page.count("endless") < 5000, address
