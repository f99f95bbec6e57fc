"""Prompts are made once, answers kept raw and read, files come in whole or not at all, and all can be asked again."""

import hashlib
import json

import pytest
from msgspec.structs import replace

from rubric.comparisons.actions import add_reviewer, close_set, end_reviewer
from rubric.core.response_order import LABELS, map_labels
from rubric.model_reviewers import queries
from rubric.model_reviewers.actions.answers import paste_answer, read_answers, upload_answers
from rubric.model_reviewers.actions.prompts import ask_again, ask_failed_again, ensure_prompt, open_prompts
from rubric.model_reviewers.core import LONGEST_ANSWER, AnswerLine
from rubric.model_reviewers.queries import load_asked, model_reviewers
from rubric.models import Answer, Review, ReviewPrompt
from rubric.models.comparisons import MODEL
from tests.factories.comparisons import make_set, review_with
from tests.factories.jobs import run_waiting_jobs
from tests.factories.model_reviewers import SIXES, answer_text
from tests.factories.people import NOW, make_lead, make_project
from tests.factories.reviews import CRITERIA
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    """A set of two comparisons with two models."""
    made = make_set(questions=2)
    for name in ("one-model", "other-model"):
        add_reviewer(comparison_set=made, kind=MODEL, name=name, by=made.created_by, now=NOW)
    return made


def pair(made, number=1, name="one-model"):
    return {
        "comparison": made.comparisons.get(number=number),
        "reviewer": made.reviewers.select_related("set__project", "set__rubric_version").get(name=name),
        "by": made.created_by,
        "now": NOW,
    }


def states(made):
    return [comparison.state for comparison in load_asked(made, model_reviewers(made))]


def test_a_prompt_is_made_once_and_holds_the_responses_as_shown(made):
    prompt = ensure_prompt(**pair(made))
    assert ensure_prompt(**pair(made)) == prompt
    texts = {row.number: row.text for row in pair(made)["comparison"].responses.all()}
    data = prompt.text.split(f"<untrusted-{prompt.nonce}>\n")[1].split("\n</untrusted")[0]
    shown = [response["text"] for response in json.loads(data)["responses"]]
    assert shown == [texts[number] for number in prompt.review.order]
    assert prompt.sha256 == hashlib.sha256(prompt.text.encode()).hexdigest()
    assert prompt.nonce != ensure_prompt(**pair(made, name="other-model")).nonce


@pytest.mark.parametrize("shuffles", [False, True])
def test_criteria_keep_their_order_unless_the_version_says_otherwise(made, shuffles):
    record = made.rubric_version.to_record()
    body = replace(record, parameters=record.parameters | {"shuffle_criteria": shuffles})
    made.rubric_version.to_record = lambda: body
    given = {"comparison": made.comparisons.first(), "by": made.created_by, "now": NOW}
    orders = set()
    for number in range(12):
        model = add_reviewer(comparison_set=made, kind=MODEL, name=f"m-{number}", by=made.created_by, now=NOW)
        text = ensure_prompt(**given, reviewer=model).text
        orders.add(tuple(sorted(CRITERIA, key=lambda key: text.index(f"(key: {key};"))))
    assert (len(orders) > 1) == shuffles


def test_what_was_reviewed_elsewhere_gets_no_prompt(made):
    given = pair(made)
    review_with(comparison=given["comparison"], reviewer=given["reviewer"], scores={1: SIXES})
    with pytest.raises(Conflict, match="imported from elsewhere"):
        ensure_prompt(**given)
    assert ReviewPrompt.objects.count() == 0


def test_a_pasted_answer_is_kept_as_it_is_then_read(made):
    ensure_prompt(**pair(made))
    text = "\n  " + answer_text() + "\x00\n"
    review = paste_answer(**pair(made), text=text)
    answer = Answer.objects.get()
    assert answer.text == text.replace("\0", "\u2400")
    assert (answer.source, answer.attempt, answer.model) == ("pasted", 1, "one-model")
    assert review.mode == "rubric"
    numbers = map_labels(review.order)
    assert {row.response.number for row in review.reviewed.all()} == {numbers[label] for label in LABELS[:3]}
    event = Event.objects.get(verb="answer:kept")
    assert json.loads(event.detail)["sha256"] == hashlib.sha256(answer.text.encode()).hexdigest()


def test_what_is_kept_is_there_before_anything_is_read(made, monkeypatch):
    ensure_prompt(**pair(made))

    def broken(*_given, **_named):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(queries, "read_review", broken)
        with pytest.raises(MemoryError):
            paste_answer(**pair(made), text=answer_text())
    assert states(made)[0] == "unread"
    run_waiting_jobs()
    assert states(made)[0] == "answered"
    assert Job.objects.get(kind="read_answers").state == "done"


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST_ANSWER + 1)])
def test_what_cannot_be_an_answer_is_not_kept(made, text):
    ensure_prompt(**pair(made))
    with pytest.raises(Unacceptable):
        paste_answer(**pair(made), text=text)
    assert Answer.objects.count() == 0


def test_an_answer_needs_its_prompt_and_comes_once(made):
    with pytest.raises(Unacceptable, match="Create the prompt first"):
        paste_answer(**pair(made), text="I prefer A.")
    ensure_prompt(**pair(made))
    paste_answer(**pair(made), text="I prefer A.")
    with pytest.raises(Conflict, match="answered already"):
        paste_answer(**pair(made), text=answer_text())
    assert states(made)[0] == "unreadable"


def test_nobody_but_leads_and_only_while_the_set_is_open(made):
    ensure_prompt(**pair(made))
    stranger = {"by": make_lead(project=make_project())}
    close_set(comparison_set=made, by=made.created_by, now=NOW)
    given = pair(made)
    for other in (stranger, {}):
        with pytest.raises(NotAllowed):
            paste_answer(**given | other, text="I prefer A.")
        with pytest.raises(NotAllowed):
            ask_again(**given | other)
        with pytest.raises(NotAllowed):
            ask_failed_again(comparison_set=given["reviewer"].set, by=(given | other)["by"], now=NOW)
        with pytest.raises(NotAllowed):
            upload_answers(comparison_set=given["reviewer"].set, lines=[], by=(given | other)["by"], now=NOW)
        with pytest.raises(NotAllowed):
            open_prompts(comparison_set=given["reviewer"].set, by=(given | other)["by"], now=NOW)
    assert Answer.objects.count() == 0


def taken(made, *lines):
    rows = [AnswerLine(number, *line) for number, line in enumerate(lines, start=1)]
    return upload_answers(comparison_set=made, lines=rows, by=made.created_by, now=NOW)


def test_prompts_go_out_and_answers_come_in(made):
    end_reviewer(reviewer=made.reviewers.get(name="other-model"), by=made.created_by, now=NOW)
    sent = [json.loads(line) for line in open_prompts(comparison_set=made, by=made.created_by, now=NOW)]
    assert [(line["comparison"], line["reviewer"]) for line in sent] == [
        ("1", "one-model"),
        ("2", "one-model"),
    ]
    assert list(sent[0]["labels"]) == ["Response A", "Response B", "Response C"]
    assert sorted(sent[0]["labels"].values()) == ["r1", "r2", "r3"]
    assert taken(made, *((line["comparison"], line["reviewer"], answer_text()) for line in sent)) == []
    assert [comparison.state for comparison in load_asked(made, model_reviewers(made)[:1])] == [
        "unread",
        "unread",
    ]
    assert not list(open_prompts(comparison_set=made, by=made.created_by, now=NOW))
    run_waiting_jobs()
    assert set(Review.objects.values_list("mode", flat=True)) == {"rubric"}
    assert Answer.objects.filter(source="uploaded").count() == 2
    assert Event.objects.filter(verb="comparison_set:answered").count() == 1


def test_a_file_with_any_fault_comes_in_not_at_all(made):
    list(open_prompts(comparison_set=made, by=made.created_by, now=NOW))
    paste_answer(**pair(made, 2), text=answer_text())
    ask = pair(made, 1, "other-model")
    Review.objects.filter(reviewer=ask["reviewer"], comparison=ask["comparison"]).update(state="superseded")
    faults = taken(
        made,
        ("1", "one-model", answer_text()),
        ("9", "one-model", "x"),
        ("1", "no-model", "x"),
        ("2", "one-model", "x"),
        ("1", "other-model", "x"),
    )
    assert [(fault.line, fault.pointer, fault.code) for fault in faults] == [
        (2, "/comparison", "unknown"),
        (3, "/reviewer", "unknown"),
        (4, "", "answered"),
        (5, "", "not_asked"),
    ]
    assert Answer.objects.count() == 1


def test_reading_twice_leaves_the_same_rows(made):
    list(open_prompts(comparison_set=made, by=made.created_by, now=NOW))
    taken(made, ("1", "one-model", answer_text()), ("2", "other-model", "I cannot rate these."))
    run_waiting_jobs()
    before = list(Review.objects.order_by("pk").values())
    job = Job.objects.get(kind="read_answers")
    Job.objects.update(state="running")
    job.refresh_from_db()
    read_answers(job=job, clock=lambda: NOW)
    assert list(Review.objects.order_by("pk").values()) == before
    assert sorted(states(made)) == ["answered", "declined", "open", "open"]


def test_asking_again_keeps_what_was_answered(made):
    ensure_prompt(**pair(made))
    first = paste_answer(**pair(made), text="Both are nice.")
    prompt = ask_again(**pair(made))
    first.refresh_from_db()
    assert (first.state, first.mode, first.answers.get().text) == (
        "superseded",
        "unreadable",
        "Both are nice.",
    )
    assert prompt.review != first
    assert states(made)[0] == "open"
    assert paste_answer(**pair(made), text=answer_text()).mode == "rubric"
    with pytest.raises(Conflict, match="No call has failed"):
        ask_failed_again(comparison_set=made, by=made.created_by, now=NOW)
