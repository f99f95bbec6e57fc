"""Models are asked at a real HTTP server that misbehaves: what is stored, what is tried again, what is given up."""

import hashlib
import json
from datetime import timedelta
from decimal import Decimal

import pytest

from rubric.actions.asking import ask_failed_again
from rubric.actions.calling import MOST_FAILED_IN_A_ROW, TURN, start_asking
from rubric.core.asking import LONGEST_WAIT, MOST_TRIES, Price
from rubric.models import Answer, Review, Reviewer, ReviewPrompt
from tests.asked import KEYS, answer_text, go, states, stored
from tests.factories import NOW
from tests.talking import cut_off, drips, fails, hangs_up, replies, says, sends, silent
from workspace.core.refusals import Conflict
from workspace.models import Job

pytestmark = pytest.mark.django_db


@pytest.mark.services
def test_an_answer_is_asked_for_kept_and_read(asking, settings, waits):
    settings.REVIEW_PRICES = {"one-model": Price(Decimal("2.50"), Decimal(10))}
    _made, server = asking(says(answer_text()))
    (heard,) = server.heard
    prompt = ReviewPrompt.objects.get()
    assert heard.path == "/v1/chat/completions"
    assert heard.headers["authorization"] == "Bearer sk-very-secret"
    assert heard.body == {"model": "one-model", "messages": [{"role": "user", "content": prompt.text}]}
    assert prompt.sha256 == hashlib.sha256(prompt.text.encode()).hexdigest()
    answer, review = Answer.objects.get(), Review.objects.get()
    assert (answer.text, answer.finish_reason, answer.source) == (answer_text(), "stop", "fetched")
    assert (answer.prompt_tokens, answer.answer_tokens, answer.cost_usd) == (1000, 200, Decimal("0.0045"))
    assert answer.took_ms is not None
    assert (review.state, review.mode, review.flags) == ("submitted", "rubric", [])
    assert {row.scores["accuracy"] for row in review.reviewed.all()} == {6}
    assert Job.objects.get(kind="ask_models").state == "done"
    assert waits == []


def test_scores_go_to_the_responses_behind_the_labels(asking):
    def by_text(heard):
        data = heard.prompt.split("<untrusted-")[1].split(">\n", 1)[1].split("\n</untrusted")[0]
        shown = {each["label"]: each["text"] for each in json.loads(data)["responses"]}
        given = {label: dict.fromkeys(KEYS, text.count("water") + 1) for label, text in shown.items()}
        return json.dumps({"evaluations": given})

    asking(replies(by_text), questions=6)
    for review in Review.objects.all():
        assert {row.response.number: row.scores["clarity"] for row in review.reviewed.all()} == {
            1: 2,
            2: 3,
            3: 4,
        }
    assert len({tuple(review.order) for review in Review.objects.all()}) > 1


def test_parameters_go_along_and_nothing_else_does(asking, waits):
    made, server = asking(says(answer_text()), run=False)
    Reviewer.objects.update(
        parameters={"temperature": 0, "max_tokens": 500, "base_url": "http://evil.example"}
    )
    go(made, waits)
    assert set(server.heard[0].body) == {"model", "messages", "temperature", "max_tokens"}
    assert Answer.objects.get().parameters == {"temperature": 0, "max_tokens": 500}


@pytest.mark.parametrize(
    ("trouble", "code", "waited"),
    [
        (fails(500, message="oops"), "server_error", [2.0]),
        (fails(503, Retry_After="7"), "server_error", [7.0]),
        (fails(429, Retry_After="11"), "rate_limited", [11.0]),
        (fails(429), "rate_limited", [2.0]),
        (cut_off, "cut_off", [2.0]),
        (hangs_up, "cut_off", [2.0]),
    ],
)
def test_what_passes_is_tried_again_after_a_wait(asking, waits, trouble, code, waited):
    made, server = asking(trouble, says(answer_text()))
    assert stored() == [(1, code), (2, "")]
    assert waits == waited
    assert states(made) == ["answered"]
    assert Answer.objects.first().text == ""
    assert len(server.heard) == 2
    assert server.heard[0].prompt == server.heard[1].prompt


@pytest.mark.parametrize("slow", [silent, drips])
def test_an_answer_that_is_too_slow_is_broken_off(asking, settings, waits, slow):
    made, _server = asking(slow, says(answer_text()), run=False)
    settings.REVIEW_TIMEOUT = 0.2
    go(made, waits)
    assert stored() == [(1, "timeout"), (2, "")]
    assert states(made) == ["answered"]


def test_three_tries_and_no_more_and_others_go_on(asking, waits):
    made, server = asking(fails(500), fails(500), fails(500), says(answer_text()), questions=2)
    assert stored() == [(1, "server_error"), (2, "server_error"), (3, "server_error"), (1, "")]
    assert waits == [2.0, 4.0]
    assert states(made) == ["failed", "answered"]
    assert len(server.heard) == MOST_TRIES + 1
    assert Job.objects.get(kind="ask_models").state == "done"
    with pytest.raises(Conflict, match="No answer is to come"):
        start_asking(comparison_set=made, by=made.created_by, now=NOW)
    assert ask_failed_again(comparison_set=made, by=made.created_by, now=NOW) == 1
    go(made, waits)
    assert states(made) == ["answered", "answered"]


@pytest.mark.parametrize(
    ("trouble", "code", "says_so"),
    [
        (fails(400, message="bad <b>request</b>"), "refused", 'answered 400. It said: "bad <b>request</b>"'),
        (fails(404, message="no such model"), "refused", "no such model"),
        (fails(302, Location="/v1/elsewhere"), "redirected", "answered 302"),
        (sends(b"<html>a page</html>", Content_Type="text/html"), "garbage", "no chat completion"),
        (sends(b'{"choices": ['), "garbage", "no chat completion"),
        (sends(b"\x1f\x8b\x08\x00", Content_Encoding="gzip"), "garbage", "no chat completion"),
        (says(None, choices=[]), "no_answer", "sent no text"),
        (says(""), "no_answer", "sent no text"),
        (says("x" * 5_000_000), "too_large", "larger than 2 MB"),
        (sends(b" " * 9_000_000), "too_large", "larger than 2 MB"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(asking, waits, trouble, code, says_so):
    made, server = asking(trouble, says(answer_text()))
    answer = Answer.objects.get()
    assert (answer.error_code, waits) == (code, [])
    assert says_so in answer.error
    assert len(server.heard) == 1, "redirects are not followed, and nothing is tried again"
    assert states(made) == ["failed"]
    assert Review.objects.get().mode == ""


def test_garbage_is_kept_as_it_came(asking):
    asking(sends(b"<html>\x00 a page</html>"))
    assert Answer.objects.get().text == "<html>\u2400 a page</html>"


def test_the_key_is_never_stored(asking):
    asking(fails(400, message="Incorrect key: sk-very-secret, find yours at ..."))
    assert "sk-very-secret" not in Answer.objects.get().error
    assert "Incorrect key: ..." in Answer.objects.get().error


def test_a_refused_key_stops_all_at_once(asking):
    made, server = asking(fails(401, message="who are you"), questions=4)
    job = Job.objects.get(kind="ask_models")
    assert (job.state, job.error_code, len(server.heard)) == ("failed", "unauthorised", 1)
    assert "REVIEW_MODELS_KEY" in job.error
    assert states(made) == ["failed", "open", "open", "open"]


def test_an_endpoint_that_is_down_is_not_asked_for_everything(asking, waits):
    made, server = asking(fails(500), questions=MOST_FAILED_IN_A_ROW + 3)
    job = Job.objects.get(kind="ask_models")
    assert (job.state, job.error_code) == ("failed", "all_failed")
    assert len(server.heard) == MOST_FAILED_IN_A_ROW * MOST_TRIES
    assert states(made).count("open") == 3


def test_nobody_listening_is_an_error_like_others(asking, settings, waits):
    made, _server = asking(says(""), run=False)
    settings.REVIEW_MODELS_URL = "http://127.0.0.1:1/v1"
    go(made, waits)
    assert stored() == [(number, "connection") for number in (1, 2, 3)]


def test_a_long_rest_is_honoured_by_stopping(asking, waits):
    made, server = asking(fails(429, Retry_After="600"), questions=3)
    job = Job.objects.get(kind="ask_models")
    assert (job.error_code, len(server.heard), waits) == ("too_busy", 1, [])
    assert "600 seconds" in job.error
    assert states(made) == ["open"] * 3


def test_a_refusal_is_an_abstention_and_nonsense_unreadable(asking):
    made, _server = asking(
        says(None, refusal="No."), says("I can't help with rating these."), says("Nice soups!"), questions=3
    )
    assert states(made) == ["declined", "declined", "unreadable"]
    assert [answer.text for answer in Answer.objects.order_by("pk")] == [
        "No.",
        "I can't help with rating these.",
        "Nice soups!",
    ]
    assert not any(row.scores for review in Review.objects.all() for row in review.reviewed.all())


def test_an_answer_that_is_cut_at_its_limit_says_so(asking):
    asking(says(answer_text() + "\nAnd in conclu", finish_reason="length"))
    review = Review.objects.get()
    assert (review.mode, [flag["code"] for flag in review.flags]) == ("rubric", ["cut_off"])


def test_a_turn_of_the_worker_ends_before_celery_ends_it(settings):
    longest = TURN + timedelta(seconds=2 * 100 + LONGEST_WAIT)
    assert longest < timedelta(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT)
