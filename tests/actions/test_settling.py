"""Recording a verdict: on what the page showed, once, by whom it is for; corrections beside it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, close_old_connections, connection, transaction

from discussions.actions.settling import record_verdict
from discussions.models import Evaluation, Game, Iteration, Judgement, Verdict
from discussions.models.bases import preview_of
from tests.factories import make_member, moment
from tests.rated import make_game, make_rating_project, ready_to_submit
from tests.settled import fresh, game_to_settle, lead_of, preview, record, settled
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def test_a_verdict_holds_its_basis_its_hash_and_its_outcome():
    game = game_to_settle()
    shown = preview(game)
    verdict = record(game)
    assert verdict.basis == canonical_bytes(shown.basis).decode()
    assert verdict.basis_sha256 == shown.basis_sha256 == bytes_hash(verdict.basis.encode())
    assert verdict.outcome == canonical_bytes(shown.outcome).decode()
    assert (verdict.passes, verdict.passed_count) == (shown.outcome.passes, shown.outcome.passed_count)
    assert (verdict.number, verdict.reason, verdict.supersedes) == (1, "", None)
    event = Event.objects.latest("pk")
    assert (event.verb, event.object_id, event.role) == ("verdict:recorded", str(verdict.pk), "evaluator")


def test_the_basis_names_every_judgement_by_id_and_version():
    game = game_to_settle()
    rows = Judgement.objects.filter(evaluation__game=game)
    basis = preview(game).basis
    assert {(one.id, one.version) for one in basis.judgements} == set(rows.values_list("pk", "version"))
    assert basis.game_sha256 == game.content_sha256
    assert basis.transcript_sha256 == game.transcript.sha256
    assert str(basis.cost.total_usd) == "1.250000"


def test_what_changed_since_the_page_was_shown_is_refused_and_named():
    game = game_to_settle()
    shown = preview(game)
    rating = Judgement.objects.get(evaluation__game=game, kind="rating")
    Judgement.objects.filter(pk=rating.pk).update(value="4.5", version=rating.version + 1)
    with pytest.raises(Conflict, match="has changed since") as caught:
        record_verdict(
            game=game,
            basis_sha256=shown.basis_sha256,
            shown=canonical_bytes(shown.basis).decode(),
            by=game.evaluations.get().evaluator,
            now=moment(),
        )
    assert caught.value.detail["changes"] == ["rating: 3.5 before, 4.5 now."]
    assert not Verdict.objects.exists()


@pytest.mark.parametrize("shown", ["", "{}", "not json", '{"format":1}'])
def test_a_basis_that_cannot_be_read_back_is_refused_without_naming_changes(shown):
    game = game_to_settle()
    with pytest.raises(Conflict) as caught:
        record_verdict(
            game=game,
            basis_sha256=bytes_hash(shown.encode()),
            shown=shown,
            by=game.evaluations.get().evaluator,
            now=moment(),
        )
    assert caught.value.detail["changes"] == []


def test_a_returned_evaluation_takes_its_verdict_away():
    game = game_to_settle()
    shown = preview(game)
    Evaluation.objects.filter(game=game).update(state="returned")
    with pytest.raises(Conflict):
        record(game, by=lead_of(game), sha256=shown.basis_sha256)
    with pytest.raises(NotAllowed, match="0 of 1 evaluations"):
        record(game, by=lead_of(game))


def test_an_unsubmitted_evaluation_gives_no_verdict():
    game = ready_to_submit().game
    with pytest.raises(NotAllowed, match="after submitting"):
        record(game)


def test_another_evaluator_of_the_project_does_not_record():
    game = game_to_settle()
    with pytest.raises(NotAllowed, match="after submitting"):
        record(game, by=make_member(project=game.project))


def test_with_several_evaluators_a_lead_records():
    game = game_to_settle()
    Iteration.objects.filter(pk=game.iteration_id).update(evaluator_count=2)
    with pytest.raises(NotAllowed, match="a team lead records"):
        record(game)
    with pytest.raises(NotAllowed, match="1 of 2 evaluations"):
        record(game, by=lead_of(game))


def test_an_unmeasured_game_has_no_preview():
    game = fresh(make_game(project=make_rating_project()))
    assert preview_of(game) is not None
    bare = Game(pk=0, iteration=game.iteration, transcript=game.transcript, content_sha256="")
    assert preview_of(bare) is None


def test_a_second_verdict_needs_a_lead_and_a_reason():
    game = settled().game
    with pytest.raises(NotAllowed, match="corrected by a team lead"):
        record(game, reason="I changed my mind")
    lead = lead_of(game)
    with pytest.raises(Unacceptable, match="Say why"):
        record(game, by=lead, reason="   ")
    second = record(game, by=lead, reason="The rating was a slip.")
    first = Verdict.objects.get(number=1)
    assert (second.number, second.supersedes, second.reason) == (2, first, "The rating was a slip.")
    assert list(Verdict.objects.standing()) == [second]
    assert Event.objects.latest("pk").verb == "verdict:superseded"


def test_a_correction_based_on_a_page_before_another_correction_is_refused():
    game = settled().game
    lead = lead_of(game)
    shown = preview(game).basis_sha256
    record(game, by=lead, reason="one", sha256=shown)
    with pytest.raises(Conflict):
        record(game, by=lead, reason="two", sha256=shown)


def test_the_first_verdict_has_no_reason_even_if_one_was_posted():
    game = game_to_settle()
    assert record(game, reason="because").reason == ""


def test_a_reason_has_a_length():
    with pytest.raises(Unacceptable, match="2,000"):
        record(game_to_settle(), reason="x" * 2001)


@pytest.mark.parametrize("change", [{"passes": True}, {"outcome": "{}"}, {"reason": "x"}])
def test_the_database_refuses_to_change_a_verdict(change):
    verdict = settled()
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.filter(pk=verdict.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.filter(pk=verdict.pk).delete()


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_wins():
    game = game_to_settle()
    evaluator, lead = game.evaluations.get().evaluator, lead_of(game)
    shown = preview(game).basis_sha256

    def attempt(person):
        try:
            return record(game, by=person, sha256=shown)
        except Conflict as conflict:
            return conflict.code
        finally:
            close_old_connections()
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(attempt, [evaluator, lead]))
    assert Verdict.objects.count() == 1
    assert [result for result in results if isinstance(result, str)] in (
        ["basis_changed"],
        ["recorded_first"],
    )


def test_queries_do_not_grow_with_the_game(django_assert_num_queries):
    small, large = game_to_settle(message_count=12), game_to_settle(message_count=60)
    for game in (small, large):
        fetched = fresh(game)
        with django_assert_num_queries(5):
            preview_of(fetched)
