"""The blind test by agents: it stops once enough agents are identified or no longer can be, and may be skipped."""

import re

import pytest
from django.urls import reverse

from discussions.adjudication.core.authorship_test import (
    AnswerKey,
    AuthorshipResult,
    DrawRule,
    compute_probability,
    draw_test,
)
from discussions.adjudication.core.effective import combine_tests
from discussions.iterations.actions import open_project
from discussions.models import Iteration
from discussions.rating.actions import open_transcript, reveal_roles, submit_evaluation
from discussions.rating.queries import load_state
from discussions.verdicts.actions import replay_verdict
from tests.factories.authorship import make_testing_project, spoken_game
from tests.factories.people import NOW, make_admin
from tests.factories.rating import game_of, load_again, make_rating_project, say, say_what_is_missing, start
from tests.factories.verdicts import fresh, preview, record
from tests.factories.versions import publish_with_parameters
from workspace.core.refusals import Unacceptable

DIVERSITY = "personality_diversity"
KEY = AnswerKey((1, 2, 3, 4, 5, 6, 7), 7, 5)


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("", False),
        ("1234", False),
        ("12345", True),
        ("67567", True),
        ("21", False),
        ("213", False),
        ("2145", True),
        ("xxx", True),
        ("1x34", False),
        ("1x2x", True),
        ("1234xxx", True),
    ],
)
def test_it_is_over_once_five_are_identified_or_no_longer_can_be(said, over):
    answers = {str(place): value for place, value in enumerate(said, start=1)}
    assert KEY.is_over(answers) is over


def test_a_test_that_counts_messages_is_over_with_its_last_message():
    key = AnswerKey((1, 2, 1), 2)
    assert [key.is_over(dict.fromkeys("123"[:count], "1")) for count in range(4)] == [False] * 3 + [True]


def test_its_result_is_agents_identified_and_the_chance_to_pass_by_guessing():
    said = {(1, place): str(place) for place in range(1, 6)}
    found = combine_tests({1: KEY}, lambda evaluation, place: said.get((evaluation, place), ""))
    assert found == AuthorshipResult(5, 5, 7, 5)
    assert (found.passes, found.needed, found.p) == (True, 5, compute_probability(5, 7, 7))
    assert combine_tests({1: KEY}, lambda evaluation, place: "") is None, "it was skipped"


def test_several_tests_identify_an_agent_by_most_of_those_who_were_asked_about_it():
    right = {1: "12345", 2: "x23456", 3: "xx3xx"}
    found = combine_tests(
        dict.fromkeys((1, 2, 3, 4), KEY),
        lambda evaluation, place: right.get(evaluation, "")[place - 1 : place],
    )
    # Right about 1: one of three; 2, 4, 5: two of three; 3: all; 6: one of one. The fourth person skipped it.
    assert (found.hits, found.asked, found.passes) == (5, 6, True)


def agents_in(count, **given):
    project = make_testing_project(**given)
    version = publish_with_parameters(identification_test="agents")
    Iteration.objects.filter(project=project).update(rubric_version=version)
    return start(project=project, content=spoken_game(48, player_count=count))


def answer(evaluation, hits, misses=0):
    authors = load_state(load_again(evaluation)).drawn_test.authors
    for number, author in enumerate(authors[: hits + misses], start=1):
        say(evaluation, "attribution", str(number), str(author) if number <= hits else "cannot_tell")


def page_of(client, evaluation, more=""):
    client.force_login(evaluation.evaluator)
    return client.get(reverse("rate", args=[evaluation.pk]) + more).content.decode()


@pytest.mark.django_db
def test_one_message_of_each_agent_is_asked_about():
    drawn = load_state(agents_in(6)).drawn_test
    assert (sorted(drawn.authors), drawn.needed) == ([1, 2, 3, 4, 5, 6], 5)


@pytest.mark.django_db
@pytest.mark.parametrize(("hits", "misses"), [(5, 0), (0, 2), (3, 2)])
def test_the_transcript_opens_as_soon_as_it_is_decided(client, hits, misses):
    evaluation = agents_in(6)
    answer(evaluation, hits, misses)
    state = load_state(load_again(evaluation))
    assert [it.kind for it in state.visibility.missing if it.step == "identify"] == ["reveal"]
    page = page_of(client, evaluation)
    assert "The test is over, and its answers are final" in page
    assert page.count("not asked any more") == 6 - hits - misses
    assert "attribution~" not in page
    with pytest.raises(Unacceptable, match="answers are final"):
        say(evaluation, "attribution", "1", "2")
    open_transcript(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    assert load_state(load_again(evaluation)).visibility.transcript


@pytest.mark.django_db
def test_the_last_answer_closes_the_others_in_place(client):
    evaluation = agents_in(6)
    answer(evaluation, 4)
    author = load_state(load_again(evaluation)).drawn_test.authors[4]
    client.force_login(evaluation.evaluator)
    body = {"act": f"attribution~5~0~{author}", "nonce": "n", "step": "identify"}
    text = client.post(
        reverse("judge", args=[evaluation.pk]), body, headers={"HX-Request": "true"}
    ).content.decode()
    shown = re.findall(r'id="(item-[^"]+)"', text)
    assert (shown[0], shown[-1], len(shown)) == ("item-reveal-transcript", "item-attribution-5", 7)
    assert "data-needs" in text.partition("item-attribution")[0]
    assert "attribution~" not in text


@pytest.mark.django_db
def test_it_decides_the_metric_in_verdict_and_replay(client):
    evaluation = agents_in(6)
    answer(evaluation, 5)
    open_transcript(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    step = page_of(client, evaluation, "?step=identify")
    assert "5 of 5 identified, 5 required" in " ".join(step.split())
    say(evaluation, "identify_decides", "", "yes")
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    check = preview(evaluation.game).outcome.line(DIVERSITY).manual_check
    assert (check.yes, check.asked, check.needed, check.passes, check.is_by_agent) == (5, 5, 5, True, True)
    verdict = record(fresh(evaluation.game))
    assert replay_verdict(verdict=verdict).differences == []


@pytest.mark.django_db
def test_whoever_skips_it_sees_the_transcript_and_has_no_result(client):
    evaluation = agents_in(6)
    answer(evaluation, 1)
    assert "Skip the test" in page_of(client, evaluation)
    with pytest.raises(Unacceptable):
        open_transcript(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    body = {"act": "reveal~transcript~0~skip", "nonce": "n", "step": "identify"}
    client.post(reverse("judge", args=[evaluation.pk]), body)
    assert load_state(load_again(evaluation)).visibility.transcript
    page = page_of(client, evaluation, "?step=identify")
    assert "You skipped the test, so it has no result" in page
    assert "item-identify_decides" not in page
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    assert preview(evaluation.game).outcome.line(DIVERSITY).manual_check is None


@pytest.mark.django_db
@pytest.mark.parametrize("identification", ["test", "question"])
def test_with_fewer_than_five_agents_neither_form_applies(client, identification):
    project = make_testing_project() if identification == "test" else make_rating_project()
    version = publish_with_parameters(identification_test="agents")
    Iteration.objects.filter(project=project).update(rubric_version=version)
    evaluation = start(project=project, content=game_of(48, player_count=4))
    page = page_of(client, evaluation, "?step=identify")
    assert "the manual check does not apply" in page
    assert "item-identify-1" not in page
    with pytest.raises(Unacceptable, match="does not apply"):
        say(evaluation, "identify", "1", "yes")


@pytest.mark.django_db
def test_half_of_the_agents_are_enough_where_a_version_says_so():
    rule = DrawRule(3, 5, is_by_agent=True, passing=0)
    assert [rule.count_needed(agents) for agents in (2, 3, 4, 9)] == [1, 2, 2, 5]
    game = load_state(agents_in(6)).game
    assert draw_test(game, "a:b", DrawRule(3, 5, is_by_agent=True, passing=7)) is None
    assert draw_test(game, "a:b", rule).needed == 3


@pytest.mark.django_db
def test_new_projects_begin_with_the_test():
    project = open_project(slug="begins", name="Begins", by=make_admin(), now=NOW)
    assert Iteration.objects.get(project=project).identification == "test"


@pytest.mark.django_db
def test_the_question_leaves_out_messages_in_which_a_name_cannot_be_hidden_for_sure(client):
    content = game_of(30, player_count=5)
    for message in content["messages"]:
        message["message"] = "I find that Ezras vote was strange, said player Fin."
    content["messages"][0]["message"] = "Ann's plan, and annS vote, looked good to me."
    content["players"].append(
        {"name": "Finn", "role": "SEER", "personality": "calm", "isAlive": True, "position": 6}
    )
    evaluation = start(content=content)
    step = (
        page_of(client, evaluation, "?step=identify")
        .partition('id="step-identify"')[2]
        .partition("</section>")[0]
    )
    assert "strange" not in step
    assert "looked good to me" in step
    assert not re.search(r"(?i)\b(ann|ezra|fin)", step)
