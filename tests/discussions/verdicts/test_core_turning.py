"""Whether a verdict would be the other one if one metric were on the other side of its threshold."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.adjudication.core.judgeable import SampleRule, audit_sample, join_seeds, widen_sample
from discussions.core.judgement_kinds import MESSAGE_KINDS, VALUES
from discussions.core.outcome import MEMORY, ManualCheck, OutcomeLine
from discussions.queries import load_measurements, rubric_record
from discussions.verdicts.core.people_estimate import MoreRule, draw_sample, read_more_rule
from discussions.verdicts.core.scoring import (
    compute_metric_lines,
    draw_samples,
    find_turning_answer,
    would_turn,
)
from discussions.verdicts.pages.lines import describe_weak_pass
from rubric.versions.queries import discussion_version
from tests.factories.adjudication import submitted_game
from tests.factories.verdicts import preview


def outcome(passed, *, cost=False, mandatory=True):
    """Seven metrics of which the first so many pass and five must; the last, which must pass, is `mandatory`."""
    lines = [
        SimpleNamespace(key=str(number), passes=number < passed, is_mandatory=False) for number in range(6)
    ]
    lines.append(SimpleNamespace(key="rated", passes=mandatory, is_mandatory=True))
    return SimpleNamespace(lines=lines, cost_state="above" if cost else "low", needed_count=5)


@pytest.mark.parametrize(
    ("found", "key", "turns"),
    [
        (outcome(4), "0", True),
        (outcome(5), "0", False),
        (outcome(3), "5", True),
        (outcome(2), "5", False),
        (outcome(6), "rated", True),
        (outcome(4, mandatory=False), "5", False),
        (outcome(6, mandatory=False), "rated", True),
        (outcome(4, cost=True), "0", False),
        (outcome(3, cost=True), "5", False),
    ],
)
def test_a_metric_takes_the_verdict_with_it(found, key, turns):
    assert would_turn(found, key) is turns


def test_every_metric_that_must_pass_is_needed():
    found = outcome(6, mandatory=False)
    found.lines[0].is_mandatory = True
    assert [would_turn(found, key) for key in ("0", "1", "rated")] == [False, False, True]
    found.lines[1].is_mandatory, found.lines[1].passes = True, False
    assert not would_turn(found, "rated")


@pytest.mark.django_db
def test_the_answer_that_alone_turns_a_metric_is_one_and_the_most_doubtful_comes_first():
    game = submitted_game(1, differing={("coherence", str(number)): ("no",) for number in (4, 6)})
    found = preview(game)
    basis = found.basis
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    rubric = rubric_record(basis.rubric_version.id, basis.rubric_version.sha256)
    samples = draw_samples(basis, measurements, rubric)
    turned = 0
    for line in found.outcome.lines:
        answer = find_turning_answer(line, found.found, measurements, rubric, samples)
        if line.flip != 1 or line.key not in (MEMORY, *MESSAGE_KINDS):
            assert answer is None, line.key
            continue
        kind, subject = answer
        others = [value for value in VALUES[kind] if value != found.found.values.get(kind, {}).get(subject)]
        now = [
            passes_with_answer(line, found, measurements, rubric, samples, kind, subject, one)
            for one in others
        ]
        assert (not line.passes) in now
        turned += 1
    assert turned


def passes_with_answer(line, found, measurements, rubric, samples, kind, subject, value):
    values = {**found.found.values, kind: {**found.found.values.get(kind, {}), subject: value}}
    changed = replace(found.found, values=values)
    return compute_metric_lines([line.key], changed, measurements, rubric, samples)[0].passes


def line(key: str, below: int, *, passes: bool | None = True, **given: object) -> OutcomeLine:
    """A line of 80 % or more."""
    return OutcomeLine(key, key, "percent", 80.0, below, below, 100.0, passes, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "is_weak", "says"),
    [
        (line("memory_accuracy", 0, is_applicable=False), True, "Memory: no references"),
        (line("memory_accuracy", 1), True, "Memory: 1 reference"),
        (line("memory_accuracy", 4), True, "Memory: 4 references"),
        (line("memory_accuracy", 5), False, ""),
        (line("memory_accuracy", 4, passes=False), False, ""),
        (line("memory_accuracy", 4, passes=None), False, ""),
        (line("coherence", 3), False, ""),
        (line("coherence", 0, is_applicable=False), True, "Coherence: nothing to count"),
        (
            line("personality_diversity", 0, is_applicable=False,
                 manual_check=ManualCheck(5, 5, 4, passes=True, decides=True)),
            False, "",
        ),
    ],
)  # fmt: skip
def test_a_pass_with_little_to_count_is_weak(found: OutcomeLine, is_weak: bool, says: str) -> None:
    assert found.is_weak_pass is is_weak
    assert not says or describe_weak_pass(found) == says


SEED = join_seeds("game", "own")
METRIC = "role_consistency"
RULE = MoreRule(SampleRule(), count=10, percent=30, threshold=80.0)


def drawn(inconsistent, *, count=100, rule=RULE, judged=None, flagged=()):
    """The sample after the evaluator judged `judged` (None: whatever is asked for), and these as inconsistent."""
    machine = {str(at): "inconsistent" if at in flagged else "consistent" for at in range(1, count + 1)}
    values: dict[str, str] = {}
    sample = draw_sample(SEED, machine, values, rule)
    while True:
        asked = sample.positions if judged is None else judged
        new = {str(at): "inconsistent" if inconsistent(at) else "consistent" for at in asked}
        if new.keys() <= values.keys():
            return sample
        values |= new
        sample = draw_sample(SEED, machine, values, rule)


def worst(share):
    """So many hundredths of all messages, spread evenly."""
    return lambda at: at * 37 % 100 < share


def first(number):
    """The first messages of the audit sample."""
    return lambda at: at in audit_sample(SEED, METRIC, 100)[:number]


def test_a_sample_that_agrees_asks_for_nothing_more():
    for number in (0, 1, 2):
        sample = drawn(first(number))
        assert (sample.times, len(sample.positions)) == (0, 10)


def test_three_contradictions_of_ten_ask_for_ten_more_and_again_while_it_is_open():
    sample = drawn(first(3), judged=audit_sample(SEED, METRIC, 100))
    assert (sample.times, len(sample.positions)) == (1, 20)
    assert set(audit_sample(SEED, METRIC, 100)) < set(sample.positions)
    assert len(drawn(worst(100)).positions) == 20, "clearly below 80 % after the first ten more"
    assert len(drawn(first(3)).positions) > 20, "three of twenty leave it open"


def test_it_ends_with_every_message_judged():
    near = drawn(worst(21), count=25, rule=MoreRule(SampleRule(100, 0, 10), 10, 1, 80.0))
    assert near.positions == tuple(range(1, 26))


def test_the_share_is_the_same_for_other_sizes():
    assert [RULE.least(size) for size in (5, 7, 10, 20)] == [2, 3, 3, 6]


def test_a_person_who_clears_what_the_rule_objects_to_contradicts_it():
    sample = audit_sample(SEED, METRIC, 100)
    assert drawn(lambda _at: False, flagged=sample[:3]).times > 0
    assert drawn(lambda at: at in sample[:3], flagged=sample[:3]).times == 0


def test_no_more_is_asked_for_before_the_sample_is_judged():
    assert drawn(worst(100), judged=audit_sample(SEED, METRIC, 100)[:9]).times == 0


def test_version_1_0_never_asks_and_1_1_does():
    old, new = (read_more_rule(discussion_version(number)) for number in ("1.0", "1.1"))
    assert (old.count, new) == (0, RULE)
    assert drawn(worst(100), rule=old).times == 0


SEEDS = st.sampled_from([join_seeds("game", "a"), join_seeds("game", "b"), "before"])


@given(SEEDS, st.integers(1, 60), st.integers(0, 40), st.integers(0, 40))
def test_a_wider_sample_holds_every_narrower_one(seed, count, extra, further):
    rule = SampleRule()
    narrow, wide = (widen_sample(seed, METRIC, count, rule, more) for more in (extra, extra + further))
    assert set(audit_sample(seed, METRIC, count, rule)) <= set(narrow) <= set(wide)
    assert len(wide) == min(count, rule.size(count) + extra + further)
    assert wide == tuple(sorted(set(wide)))


def test_half_of_what_comes_is_the_same_for_all_evaluators():
    rule = SampleRule()
    samples = [
        set(widen_sample(join_seeds("game", own), METRIC, 1000, rule, 10))
        - set(audit_sample(join_seeds("game", own), METRIC, 1000, rule))
        for own in ("a", "b")
    ]
    assert len(samples[0] & samples[1]) == 5


def split_sample(own, *, certain):
    """The two samples of an evaluator of 100 messages, 50 of which the rule counts, all of these `certain` to count."""
    rule = MoreRule(SampleRule(), 10, 0, 60.0, 1, key="strategic_depth")
    machine = {str(at): "yes" if at % 2 else "no" for at in range(1, 101)}
    seed = join_seeds("game", own)
    before = draw_sample(seed, machine, {}, rule)
    sure = {True: "yes", False: "no"}
    values = {str(at): sure[(at % 2 == 1) if certain and at % 2 else at % 4 < 2] for at in before.positions}
    after = draw_sample(seed, machine, values, rule, wished=1)
    return set(before.positions), set(after.positions) - set(before.positions)


def test_further_messages_come_from_where_people_are_less_sure():
    """Where all counted messages were judged alike fewer of the ten come from these than from the others."""
    shares = {True: 0.0, False: 0.0}
    for own in range(60):
        for certain in shares:
            before, further = split_sample(f"own{own}", certain=certain)
            assert len(further) % 10 == 0 and further.isdisjoint(before)
            shares[certain] += sum(at % 2 for at in further) / len(further) / 60
    assert shares[True] < 0.48 < shares[False] < 0.56
    assert shares[True] < shares[False] - 0.03


def test_messages_of_a_stratum_are_drawn_alike_whatever_their_place():
    """The early third and the late third of the messages that the rule does not count."""
    counts = [0, 0]
    for own in range(120):
        further = split_sample(f"place{own}", certain=True)[1]
        for side, places in enumerate((range(2, 34, 2), range(68, 100, 2))):
            counts[side] += len(further & set(places))
    assert sum(counts) > 200 and abs(counts[0] - counts[1]) < 4 * sum(counts) ** 0.5
