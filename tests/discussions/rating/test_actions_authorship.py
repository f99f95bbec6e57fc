"""The blind test of who said it in the actions: the setting that is kept, what is closed, and the verdict's basis."""

import msgspec
import pytest

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
    spoken_game,
    start_test,
    submitted_test,
)
from tests.factories.people import NOW, make_member, moment
from tests.factories.rating import game_of, make_rating_project, say, start
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
