"""The blind test of who said it: what is drawn, what is shown, and how probable a result is by guessing.

Audit samples: a tenth of the messages, at least 5, at most 10, drawn by seed and metric.
"""

from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discussions.adjudication.core.authorship_test import (
    MOST_UNSEEN,
    SIGNIFICANCE,
    AnswerKey,
    AuthorshipResult,
    DrawRule,
    build_shown_test,
    compute_probability,
    draw_test,
)
from discussions.adjudication.core.effective import Judged, combine_tests, find_effective_values
from discussions.adjudication.core.judgeable import (
    SampleRule,
    audit_sample,
    first_sampled,
    inconsistent_messages,
    join_seeds,
    judgeable_subjects,
    read_sample_rule,
    shared_sample,
    widen_sample,
)
from discussions.core.outcome import ManualCheck
from discussions.core.records import Measurement, MessageFinding, PhraseFinding, ReferenceFinding
from discussions.verdicts.core.rule import check_test
from tests.factories.metrics import game

NAMES = ("Ann", "Bea", "Cid", "Dora", "Ezra", "Finn")


def chatter(
    count, names=NAMES, text="Ann: I heard {other} walk past door {n}, Bea's too, and {name} knows it."
):
    """A game in which everybody says the same in turn, told apart by a number."""
    said = []
    for n in range(count):
        name, other = names[n % len(names)], names[(n + 1) % len(names)]
        said.append((name, text.format(n=n + 1, name=name, other=other)))
    return game(messages=said, roles=dict.fromkeys(names))


RULE = DrawRule(least=3, most=5)


def drawn(record, seed="a", rule=RULE):
    return draw_test(record, seed, rule)


def test_samples_and_unseen_messages_are_apart_and_each_agent_has_both():
    record = chatter(48)
    found = drawn(record)
    sampled = [position for positions in found.samples for position in positions]
    assert found.agents == (1, 2, 3, 4, 5, 6)
    assert not set(sampled) & set(found.unseen)
    assert [len(positions) for positions in found.samples] == [5] * 6
    assert sorted(found.authors) == sorted([*found.agents, *found.agents])
    players = {message.position: message.player for message in record.messages}
    assert [players[position] for position in found.unseen] == list(found.authors)
    for player, positions in zip(found.agents, found.samples, strict=True):
        assert {players[position] for position in positions} == {player}
        assert list(positions) == sorted(positions)


def test_the_same_seed_draws_the_same_and_others_draw_otherwise():
    record = chatter(48)
    assert drawn(record) == drawn(record)
    assert drawn(record).unseen != drawn(record, seed="b").unseen
    # Stored answers name a message by its place in this test: another test for the same seed would turn them round.
    assert drawn(chatter(48, NAMES[:2]), seed="pinned").unseen == PINNED


PINNED = (8, 33, 22, 29)


def test_the_order_asked_tells_nothing_of_the_order_said():
    orders = [drawn(chatter(48), seed=str(number)).unseen for number in range(40)]
    assert not any(list(order) == sorted(order) for order in orders)
    firsts = {drawn(chatter(48), seed=str(number)).authors[0] for number in range(80)}
    assert firsts == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    ("said", "samples", "unseen"), [(4, 3, 1), (5, 3, 2), (6, 4, 2), (7, 5, 2), (30, 5, 2)]
)
def test_how_many_samples_and_unseen_messages_an_agent_has(said, samples, unseen):
    found = drawn(chatter(2 * said, NAMES[:2]))
    assert [len(positions) for positions in found.samples] == [samples] * 2
    assert len(found.unseen) == 2 * unseen


def test_who_says_too_little_is_left_out_and_listed():
    record = game(
        messages=[(name, f"This is thing number {n} of mine.") for n in range(8) for name in ("Ann", "Bea")]
        + [("Cid", "This is a whole thing."), ("Dora", "Bea! Ann?")]
        + [("Dora", "No, Bea.")] * 9,
        roles=dict.fromkeys((*NAMES,)),
    )
    found = drawn(record)
    assert (found.agents, found.left_out) == ((1, 2), (3, 4))


def test_with_fewer_than_two_agents_there_is_no_test():
    assert drawn(chatter(18)) is None
    assert drawn(chatter(30, NAMES[:1])) is None
    assert drawn(game()) is None


def test_many_agents_have_one_unseen_message_each():
    names = tuple(f"Person{number}" for number in range(MOST_UNSEEN // 2 + 1))
    found = drawn(chatter(10 * len(names), names, "Somebody walked past door {n} in the night."))
    assert len(found.unseen) == len(names)


def test_names_and_the_speakers_own_opening_are_hidden_and_the_rest_stays_as_written():
    texts = ("Ann: Hm... @Bea's story, CID; I like Annabel.", "Bea: ann says “Bea: no”, and will echo it!")
    record = game(messages=[("Ann", texts[0])] * 4 + [("Bea", texts[1])] * 4, roles=dict.fromkeys(NAMES[:3]))
    shown_test = build_shown_test(record, drawn(record), RULE)
    assert {text for texts in shown_test.samples for text in texts} == set(shown_test.unseen)
    assert set(shown_test.unseen) == {
        "Hm... [name]'s story, [name]; I like Annabel.",
        "[name] says “[name]: no”, and will echo it!",
    }


def test_a_name_that_is_a_word_is_hidden_only_as_the_roster_spells_it():
    record = game(
        messages=[("Will", "I will trust Will again.")] * 4 + [("Bea", "I really trust Will.")] * 4,
    )
    rule = DrawRule(least=3, most=5, ambiguous_names=frozenset({"will"}))
    shown_test = build_shown_test(record, drawn(record, rule=rule), rule)
    assert set(shown_test.unseen) == {"I will trust [name] again.", "I really trust [name]."}


def test_the_shown_test_does_not_say_who_wrote_what():
    record = chatter(48)
    assert "authors" not in msgspec.to_builtins(build_shown_test(record, drawn(record), RULE))
    assert "unseen" in msgspec.to_builtins(build_shown_test(record, drawn(record), RULE))


@given(st.integers(0, 60), st.integers(1, 6), st.integers(1, 5), st.integers(0, 4), st.text(max_size=5))
def test_a_drawn_test_holds_for_any_game(count, players, least, more, seed):
    record = chatter(count, NAMES[:players])
    found = drawn(record, seed, DrawRule(least, least + more))
    if found is None:
        return
    sampled = [position for positions in found.samples for position in positions]
    assert len({*sampled, *found.unseen}) == len(sampled) + len(found.unseen)
    assert len(found.samples) == len(found.agents) >= 2
    assert all(least <= len(positions) <= least + more for positions in found.samples)
    assert set(found.authors) == set(found.agents)
    assert not set(found.agents) & set(found.left_out)


# By hand: one guess in three right is 1/3; three of three 1/27; three or four of four coins (4 + 1)/16; two or more of
# three among three (3 * 2 + 1)/27; nothing right at least is certain.
@pytest.mark.parametrize(
    ("hits", "asked", "agents", "p"),
    [
        (1, 1, 3, Fraction(1, 3)),
        (3, 3, 3, Fraction(1, 27)),
        (3, 4, 2, Fraction(5, 16)),
        (2, 3, 3, Fraction(7, 27)),
        (0, 12, 6, Fraction(1)),
        (12, 12, 6, Fraction(1, 6**12)),
    ],
)
def test_the_probability_by_hand(hits, asked, agents, p):
    assert compute_probability(hits, asked, agents) == p


@pytest.mark.parametrize("agents", [2, 3, 6, 10, 40])
@pytest.mark.parametrize("asked", [1, 4, 12, 24, 40])
def test_the_probability_is_scipys_exact_binomial_test(asked, agents):
    for hits in range(asked + 1):
        expected = stats.binomtest(hits, asked, 1 / agents, alternative="greater").pvalue
        assert float(compute_probability(hits, asked, agents)) == pytest.approx(expected, rel=1e-9)


def test_enough_hits_are_the_fewest_that_are_significant():
    result = AuthorshipResult(5, 12, 6)
    assert result.needed == 5
    assert compute_probability(5, 12, 6) < SIGNIFICANCE <= compute_probability(4, 12, 6)
    assert AuthorshipResult(2, 2, 2).needed == 3
    assert result.chance == Fraction(1, 6)


def test_it_passes_below_the_level_and_says_of_how_many_agents():
    passed, failed = (check_test(AuthorshipResult(hits, 12, 6), decides=False) for hits in (5, 4))
    assert (passed.passes, failed.passes) == (True, False)
    assert (passed.yes, passed.asked, passed.needed, passed.agents) == (5, 12, 5, 6)
    assert passed.p == pytest.approx(0.0364, abs=5e-5)
    assert passed.is_test
    assert not check_test(AuthorshipResult(2, 2, 2), decides=True).passes


def test_what_cannot_be_told_is_a_miss_and_evaluators_are_counted_together():
    said = {(1, 1): "2", (1, 2): "cannot_tell", (2, 1): "3", (2, 2): "1"}
    asked = {1: AnswerKey((2, 3), 4), 2: AnswerKey((3, 2), 3)}
    assert combine_tests(asked, lambda number, place: said[number, place]) == AuthorshipResult(2, 4, 3)
    assert combine_tests({}, lambda number, place: "") is None


def test_answers_of_the_test_are_no_ties_and_only_submitted_ones_count():
    judged = [
        Judged(number, "attribution", "1", value, is_submitted=number < 3)
        for number, value in ((1, "2"), (2, "3"), (3, "2"))
    ]
    tests = {number: AnswerKey((2,), 4) for number in (1, 2, 3)}
    found = find_effective_values(judged, {}, tests=tests)
    assert (found.test, found.ties) == (AuthorshipResult(1, 2, 4), ())
    assert "attribution" not in found.values
    assert find_effective_values(judged, {}, tests=tests, own=3).test == AuthorshipResult(1, 1, 4)
    assert find_effective_values(judged, {}).test is None


def test_a_check_by_question_is_stored_as_before_there_were_tests():
    said = msgspec.to_builtins(ManualCheck(6, 8, 5, True, False))
    assert said == {"yes": 6, "asked": 8, "needed": 5, "passes": True, "decides": False}


COUNTS = st.integers(min_value=0, max_value=5000)


def test_a_tenth_at_least_five_at_most_ten():
    sizes = {0: 0, 1: 1, 4: 4, 5: 5, 50: 5, 51: 6, 60: 6, 100: 10, 5000: 10}
    assert {count: SampleRule().size(count) for count in sizes} == sizes


@given(st.text(max_size=20), COUNTS)
def test_a_sample_is_of_different_messages_of_the_game(seed, count):
    sample = audit_sample(seed, "strategic_depth", count)
    assert len(set(sample)) == len(sample) == SampleRule().size(count)
    assert list(sample) == sorted(sample)
    assert all(1 <= position <= count for position in sample)


@given(st.text(max_size=20), COUNTS)
def test_coherence_is_not_asked_of_the_first_message(own, count):
    sample = audit_sample(join_seeds("game", own), "coherence", count)
    assert 1 not in sample
    assert len(set(sample)) == len(sample) == min(SampleRule().size(count), max(count - 1, 0))
    assert all(2 <= position <= count for position in sample)


@pytest.mark.parametrize(
    ("seed", "count", "sample"),
    [
        ("before", 5, (1, 2, 3, 4, 5)),
        ("before", 60, (11, 42, 45, 53, 54, 55)),
        ("7f-c", 5, (1, 2, 3, 4, 5)),
        ("3-b", 11, (1, 2, 4, 6, 8)),
        ("3-b", 60, (4, 8, 17, 25, 26, 48)),
    ],
)
def test_a_seed_of_before_keeps_the_sample_that_was_judged(seed, count, sample):
    """The positions were printed by the code that drawn these seeds."""
    assert audit_sample(seed, "coherence", count) == sample
    assert first_sampled(seed, "coherence") == 1


def test_every_message_but_the_first_is_asked_for_coherence_equally_often():
    times = [0] * 60
    for seed in range(3000):
        for position in audit_sample(join_seeds(f"game {seed}", f"own {seed}"), "coherence", 60):
            times[position - 1] += 1
    # 3000 samples of 6 in 59: each message is expected 305 times, with a standard deviation of about 16.
    assert times[0] == 0
    assert min(times[1:]) > 235
    assert max(times[1:]) < 375


def test_the_seed_and_the_metric_draw_and_nothing_else():
    assert audit_sample("a", "coherence", 60) == audit_sample("a", "coherence", 60)
    assert audit_sample("a", "coherence", 60) != audit_sample("a", "strategic_depth", 60)
    assert audit_sample("a", "coherence", 60) != audit_sample("b", "coherence", 60)


@pytest.mark.parametrize("metric", ["strategic_depth", "coherence"])
@pytest.mark.parametrize("count", [1, 2, 5, 11, 60, 5000])
def test_half_of_the_sample_is_common_to_the_evaluators_of_a_game(count, metric):
    samples = [set(audit_sample(join_seeds("game", str(own)), metric, count)) for own in range(40)]
    size = min(SampleRule().size(count), count - (metric == "coherence"))
    assert {len(sample) for sample in samples} == {size}
    common = set.intersection(*samples)
    assert len(common) >= (size + 1) // 2
    if count >= 11:
        assert len(common) == (size + 1) // 2
        assert len(set.union(*samples)) > size


def test_no_message_is_drawn_more_often_by_two_seeds():
    times = [0] * 60
    for seed in range(3000):
        for position in audit_sample(join_seeds(f"game {seed}", f"own {seed}"), "strategic_depth", 60):
            times[position - 1] += 1
    # As below: 300 times expected, with a standard deviation of about 16.
    assert min(times) > 230
    assert max(times) < 370


def test_every_message_is_drawn_equally_often():
    times = [0] * 60
    for seed in range(3000):
        for position in audit_sample(str(seed), "strategic_depth", 60):
            times[position - 1] += 1
    # 3000 samples of 6 in 60: each message is expected 300 times, with a standard deviation of about 16.
    assert min(times) > 230
    assert max(times) < 370


def test_the_rubric_version_sets_the_size():
    rule = read_sample_rule({"sample_percent": 20, "sample_min": 1, "sample_max": 100})
    assert len(audit_sample("a", "coherence", 60, rule)) == 12
    assert len(audit_sample("a", "coherence", 3, rule)) == 1


def test_a_result_that_guessing_gives_once_in_twenty_is_not_significant():
    assert AuthorshipResult(1, 1, 20).p == Fraction(1, 20)
    assert AuthorshipResult(1, 1, 20).needed == 2
    assert AuthorshipResult(1, 1, 21).needed == 1
    assert AuthorshipResult(0, 12, 6).needed == 5


@pytest.mark.parametrize("seed", ["old", "game-own", join_seeds("game", "own")])
def test_a_sample_is_widened_up_to_all_messages_and_keeps_those_it_had(seed):
    before = audit_sample(seed, "coherence", 30)
    for extra in (0, 1, 5, 24, 100):
        sample = widen_sample(seed, "coherence", 30, SampleRule(), extra)
        assert set(before) <= set(sample) <= set(range(1, 31))
        first = first_sampled(seed, "coherence")
        assert len(sample) == min(31 - first, len(audit_sample(seed, "coherence", 30)) + extra)
        before = sample
    assert before == tuple(range(first, 31))


def test_half_of_the_added_messages_are_the_same_for_every_evaluator_of_a_game():
    first, second = (join_seeds("game", own) for own in ("a", "b"))
    shared = shared_sample(first, "coherence", 200)
    assert shared == shared_sample(second, "coherence", 200)
    for extra, least in ((1, 1), (6, 3), (7, 4)):
        wider = [set(widen_sample(seed, "coherence", 200, SampleRule(), extra)) for seed in (first, second)]
        narrow = [set(audit_sample(seed, "coherence", 200)) for seed in (first, second)]
        added = (wider[0] & wider[1]) - (narrow[0] & narrow[1])
        assert len(added - shared) == least
    more = [widen_sample(str(seed), "coherence", 200, SampleRule(), 5) for seed in range(2)]
    assert not set(range(1, 6)) <= set(more[0]) and list(more[0]) == sorted(more[0])
    assert more[0] != more[1]


def test_what_can_be_judged_is_read_from_the_game_and_its_findings():
    long = "x" * 198
    record = game(
        messages=[("Bravo", "One. Two.", 1), ("Alpha", "Three.", 1), ("Bravo", "Four.", 2)],
        roles={"Alpha": "Villager", "Bravo": "Mafia"},
    )
    references = [
        ReferenceFinding(1, 1, 0, 4, "One.", True, "earlier"),
        ReferenceFinding(1, 2, 5, 9, "Two.", False, "voted"),
    ]
    phrases = [PhraseFinding(1, text, 3, [1]) for text in ("a b c", long, f"{long}x")]
    measurements = {
        "memory_accuracy": Measurement("memory_accuracy", 0, 1, references=references),
        "anti_repetition": Measurement("anti_repetition", 0, 0, phrases=phrases),
    }
    found = judgeable_subjects(record, measurements, {"reference_unit": "sentence"}, 5)
    assert (found.message_count, found.sentences, found.is_by_message) == (3, (2, 1, 1), False)
    assert (found.counted, found.possible, found.question_count) == (("1.1",), ("1.2",), 5)
    assert found.speakers == tuple(sorted({message.player for message in record.messages}))
    assert found.phrases == {"1|a b c", f"1|{long}"}, "200 characters, and none of 201"
    assert judgeable_subjects(record, measurements, {"reference_unit": "message"}, 5).is_by_message


def test_messages_against_the_rules_of_roles_are_listed_in_order():
    findings = [
        MessageFinding(1, True, "neutral"),
        MessageFinding(4, False, "claims"),
        MessageFinding(9, False, "claims"),
    ]
    measurements = {"role_consistency": Measurement("role_consistency", 1, 3, messages=findings)}
    assert inconsistent_messages(measurements) == (4, 9)
