"""Audit samples: a tenth of the messages, at least 5, at most 10, dealt by seed and metric."""

from hypothesis import given
from hypothesis import strategies as st

from discussions.core.samples import SampleRule, audit_sample, rule_of

COUNTS = st.integers(min_value=0, max_value=5000)


def test_a_tenth_at_least_five_at_most_ten():
    sizes = {0: 0, 1: 1, 4: 4, 5: 5, 50: 5, 51: 6, 60: 6, 100: 10, 5000: 10}
    assert {count: SampleRule().size(count) for count in sizes} == sizes


@given(st.text(max_size=20), COUNTS)
def test_a_sample_is_of_different_messages_of_the_game(seed, count):
    sample = audit_sample(seed, "coherence", count)
    assert len(set(sample)) == len(sample) == SampleRule().size(count)
    assert list(sample) == sorted(sample)
    assert all(1 <= position <= count for position in sample)


def test_the_seed_and_the_metric_deal_and_nothing_else():
    assert audit_sample("a", "coherence", 60) == audit_sample("a", "coherence", 60)
    assert audit_sample("a", "coherence", 60) != audit_sample("a", "strategic_depth", 60)
    assert audit_sample("a", "coherence", 60) != audit_sample("b", "coherence", 60)


def test_every_message_is_dealt_equally_often():
    times = [0] * 60
    for seed in range(3000):
        for position in audit_sample(str(seed), "coherence", 60):
            times[position - 1] += 1
    # 3000 samples of 6 in 60: each message is expected 300 times, with a standard deviation of about 16.
    assert min(times) > 230
    assert max(times) < 370


def test_the_rubric_version_sets_the_size():
    rule = rule_of({"sample_percent": 20, "sample_min": 1, "sample_max": 100})
    assert len(audit_sample("a", "coherence", 60, rule)) == 12
    assert len(audit_sample("a", "coherence", 3, rule)) == 1
