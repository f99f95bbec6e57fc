"""A model gives the holistic score in a call of its own, under parameters that are part of who reviews."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from rubric.checks.actions import CHECKS
from rubric.comparisons.actions import add_reviewer, import_lines
from rubric.comparisons.core.lines import read_comparison_lines
from rubric.core.call_parameters import describe_parameters
from rubric.core.records import RUBRIC
from rubric.model_reviewers.actions.answers import paste_answer, set_parameters, upload_answers
from rubric.model_reviewers.actions.jobs import ask_models, start_asking
from rubric.model_reviewers.actions.prompts import ask_again, ensure_prompt, open_prompts
from rubric.model_reviewers.core import (
    Reply,
    read_answer_lines,
)
from rubric.model_reviewers.queries import load_asked, model_reviewers
from rubric.models import Answer, Review
from rubric.models.comparisons import MODEL, PERSON
from rubric.reviewer_statistics.queries import load_input
from rubric.reviews.queries import load_rankings, load_reviewed, reviewer_names
from tests.factories.comparisons import make_set
from tests.factories.model_reviewers import Waits, answer_text
from tests.factories.people import NOW
from tests.factories.reviewer_statistics import figure
from tests.factories.tokens import program_of
from workspace.checks.core import run_check
from workspace.core.refusals import Conflict, Unacceptable
from workspace.jobs.actions import take_job
from workspace.models import Event

pytestmark = pytest.mark.django_db
WHOLE = json.dumps(
    {"scores": {"Response A": 8, "Response B": 6, "Response C": 4}, "ranking": ["Response A", "Response B"]}
)
PARAMETERS = {"temperature": 0.5, "seed": 7, "system_prompt": "Be strict."}


def make_asked(**given):
    made = make_set(mode="both", **given)
    add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=made.created_by, now=NOW)
    return made


def make_pair(made):
    model = made.reviewers.select_related("set__project", "set__rubric_version").get(kind=MODEL)
    return {"comparison": made.comparisons.first(), "reviewer": model, "by": made.created_by, "now": NOW}


def test_the_first_prompt_names_no_criterion_and_both_answers_make_the_review():
    made = make_asked()
    pair = make_pair(made)
    prompt = ensure_prompt(**pair)
    whole = prompt.review.whole_prompt.text
    assert "accuracy" not in whole.lower() and '"holistic": <1-10>' in whole
    assert "Accuracy" in prompt.text and '"holistic"' not in prompt.text
    paste_answer(**pair, text=WHOLE, part="whole")
    [asked] = load_asked(made, model_reviewers(made))
    assert (asked.state, asked.part) == ("open", "")
    with pytest.raises(Conflict):
        paste_answer(**pair, text=WHOLE, part="whole")
    review = paste_answer(**pair, text=answer_text() + "\nFINAL RANKING:\n1. Response C\n")
    review.refresh_from_db()
    rows = review.reviewed.order_by("position")
    assert [(row.holistic, row.scores["clarity"]) for row in rows] == [(8, 6), (6, 6), (4, 6)]
    assert (review.mode, review.criteria_first) == ("rubric", False)
    assert review.reported_ranking == [["Response C"]]
    assert {flag["code"] for flag in review.flags} >= {"first_ranking", "incomplete_ranking"}


def test_programs_name_the_second_part_as_files_do():
    made = make_asked()
    pair = make_pair(made)
    program = program_of(made.created_by)
    where = (made.project.slug, made.number, pair["comparison"].number, pair["reviewer"].pk)
    address = "projects/{}/comparison-sets/{}/comparisons/{}/reviewers/{}/".format(*where)
    program.post(f"{address}prompt/")
    refused = program.post(f"{address}answer/", {"text": WHOLE, "part": "second"})
    assert (refused.status_code, refused.json()["field"]) == (422, "part")
    assert "“whole”" in refused.json()["detail"] and "“criteria”" in refused.json()["detail"]
    assert program.post(f"{address}answer/", {"text": WHOLE, "part": "whole"}).status_code == 200
    assert program.post(f"{address}answer/", {"text": answer_text(), "part": "criteria"}).status_code == 200
    assert Review.objects.get(reviewer=pair["reviewer"]).answers.count() == 2


def test_calls_are_made_one_after_the_other_and_carry_the_parameters(settings):
    settings.REVIEW_MODELS_URL, settings.REVIEW_MODELS = "https://models.example", ["one-model"]
    made = make_asked()
    pair = make_pair(made)
    set_parameters(reviewer=pair["reviewer"], parameters=PARAMETERS, by=made.created_by, now=NOW)
    heard = []

    def ask(call):
        heard.append(call)
        return Reply(text=WHOLE if len(heard) == 1 else answer_text())

    waits = Waits()
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    ask_models(job=take_job(job=job.pk, now=NOW), clock=waits.clock, wait=waits.wait, ask=ask)
    job.refresh_from_db()
    assert (job.state, job.done_count) == ("done", 1)
    assert [(call.system, call.sampling) for call in heard] == 2 * [
        ("Be strict.", {"temperature": 0.5, "seed": 7})
    ]
    assert "accuracy" not in heard[0].prompt.lower() and "accuracy" in heard[1].prompt.lower()
    rows = Answer.objects.order_by("attempt").values_list("part", "parameters")
    assert list(rows) == [("whole", PARAMETERS), ("", PARAMETERS)]
    assert Review.objects.get().mode == "rubric"


def test_files_hold_both_prompts_and_say_which_an_answer_is_to():
    made = make_asked()
    lines = [json.loads(line) for line in open_prompts(comparison_set=made, by=made.created_by, now=NOW)]
    assert [line["part"] for line in lines] == ["whole", "criteria"]
    given = {"comparison": "1", "reviewer": "one-model"}
    texts = {"whole": WHOLE, "criteria": answer_text()}
    data = "\n".join(json.dumps({**given, "part": part, "text": text}) for part, text in texts.items())
    answers, faults = read_answer_lines(data.encode())
    assert faults == []
    without, _faults = read_answer_lines(json.dumps({**given, "text": WHOLE}).encode())
    [fault] = upload_answers(comparison_set=made, lines=without, by=made.created_by, now=NOW)
    assert (fault.pointer, fault.code) == ("/part", "wrong_part")
    assert upload_answers(comparison_set=made, lines=answers, by=made.created_by, now=NOW) == []
    assert sorted(Answer.objects.values_list("part", "attempt")) == [("", 2), ("whole", 1)]


def test_scores_as_a_whole_after_the_criteria_are_left_out_of_metrics_1_and_2(client):
    made = make_asked()
    scores = {"accuracy": 7, "completeness": 7, "conciseness": 7, "clarity": 7, "holistic": 8}
    said = {"comparison": "1", "scores": dict.fromkeys(("1", "2", "3"), scores)}
    lines = [
        {**said, "reviewer": "one-model"},
        {**said, "reviewer": "Reader", "criteria_first": True},
        {**said, "reviewer": "Other"},
    ]
    read = read_comparison_lines("\n".join(map(json.dumps, lines)).encode())
    assert not import_lines(comparison_set=made, lines=read, by=made.created_by, now=NOW).faults
    given = load_input(made)
    assert (given.late_count, given.unknown_count) == (2, 1)
    assert sum(row.holistic is not None for row in given.whole_first) == 3
    assert sum(row.holistic is not None for row in given.rows) == 9
    figure(made)
    client.force_login(made.created_by)
    page = client.get(reverse("set_success", args=[made.project.slug, made.number])).content.decode()
    assert "leave out the holistic scores of 2 reviews, since the criteria were seen first." in page
    assert "1 review was imported from a file" in page


def test_parameters_are_set_on_the_page_until_an_answer_comes(client):
    made = make_asked()
    pair = make_pair(made)
    client.force_login(made.created_by)
    address = reverse("model_parameters", args=[made.project.slug, made.number, pair["reviewer"].pk])
    sent = {
        "temperature": "0.5",
        "max_tokens": "900",
        "reasoning_effort": "low",
        "system_prompt": "Be strict.",
    }
    assert client.post(address, sent).status_code == 303
    pair = make_pair(made)
    assert pair["reviewer"].parameters == {
        "temperature": 0.5,
        "max_completion_tokens": 900,
        "reasoning_effort": "low",
        "system_prompt": "Be strict.",
    }
    assert "temperature 0.5, max completion tokens 900" in client.get(address).content.decode()
    assert Event.objects.filter(verb="comparison_set:parameters_set").count() == 1
    ensure_prompt(**pair)
    paste_answer(**pair, text=WHOLE, part="whole")
    assert Answer.objects.get().parameters == pair["reviewer"].parameters
    answer = client.post(address, {"temperature": "1"})
    assert answer.status_code == 409 and "so they cannot be changed" in answer.content.decode()
    with pytest.raises(Unacceptable):
        set_parameters(reviewer=pair["reviewer"], parameters={"top_k": 3}, by=made.created_by, now=NOW)
    with pytest.raises(Unacceptable, match="another reviewer with the name"):
        add_reviewer(
            comparison_set=made,
            kind=MODEL,
            name="one-model",
            parameters={"seed": 1},
            by=made.created_by,
            now=NOW,
        )


def test_results_name_a_model_with_its_parameters():
    made = make_asked()
    pair = make_pair(made)
    set_parameters(reviewer=pair["reviewer"], parameters={"seed": 7}, by=made.created_by, now=NOW)
    names = reviewer_names(made, made.created_by, is_lead=True)
    assert names == {str(pair["reviewer"].pk): "one-model (seed 7)"}


def test_parameters_in_words():
    assert describe_parameters({}) == ""
    assert describe_parameters(PARAMETERS) == "temperature 0.5, seed 7, system prompt 133b78"


CUT = '```json\n{"ranking": ["Response A", "Response B"], "evaluations": {"Response A": {"holistic": 8, "no'
SECOND_AS_FIRST = json.dumps(
    {
        "scores": {"Response A": 7, "Response B": 9, "Response C": 2},
        "ranking": ["Response B", "Response A", "Response C"],
    }
)


def read_page(client, pair):
    client.force_login(pair["by"])
    made = pair["reviewer"].set
    parts = [made.project.slug, made.number, pair["comparison"].number, pair["reviewer"].pk]
    return " ".join(client.get(reverse("model_answer", args=parts)).content.decode().split())


def read_list(client, pair):
    client.force_login(pair["by"])
    made = pair["reviewer"].set
    page = client.get(reverse("set_answers", args=[made.project.slug, made.number])).content.decode()
    return " ".join(page.split())


def test_a_first_answer_that_cannot_be_read_is_said_at_once_and_can_be_asked_again(client):
    pair = make_pair(make_asked())
    ensure_prompt(**pair)
    review = paste_answer(**pair, text=CUT, part="whole")
    page = read_page(client, pair)
    assert "1 of 2 answers, not readable" in page and "This answer cannot be read" in page
    assert (
        "First call: the holistic score. This answer cannot be read." in page
        and "A block of scores is cut off" in page
    )
    assert 'id="ask-again"' in page and 'id="paste-answer"' in page
    assert "1 of 2 answers, not readable" in read_list(client, pair)
    prompt = ask_again(**pair)
    assert prompt.review != review and "no answer yet" in read_page(client, pair)


def test_a_review_goes_on_after_a_first_answer_that_cannot_be_read(client):
    pair = make_pair(make_asked())
    ensure_prompt(**pair)
    paste_answer(**pair, text=CUT, part="whole")
    paste_answer(**pair, text=answer_text())
    page = read_page(client, pair)
    assert "2 of 2 answers" in page and "This answer cannot be read" not in page
    assert "Call for the holistic score: A block of scores is cut off" in page


def test_a_good_first_answer_is_shown_as_one_of_two(client):
    pair = make_pair(make_asked())
    ensure_prompt(**pair)
    assert "of 2 answers" not in read_page(client, pair)
    paste_answer(**pair, text=WHOLE, part="whole")
    page = read_page(client, pair)
    assert "1 of 2 answers" in page and "not readable" not in page and 'id="answer-read"' in page
    assert 'id="ask-again"' not in page
    with pytest.raises(Conflict):
        ask_again(**pair)
    listed = read_list(client, pair)
    assert "1 of 2 answers" in listed and "1 with 1 of 2 answers" in listed
    paste_answer(**pair, text=answer_text())
    assert "2 of 2 answers" in read_page(client, pair)
    assert "of 2 answers" not in read_list(client, pair)


def test_the_page_of_a_lead_who_still_reviews_says_the_state_and_no_more(client):
    made = make_asked()
    add_reviewer(comparison_set=made, kind=PERSON, person=made.created_by, by=made.created_by, now=NOW)
    pair = make_pair(made)
    ensure_prompt(**pair)
    paste_answer(**pair, text="B is my secret choice.", part="whole")
    page = read_page(client, pair)
    assert "1 of 2 answers, not readable" in page
    assert "secret choice" not in page and "The remarks below" not in page


def test_one_call_counts_no_answers(client):
    made = make_set(mode="rubric")
    add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=made.created_by, now=NOW)
    pair = make_pair(made)
    ensure_prompt(**pair)
    paste_answer(**pair, text=answer_text())
    assert "of 2 answers" not in read_page(client, pair)


def test_uploaded_answers_say_it_as_well(client):
    made = make_asked()
    pair = make_pair(made)
    ensure_prompt(**pair)
    line = {"comparison": "1", "reviewer": "one-model", "part": "whole", "text": CUT}
    lines, _faults = read_answer_lines(json.dumps(line).encode())
    assert upload_answers(comparison_set=made, lines=lines, by=made.created_by, now=NOW) == []
    assert "1 of 2 answers, not readable" in read_list(client, pair)
    assert "A block of scores is cut off" in read_page(client, pair)


def test_an_upload_of_the_second_answer_alone_is_said_of_the_second(client):
    made = make_asked()
    pair = make_pair(made)
    ensure_prompt(**pair)
    line = {"comparison": "1", "reviewer": "one-model", "part": "criteria", "text": CUT}
    lines, _faults = read_answer_lines(json.dumps(line).encode())
    assert upload_answers(comparison_set=made, lines=lines, by=made.created_by, now=NOW) == []
    page = read_page(client, pair)
    assert (
        "Second call: the criteria. This answer cannot be read." in page
        and "1 of 2 answers, not readable" in page
    )


def test_called_models_say_it_as_well(client, settings):
    settings.REVIEW_MODELS_URL, settings.REVIEW_MODELS = "https://models.example", ["one-model"]
    made = make_asked()
    pair = make_pair(made)
    replies = [Reply(text=CUT), Reply(error_code="refused", error="The endpoint refuses.")]
    waits = Waits()
    job = start_asking(comparison_set=made, by=made.created_by, now=NOW)
    ask_models(
        job=take_job(job=job.pk, now=NOW),
        clock=waits.clock,
        wait=waits.wait,
        ask=lambda _call: replies.pop(0),
    )
    page = read_page(client, pair)
    assert "This answer cannot be read" in page and "A block of scores is cut off" in page


def test_programs_get_how_many_answers_there_are_and_the_remarks():
    made = make_asked()
    pair = make_pair(made)
    program = program_of(made.created_by)
    where = (made.project.slug, made.number, pair["comparison"].number, pair["reviewer"].pk)
    address = "projects/{}/comparison-sets/{}/comparisons/{}/reviewers/{}/".format(*where)
    assert program.post(f"{address}prompt/").json()["answered"] == 0
    first = program.post(f"{address}answer/", {"text": CUT, "part": "whole"}).json()
    assert (first["state"], first["answered"]) == ("1 of 2 answers, not readable", 1)
    assert any("cut off" in remark for remark in first["remarks"])
    second = program.post(f"{address}answer/", {"text": answer_text(), "part": "criteria"}).json()
    assert (second["state"], second["answered"]) == ("answered", 2)


def test_the_list_reads_first_answers_in_a_fixed_number_of_queries(client):
    counts = []
    for questions in (2, 6):
        made = make_asked(questions=questions, name=f"Of {questions}")
        pair = make_pair(made)
        for comparison in made.comparisons.all():
            ensure_prompt(**{**pair, "comparison": comparison})
            paste_answer(**{**pair, "comparison": comparison}, text=CUT, part="whole")
        client.force_login(made.created_by)
        with CaptureQueriesContext(connection) as queries:
            page = read_list(client, pair)
        assert page.count("1 of 2 answers, not readable") == questions
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_ranking_of_left_out_scores_counts_nowhere():
    made = make_asked()
    pair = make_pair(made)
    ensure_prompt(**pair)
    first = json.dumps({"scores": {"Response A": 8, "Response B": 6, "Response C": 4}})
    paste_answer(**pair, text=first, part="whole")
    paste_answer(**pair, text=SECOND_AS_FIRST)
    review = Review.objects.get()
    assert (review.reported_ranking, review.ranking) == (
        None,
        [["Response A"], ["Response B"], ["Response C"]],
    )
    assert load_rankings(load_reviewed(made), kind=RUBRIC) == {}
    assert [said for check in CHECKS for said in run_check(check, NOW).breaches] == []


@pytest.mark.parametrize(
    ("text", "state", "why"),
    [
        ('{"scores": {"Response A": 8, "Response B": 6,', "incomplete", "cannot be read: Response C."),
        (answer_text(), "incomplete", "cannot be read: Response A, Response B, Response C."),
        ("I cannot review these responses.", "declined", "The model declined."),
    ],
)
def test_a_first_answer_that_lacks_scores_can_be_asked_again_at_once(client, text, state, why):
    pair = make_pair(make_asked())
    ensure_prompt(**pair)
    paste_answer(**pair, text=text, part="whole")
    page = read_page(client, pair)
    assert f"1 of 2 answers, {state}" in page and why in page and 'id="ask-again"' in page
    ask_again(**pair)
