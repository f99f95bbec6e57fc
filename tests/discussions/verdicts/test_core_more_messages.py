"""When an evaluator is asked to judge the role consistency of more messages than the audit sample has."""

from hypothesis import given
from hypothesis import strategies as st

from discussions.adjudication.core.judgeable import SampleRule, audit_sample, join_seeds, widen_sample
from discussions.verdicts.core.more_messages import MoreRule, draw_sample, read_more_rule
from rubric.versions.queries import discussion_version

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
