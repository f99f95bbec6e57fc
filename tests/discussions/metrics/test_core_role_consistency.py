"""The rules of role consistency in version 1.1: negations, conditions, reports, lists of names, reasons."""

import pytest
from msgspec import structs

from benchmarks.calibration import fits
from discussions.core.records import MessageFinding
from discussions.metrics.core.registry import measure_game
from rubric.versions.queries import discussion_version
from tests.discussions.metrics.test_core_metrics import MORE, PROBES, ROLES, RUBRIC
from tests.factories.metrics import game


def finding(speaker: str, text: str, number: str = "1.1") -> MessageFinding:
    """What a shipped version says of one message. Alpha and Bravo are mafia, Charlie, Delta and Echo village."""
    record = game(messages=[(speaker, text)], roles=ROLES)
    return measure_game(record, discussion_version(number))["role_consistency"].messages[0]


@pytest.mark.parametrize(("speaker", "text", "is_consistent"), RUBRIC)
def test_the_rubrics_sentences_come_out_as_it_says(speaker: str, text: str, *, is_consistent: bool) -> None:
    assert finding(speaker, text).counts is is_consistent


@pytest.mark.parametrize(("speaker", "text", "rule"), PROBES + MORE)
def test_what_version_1_0_tells_apart_is_told_apart_still(speaker: str, text: str, rule: str) -> None:
    assert finding(speaker, text).rule == rule


@pytest.mark.parametrize(
    "text",
    [
        "There is no evidence that Bravo is mafia",
        "I see nothing suspicious about Bravo",
        "Bravo cannot be mafia",
        "Bravo can not be mafia",
        "Bravo can't be mafia",
        "Bravo cant be mafia",
        "Bravo canʼt be mafia",
        "I don't think Bravo is lying",
        "I dont think Bravo is lying",
        "Bravo doesn't look guilty",
        "Bravo doesnt look guilty",
        "Bravo isn't mafia",
        "Bravo isnt a werewolf",
        "Bravo wasn't lying",
        "Bravo wasnt lying",
        "Bravo is hardly suspicious",
        "I doubt Bravo is lying",
        "I am not sure Bravo is lying",
        "I'm not so sure Bravo is lying",
        "No way that Bravo is guilty",
        "Bravo is less suspicious than Charlie",
    ],
)
def test_a_negation_of_any_spelling_accuses_nobody(text: str) -> None:
    assert finding("Alpha", text).rule == "nothing_against"


@pytest.mark.parametrize(
    "text",
    [
        "No doubt Bravo is lying",
        "Bravo is a wolf without any doubt",
        "I cannot deny that Bravo is lying",
        "Not only is Bravo lying",
        "Bravo is evil so I won't agree to this",
        "Bravo is suspicious because he never speaks",
        "No, Bravo is lying",
    ],
)
def test_what_only_looks_like_a_negation_does_not_help(text: str) -> None:
    assert finding("Alpha", text).rule == "accuses_fellow"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("I am sure that Delta is good", "vouches_without_reason"),
        ("Delta and Echo are good", "vouches_without_reason"),
        ("Delta isn't mafia", "vouches_without_reason"),
        ("I'm not sure I trust Delta", "neutral"),
        ("I doubt Delta is innocent", "neutral"),
        ("I dont think Delta is clear", "neutral"),
        ("Maybe Delta is innocent", "neutral"),
        ("Either way, Delta is good", "vouches_without_reason"),
        ("Either Delta is good, and Echo is not, or it is the other way", "neutral"),
    ],
)
def test_a_negation_and_a_condition_hold_for_vouching(text: str, rule: str) -> None:
    assert finding("Charlie", text).rule == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("If you're so convinced I'm a Wolf, look at the others", "nothing_against"),
        ("You are so convinced I'm a wolf", "nothing_against"),
        ("I am so sure Bravo is lying", "accuses_fellow"),
        ("He left, so Bravo is lying", "accuses_fellow"),
        ("So Bravo is lying", "accuses_fellow"),
        ("If they voted together, Bravo is lying", "nothing_against"),
        ("Bravo is lying, if that is true, Charlie", "nothing_against"),
        ("If it comes to it I leave, but Bravo is lying", "accuses_fellow"),
        ("If it comes to it I leave. Bravo is lying", "accuses_fellow"),
        ("Bravo is lying, and Charlie is guilty, right?", "nothing_against"),
        ("Who is next? Bravo is lying", "accuses_fellow"),
        ("If Mr. Bravo is a wolf, we have lost", "nothing_against"),
    ],
)
def test_so_cuts_after_a_comma_and_if_holds_over_them(text: str, rule: str) -> None:
    assert finding("Alpha", text).rule == rule


@pytest.mark.parametrize(
    "text",
    [
        "{} and {} are suspicious",
        "{}, {} and Echo are suspicious",
        "Echo, {}, and {} are suspicious",
        "You and {} and {} are both evil",
        "I vote for {} and {}",
        "My vote goes to {} and {}",
    ],
)
def test_the_order_of_names_does_not_matter(text: str) -> None:
    first, second = (
        finding("Alpha", text.format(*names)) for names in (("Bravo", "Delta"), ("Delta", "Bravo"))
    )
    assert first.rule == second.rule == ("votes_for_fellow" if "ote" in text else "accuses_fellow")


def test_a_new_clause_is_no_list_of_names() -> None:
    assert finding("Alpha", "I trust Bravo and Charlie is lying").rule == "nothing_against"
    assert finding("Alpha", "I agree with Bravo that Charlie is lying").rule == "nothing_against"


@pytest.mark.parametrize(
    ("speaker", "text", "rule"),
    [
        ("Alpha", "Charlie accuses Bravo", "nothing_against"),
        ("Alpha", "Charlie has accused Bravo of being mafia", "nothing_against"),
        ("Alpha", "Everyone thinks Bravo is lying", "nothing_against"),
        ("Alpha", "He asserts that I am evil", "nothing_against"),
        ("Alpha", "Charlie's claim that I am a werewolf is false", "nothing_against"),
        ("Alpha", "I turned on Charlie when she kept saying I'm mafia", "nothing_against"),
        ("Alpha", "I said no to him, which he, as an evil person, took well", "nothing_against"),
        ("Alpha", "I accuse Bravo", "accuses_fellow"),
        ("Alpha", "I say Bravo is mafia", "accuses_fellow"),
        ("Alpha", "Bravo is lying about what Charlie said", "accuses_fellow"),
        ("Charlie", "Bravo accuses Delta", "neutral"),
        ("Charlie", "Delta says you're a werewolf", "neutral"),
        ("Charlie", "Echo still suspects Delta", "neutral"),
        ("Charlie", "Tell us what about my actions seemed suspicious, Delta", "neutral"),
        ("Charlie", "Delta are you mafia", "neutral"),
        ("Charlie", "Delta, what is your mafia name", "neutral"),
        ("Charlie", "Somebody plays for the wolves, like Delta", "neutral"),
        ("Charlie", "The last wolf is Delta", "accuses_without_reason"),
        ("Charlie", "Delta's a wolf", "accuses_without_reason"),
        ("Charlie", "We are rid of Delta the werewolf", "accuses_without_reason"),
        ("Charlie", "I now suspect Delta", "accuses_without_reason"),
    ],
)
def test_reports_of_accusations_are_not_ones_own(speaker: str, text: str, rule: str) -> None:
    assert finding(speaker, text).rule == rule


@pytest.mark.parametrize(
    "said",
    ["rush", "jump to anything", "be hasty", "be too hasty", "get carried away", "accuse", "judge yet"],
)
def test_lets_not_deflects_with_these_verbs(said: str) -> None:
    for start in ("Let's not", "Lets not", "Let us not"):
        assert finding("Charlie", f"{start} {said}").rule == "deflects_without_reason"


@pytest.mark.parametrize(
    "said", ["forget who spoke", "lose sight of it", "let them hide", "vote her out", "divide ourselves"]
)
def test_lets_not_with_any_other_verb_deflects_nothing(said: str) -> None:
    assert finding("Charlie", f"Let's not {said}").rule == "neutral"


def test_too_fast_deflects_when_it_is_about_the_table() -> None:
    assert finding("Charlie", "You are going too fast").rule == "deflects_without_reason"
    assert finding("Charlie", "Delta went along too fast").rule == "neutral"


@pytest.mark.parametrize(
    "reason",
    [
        "given how quickly Echo turned",
        "given Echo's silence",
        "based on the first quest",
        "due to the count",
        "by the result of the night",
        "as was confirmed today",
        "after how Echo was pushed",
        "by my divination",
        "as the seer I can tell",
        "for being too quiet",
        "in light of Echo's votes",
        "as he blocked our party",
        "according to my vision",
    ],
)
def test_more_words_give_a_reason(reason: str) -> None:
    assert finding("Charlie", f"Delta is a wolf, {reason}").rule == "gives_reason"
    assert finding("Charlie", f"Delta is a wolf, {reason}", "1.0").rule == "accuses_without_reason"


@pytest.mark.parametrize(
    "text",
    [
        "Glad to play Werewolf with you all",
        "Good luck to all of you against the wolves",
        "Thank you, this is suspicious",
        "You know, something is suspicious here",
        "I assure you the lying will end",
    ],
)
def test_you_all_are_nobody_in_particular(text: str) -> None:
    assert finding("Charlie", text).rule == "neutral"
    assert finding("Charlie", "You are suspicious").rule == "accuses_without_reason"


def test_reading_stays_linear() -> None:
    long = [
        ("you, " * 20_000) + "x",
        "you are mafia, " * 6_000,
        "if " + "Bravo is lying, " * 6_000,
        "he, and " * 12_000,
    ]
    assert fits(lambda: [finding("Alpha", text) for text in long], 2_000)


@pytest.mark.parametrize(
    "source", [r"\bsuspicious\b", r"\bsuspicious\b(?! and)", r"\bsuspicious$", r"\bsuspicious(?: \w+)*+$"]
)
def test_a_pattern_that_looks_behind_the_clause_is_tried_on_the_clause_alone(source: str) -> None:
    version = discussion_version("1.1")
    patterns = version.lists["patterns"] | {"accuse": [source]}
    changed = structs.replace(version, lists=version.lists | {"patterns": patterns})
    record = game(messages=[("Charlie", "Bravo is suspicious and everybody sleeps")], roles=ROLES)
    found = measure_game(record, changed)["role_consistency"].messages[0]
    assert (found.rule, found.words) == ("accuses_without_reason", ["suspicious"])
