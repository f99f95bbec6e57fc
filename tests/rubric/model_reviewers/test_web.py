"""The pages of model reviewers: prompts out, answers in, what is shown of them, and that none of it becomes HTML."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from rubric.comparisons.actions import add_comparisons, add_reviewer, close_set
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.model_reviewers.actions.answers import keep_answer, paste_answer
from rubric.model_reviewers.actions.prompts import ensure_prompt
from rubric.model_reviewers.core import LONGEST_ANSWER, Reply
from rubric.models import Answer, Review
from rubric.models.comparisons import MODEL, PERSON
from tests.factories.comparisons import make_set
from tests.factories.jobs import run_waiting_jobs
from tests.factories.model_reviewers import KEYS, TENS, answer_text, make_asked
from tests.factories.people import NOW, make_lead, make_member, make_project
from workspace.models import Job

pytestmark = pytest.mark.django_db


HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "answers-list"}


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> </pre></textarea> \u202egnirts"


@pytest.fixture
def lead(db):
    return make_lead(project=make_project(slug="ours"))


@pytest.fixture
def asked(lead):
    return make_asked(by=lead)


@pytest.fixture
def seen(client, lead):
    client.force_login(lead)
    return client


def at(asked, name, number=None, **more):
    """The address of a page of the set, or of the model and that comparison."""
    place = {"slug": "ours", "number": asked["asked_number"]}
    pair = {"comparison": number, "reviewer": asked["model_reviewer"]} if number else {}
    return reverse(name, kwargs=place | pair | more)


def page(client, address, **given):
    answer = client.get(address, **given)
    assert answer.status_code == 200, answer.content.decode()[:500]
    return answer.content.decode()


def test_the_list_says_how_far_every_answer_is(seen, asked):
    text = page(seen, at(asked, "set_answers"))
    assert "1 of 3" in text
    assert text.count("no answer yet") == 2
    assert '<span class="pass">answered</span>' in text
    assert "This site calls no models by itself" in text
    assert "Ask for" not in text
    assert "hx-get" not in text
    assert 'aria-current="page"' in text


def test_a_set_without_models_or_comparisons_says_what_to_do(seen, lead):
    made = make_set(by=lead, questions=0)
    address = reverse("set_answers", args=["ours", made.number])
    assert "No model reviews this set" in page(seen, address)
    add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=lead, now=NOW)
    assert "Nothing to ask yet" in page(seen, address)


def test_from_prompt_to_scores_and_once_more(seen, asked):
    address = at(asked, "model_answer", 3)
    assert "Create the prompt" in page(seen, address)
    answer = seen.post(at(asked, "make_prompt", 3))
    assert (answer.status_code, answer["Location"]) == (303, address)
    prompt = Review.objects.get(comparison__number=3).prompt
    shown = page(seen, address)
    assert f"untrusted-{prompt.nonce}" in shown
    assert prompt.sha256 in shown
    file = seen.get(at(asked, "prompt_text", 3))
    assert file.content.decode() == prompt.text
    assert file["Content-Disposition"].startswith("attachment;")
    answer = seen.post(at(asked, "paste_answer", 3), {"text": answer_text(A=TENS)})
    assert (answer.status_code, answer["Location"]) == (303, address)
    shown = page(seen, address)
    for words in ("Parsed scores", "10.00", "6.00", "Original answers", "My reasons.", "Ask again", "pasted"):
        assert words in shown
    assert "Save and parse" not in shown
    assert seen.post(at(asked, "ask_again", 3)).status_code == 303
    shown = page(seen, address)
    assert "Earlier, superseded" in shown
    assert "My reasons." in shown
    assert "Parsed scores" not in shown
    assert "Save and parse" in shown
    assert "1 earlier" in page(seen, at(asked, "set_answers"))


def test_ends_of_lines_are_kept_as_they_were_pasted_and_not_as_browsers_send_them(seen, asked):
    seen.post(at(asked, "make_prompt", 3))
    text = answer_text(A=TENS)
    seen.post(at(asked, "paste_answer", 3), {"text": text.replace("\n", "\r\n")})
    assert "\n" in text
    assert Review.objects.get(comparison__number=3).answers.get().text == text
    assert "000D" not in page(seen, at(asked, "model_answer", 3))


@pytest.mark.parametrize("text", ["", "   ", "x" * (LONGEST_ANSWER + 1)])
def test_what_cannot_be_kept_stays_in_its_field(seen, asked, text):
    before = Answer.objects.count()
    answer = seen.post(at(asked, "paste_answer", 2), {"text": text})
    assert answer.status_code == 422
    body = answer.content.decode()
    assert ("larger than 2 MB" if text.strip() else "Paste the model") in body
    assert Answer.objects.count() == before


def test_an_answer_that_came_meanwhile_is_not_overwritten(seen, asked, lead):
    answer = seen.post(at(asked, "paste_answer", 1), {"text": "Another one."})
    assert answer.status_code == 409
    assert "answered already" in answer.content.decode()
    assert "Another one.</textarea>" in answer.content.decode()


@pytest.mark.services
def test_long_answers_are_cut_on_the_page_and_whole_in_the_file(seen, asked):
    long = answer_text() + "é" * 30_000
    seen.post(at(asked, "paste_answer", 2), {"text": long})
    shown = page(seen, at(asked, "model_answer", 2))
    assert f"{len(long) - 20_000} more characters." in shown
    came = Answer.objects.get(text=long)
    file = seen.get(at(asked, "answer_text", 2, came=came.pk))
    assert file.content.decode() == long
    assert (file["Content-Type"], file["X-Content-Type-Options"]) == ("text/plain; charset=utf-8", "nosniff")
    assert seen.get(at(asked, "answer_text", 1, came=came.pk)).status_code == 404


@pytest.mark.services
def test_prompts_go_out_and_answers_come_in_as_files(seen, asked):
    answer = seen.post(at(asked, "open_prompts"))
    assert answer["Content-Disposition"] == 'attachment; filename="prompts-ours-1.jsonl"'
    sent = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
    assert [line["comparison"] for line in sent] == ["2", "3"]
    given = [
        {key: line[key] for key in ("comparison", "reviewer")} | {"text": answer_text()} for line in sent
    ]
    file = SimpleUploadedFile("a.jsonl", "\n".join(map(json.dumps, given)).encode())
    answer = seen.post(at(asked, "upload_answers"), {"file": file})
    assert (answer.status_code, answer["Location"]) == (303, at(asked, "set_answers"))
    live = page(seen, at(asked, "set_answers"), **HTMX)
    assert live.lstrip().startswith('<div id="answers-list"')
    assert 'hx-trigger="every 3s"' in live
    assert live.count(">being read<") == 2
    run_waiting_jobs()
    done = page(seen, at(asked, "set_answers"), **HTMX)
    assert "hx-trigger" not in done
    assert "3 of 3" in done
    assert "Every model has answered" in done


def test_faults_of_a_file_are_listed_with_their_lines(seen, asked):
    lines = [{"comparison": HOSTILE, "reviewer": "one-model", "text": "x"}, {"comparison": "1"}]
    file = SimpleUploadedFile("a.jsonl", json.dumps(lines[0]).encode())
    answer = seen.post(at(asked, "upload_answers"), {"file": file})
    assert answer.status_code == 422
    assert "no comparison with the id" in answer.content.decode()
    assert "<script>alert" not in answer.content.decode()
    file = SimpleUploadedFile("a.jsonl", json.dumps(lines[1]).encode())
    assert (
        "&#34;text&#34; is missing" in seen.post(at(asked, "upload_answers"), {"file": file}).content.decode()
    )
    assert "Choose a file." in seen.post(at(asked, "upload_answers")).content.decode()
    file = SimpleUploadedFile("a.jsonl", b"{}\n" * 10_001)
    assert "more than 10,000 lines" in seen.post(at(asked, "upload_answers"), {"file": file}).content.decode()
    assert Answer.objects.count() == 1


def test_a_configured_site_offers_calls_and_shows_what_came_of_them(seen, asked, settings):
    settings.REVIEW_MODELS_URL, settings.REVIEW_MODELS = "http://127.0.0.1:1/v1", ["one-model"]
    assert "Ask for 2 answers" in page(seen, at(asked, "set_answers"))
    assert seen.post(at(asked, "ask_models")).status_code == 303
    job = Job.objects.get(kind="ask_models")
    shown = page(seen, at(asked, "set_answers"))
    assert "The models are being asked" in shown
    assert "No worker is running" in shown
    assert 'hx-trigger="every 3s"' in shown
    assert seen.post(at(asked, "stop_asking")).status_code == 303
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert "The calls were stopped" in page(seen, at(asked, "set_answers"))


def test_what_failed_says_why_and_can_be_asked_again(seen, asked, lead):
    review = Review.objects.get(comparison__number=2)
    reply = Reply(error_code="refused", error=f"The endpoint answered 400. It said: {HOSTILE}", took_ms=1200)
    keep_answer(review=review, source="fetched", reply=reply, by=lead, now=NOW)
    shown = page(seen, at(asked, "set_answers"))
    assert "call failed" in shown
    assert "and 1 whose calls failed" in shown
    shown = page(seen, at(asked, "model_answer", 2))
    assert "The endpoint answered 400" in shown
    assert "<script>alert" not in shown
    assert "1.2 s" in shown
    assert seen.post(at(asked, "ask_failed_again")).status_code == 303
    assert "call failed" not in page(seen, at(asked, "set_answers"))


@pytest.mark.services
def test_tokens_and_cost_are_summed(seen, asked, lead):
    review = Review.objects.get(comparison__number=2)
    reply = Reply(text=answer_text(), finish_reason="length", prompt_tokens=1500, answer_tokens=250)
    keep_answer(review=review, source="fetched", reply=reply, by=lead, now=NOW, cost_usd="0.123")
    keep_answer(review=review, source="fetched", reply=reply, by=lead, now=NOW)
    shown = page(seen, at(asked, "set_answers"))
    for words in ("3,000 tokens sent, 500 received", "$0.1230", "1 call has no price"):
        assert words in shown


def test_nothing_that_a_model_wrote_becomes_html(seen, lead):
    made = make_set(by=lead, questions=0)
    responses = [NewResponse(text=HOSTILE, key=HOSTILE[:90]), NewResponse(text="Boil stones.", key="b")]
    question = NewComparison(question=HOSTILE, responses=responses, key="c")
    (row,) = add_comparisons(comparison_set=made, comparisons=[question], by=lead, now=NOW)
    model = add_reviewer(comparison_set=made, kind=MODEL, name=HOSTILE, model=HOSTILE, by=lead, now=NOW)
    ensure_prompt(comparison=row, reviewer=model, by=lead, now=NOW)
    scores = dict.fromkeys(KEYS, 5) | {HOSTILE: 3, "notes": HOSTILE, "overall": 9}
    given = {"Response A": scores, "Response B": scores, HOSTILE: scores}
    text = HOSTILE + json.dumps({"evaluations": given, "ranking": [HOSTILE, "Response A", "Response B"]})
    review = paste_answer(comparison=row, reviewer=model, text=text, by=lead, now=NOW)
    assert len(review.flags) >= 4
    place = {"slug": "ours", "number": made.number}
    pair = place | {"comparison": 1, "reviewer": model.pk}
    for name, kwargs in (("set_answers", place), ("model_answer", pair), ("comparison_set", place)):
        shown = page(seen, reverse(name, kwargs=kwargs))
        for unsafe in ("<script>alert", "<img src=x", "</pre></textarea>"):
            assert unsafe not in shown
        assert "&lt;script&gt;alert(1)" in shown
        outside = shown.split("<textarea")[0] + shown.split("</textarea>")[-1]
        assert "\u202e" not in outside or name == "comparison_set"
    shown = page(seen, reverse("model_answer", kwargs=pair))
    assert "RLO" in shown or "202E" in shown
    assert "is none of the responses" in shown


def test_a_lead_who_reviews_too_sees_no_answer_before_their_own_is_in(seen, asked, lead):
    review = Review.objects.get(comparison__number=1)
    add_reviewer(comparison_set=review.reviewer.set, kind=PERSON, person=lead, by=lead, now=NOW)
    shown = page(seen, at(asked, "model_answer", 1))
    assert "Submit all your reviews first" in shown
    assert "My reasons." not in shown
    assert "Parsed scores" not in shown
    assert seen.get(at(asked, "answer_text", 1, came=asked["came"])).status_code == 403
    assert "Save and parse" in page(seen, at(asked, "model_answer", 2)), "pasting does not need to see others"


def test_a_closed_set_shows_and_takes_nothing(seen, asked, lead):
    review = Review.objects.get(comparison__number=1)
    close_set(comparison_set=review.reviewer.set, by=lead, now=NOW)
    assert "This set is closed" in page(seen, at(asked, "set_answers"))
    shown = page(seen, at(asked, "model_answer", 1))
    assert "My reasons." in shown
    assert "Ask again" not in shown
    assert seen.post(at(asked, "paste_answer", 2), {"text": "x"}).status_code == 403


def test_reviews_of_people_are_no_page_here(seen, asked, lead):
    person = make_member(project=lead.memberships.get().project)
    made = Review.objects.get(comparison__number=1).reviewer.set
    row = add_reviewer(comparison_set=made, kind=PERSON, person=person, by=lead, now=NOW)
    assert seen.get(at(asked, "model_answer", 1, reviewer=row.pk)).status_code == 404
    assert seen.get(at(asked, "model_answer", 9)).status_code == 404
    assert seen.get(at(asked, "prompt_text", 3)).status_code == 404


@pytest.mark.parametrize(("questions", "models"), [(2, 1), (60, 3)])
def test_the_list_asks_a_fixed_number_of_questions(seen, lead, questions, models):
    made = make_set(by=lead, questions=questions)
    for number in range(models):
        model = add_reviewer(comparison_set=made, kind=MODEL, name=f"m-{number}", by=lead, now=NOW)
        ensure_prompt(comparison=made.comparisons.first(), reviewer=model, by=lead, now=NOW)
    address = reverse("set_answers", args=["ours", made.number])
    page(seen, address)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        page(seen, address)
    assert len(asked) == 16, "\n".join(question["sql"] for question in asked)


@pytest.mark.parametrize("times", [1, 4])
def test_the_page_of_an_answer_does_too(seen, asked, times):
    for _time in range(times):
        seen.post(at(asked, "ask_again", 1))
        seen.post(at(asked, "paste_answer", 1), {"text": answer_text()})
    with CaptureQueriesContext(connection) as queries:
        page(seen, at(asked, "model_answer", 1))
    assert len(queries) == 15, "\n".join(query["sql"] for query in queries)
