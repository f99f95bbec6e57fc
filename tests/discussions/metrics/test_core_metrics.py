"""M2: keywords, stems, and what does not match.

M3: reply links, names of recent speakers, shared keywords, and the shuffled baseline.

M4: the rubric's lists and examples, and probes of our own at the edges of every rule.

M5: unique players, exact limits, choices, silent players and length-matched texts.

M6: three-word phrases by speaker, what counts as one, and the diagnostics.
"""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from discussions.core.records import GameRecord, MessageFinding
from discussions.metrics.core.anti_repetition import phrase_variety
from discussions.metrics.core.personality_diversity import bigrams, dice, token_sort
from discussions.metrics.core.registry import build_diagnostics, figure_value, measure_game
from tests.factories.metrics import game, measured, rubric


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I think Agent-Alpha is suspicious because they defended Agent-Bravo without evidence",
         ["think", "suspicious", "because", "defended", "evidence"]),
        ("Voting on voters: vote, votes", ["voting", "voters", "vote", "votes"]),
        ("I TRUST you", ["trust"]),
        ("believable inconsistencies", ["believable", "inconsistencies"]),
    ],
)  # fmt: skip
def test_keywords_and_their_continuations_count(text: str, words: list[str]) -> None:
    finding = measured("strategic_depth", game(messages=[("Alpha", text)])).messages[0]
    assert (finding.counts, finding.rule, finding.words) == (True, "keyword", words)


@pytest.mark.parametrize(
    "text", ["I agree with that", "", "pivoted, rethink, becauses", "entrust", "vote2", "!!!"]
)
def test_substrings_and_other_words_do_not(text: str) -> None:
    assert measured("strategic_depth", game(messages=[("Alpha", text)])).numerator == 0


def test_a_players_name_is_no_keyword() -> None:
    record = game(messages=[("Trusty", "hello Voter"), ("Voter", "hello Trusty")])
    assert measured("strategic_depth", record).numerator == 0


def test_the_score_divides_by_all_messages() -> None:
    record = game(
        messages=[("Alpha", "I think"), ("Bravo", "yes"), ("Alpha", "evidence of it"), ("Bravo", "ok")]
    )
    result = measured("strategic_depth", record)
    assert (figure_value(result), result.numerator, result.denominator, result.counted) == (
        50.0,
        2,
        4,
        [1, 3],
    )
    diagnostics = build_diagnostics(record, rubric(), measure_game(record, rubric()))["strategic_depth"]
    assert diagnostics == {"words_per_message": 1.5, "without_weak_keywords": 25.0, "before_overrides": 50.0}


def rules(record: GameRecord, **parameters: object) -> list[str]:
    """The rule of every message."""
    return [finding.rule for finding in measured("coherence", record, **parameters).messages]


def test_the_first_message_never_counts() -> None:
    assert rules(game(messages=[("Alpha", "Bravo voted")], links={1: None})) == ["first"]


def test_a_reply_link_counts_when_it_does_not_point_forward() -> None:
    messages = [("Alpha", "one"), ("Bravo", "two"), ("Alpha", "three"), ("Bravo", "four")]
    assert rules(game(messages=messages, links={2: 1, 3: None, 4: 4})) == [
        "first",
        "reply_link",
        "reply_link",
        "no_link",
    ]


def test_naming_a_recent_speaker_counts() -> None:
    said = [("Alpha", "one"), ("Bravo", "two"), ("Charlie", "three"), ("Delta", "four")]
    assert rules(game(messages=[*said, ("Echo", "Bravo's right")]))[-1] == "names_recent_speaker"
    assert rules(game(messages=[*said, ("Echo", "Alpha is right")]))[-1] == "no_link"
    assert (
        rules(game(messages=[*said, ("Echo", "Alpha is right")]), coherence_window=4)[-1]
        == "names_recent_speaker"
    )
    assert (
        rules(game(messages=[("Alpha", "one"), ("Bravo", "two"), ("Alpha", "Alpha here")]))[-1] == "no_link"
    )


def test_two_shared_keywords_count_from_three_messages_together() -> None:
    said = [("Alpha", "the pattern"), ("Bravo", "voting"), ("Charlie", "hm")]
    result = measured("coherence", game(messages=[*said, ("Delta", "voting pattern pattern")]))
    assert (result.messages[-1].rule, result.messages[-1].words) == ("shared_keywords", ["pattern", "voting"])
    assert rules(game(messages=[*said, ("Delta", "pattern pattern")]))[-1] == "no_link"
    assert rules(game(messages=[*said, ("Charlie", "hm"), ("Delta", "voting pattern")]))[-1] == "no_link"


def test_the_rubrics_own_example_shares_one_word_only() -> None:
    record = game(messages=[("Alpha", "voting pattern"), ("Bravo", "pattern analysis")])
    assert rules(record) == ["first", "no_link"]
    assert rules(record, coherence_min_shared=1) == ["first", "shared_keywords"]


@pytest.mark.parametrize("words", ["vote vote", "there would", "four than"])
def test_short_words_and_stop_words_are_no_keywords(words: str) -> None:
    assert rules(game(messages=[("Alpha", words), ("Bravo", words)])) == ["first", "no_link"]


def test_a_name_in_both_is_one_shared_keyword_by_choice() -> None:
    said = [("Alpha", "Delta plays strangely"), ("Bravo", "strangely, Delta Delta")]
    record = game(messages=said, roles={"Delta": None})
    assert rules(record) == ["first", "shared_keywords"]
    assert rules(record, coherence_names=False) == ["first", "no_link"]


def test_examples_of_the_rubric() -> None:
    first = ("Agent-Alpha", "I accuse Agent-Charlie, look at the voting pattern")
    good = ("Agent-Bravo", "I disagree with Agent-Alpha. Their accusation doesn't match the voting pattern")
    bad = ("Agent-Bravo", "Let's analyze the evidence carefully")
    assert rules(game(messages=[first, good]))[1] == "names_recent_speaker"
    assert rules(game(messages=[first, bad]))[1] == "no_link"


def test_the_denominator_is_a_choice() -> None:
    record = game(messages=[("Alpha", "one"), ("Bravo", "Alpha!"), ("Alpha", "Bravo!"), ("Bravo", "hm")])
    assert figure_value(measured("coherence", record)) == 50.0
    result = measured("coherence", record, coherence_denominator="after_first")
    assert (result.numerator, result.denominator) == (2, 3)
    assert (
        figure_value(
            measured("coherence", game(messages=[("Alpha", "one")]), coherence_denominator="after_first")
        )
        is None
    )


def test_diagnostics_tell_the_signs_and_the_baseline() -> None:
    record = game(messages=[("Alpha", "evidence pattern"), ("Bravo", "evidence pattern")] * 10)
    diagnostics = build_diagnostics(record, rubric(), measure_game(record, rubric()))["coherence"]
    assert diagnostics["after_first"] == 100.0
    assert diagnostics["by_keywords"] == 95.0
    assert diagnostics["shuffled_baseline"] == 95.0
    assert diagnostics["gain_over_shuffled"] == 0.0
    assert diagnostics["would_pass_shuffled"] is True


def test_the_baseline_of_two_messages_is_known() -> None:
    record = game(messages=[("Alpha", "one"), ("Bravo", "Alpha!")])
    diagnostics = build_diagnostics(record, rubric(shuffle_count=2000), measure_game(record, rubric()))[
        "coherence"
    ]
    assert diagnostics["shuffled_baseline"] == pytest.approx(25, abs=2)


ROLES = {
    "Alpha": "Mafia",
    "Bravo": "Mafia",
    "Charlie": "Villager",
    "Delta": "Seer",
    "Echo": "Villager",
    "Zulu": None,
}


def finding(speaker: str, text: str, **parameters: object) -> MessageFinding:
    """What the rules say of one message. Alpha and Bravo are mafia, Charlie, Delta and Echo village."""
    return measured("role_consistency", game(messages=[(speaker, text)], roles=ROLES), **parameters).messages[
        0
    ]


# The sixteen sentences that the rubric quotes, each said by the side that it speaks of.
RUBRIC = [
    ("Alpha", "That seems hasty", True),
    ("Alpha", "Let's not jump to conclusions", True),
    ("Alpha", "Let's look at the evidence", True),
    ("Alpha", "I think you're being too harsh on Charlie", True),
    ("Charlie", "Delta and Echo voted together", True),
    ("Charlie", "I think Bravo is Mafia because he lied", True),
    ("Charlie", "Why did you vote for Echo?", True),
    ("Charlie", "I trust Delta's reasoning", True),
    ("Alpha", "I think you're jumping to conclusions about Bravo. We don't have solid evidence yet", True),
    ("Charlie", "Delta voted for Echo without explanation. That's suspicious", True),
    ("Alpha", "I think Echo is definitely Mafia!", False),
    ("Charlie", "Let's not be too hasty", False),
    ("Charlie", "I think Alpha is suspicious because they defended Bravo without evidence", True),
    ("Charlie", "I agree with that", True),
    ("Charlie", "I disagree with Alpha. Their accusation doesn't match the voting pattern", True),
    ("Charlie", "Let's analyze the evidence carefully", True),
]


# Twelve probes: what each rule must see, and what it must leave alone.
PROBES = [
    ("Alpha", "I am mafia, sorry", "confesses"),
    ("Alpha", "I'm not mafia", "nothing_against"),
    ("Alpha", "Bravo is lying", "accuses_fellow"),
    ("Alpha", "Charlie is lying", "nothing_against"),
    ("Alpha", "If Bravo is mafia, we lose", "nothing_against"),
    ("Alpha", "I vote for Bravo", "votes_for_fellow"),
    ("Alpha", "No doubt Charlie is a werewolf", "accuses_with_certainty"),
    ("Charlie", "Delta is a wolf", "accuses_without_reason"),
    ("Charlie", "Echo is innocent", "vouches_without_reason"),
    ("Charlie", "We should slow down", "deflects_without_reason"),
    ("Charlie", 'Delta told me "you are mafia" today', "neutral"),
    ("Charlie", "Delta is a wolf, right?", "asks_question"),
]


MORE = [
    ("Alpha", "My fellow wolves and I will win", "confesses"),
    ("Alpha", "Am I mafia?", "nothing_against"),
    ("Alpha", "You are obviously lying", "accuses_with_certainty"),
    ("Alpha", "Obviously, you are lying", "nothing_against"),
    ("Alpha", "You never lie, Bravo is not guilty", "nothing_against"),
    ("Alpha", "Would Bravo be mafia?", "nothing_against"),
    ("Alpha", "I won't vote for Bravo", "nothing_against"),
    ("Alpha", "My vote goes to Bravo", "votes_for_fellow"),
    ("Alpha", "Alpha is sus", "nothing_against"),
    ("Charlie", "Delta pushed hard, Echo is a wolf", "gives_reason"),
    ("Charlie", "Charlie pushed nobody", "neutral"),
    ("Charlie", "Someone is a wolf", "neutral"),
    ("Charlie", "Without a doubt you are evil", "accuses_without_reason"),
    ("Charlie", "I believe Delta", "vouches_without_reason"),
    ("Charlie", "Hello all", "neutral"),
    ("Zulu", "I am mafia", "unknown_side"),
]


@pytest.mark.parametrize(("speaker", "text", "is_consistent"), RUBRIC)
def test_the_rubrics_sentences_come_out_as_it_says(speaker: str, text: str, *, is_consistent: bool) -> None:
    assert finding(speaker, text).counts is is_consistent


@pytest.mark.parametrize(("speaker", "text", "rule"), PROBES + MORE)
def test_every_finding_names_its_rule(speaker: str, text: str, rule: str) -> None:
    assert finding(speaker, text).rule == rule


def test_there_are_sixteen_sentences_and_twelve_probes() -> None:
    assert (len(RUBRIC), len(PROBES)) == (16, 12)


def test_a_neutral_village_message_is_inconsistent_by_the_other_choice() -> None:
    assert finding("Charlie", "Hello all").counts
    assert not finding("Charlie", "Hello all", role_neutral_village="inconsistent").counts
    assert finding("Charlie", "Why?", role_neutral_village="inconsistent").counts
    assert finding("Alpha", "Hello all", role_neutral_village="inconsistent").counts


def test_an_unknown_side_stays_in_the_denominator() -> None:
    record = game(messages=[("Charlie", "Hello"), ("Zulu", "Hello"), ("Alpha", "I am mafia")], roles=ROLES)
    result = measured("role_consistency", record)
    assert (result.numerator, result.denominator, result.is_pending, result.counted) == (1, 3, True, [1])
    assert figure_value(result) == pytest.approx(100 / 3)
    diagnostics = build_diagnostics(record, rubric(), measure_game(record, rubric()))["role_consistency"]
    assert diagnostics["over_assessable"] == 50.0
    assert diagnostics["not_assessable"] == 1
    assert diagnostics["by_side"] == {
        "mafia": {"numerator": 0, "denominator": 1, "score": 0.0},
        "village": {"numerator": 1, "denominator": 1, "score": 100.0},
    }
    assert diagnostics["positive_sign"] == 0.0


def test_positive_signs_of_both_sides() -> None:
    said = [("Alpha", "Calm down"), ("Bravo", "Hello"), ("Charlie", "Why?"), ("Delta", "Hello")]
    record = game(messages=said, roles=ROLES)
    assert (
        build_diagnostics(record, rubric(), measure_game(record, rubric()))["role_consistency"][
            "positive_sign"
        ]
        == 50.0
    )


@pytest.mark.parametrize(
    ("role", "side"),
    [
        ("Mafia", False),
        ("WEREWOLF", False),
        ("god-father", None),
        ("Godfather", False),
        ("loyal_servant", True),
        ("Seer", True),
        ("Jester", None),
        ("", None),
        (None, None),
    ],
)
def test_roles_have_sides_by_the_map(role: str | None, side: bool | None) -> None:
    record = game(messages=[("Alpha", "I am mafia")], roles={"Alpha": role})
    expected = {None: "unknown_side", False: "confesses", True: "neutral"}[side]
    assert measured("role_consistency", record).messages[0].rule == expected


WORDS = st.text(alphabet="ab cd", max_size=30)


@given(WORDS, WORDS)
def test_similarity_is_token_sort_ratio(one: str, other: str) -> None:
    first, second = " ".join(sorted(one.split())), " ".join(sorted(other.split()))
    shared, whole = token_sort(first, second)
    if whole:
        assert 100 * shared / whole == pytest.approx(fuzz.token_sort_ratio(one, other))


def test_exactly_seventy_is_not_unique() -> None:
    # 7 of 10 characters in common: 2 * 7 / 20 = 70 %.
    record = game(messages=[("Ann", "abcdefghij"), ("Bob", "abcdefgxyz")])
    result = measured("personality_diversity", record)
    assert [finding.similarity for finding in result.players] == [70.0, 70.0]
    assert (result.numerator, result.denominator, figure_value(result)) == (0, 2, 0.0)
    assert measured("personality_diversity", record, similarity_unique_below=70.5).numerator == 2


def test_the_order_of_words_does_not_matter_and_names_are_left_out() -> None:
    record = game(messages=[("Ann", "Bob is very odd"), ("Bob", "odd is, very Ann"), ("Cid", "zzz yyy www")])
    result = measured("personality_diversity", record)
    assert [finding.is_unique for finding in result.players] == [False, False, True]
    assert [finding.nearest for finding in result.players][:2] == [2, 1]
    assert result.counted == [3]


def test_messages_are_joined_in_order() -> None:
    record = game(messages=[("Ann", "one two"), ("Bob", "xyz"), ("Ann", "three")])
    assert [finding.characters for finding in measured("personality_diversity", record).players] == [13, 3]


def test_silent_players_are_listed_and_count_by_choice() -> None:
    record = game(messages=[("Ann", "hello there")], roles={"Ann": None, "Bob": None})
    result = measured("personality_diversity", record)
    assert (result.numerator, result.denominator, result.notes) == (1, 1, ["silent: Bob"])
    assert measured("personality_diversity", record, diversity_players="all").denominator == 2


def test_long_texts_are_cut_and_it_is_said() -> None:
    record = game(messages=[("Ann", "same " * 100 + "ending"), ("Bob", "same " * 100 + "other")])
    result = measured("personality_diversity", record, similarity_max_chars=400)
    assert [finding.similarity for finding in result.players] == [100.0, 100.0]
    assert result.notes == ["compared on the first 400 characters: Ann, Bob"]


def test_players_who_said_no_word_are_alike() -> None:
    assert measured("personality_diversity", game(messages=[("Ann", "..."), ("Bob", "!")])).numerator == 0
    assert figure_value(measured("personality_diversity", game(messages=[("Ann", "...")]))) == 100.0


def test_dice_on_bigrams_is_the_other_measure() -> None:
    # night: ni ig gh ht; nacht: na ac ch ht. One of four and four: 2 * 1 / 8.
    assert dice(bigrams("night"), bigrams("nacht")) == (2, 8)
    record = game(messages=[("Ann", "night"), ("Bob", "nacht")])
    assert measured("personality_diversity", record, similarity="dice_bigrams").players[0].similarity == 25.0


def test_names_can_be_kept() -> None:
    record = game(messages=[("Ann", "Bob Bob Bob"), ("Bob", "Ann Ann Ann")])
    assert measured("personality_diversity", record).players[0].characters == 0
    assert measured("personality_diversity", record, similarity_names=True).players[0].characters == 20


def test_length_matched_texts_have_the_length_of_the_shortest() -> None:
    record = game(messages=[("Ann", "abcd efgh ijkl"), ("Bob", "abcd")])
    diagnostics = build_diagnostics(record, rubric(), measure_game(record, rubric()))["personality_diversity"]
    assert diagnostics["length_matched"] == {"characters": 4, "players": 2, "unique": 0, "score": 0.0}
    assert diagnostics["silent"] == []


def second_look(record: GameRecord) -> dict[str, object]:
    """The diagnostics of M6."""
    return dict(build_diagnostics(record, rubric(), measure_game(record, rubric()))["anti_repetition"])


def test_a_phrase_repeated_by_its_speaker_counts_against_the_score() -> None:
    record = game(
        messages=[("Alpha", "one two three four"), ("Bravo", "hm"), ("Alpha", "one two three five")]
    )
    result = measured("anti_repetition", record)
    assert (result.numerator, result.denominator, figure_value(result), result.counted) == (
        2,
        4,
        50.0,
        [1, 3],
    )
    assert [(item.player, item.phrase, item.count, item.messages) for item in result.phrases] == [
        (1, "one two three", 2, [1, 3])
    ]


def test_a_phrase_of_two_speakers_is_no_repetition_unless_pooled() -> None:
    record = game(messages=[("Alpha", "one two three"), ("Bravo", "one two three")])
    assert figure_value(measured("anti_repetition", record)) == 100.0
    pooled = measured("anti_repetition", record, repetition_scope="pooled")
    assert (figure_value(pooled), pooled.phrases[0].player) == (0.0, 0)


def test_all_names_are_the_same_word() -> None:
    record = game(
        messages=[("Alpha", "I think Bravo"), ("Alpha", "i think, Charlie's")],
        roles={"Bravo": None, "Charlie": None},
    )
    assert [item.phrase for item in measured("anti_repetition", record).phrases] == ["i think [name]"]


@pytest.mark.parametrize(
    ("text", "counted"),
    [("vote Bravo out", 0), ("the mafia vote", 0), ("vote them out", 1), ("Bravo Bravo hm", 0)],
)
def test_phrases_with_fewer_than_two_ordinary_words_do_not_count(text: str, counted: int) -> None:
    record = game(messages=[("Alpha", text)], roles={"Bravo": None})
    assert measured("anti_repetition", record).denominator == counted
    assert measured("anti_repetition", record, repetition_min_ordinary=0).denominator == 1


def test_phrases_stay_inside_a_message() -> None:
    record = game(messages=[("Alpha", "one two"), ("Alpha", "three four"), ("Alpha", "")])
    result = measured("anti_repetition", record)
    assert (result.denominator, result.is_applicable, figure_value(result)) == (0, False, 100.0)


def test_a_phrase_twice_in_one_message_is_repeated() -> None:
    result = measured("anti_repetition", game(messages=[("Alpha", "no no no no")]))
    assert (result.numerator, result.denominator, result.phrases[0].messages) == (0, 2, [1])


def test_variety_is_the_mean_of_all_samples() -> None:
    # Three phrases used 3, 2 and 1 times; two drawn of six: 1 - C(3,2)/15, 1 - C(4,2)/15, 1 - C(5,2)/15.
    expected = (3 - (comb(3, 2) + comb(4, 2) + comb(5, 2)) / comb(6, 2)) / 2
    assert phrase_variety([3, 2, 1], 2) == pytest.approx(100 * expected)
    assert phrase_variety([1] * 300, 300) == pytest.approx(100)
    assert phrase_variety([300], 300) == pytest.approx(100 / 300)
    assert phrase_variety([1] * 299, 300) is None
    assert phrase_variety([], 300) is None


def test_the_most_used_phrases_name_their_speakers() -> None:
    record = game(
        messages=[("Alpha", "one two three"), ("Alpha", "one two three"), ("Bravo", "one two three")]
    )
    assert second_look(record)["top_phrases"] == [
        {
            "phrase": "one two three",
            "count": 3,
            "speakers": [{"player": 1, "count": 2}, {"player": 2, "count": 1}],
            "messages": [1, 2, 3],
        }
    ]


def test_the_rubrics_patterns_to_avoid_are_counted() -> None:
    said = [
        "I think Bravo is suspicious",
        "I agree with Bravo.",
        "Let's look at the evidence!",
        "I AGREE with Alpha",
    ]
    record = game(messages=[("Alpha", text) for text in said], roles={"Bravo": None})
    assert second_look(record)["to_avoid"] == {
        "I think [name] is suspicious": 1,
        "let's look at the evidence": 1,
        "I agree with [name]": 2,
    }


@pytest.mark.parametrize(("uses", "flagged"), [(15, ["i think [name]"]), (14, [])])
def test_fifteen_uses_in_fifty_messages_are_robotic(uses: int, flagged: list[str]) -> None:
    said = [
        ("Alpha" if at % 2 else "Bravo", "I think Charlie" if at < uses else f"w{at} x{at} y{at}")
        for at in range(50)
    ]
    record = game(messages=said, roles={"Charlie": None})
    robotic = second_look(record)["robotic"]
    assert isinstance(robotic, list)
    assert [item["phrase"] for item in robotic] == flagged
    # The rubric calls this a FAIL, yet by no reading of its formula is it one: hence the flag.
    assert measured("anti_repetition", record, repetition_scope="speaker").denominator == 50
