"""A reviewer learns nothing of authors, weights and lengths, and in a first round nothing of other reviewers."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from rubric.comparisons.actions import add_comparisons, add_reviewer, open_set
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.models import Review, ReviewedResponse
from rubric.models.comparisons import MODEL, PERSON
from tests.factories.blindness import ask_operations
from tests.factories.comparisons import response_version, review_with
from tests.factories.human_reviewers import (
    begin,
    find_position,
    fresh,
    list_reviewers,
    make_review_set,
    say,
    submitted,
    work,
)
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.replays import replayed
from tests.factories.tampering import without_triggers
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "answer"}


HIDDEN = ("AUTHORMARK", "KEYMARK", "COMPARISONMARK", "OTHERPERSON", "OTHERNOTE", "MODELMARK")


# The weights of the shipped version, as numbers and as percentages.
WEIGHTS = ("0.35", "35%", "35 %", "0.25", "25%")


@replayed
def marked_set(mode):
    """A set in which everything hidden carries a mark, with two people and a model who review it."""
    project = make_project()
    lead = make_lead(project=project)
    made = open_set(
        project=project,
        name="Soup",
        version=response_version(),
        mode=mode,
        has_second_round=True,
        by=lead,
        now=NOW,
    )
    responses = [
        NewResponse(text="Boil " * at + "stones.", key=f"KEYMARK-{at}", author=f"AUTHORMARK-{at}")
        for at in (1, 2, 3)
    ]
    comparison = NewComparison(question="How?", responses=responses, key="COMPARISONMARK")
    add_comparisons(comparison_set=made, comparisons=[comparison], by=lead, now=NOW)
    other = make_member(project=project)
    type(other).objects.filter(pk=other.pk).update(name="OTHERPERSON")
    other.refresh_from_db()
    for person in (make_member(project=project), other):
        add_reviewer(comparison_set=made, kind=PERSON, person=person, by=lead, now=NOW)
    add_reviewer(comparison_set=made, kind=MODEL, name="MODELMARK", model="MODELMARK", by=lead, now=NOW)
    return made


def everything(client, review):
    """Everything the site answers the reviewer: pages, regions, headers, refusals, answers to acts."""
    page = reverse("review", args=[review.pk])
    answers = [client.get(f"{page}?step={step}") for step in ("whole", "criteria", "review")]
    answers += [client.get(reverse(name)) for name in ("home", "reviews", "projects")]
    made = review.comparison.set
    given = {"slug": made.project.slug, "number": made.number, "comparison": 1, "review": review.pk}
    operations = ask_operations(program_of(review.reviewer.person), **given)
    assert review.pk in [answer.json().get("id") for answer in operations]
    answers += operations
    for key, act in enumerate(
        (
            "holistic~1~0~5",
            "score~1.accuracy~0~5",
            "score~1.accuracy~9~5",
            "ranking~~0~1>2",
            "notes~1~0~",
            "x~~0~",
        )
    ):
        body = {"act": act, "nonce": f"n{key}", "step": "whole"}
        answers.append(client.post(reverse("mark", args=[review.pk]), body, headers=HTMX))
    for name in ("undo_mark", "submit_review"):
        answers.append(client.post(reverse(name, args=[review.pk]), {"key": name}, headers=HTMX))
    return "\n".join(f"{answer.headers}\n{answer.content.decode()}" for answer in answers)


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client


def found(text, marks):
    return [mark for mark in marks if mark.lower() in text.lower()]


@pytest.mark.parametrize("mode", ["both", "rubric", "holistic"])
def test_no_hidden_thing_is_in_any_answer_of_a_first_round(mode):
    made = marked_set(mode)
    first, other = list_reviewers(made)
    theirs = begin(made, by=other)
    say(theirs, "notes", "1", "OTHERNOTE")
    submitted(theirs)
    model = made.reviewers.get(kind=MODEL)
    scores = {at: {"accuracy": 2, "completeness": 2, "conciseness": 2, "clarity": 2} for at in (1, 2, 3)}
    review_with(comparison=made.comparisons.get(), reviewer=model, scores=scores)
    mine = begin(made, by=first)
    client = signed_in(first)
    text = everything(client, mine)
    assert "stones." in text
    assert not found(text, HIDDEN + WEIGHTS)
    say_all_that_is_left(mine)
    text = everything(client, mine)
    assert not found(text, HIDDEN + WEIGHTS)


def say_all_that_is_left(review):
    while work(review).missing:
        first = work(review).missing[0]
        say(review, first.kind, first.subject, "5")


def without_secrets(text):
    """The same answer without what is new with every load and every act."""
    text = re.sub(r'csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"', "csrf", text)
    return re.sub(r"\b[0-9a-f]{16}\b", "nonce", text)


@pytest.mark.parametrize("has_second_round", [True, False])
def test_pages_are_the_same_whatever_another_reviewer_has_done(has_second_round):
    made = make_review_set(people=2, questions=2, mode="both", has_second_round=has_second_round)
    first, other = list_reviewers(made)
    mine, theirs = begin(made, by=first), begin(made, by=other, number=2)
    client = signed_in(first)

    program = program_of(first)
    given = {"slug": made.project.slug, "number": made.number, "comparison": 1, "review": mine.pk}

    def seen():
        pages = [reverse("home"), reverse("reviews"), reverse("review", args=[mine.pk])]
        answers = [client.get(page) for page in pages] + ask_operations(program, **given)
        return [without_secrets(answer.content.decode()) for answer in answers]

    before = seen()
    say(theirs, "notes", "1", "a note")
    assert seen() == before
    submitted(theirs)
    submitted(begin(made, by=other))
    assert seen() == before


@pytest.mark.parametrize("mode", ["both", "holistic"])
def test_two_worlds_that_differ_in_what_is_hidden_answer_alike(mode):
    """Authors, ids, other reviewers and what they gave: whatever they are, no byte of any answer is another."""
    made = marked_set(mode)
    first, other = list_reviewers(made)
    mine, model = begin(made, by=first), made.reviewers.get(kind=MODEL)
    scores = {at: {"accuracy": 2, "holistic": 3} for at in (1, 2, 3)}
    review_with(comparison=made.comparisons.get(), reviewer=model, scores=scores)
    submitted(begin(made, by=other))
    client, place = signed_in(first), [made.project.slug, made.number]
    of_set = ("comparison_set", "set_results", "set_reviewers", "set_agreement", "set_weights", "set_answers")
    addresses = [reverse(name, args=place) for name in of_set]
    addresses += [reverse(name, args=[*place, 1]) for name in ("comparison_result", "survey")]
    addresses += [reverse(name, args=[*place, 1, model.pk]) for name in ("model_answer", "prompt_text")]
    addresses += [reverse("set_reviewer", args=[*place, model.pk])]
    addresses += [reverse("comparison_sets", args=place[:1]), reverse("project", args=place[:1])]
    addresses += [reverse(name) for name in ("home", "reviews", "projects")]
    addresses += [
        f"{reverse('review', args=[mine.pk])}?step={step}" for step in ("whole", "criteria", "review")
    ]
    acts = ("holistic~1~9~5", "score~1.accuracy~9~5", "ranking~~0~1>2", "x~~0~")
    program = program_of(first)
    given = {"slug": place[0], "number": place[1], "comparison": 1, "review": mine.pk}

    def seen():
        answers = [client.get(address, headers=headers) for address in addresses for headers in (HTMX, {})]
        answers += ask_operations(program, **given)
        place = reverse("mark", args=[mine.pk])
        answers += [client.post(place, {"act": act, "nonce": "n"}, headers=HTMX) for act in acts]
        assert not any(answer.status_code in (303, 500) for answer in answers)
        return [(answer.status_code, without_secrets(answer.content.decode())) for answer in answers]

    before = seen()
    with without_triggers():
        responses = made.comparisons.get().responses
        responses.filter(number=1).update(author="somebody", key="other", written_by=other)
        responses.exclude(number=1).update(author="")
        made.comparisons.update(key="another")
        made.reviewers.exclude(person=first).update(name="renamed", model="renamed")
        ReviewedResponse.objects.update(scores={}, holistic=9, notes="changed", is_own=True)
        Review.objects.exclude(pk=mine.pk).update(mode="partial", ranking=[], flags=[{"code": "x"}])
    assert seen() == before


@pytest.mark.parametrize("who", ["other reviewer", "lead", "admin"])
def test_anothers_review_is_not_there_in_whatever_round(who):
    made = make_review_set(people=2, has_second_round=True)
    first, other = list_reviewers(made)
    theirs = begin(made, by=first)
    submitted(begin(made, by=other))
    person = {"other reviewer": other, "lead": made.created_by, "admin": make_admin()}[who]
    client = signed_in(person)
    addresses = [reverse(name, args=[theirs.pk]) for name in ("mark", "undo_mark", "submit_review")]
    body = {"act": "score~1.accuracy~0~5", "nonce": "n"}
    for headers in (HTMX, {}):
        assert client.get(reverse("review", args=[theirs.pk]), headers=headers).status_code == 404
        assert [client.post(address, body, headers=headers).status_code for address in addresses] == [404] * 3
    submitted(theirs)
    assert client.get(reverse("review", args=[theirs.pk])).status_code == 404
    assert client.get(reverse("review", args=[2**80])).status_code == 404
    assert client.post(reverse("begin_review", args=[2**80])).status_code == 404


def test_one_reviewers_letters_are_not_anothers():
    made = make_review_set(people=6, responses=6)
    orders = {tuple(begin(made, by=person).order) for person in list_reviewers(made)}
    assert len(orders) > 1


def test_the_second_round_shows_what_others_gave_and_not_who():
    made = marked_set("both")
    first, other = list_reviewers(made)
    theirs = begin(made, by=other)
    say(theirs, "notes", str(find_position(theirs, 2)), "OTHERNOTE")
    submitted(theirs, scores=dict.fromkeys(("accuracy", "completeness", "conciseness", "clarity"), (3, 3, 3)))
    submitted(begin(made, by=first))
    mine = begin(made, by=first)
    text = signed_in(first).get(reverse("review", args=[mine.pk])).content.decode()
    assert found(text, HIDDEN) == ["OTHERNOTE"]
    assert text.count("Others gave:") == 12
    assert not found(text, WEIGHTS)
    column = re.search(rf'id="message-{find_position(mine, 2)}".*?</article>', text, re.DOTALL)[0]
    assert "OTHERNOTE" in column
    submitted_text = signed_in(first).get(reverse("review", args=[load_first(first, mine)])).content.decode()
    assert not found(submitted_text, HIDDEN)


def load_first(person, second):
    return Review.objects.get(reviewer__person=person, comparison=second.comparison_id, round=1).pk


def test_ones_own_response_is_in_nothing_that_one_reviews():
    made = make_review_set(people=2, has_second_round=True)
    first, other = list_reviewers(made)
    texts = [NewResponse(text=f"TEXT-{at}", author=first.email if at == 2 else "") for at in (1, 2, 3)]
    own = NewComparison(question="Whose?", responses=texts)
    add_comparisons(comparison_set=made, comparisons=[own], by=made.created_by, now=NOW)
    mine = begin(made, by=first, number=2)
    client = signed_in(first)
    assert "TEXT-2" not in everything(client, fresh(mine))
    say_all_that_is_left(mine)
    submitted(begin(made, by=other, number=2))
    client.post(reverse("submit_review", args=[mine.pk]), {"key": "s"})
    second = begin(made, by=first, number=2)
    assert second.round == 2
    said = everything(client, second)
    assert "TEXT-2" not in said
    assert said.index("Your first round is filled in") < said.index('id="question"'), "it is read first"
