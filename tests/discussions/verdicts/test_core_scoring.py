"""What a basis amounts to, and what people's estimate for all messages rests on; on small games checkable by hand."""

from decimal import Decimal
from fractions import Fraction

import pytest
from msgspec.structs import replace

from discussions.adjudication.core.authorship_test import AuthorshipResult
from discussions.adjudication.core.effective import Effective, JudgeAnswers
from discussions.adjudication.core.judgeable import audit_sample, join_seeds, read_sample_rule
from discussions.core.outcome import Facts, OutcomeLine
from discussions.core.records import Measurement, MessageFinding, PhraseFinding
from discussions.metrics.core.registry import METRICS, measure_game, measured_keys
from discussions.verdicts.core.basis import BasisEvaluation, BasisJudgement
from discussions.verdicts.core.people_estimate import build_strata, draw_sample, read_more_rule, score_people
from discussions.verdicts.core.rule import add_binomial_flags
from discussions.verdicts.core.scoring import (
    JudgedVerdict,
    build_manual_check,
    collect_flip_facts,
    compute_basis_outcome,
    compute_effective_values,
    compute_metric_lines,
    compute_outcome,
    draw_samples,
    estimate_all,
    estimate_line,
)
from tests.discussions.verdicts.test_core import basis
from tests.factories.metrics import game, rubric
from workspace.core.canonical import canonical_bytes

COUNT = 60
GAME = game(
    messages=[("Alpha" if at % 2 else "Bravo", f"I think number {at} is a wolf", 1) for at in range(COUNT)],
    roles={"Alpha": "Villager", "Bravo": "Mafia"},
    votes=[(1, "Alpha", "Bravo")],
)
RUBRIC = rubric(number="1.2")
MEASUREMENTS = measure_game(GAME, RUBRIC)
RULE = read_sample_rule(RUBRIC.parameters)
SEEDS = {7: join_seeds("game", "seven"), 8: join_seeds("game", "eight")}


def judgements(kind, values, evaluation=7, first=1):
    return [
        BasisJudgement(number, evaluation, kind, subject, value, "", 1)
        for number, (subject, value) in enumerate(values.items(), first)
    ]


def judged_verdict(given, seeds=SEEDS):
    people = [BasisEvaluation(7, 3), BasisEvaluation(8, 4)]
    found = replace(basis(*given), format=3, evaluations=people, evaluator_count=2)
    effective = compute_effective_values(found, MEASUREMENTS)
    outcome = compute_basis_outcome(found, MEASUREMENTS, RUBRIC)
    return JudgedVerdict(found, MEASUREMENTS, RUBRIC, outcome, effective, seeds)


def machine_of(key):
    return METRICS[key].machine_values(MEASUREMENTS[key])


def own_half(evaluation, key="coherence"):
    """The messages of an evaluation's sample that the other's does not have."""
    drawn = {number: set(audit_sample(seed, key, COUNT, RULE)) for number, seed in SEEDS.items()}
    found = drawn.pop(evaluation) - next(iter(drawn.values()))
    assert found
    return found


LINE = OutcomeLine("coherence", "Coherence", "%", 70.0, 8, 10, 80.0, True)
MACHINE = {str(at): "yes" if at <= 8 else "no" for at in range(1, 11)}


def estimated(values, sampled, line=LINE):
    """The line with the estimate of a game whose ten messages the rule counts as MACHINE."""
    strata = build_strata("coherence", MACHINE, values, sampled)
    people = score_people(strata, "counted", Fraction(line.score), Fraction(70), judged=len(values), batch=0)
    return replace(line, people=people)


def test_people_who_agree_with_half_of_the_sample_turn_a_metric():
    """Ten messages, eight of which the rule counts; of the four judged ones three are of the sample."""
    values = {"1": "no", "2": "no", "3": "yes", "9": "no"}
    found = estimated(values | {"8": "yes"}, {"1", "2", "3", "9", "10"}).people
    assert found.share == pytest.approx(100 * (2 + 4 / 3) / 10), (
        "what is judged beyond the sample predicts nothing"
    )
    line = estimated(values, {"1", "2", "3", "9", "10"})
    found = line.people
    assert (found.judged, found.total, found.counted, line.is_turned_by_people) == (4, 10, 80.0, True)
    # Three of the rule's eight are judged, of which one counts: a third of the other five are expected to count.
    assert found.share == pytest.approx(100 * (1 + 5 / 3) / 10)
    assert found.low < found.share < found.high
    agreed = estimated(dict(MACHINE), set(MACHINE))
    people = agreed.people
    assert (people.share, people.low, people.high, people.judged, people.total) == (80, 80, 80, 10, 10)
    assert not agreed.is_turned_by_people


def test_a_share_at_the_threshold_passes():
    values = {"1": "no", **{str(at): "yes" for at in range(2, 9)}, "9": "no", "10": "no"}
    line = estimated(values, set(MACHINE))
    assert (line.people.share, line.is_turned_by_people) == (70, False)
    assert not estimated(values, set(MACHINE), replace(LINE, score=70.0)).is_turned_by_people


def test_nothing_is_estimated_without_a_score_or_a_judged_message_of_a_sample():
    judged = judged_verdict(judgements("coherence", {"2": "no"}))
    line, of_game = judged.outcome.line("coherence"), (judged.found, MEASUREMENTS, RUBRIC)
    assert estimate_line(line, *of_game, {"coherence": {"2"}}) is not None
    assert estimate_line(replace(line, score=None), *of_game, {"coherence": {"2"}}) is None
    assert estimate_line(line, *of_game, {"coherence": {"3"}}) is None
    assert estimate_line(line, *of_game, {}) is None


@pytest.mark.parametrize("number", ["1.0", "1.1", "1.2", "1.3"])
def test_a_judge_divides_only_where_the_version_says_so(number):
    """People and the judge say no of every third message, which the rule does not."""
    said = {str(at): "no" if at % 3 == 0 else "yes" for at in range(1, COUNT + 1)}
    drawn = {str(at) for at in range(2, 32)}
    judge = JudgeAnswers(1, "0" * 64, 4, "Larch", "coherence", [9], said)
    found = Effective(values={"coherence": {subject: said[subject] for subject in drawn}})
    helped, version = replace(found, judges=(judge,)), rubric(number=number)
    measured = measure_game(GAME, version)

    def outcome_of(values, rules):
        return compute_outcome(values, measured, None, rules, {"coherence": drawn})

    chosen = {"coherence_score": "people", "strata": "judge"}
    for changed in ({}, {"coherence_score": "people"}, {"strata": "judge"}, chosen):
        rules = replace(version, parameters=version.parameters | changed)
        alone, with_judge = (outcome_of(values, rules) for values in (found, helped))
        divides = changed == chosen or (number == "1.3" and "strata" in changed)
        assert (alone == with_judge) is not divides, changed
        assert b"helpers" not in canonical_bytes(alone)
    first, second = (one.line("coherence").people for one in (alone, with_judge))
    assert second.high - second.low < first.high - first.low
    assert (first.helped, second.helpers) == ("", [(4, "Larch")])
    assert second.helped == f"people's estimate, helped by judge Larch: {second.judged} answers of people"
    other = replace(helped, judges=(replace(judge, answers={}),))
    assert outcome_of(other, rules) == alone, "a judge that says nothing did not help"


def test_only_samples_whose_seeds_are_known_count_for_an_estimate():
    given = judgements("coherence", {str(at): "no" for at in own_half(8)}, evaluation=8)
    assert [estimate.key for estimate in estimate_all(judged_verdict(given))] == ["coherence"]
    assert estimate_all(judged_verdict(given, {7: SEEDS[7]})) == []
    assert sampled("coherence", given) == {str(at) for at in audit_sample(SEEDS[7], "coherence", COUNT, RULE)}


def sampled(key, given):
    """The sampled messages where the seed of one of the two evaluations is known."""
    found = judged_verdict(given).basis.complete({7: SEEDS[7]})
    return draw_samples(found, MEASUREMENTS, RUBRIC)[key]


def test_samples_of_role_consistency_are_widened_by_own_judgements_of_roles_alone():
    machine, more = machine_of("role_consistency"), read_more_rule(RUBRIC)
    first = draw_sample(SEEDS[7], machine, {}, more)
    contrary = {"consistent": "inconsistent", "inconsistent": "consistent"}
    against = {str(at): contrary.get(machine[str(at)], "inconsistent") for at in first.positions}
    wider = draw_sample(SEEDS[7], machine, against, more)
    assert len(wider.positions) > len(first.positions), "the version asks for more"

    assert sampled("role_consistency", []) == {str(at) for at in first.positions}
    assert sampled("role_consistency", judgements("role_consistency", against)) == {
        str(at) for at in wider.positions
    }
    for other in (
        judgements("coherence", dict.fromkeys(against, "no")),
        judgements("role_consistency", dict.fromkeys(against, "")),
        judgements("role_consistency", against, evaluation=8),
    ):
        assert sampled("role_consistency", other) == {str(at) for at in first.positions}


def test_the_blind_test_stands_above_the_question():
    question = Effective(values={}, identification=(6, 6), identify_decides=True)
    assert build_manual_check(question, RUBRIC).agents == 0
    tested = replace(question, test=AuthorshipResult(5, 12, 6))
    check = build_manual_check(tested, RUBRIC)
    assert (check.yes, check.asked, check.agents, check.decides) == (5, 12, 6, True)
    assert build_manual_check(Effective(values={}), RUBRIC) is None


def test_the_lines_of_some_metrics_are_those_of_the_outcome():
    outcome = judged_verdict([]).outcome
    found = Effective(values={})
    lines = compute_metric_lines(["coherence", "anti_repetition"], found, MEASUREMENTS, RUBRIC, {})
    assert [line.key for line in lines] == [
        line.key for line in outcome.lines if line.key in ("coherence", "anti_repetition")
    ]
    assert len(lines) == 2
    assert lines == [compute_outcome(found, MEASUREMENTS, None, RUBRIC, {}).line(line.key) for line in lines]
    assert compute_metric_lines([], found, MEASUREMENTS, RUBRIC, {}) == []


@pytest.mark.parametrize(("number", "has_flags"), [(1, True), (2, True), (3, False)])
def test_verdicts_of_older_bases_keep_the_intervals_of_their_time(number, has_flags):
    found = replace(basis(), format=number, cost=replace(basis().cost, total_usd=Decimal("1.00")))
    outcome = compute_outcome(
        compute_effective_values(found, MEASUREMENTS), MEASUREMENTS, Decimal("1.00"), RUBRIC, {}
    )
    assert add_binomial_flags(outcome) != outcome
    expected = add_binomial_flags(outcome) if has_flags else outcome
    assert compute_basis_outcome(found, MEASUREMENTS, RUBRIC) == expected


def test_silence_votes_in_bases_of_the_first_format_alone():
    subject = next(iter(machine_of("coherence")))
    other = "no" if machine_of("coherence")[subject] == "yes" else "yes"
    people = [BasisEvaluation(number, number) for number in (7, 8, 9)]
    given = judgements("coherence", {subject: other})
    given += [BasisJudgement(number, number, "rating", "", "3.0", "", 1) for number in (8, 9)]
    values = {}
    for number in (1, 2, 3):
        found = replace(basis(*given), format=number, evaluations=people)
        values[number] = compute_effective_values(found, MEASUREMENTS).values["coherence"][subject]
    assert values == {1: machine_of("coherence")[subject], 2: other, 3: other}


def test_phrases_are_counted_by_whether_people_accept_them():
    phrases = [
        PhraseFinding(1, "a b c", 3, [1]),
        PhraseFinding(2, "d e f", 5, [2]),
        PhraseFinding(2, "g h i", 7, [2]),
    ]
    measurements = {
        "anti_repetition": Measurement("anti_repetition", 0, 0, phrases=phrases),
        "strategic_depth": Measurement("strategic_depth", 1, 1, messages=[MessageFinding(1, True, "x")]),
    }
    said = Effective(values={"phrase": {"2|d e f": "acceptable", "2|g h i": "other"}})
    assert collect_flip_facts(said, measurements) == Facts(repeated=[3, 7], accepted=[5], has_messages=True)
    assert collect_flip_facts(Effective(values={}), measurements).repeated == [3, 5, 7]
    silent = measurements | {"strategic_depth": Measurement("strategic_depth", 0, 0)}
    assert not collect_flip_facts(said, silent).has_messages


def test_the_game_of_these_tests_has_all_metrics():
    assert list(MEASUREMENTS) == measured_keys(RUBRIC)
    assert len(machine_of("coherence")) == len(machine_of("role_consistency")) == COUNT
