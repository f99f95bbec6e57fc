"""Recording a verdict: on what the page showed, once, by whom it is for; corrections beside it.

Replay: a verdict comes out of its basis again, and whatever was tampered with is found.

Three evaluators from the first place to a replayed verdict: tie, refusal, settling, recording, verifying.
"""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import msgspec
import pytest
from django.db import IntegrityError, close_old_connections, connection, transaction

from discussions.adjudication.queries import disagreements_in
from discussions.checks.evaluations import ADJUDICATION_CHECKS
from discussions.core.outcome import Outcome
from discussions.games.actions import return_evaluation
from discussions.models import Adjudication, Evaluation, Game, Iteration, Judgement, Verdict
from discussions.preview.queries import scored_hash
from discussions.queries import load_measurements
from discussions.rating.actions import reveal_roles, submit_evaluation
from discussions.slots.actions import reduce_required_evaluators
from discussions.verdicts.actions import record_verdict, replay_verdict
from discussions.verdicts.core.basis import Basis, changes
from discussions.verdicts.core.report import report_to_json
from discussions.verdicts.core.rule import add_binomial_flags
from discussions.verdicts.core.scoring import compute_effective_values
from discussions.verdicts.pages.report import build_report
from discussions.verdicts.queries import load_people_estimates, load_verdict_preview
from tests.factories.adjudication import (
    breaches,
    list_evaluations,
    make_shared_game,
    resolve_difference,
    submit_as,
    submitted_game,
)
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import (
    ANSWERS,
    make_game,
    make_rating_project,
    ready_to_submit,
    say_what_is_missing,
)
from tests.factories.tampering import as_if_measured_by, without_triggers
from tests.factories.verdicts import fresh, game_to_record, get_lead, preview, record, recorded_verdict
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.display.pages import render_markdown
from workspace.models import Event

pytestmark = pytest.mark.django_db


def test_a_verdict_holds_its_basis_its_hash_and_its_outcome():
    game = game_to_record()
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
    game = game_to_record()
    rows = Judgement.objects.filter(evaluation__game=game)
    basis = preview(game).basis
    assert {(judgement.id, judgement.version) for judgement in basis.judgements} == set(
        rows.values_list("pk", "version")
    )
    assert basis.game_sha256 == game.content_sha256
    assert basis.transcript_sha256 == game.transcript.sha256
    assert str(basis.cost.total_usd) == "1.250000"


def test_what_changed_since_the_page_was_shown_is_refused_and_named():
    game = game_to_record()
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
    game = game_to_record()
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
    game = game_to_record()
    shown = preview(game)
    Evaluation.objects.filter(game=game).update(state="returned")
    with pytest.raises(Conflict):
        record(game, by=get_lead(game), sha256=shown.basis_sha256)
    with pytest.raises(NotAllowed, match="0 of 1 evaluation is"):
        record(game, by=get_lead(game))


def test_an_unsubmitted_evaluation_gives_no_verdict():
    game = ready_to_submit().game
    with pytest.raises(NotAllowed, match="after submitting"):
        record(game)


def test_another_evaluator_of_the_project_does_not_record():
    game = game_to_record()
    with pytest.raises(NotAllowed, match="after submitting"):
        record(game, by=make_member(project=game.project))


def test_with_several_evaluators_a_lead_records():
    game = game_to_record()
    Iteration.objects.filter(pk=game.iteration_id).update(evaluator_count=2)
    with pytest.raises(NotAllowed, match="a team lead records"):
        record(game)
    with pytest.raises(NotAllowed, match="1 of 2 evaluations"):
        record(game, by=get_lead(game))


def test_an_unmeasured_game_has_no_preview():
    game = fresh(make_game(project=make_rating_project()))
    assert load_verdict_preview(game) is not None
    bare = Game(pk=0, iteration=game.iteration, transcript=game.transcript, content_sha256="")
    assert load_verdict_preview(bare) is None


def test_a_second_verdict_needs_a_lead_and_a_reason():
    game = recorded_verdict().game
    with pytest.raises(NotAllowed, match="corrected by a team lead"):
        record(game, reason="I changed my mind")
    lead = get_lead(game)
    with pytest.raises(Unacceptable, match="Say why"):
        record(game, by=lead, reason="   ")
    second = record(game, by=lead, reason="The rating was a slip.")
    first = Verdict.objects.get(number=1)
    assert (second.number, second.supersedes, second.reason) == (2, first, "The rating was a slip.")
    assert list(Verdict.objects.not_superseded()) == [second]
    assert Event.objects.latest("pk").verb == "verdict:superseded"


def test_a_correction_based_on_a_page_before_another_correction_is_refused():
    game = recorded_verdict().game
    lead = get_lead(game)
    shown = preview(game).basis_sha256
    record(game, by=lead, reason="one", sha256=shown)
    with pytest.raises(Conflict):
        record(game, by=lead, reason="two", sha256=shown)


def test_the_first_verdict_has_no_reason_even_if_one_was_posted():
    game = game_to_record()
    assert record(game, reason="because").reason == ""


def test_a_reason_has_a_length():
    with pytest.raises(Unacceptable, match="2,000"):
        record(game_to_record(), reason="x" * 2001)


@pytest.mark.parametrize("change", [{"passes": True}, {"outcome": "{}"}, {"reason": "x"}])
def test_the_database_refuses_to_change_a_verdict(change):
    verdict = recorded_verdict()
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.filter(pk=verdict.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.filter(pk=verdict.pk).delete()


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_wins():
    game = game_to_record()
    evaluator, lead = game.evaluations.get().evaluator, get_lead(game)
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
    small, large = game_to_record(message_count=12), game_to_record(message_count=60)
    for game in (small, large):
        fetched = fresh(game)
        with django_assert_num_queries(3):
            load_verdict_preview(fetched)


def replayed(verdict):
    return replay_verdict(verdict=Verdict.objects.select_related("game").get(pk=verdict.pk))


def test_a_verdict_comes_out_again():
    verdict = recorded_verdict()
    replay = replayed(verdict)
    assert replay.is_equal
    assert replay.notices == []
    assert replay.outcome.passes == verdict.passes


def test_a_corrected_verdict_and_its_correction_both_come_out_again():
    first = recorded_verdict()
    second = record(first.game, by=get_lead(first.game), reason="A slip.")
    assert replayed(first).is_equal
    assert replayed(second).is_equal


def test_later_judgements_do_not_change_a_replay():
    verdict = recorded_verdict()
    judgement = verdict.game.evaluations.get().judgements.get(kind="rating")
    judgement.value, judgement.version = "1.0", judgement.version + 1
    judgement.save()
    assert replayed(verdict).is_equal


TAMPERINGS = {
    "basis": (
        """UPDATE discussions_verdict SET basis = replace(basis, '"3.5"', '"5.0"')""",
        "does not have the hash",
    ),
    "outcome": (
        """UPDATE discussions_verdict SET outcome = replace(outcome, '"passed_count":', '"passed_count":1')""",
        "something else was recorded",
    ),
    "column": ("UPDATE discussions_verdict SET passed_count = 0", "figures that lists show"),
    "findings": (
        "UPDATE discussions_measuredfindings SET body = replace(body, 'keyword', 'keywOrd')",
        "stored findings are not those",
    ),
    "rubric": (
        "UPDATE rubric_rubricversion SET body = replace(body, '80.0', '70.0')",
        "rubric version is not what",
    ),
    "revision": ("UPDATE discussions_revision SET value = '5.0' WHERE value = '3.5'", "revision 1 does not"),
    "transcript": (f"UPDATE discussions_transcript SET sha256 = '{'f' * 64}'", "transcript has another hash"),
    "game": (f"UPDATE discussions_game SET content_sha256 = '{'f' * 64}'", "other content"),
    "measured": ("UPDATE discussions_measured SET code_version = '0.0.1'", "measurements' row does not say"),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_tampering_is_found(what):
    statement, says = TAMPERINGS[what]
    verdict = recorded_verdict()
    with without_triggers(), connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0
    replay = replayed(verdict)
    assert not replay.is_equal
    assert says in " ".join(replay.differences)


def test_a_tampered_basis_with_a_fitting_hash_is_found_by_the_revisions_it_names():
    verdict = recorded_verdict()
    basis = verdict.basis.replace('"value":"3.5"', '"value":"5.0"')
    assert basis != verdict.basis
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(basis=basis, basis_sha256=bytes_hash(basis.encode()))
    assert "revision 1 does not" in " ".join(replayed(verdict).differences)


def test_other_code_is_a_notice_and_no_difference():
    verdict = recorded_verdict()
    as_if_measured_by(verdict, "0.0.1")
    replay = replayed(verdict)
    assert replay.is_equal
    assert "gives the same figures" in replay.notices[0]


ROLE = ("role_consistency", "3")


LABEL = ("reference", "2.1")


DIFFERING = {
    ROLE: ("consistent", "inconsistent", "not_assessable"),
    LABEL: ("vague", "accurate", "vague"),
    ("missed", "1.1"): ("yes", "", ""),
    ("rating", ""): ("3.0", "4.0", "4.5"),
}


def three():
    """A game that three rated, differing; and a lead of its project."""
    game = submitted_game(3, differing=DIFFERING)
    return game, make_lead(project=game.project)


def test_from_a_tie_to_a_verdict_that_replays_and_verifies():
    game, lead = three()
    assert [(disagreement.key, disagreement.is_tie) for disagreement in disagreements_in(game)] == [
        (ROLE, True),
        (LABEL, False),
        (("missed", "1.1"), False),
    ]
    with pytest.raises(NotAllowed, match="a team lead resolves it first"):
        record(game, by=lead)
    before = scored_hash()
    resolve_difference(game, ROLE, adopted=list_evaluations(game)[1], by=lead, reason="She confesses.")
    assert scored_hash() != before
    verdict = record(game, by=lead)
    outcome = replay_verdict(verdict=verdict).outcome
    assert outcome is not None
    assert Fraction(outcome.line("engagement").numerator, outcome.line("engagement").denominator) == Fraction(
        23, 6
    )
    found = preview(game).found
    assert (found.values["role_consistency"]["3"], found.values["reference"]["2.1"]) == (
        "inconsistent",
        "vague",
    )
    assert found.added == frozenset()
    replay = replay_verdict(verdict=verdict)
    assert (replay.differences, replay.is_equal) == ([], True)
    assert breaches() == []


def test_the_one_evaluator_of_three_does_not_record():
    game, _lead = three()
    with pytest.raises(NotAllowed, match="several evaluators, so a team lead"):
        record(game, by=list_evaluations(game)[0].evaluator)


def test_settling_after_the_verdict_is_recorded_by_superseding_it():
    game, lead = three()
    resolve_difference(game, ROLE, "consistent", by=lead)
    record(game, by=lead)
    resolve_difference(game, LABEL, "inaccurate", by=lead, reason="The vote was for Bea.")
    second = record(game, by=lead, reason="A label was resolved.", minutes=90)
    assert second.number == 2
    assert '"value":"inaccurate"' in second.basis
    assert [replay_verdict(verdict=verdict).differences for verdict in Verdict.objects.all()] == [[], []]
    assert breaches() == []


def test_what_was_sent_back_does_not_count_until_it_is_submitted_again():
    game, lead = three()
    second = list_evaluations(game)[1]
    return_evaluation(evaluation=second, comment=" Look at message 3. ", by=lead, now=moment(70))
    assert len(preview(game).basis.evaluations) == 2
    with pytest.raises(NotAllowed, match="2 of 3 evaluations"):
        resolve_difference(game, ROLE, "consistent", by=lead, shown="0" * 64)
    again = Evaluation.objects.with_work().get(pk=second.pk)
    assert (again.state, again.returned_comment) == ("returned", "Look at message 3.")
    assert (again.slot.is_closed, again.slot.evaluator_id, again.slot.lease_until) == (
        False,
        second.evaluator_id,
        None,
    )
    assert Event.objects.latest("pk").verb == "evaluation:returned"
    assert breaches() == []
    submit_as(again, values={ROLE: "consistent"}, answers=ANSWERS, now=moment(80))
    assert [disagreement.key for disagreement in disagreements_in(fresh(game)) if disagreement.is_tie] == []
    assert record(game, by=lead).number == 1
    assert breaches() == []


def damage(**columns):
    """Change the one row behind the triggers' back."""
    with without_triggers():
        Adjudication.objects.update(**columns)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"number": 2}, "does not follow"),
        ({"kind": "rating", "subject": "", "value": "3.0"}, "not a lead's to resolve"),
        ({"value": "brilliant"}, "no answer there"),
        ({"reason": "  "}, "has no reason"),
        ({"value": "consistent"}, "no such row of its game says so"),
    ],
)
def test_verify_names_every_damage(columns, says):
    game, lead = three()
    resolve_difference(game, ROLE, "inconsistent", by=lead)
    record(game, by=lead)
    damage(**columns)
    found = [sentence for check in ADJUDICATION_CHECKS for sentence in check.find(moment())]
    assert any(says in sentence for sentence in found), found


def test_verify_names_an_adopted_stranger_a_side_that_judges_and_a_silent_act():
    game, lead = three()
    made = resolve_difference(game, ROLE, adopted=list_evaluations(game)[0], by=lead)
    other = list_evaluations(submitted_game(1))[0]
    damage(adopted=other, created_by=list_evaluations(game)[2].evaluator)
    Adjudication.objects.create(
        game=game, kind="reference", subject="2.1", number=1, value="vague", reason="?", key="k",
        sides_sha256="", body_sha256="", created_at=moment(), created_by=lead,
    )  # fmt: skip
    found = " ".join(sentence for check in ADJUDICATION_CHECKS for sentence in check.find(moment()))
    assert f"(row {made.pk}) adopts an evaluation of another game" in found
    assert f"(row {made.pk}) was resolved by somebody whose own answers" in found
    assert "adjudication" in found


def inconsistent_everywhere(game):
    """Every evaluator calls each message of the role sample inconsistent, and of what is asked for because of it."""
    for evaluation in list_evaluations(game):
        say_what_is_missing(evaluation)
        reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
        say_what_is_missing(evaluation, answers=ANSWERS | {"role_consistency": "inconsistent"})
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def test_every_contradicted_message_counts_however_many_evaluators_did_not_see_it():
    game = make_shared_game(k=3, message_count=100, number="1.2")
    inconsistent_everywhere(game)
    found = preview(fresh(game))
    (line,) = [line for line in found.outcome.lines if line.key == "role_consistency"]
    judged = {row.subject for row in found.basis.judgements if row.kind == "role_consistency"}
    assert len(judged) > 10, "each evaluator judged an own half too"
    assert set(found.found.values["role_consistency"].values()) == {"inconsistent"}
    assert line.numerator == 100 - len(judged)


def test_people_outside_the_sample_are_estimated_and_a_turned_metric_is_said():
    game = make_shared_game(k=3, message_count=100, number="1.2")
    inconsistent_everywhere(game)
    found = preview(fresh(game))
    lines = {line.key: line for line in load_people_estimates(found)}
    roles = lines["role_consistency"].people
    assert roles.share == 0
    assert roles.low == 0 < roles.high < 20
    assert roles.total == 100
    assert lines["role_consistency"].is_turned_by_people == (roles.counted >= 80)
    assert not lines["strategic_depth"].is_turned_by_people


def test_a_verdict_of_basis_format_1_is_replayed_by_the_rule_of_its_time():
    game = make_shared_game(k=3, message_count=60)
    inconsistent_everywhere(game)
    basis = preview(fresh(game)).basis
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    now = compute_effective_values(basis, measurements)
    before = compute_effective_values(msgspec.structs.replace(basis, format=1), measurements)
    assert len(before.values["role_consistency"]) == len(now.values["role_consistency"])
    assert set(before.values["role_consistency"].values()) == {"inconsistent", "consistent"}
    assert changes(msgspec.structs.replace(basis, format=1), basis) == [
        "Silence no longer outvotes a judgement of a message; it did when this was recorded."
    ]


def test_a_verdict_of_basis_format_2_is_still_equal_to_its_basis():
    verdict = recorded_verdict()
    basis = msgspec.json.decode(verdict.basis, type=Basis)
    old = canonical_bytes(msgspec.structs.replace(basis, format=2)).decode()
    outcome = add_binomial_flags(msgspec.json.decode(verdict.outcome, type=Outcome))
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(
            basis=old, basis_sha256=bytes_hash(old.encode()), outcome=canonical_bytes(outcome).decode()
        )
    verdict.refresh_from_db()
    assert replay_verdict(verdict=verdict).is_equal
    shown = {line.figures.key: line for line in build_report(game=verdict.game).lines}
    assert shown["coherence"].interval and not shown["anti_repetition"].interval


def test_a_verdict_that_was_recorded_in_other_words_is_equal_and_is_read_in_ones_own():
    """The words change with the language and with the version; what was decided does not."""
    verdict = recorded_verdict()
    outcome = msgspec.json.decode(verdict.outcome, type=Outcome)
    reasons = [msgspec.structs.replace(reason, says="Deutsch") for reason in outcome.reasons]
    said = msgspec.structs.replace(outcome, headline="Deutsch", reasons=reasons)
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(outcome=canonical_bytes(said).decode())
    verdict.refresh_from_db()
    assert replay_verdict(verdict=verdict).is_equal
    report = build_report(game=verdict.game)
    assert (report.headline, report.reasons) == (outcome.headline, outcome.reasons)


def test_an_adopted_evaluation_may_be_returned_and_submitted_again():
    game, lead = three()
    adopted = list_evaluations(game)[0]
    resolve_difference(game, ROLE, adopted=adopted, by=lead)
    return_evaluation(evaluation=adopted, comment="Look at message 3.", by=lead, now=moment(70))
    submit_evaluation(evaluation=adopted, by=adopted.evaluator, now=moment(80))
    assert [sentence for check in ADJUDICATION_CHECKS for sentence in check.find(moment(90))] == []


def test_a_replay_names_what_the_row_does_not_say():
    game, lead = three()
    resolve_difference(game, ROLE, "inconsistent", by=lead)
    verdict = record(game, by=lead)
    damage(value="consistent")
    assert any(
        "was resolved as inconsistent" in difference
        for difference in replay_verdict(verdict=verdict).differences
    )


def test_the_report_says_what_was_resolved_by_whom_and_what_that_supersedes():
    game, lead = three()
    first, second, _third = list_evaluations(game)
    resolve_difference(game, ROLE, adopted=first, by=lead, reason="She is *sure*.")
    resolve_difference(game, ROLE, adopted=second, by=lead, reason="I read it again.")
    resolve_difference(game, LABEL, "inaccurate", by=lead, reason="No such vote.")
    record(game, by=lead)
    report = build_report(game=fresh(game))
    assert report is not None
    assert [
        (step.what, step.says, step.adopted, step.reason, len(step.earlier)) for step in report.resolved
    ] == [
        ("Memory reference, message 2, sentence 1", "inaccurate", "", "No such vote.", 0),
        ("Role consistency, message 3", "inconsistent", second.evaluator.name, "I read it again.", 1),
    ]
    text = render_markdown("discussions/verdicts/report.md", report=report)
    assert "## Resolved disagreements" in text
    assert "Role consistency, message 3: **inconsistent**, as" in text
    assert "  - before: consistent, " in text
    assert "She is \\*sure\\*" in text
    steps = msgspec.json.decode(report_to_json(report))["adjudications"]
    assert [(step["subject"], step["value"], step["adopted"]) for step in steps] == [
        ("2.1", "inaccurate", None), ("3", "inconsistent", second.evaluator.name),
    ]  # fmt: skip
    own = build_report(game=fresh(game), only=first.evaluator)
    assert own is not None
    assert (own.resolved, own.fewer, [judge.name for judge in own.judges]) == (
        [],
        "",
        [first.evaluator.name],
    )


def test_a_report_says_why_fewer_were_enough():
    game = submitted_game(2)
    lead = make_lead(project=game.project)
    Iteration.objects.filter(pk=game.iteration_id).update(evaluator_count=3)
    reduce_required_evaluators(game=game, count=2, reason="Nobody else is there.", by=lead, now=moment(50))
    record(game, by=lead)
    report = build_report(game=fresh(game))
    assert report is not None
    assert (report.fewer, report.resolved) == (f"2, {lead.name}: Nobody else is there.", [])
    assert "Nobody else is there" in render_markdown("discussions/verdicts/report.md", report=report)
    assert "Resolved disagreements" not in render_markdown("discussions/verdicts/report.md", report=report)
