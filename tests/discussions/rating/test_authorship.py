"""The blind test of who said it: the setting that is kept, what is closed and hidden, and where its result stands."""

import re

import msgspec
import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from discussions.checks.actions import CHECKS
from discussions.core.outcome import DIVERSITY, Outcome
from discussions.iterations.actions import change_iteration
from discussions.models import Evaluation, Iteration
from discussions.queue.actions import take_next_game
from discussions.rating.actions import act, open_transcript, remark, skip_game, submit_evaluation, undo
from discussions.rating.queries import load_state
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.core.basis import Basis
from tests.factories.authorship import (
    choose,
    finished,
    give_messages,
    make_testing_project,
    opened,
    spoken_game,
    start_test,
    submitted_test,
)
from tests.factories.blindness import HIDDEN_ALWAYS, HIDDEN_UNTIL_REVEAL, found, game_with_marks, masked
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import game_of, make_rating_project, say, say_what_is_missing, start
from tests.factories.transcripts import upload
from tests.factories.verdicts import fresh, preview, record, recorded_verdict
from workspace.audit.core import Act
from workspace.checks.core import run_check
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def load_iteration(project):
    return Iteration.objects.select_related("project").get(project=project)


def test_a_lead_chooses_the_test_and_the_audit_log_tells_it_once():
    project = make_rating_project()
    choose(project=project, identification="test")
    choose(project=project, identification="test")
    assert load_iteration(project).identification == "test"
    told = Event.objects.filter(verb="iteration:changed")
    assert [msgspec.json.decode(event.detail) for event in told] == [{"identification": "test"}]


def test_evaluators_choose_nothing_and_there_is_no_third_form():
    project = make_rating_project()
    with pytest.raises(NotAllowed):
        change_iteration(
            iteration=load_iteration(project), identification="test", by=make_member(project=project), now=NOW
        )
    with pytest.raises(Unacceptable):
        choose(project=project, identification="guess")
    assert load_iteration(project).identification == "question"


def test_an_evaluation_keeps_the_form_it_began_with():
    project = make_rating_project(evaluator_count=2)
    before = start(project=project, content=spoken_game())
    choose(project=project, identification="test")
    assert load_state(Evaluation.objects.with_work().get(pk=before.pk)).visibility.transcript
    after = start_test(project=project)
    choose(project=project, identification="question")
    work = load_state(Evaluation.objects.with_work().get(pk=after.pk))
    assert not work.visibility.transcript
    assert work.drawn_test is not None


def test_until_the_transcript_is_open_only_the_test_is_answered():
    evaluation = start_test()
    for kind, subject, value in (
        ("coherence", "2", "yes"),
        ("question", "1", "yes"),
        ("phrase", "1|a b c", ""),
    ):
        with pytest.raises(Unacceptable, match="still closed"):
            say(evaluation, kind, subject, value)
    with pytest.raises(Unacceptable, match="still closed"):
        remark(
            evaluation=evaluation,
            kind="comment",
            target="message:3",
            text="x",
            key="k",
            by=evaluation.evaluator,
            now=NOW,
        )
    assert not evaluation.judgements.exists()


def test_the_transcript_opens_once_every_message_has_an_answer():
    evaluation = start_test()
    with pytest.raises(Unacceptable, match="Message 1 of the test"):
        open_transcript(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    with pytest.raises(Unacceptable, match="Message 1 of the test"):
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    give_messages(evaluation, hits=3)
    posted = Act(kind="reveal", subject="transcript", version=0, key="k", value="yes")
    for _again in range(2):
        act(evaluation=evaluation, posted=posted, by=evaluation.evaluator, now=NOW)
    assert [reveal.what for reveal in evaluation.reveals.all()] == ["transcript"]
    assert Event.objects.filter(verb="transcript:opened").count() == 1
    assert set(evaluation.judgements.values_list("revisions__phase", flat=True)) == {"blind"}


def test_answers_can_be_changed_and_undone_before_and_stand_afterwards():
    evaluation = start_test()
    give_messages(evaluation, hits=0)
    say(evaluation, "attribution", "1", "2")
    undo(evaluation=evaluation, key="u1", by=evaluation.evaluator, now=NOW)
    assert evaluation.judgements.get(subject="1").value == "cannot_tell"
    open_transcript(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    for change in (
        lambda: say(evaluation, "attribution", "1", "2"),
        lambda: say(evaluation, "attribution", "1", ""),
        lambda: undo(evaluation=evaluation, key="u2", by=evaluation.evaluator, now=NOW),
    ):
        with pytest.raises(Unacceptable, match="are final"):
            change()


def test_a_skipped_game_keeps_its_transcript_closed():
    evaluation = start_test()
    skip_game(evaluation=evaluation, reason="tired", by=evaluation.evaluator, now=NOW)
    assert not load_state(Evaluation.objects.with_work().get(pk=evaluation.pk)).visibility.transcript


def test_a_game_that_says_too_little_asks_the_question():
    evaluation = start_test(content=game_of(12))
    assert evaluation.identification == "test"
    assert load_state(evaluation).visibility.transcript
    say(evaluation, "identify", "1", "yes")
    assert evaluation.judgements.get().kind == "identify"


@pytest.mark.parametrize(("hits", "decides"), [(5, True), (4, True), (12, False)])
def test_the_verdict_rests_on_the_test_and_is_replayed(hits, decides):
    evaluation = submitted_test(hits=hits, decides=decides)
    verdict = record(fresh(evaluation.game))
    basis = msgspec.json.decode(verdict.basis, type=Basis)
    drawn = load_state(evaluation).drawn_test
    (test,) = basis.tests
    assert (test.evaluation, test.agents) == (evaluation.pk, 6)
    assert (tuple(test.messages), tuple(test.authors)) == (drawn.unseen, drawn.authors)
    line = msgspec.json.decode(verdict.outcome, type=Outcome).line(DIVERSITY)
    check = line.manual_check
    assert (check.yes, check.asked, check.agents, check.needed) == (hits, 12, 6, 5)
    assert (check.passes, check.decides) == (hits >= 5, decides)
    if decides:
        assert line.passes is (hits >= 5)
    assert replay_verdict(verdict=verdict).is_equal
    assert not [breach for check in CHECKS for breach in run_check(check, moment(90)).breaches]


def test_a_basis_that_names_another_author_is_a_breach():
    verdict = record(fresh(submitted_test().game))
    basis = msgspec.json.decode(verdict.basis, type=Basis)
    basis.tests[0].authors.reverse()
    verdict.basis = canonical_bytes(basis).decode()
    verdict.basis_sha256 = bytes_hash(verdict.basis.encode())
    assert any("did not write it" in difference for difference in replay_verdict(verdict=verdict).differences)


def test_without_a_test_a_basis_says_nothing_of_one():
    verdict = recorded_verdict()
    assert "tests" not in msgspec.json.decode(verdict.basis)
    assert '"agents":' not in verdict.outcome


def test_the_tests_of_several_evaluators_are_counted_as_one():
    project = make_testing_project(evaluator_count=2)
    first = submitted_test(project=project, hits=12)
    second = take_next_game(project=project, by=make_member(project=project), now=moment())
    give_messages(second, hits=0)
    open_transcript(evaluation=second, by=second.evaluator, now=NOW)
    finished(second)
    found = preview(first.game)
    check = found.outcome.line(DIVERSITY).manual_check
    assert (check.yes, check.asked) == (12, 24)
    assert not [key for key in found.found.ties if key[0] == "attribution"]


HTMX = {"HX-Request": "true"}


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client


def rate(client, evaluation, more=""):
    return client.get(reverse("rate", args=[evaluation.pk]) + more)


def post(client, evaluation, act, **headers):
    body = {"act": act, "nonce": f"n{act}"[:60], "step": "identify"}
    return client.post(reverse("judge", args=[evaluation.pk]), body, headers=headers)


def everything(client, evaluation):
    """Everything the evaluator's addresses answer while the transcript is closed, refusals among it."""
    answers = [rate(client, evaluation, f"?step={step}") for step in ("references", "identify", "review")]
    answers += [
        client.get(f"{reverse('rate', args=[evaluation.pk])}?at={n}&nonce=n", headers=HTMX)
        for n in (1, 7, 30, 48)
    ]
    acts = (
        *("attribution~1~0~1", "attribution~1~0~2", "attribution~2~0~cannot_tell", "attribution~99~0~1"),
        *("attribution~1~1~9", "reveal~transcript~0~yes", "reveal~roles~0~yes", "comment~message:3~0~"),
        *(
            "coherence~2~0~yes",
            "phrase~1|i think that~0~acceptable",
            "reference~3.1~0~vague",
            "identify~1~0~yes",
        ),
    )
    for headers in (HTMX, {}):
        answers += [post(client, evaluation, act, **headers) for act in acts]
        undone = {"key": f"u{len(headers)}", "step": "identify"}
        answers.append(client.post(reverse("undo", args=[evaluation.pk]), undone, headers=headers))
        sent = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "s"}, headers=headers)
        answers.append(sent)
    return "\n".join(f"{answer.headers}\n{answer.content.decode()}" for answer in answers)


def list_words(evaluation, positions):
    return {f"Word{position}word" for position in positions}


@pytest.mark.parametrize("reveal", ["blind_first", "alongside", "never"])
def test_only_samples_and_unseen_messages_are_on_the_page(reveal):
    evaluation = start_test(reveal=reveal)
    drawn = load_state(evaluation).drawn_test
    drawn_positions = {position for positions in drawn.samples for position in positions} | {*drawn.unseen}
    client = signed_in(evaluation.evaluator)
    page = rate(client, evaluation).content.decode()
    assert set(re.findall(r"Word\d+word", page)) == list_words(evaluation, drawn_positions)
    text = everything(client, evaluation)
    assert set(re.findall(r"Word\d+word", text)) == list_words(evaluation, drawn_positions)
    # Neither where a message stands nor who wrote it, nor how many of each, nor what guessing gives.
    assert not re.search(r'message-\d|data-message|data-player|data-position|class="msg', text)
    assert not found(text, ("chance", "hits", "right agent", "Ann: ", "Figures", "The rule"))
    items = page[page.index('id="step-identify"') :]
    quotes = re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", items)
    assert len(quotes) == 12
    assert not [quote for quote in quotes if re.search("Ann|Bea|Cid|Dora|Ezra|Finn", quote)]


def test_who_wrote_an_unseen_message_does_not_show_in_its_item():
    evaluation = start_test()
    drawn = load_state(evaluation).drawn_test
    page = rate(signed_in(evaluation.evaluator), evaluation).content.decode()
    items = re.findall(
        r'<div class="item asks one(?: now)?" id="item-attribution-\d+".*?</a>\s*</div>', page, re.DOTALL
    )
    bare = [
        re.sub(r" now(?=\")|attribution[~-]\d+|Message \d+ of|<blockquote[^>]*>.*?</blockquote>", "", item)
        for item in items
    ]
    assert len(bare) == len(drawn.unseen) > len(set(bare)) == 1


def started_with_marks(**given):
    project = make_rating_project(evaluator_count=2, slug="blind")
    Iteration.objects.filter(project=project).update(identification="test")
    marked = game_with_marks(**given)
    content = spoken_game()
    content = marked | {"messages": content["messages"]}
    upload(project=project, by=make_lead(project=project), games=content, name="filemark.json")
    run_waiting_jobs()
    taken = take_next_game(project=project, by=make_member(project=project), now=NOW)
    return Evaluation.objects.with_work().get(pk=taken.pk)


def test_no_mark_of_a_hidden_field_is_in_any_answer():
    evaluation = started_with_marks()
    text = everything(signed_in(evaluation.evaluator), evaluation)
    assert not found(text, HIDDEN_ALWAYS + HIDDEN_UNTIL_REVEAL)


def answers_in(**given):
    with transaction.atomic():
        evaluation = started_with_marks(**given)
        client = signed_in(evaluation.evaluator)
        text = everything(client, evaluation)
        transaction.set_rollback(True)
    # A page that was refused without script is a new page, with a nonce of its own.
    return re.sub(r"\b[0-9a-f]{16}\b", "", masked(text))


def test_two_worlds_that_differ_in_hidden_values_only_answer_alike():
    shown = answers_in(role="MAFIA", personality="bold", secret="MARK")
    assert shown == answers_in(role="VILLAGER", personality="shy", secret="SIGN")


def test_a_skipped_game_can_be_read_no_further_than_its_samples():
    evaluation = start_test()
    skip_game(evaluation=evaluation, reason="tired", by=evaluation.evaluator, now=NOW)
    page = rate(signed_in(evaluation.evaluator), evaluation).content.decode()
    assert "You skipped this game" in page
    assert 'name="act"' not in page
    assert 'class="msg' not in page


def test_an_answer_is_a_redirect_to_its_item_or_the_item_itself():
    evaluation = start_test()
    client = signed_in(evaluation.evaluator)
    plain = post(client, evaluation, "attribution~3~0~2")
    assert (plain.status_code, plain["Location"]) == (
        303,
        f"/rate/{evaluation.pk}/?step=identify#item-attribution-3",
    )
    swapped = post(client, evaluation, "attribution~4~0~cannot_tell", **HTMX)
    assert re.findall(r'id="(item-[^"]+)"', swapped.content.decode()) == [
        "item-reveal-transcript",
        "item-attribution-4",
    ]
    assert swapped["X-Saved"]
    assert evaluation.judgements.count() == 2


def test_two_windows_that_differ_show_both_answers():
    evaluation = start_test()
    client = signed_in(evaluation.evaluator)
    post(client, evaluation, "attribution~3~0~2")
    body = {"act": "attribution~3~0~1", "nonce": "other", "step": "identify"}
    answer = client.post(reverse("judge", args=[evaluation.pk]), body, headers=HTMX)
    assert answer.status_code == 409
    assert "agent 1" in answer.content.decode()
    assert evaluation.judgements.get().value == "2"


@pytest.mark.parametrize(
    "act",
    ["attribution~3~0~7", "attribution~13~0~1", "reveal~transcript~0~yes", "reveal~suggestions~0~yes"],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_what_does_not_fit_is_refused_and_nothing_written(act, headers):
    evaluation = start_test()
    answer = post(signed_in(evaluation.evaluator), evaluation, act, **headers)
    assert answer.status_code == 422
    assert "Not accepted" in answer.content.decode()
    assert not evaluation.judgements.exists()
    assert not evaluation.reveals.exists()


def test_opening_leads_to_the_transcript():
    evaluation = start_test()
    give_messages(evaluation, hits=2)
    client = signed_in(evaluation.evaluator)
    answer = post(client, evaluation, "reveal~transcript~0~yes", **HTMX)
    assert answer["HX-Redirect"] == f"/rate/{evaluation.pk}/"
    assert 'id="message-1"' in rate(client, evaluation).content.decode()


def test_the_result_waits_for_its_metric_and_lists_the_messages():
    evaluation = opened(hits=5)
    client = signed_in(evaluation.evaluator)
    before = rate(client, evaluation, "?step=identify").content.decode()
    assert "those answers are final" in before
    assert "The result is shown once" in before
    assert "right agent" not in before
    say_what_is_missing(evaluation)
    after = rate(client, evaluation, "?step=identify").content.decode()
    assert "5 of 12 messages assigned to the right agent" in after
    assert "Chance level 1 in 6 (16.7\u00a0%), exact p = 0.036, 5 hits needed" in after
    assert after.count('<tr class="hit">') == 5
    decided = post(client, evaluation, "identify_decides~~0~yes", **HTMX).content.decode()
    assert 'id="step-identify"' in decided


def test_under_never_the_result_stays_hidden_and_may_still_decide():
    evaluation = opened(hits=5, reveal="never")
    say_what_is_missing(evaluation)
    page = rate(signed_in(evaluation.evaluator), evaluation, "?step=identify").content.decode()
    assert "right agent" not in page
    assert "until the verdict is recorded" in page
    assert "identify_decides~~0~yes" in page


def test_the_verdict_the_game_and_the_report_say_what_the_test_gave():
    evaluation = submitted_test(hits=5, decides=True)
    game = fresh(evaluation.game)
    record(game)
    says = "test: 5 of 12 messages assigned to the right agent, chance level 1 in 6 (16.7\u00a0%), exact p = 0.036"
    lead = signed_in(make_lead(project=game.project))
    arguments = [game.project.slug, game.number]
    for name in ("verdict", "game", "report"):
        assert says in lead.get(reverse(name, args=arguments)).content.decode(), name
    markdown = lead.get(reverse("report_markdown", args=arguments)).content.decode().replace("\\", "")
    assert says.replace("\u00a0", " ") in markdown
    assert "PASS by the test" in lead.get(reverse("report", args=arguments)).content.decode()
    assert "attribution" not in lead.get(reverse("report_json", args=arguments)).content.decode()


def test_a_game_without_a_test_says_that_the_question_is_asked_instead():
    evaluation = start(project=make_testing_project(), message_count=12)
    page = rate(signed_in(evaluation.evaluator), evaluation, "?step=identify").content.decode()
    assert "wrote too little for the test" in page
    assert "identify~1~0~yes" in page
    say(evaluation, "identify", "1", "yes")


def test_a_lead_changes_the_rule_and_sees_who_keeps_the_other():
    project = make_rating_project()
    start(project=project)
    lead = signed_in(make_lead(project=project))
    address = reverse("project_settings", args=[project.slug])
    assert f'href="{address}"' in lead.get(reverse("project", args=[project.slug])).content.decode()
    assert lead.post(address, {"identification": "test"}).status_code == 303
    page = lead.get(address).content.decode()
    assert '<option value="test" selected>' in page
    assert "1 open evaluation was started with the other form" in page
    refused = lead.post(address, {"identification": "guess"})
    assert refused.status_code == 422
    assert Iteration.objects.get(project=project).identification == "test"
    assert lead.post(address, {"identification": "test", "reveal": "never"}).status_code == 400


@pytest.mark.parametrize("count", [36, 120])
def test_the_page_asks_as_often_whatever_the_game(count, django_assert_max_num_queries):
    evaluation = start_test(content=spoken_game(count))
    client = signed_in(evaluation.evaluator)
    rate(client, evaluation)
    with django_assert_max_num_queries(15):
        rate(client, evaluation)


@pytest.mark.parametrize("is_judged", [False, True])
def test_the_question_asks_by_messages_without_names(is_judged):
    evaluation = start(message_count=30)
    if is_judged:
        say_what_is_missing(evaluation)
    page = rate(signed_in(evaluation.evaluator), evaluation, "?step=identify").content.decode()
    step = page.partition('id="step-identify"')[2].partition("</section>")[0]
    asked = re.findall(r'id="by-item-identify-(\d)">\s*Agent \1\s*</span>', step)
    assert asked == list("123456")
    quotes = re.findall(r'<ul class="quotes">(.*?)</ul>', step, re.DOTALL)
    assert len(quotes) == 6
    assert all("[name]" in quote or "nobody knows" in quote for quote in quotes)
    assert not re.search(r"\b(Ann|Bea|Cid|Dora|Ezra|Finn)\b", step)
