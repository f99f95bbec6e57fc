"""Names are hidden in the test of who said it however they are written, and other words stay."""

import unicodedata

import pytest
from rapidfuzz.distance import OSA

from discussions.adjudication.core.authorship_test import DrawRule, build_shown_test, draw_test
from discussions.adjudication.core.hidden_names import hide_names, may_name
from discussions.adjudication.core.judgeable import join_seeds
from tests.factories.metrics import game

PLAYERS = ("player-5", "player-12", "Morgan", "Isabella", "Bea")
AMBIGUOUS = frozenset({"will", "mark", "grace"})


def hidden(text, names=PLAYERS):
    return hide_names(text, tuple(names), AMBIGUOUS)


@pytest.mark.parametrize(
    "written",
    [
        *("player-5", "PLAYER-5", "player-5s", "player-5S", "Player 5", "player_5", "player5", "Player5s"),
        *(
            "player.5",
            "player–5",
            "player - 5",
            "player #5",
            "players 5",
            "playr-5",
            "plyaer 5",
            "player five",
        ),
        *("P5", "p5", "p5s", "P-5", "@player-5", "@player_5s", "@Player5", "@thePlayer5", "@p5"),
        *("Morgan", "morgan", "MORGAN", "Morgans", "morgans", "MORGANS", "Morgan-s"),
        *(
            "Morga",
            "morga",
            "Morgas",
            "Mrogan",
            "Morgann",
            "Moragn",
            "Mogran",
            "Morgen",
            "Morgaaaan",
            "Margon",
        ),
        *("@morgan", "@Morgan_x", "@TeamMorgan", "@morga", "team_morgan", "#Morgan", "M0rgan"),
        *("Isabela", "isabelas", "Izabela", "Isabellla", "Isabellas", "Bea", "BEA", "Beas", "beas", "Beaa"),
    ],
)
def test_a_name_is_hidden_however_it_is_written(written):
    assert hidden(f"So {written} lied, and I know it.") == (
        "So #[name] lied, and I know it." if written[0] == "#" else "So [name] lied, and I know it."
    ).replace("[name]", "team_[name]" if written.startswith("team_") else "[name]")


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u00b4", "`"])
def test_a_possessive_with_any_apostrophe_keeps_only_its_ending(apostrophe):
    for name in ("player-5", "Player 5", "morgan", "Morga", "player_12"):
        assert hidden(f"And {name}{apostrophe}s claim") == f"And [name]{apostrophe}s claim"


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("given", ["NFC", "NFD"])
def test_a_name_is_hidden_in_every_form_of_unicode(form, given):
    names = [unicodedata.normalize(given, name) for name in ("Zoë", "Élodie", "Søren", "Ирина")]
    for name in (
        "Zoë",
        "Zoës",
        "zoë",
        "ZOE",
        "Élodie",
        "Elodies",
        "élodi",
        "Søren",
        "Ирина",
        "ирин",
        "Ирины",
    ):
        text = unicodedata.normalize(form, f"and {name} lied")
        assert hidden(text, names) == "and [name] lied", name


def test_letters_that_look_alike_and_signs_without_width_hide_no_name():
    assert hidden("And \u041corgan and Mor\u200bgan and \uff2dorgan.") == "And [name] and [name] and [name]."


def test_a_name_without_spaces_around_it_is_hidden():
    assert hidden("我觉得李雷说谎", ("李雷", "韩梅梅")) == "我觉得[name]说谎"


@pytest.mark.parametrize(
    ("names", "text", "shown"),
    [
        (("DarkHorse",), "A dark horse, Dark-Horses, darkhorse", "A [name], [name], [name]"),
        (
            ("Mary Louise", "Bea"),
            "Mary, marylouise, Louise's, Mary-Luise",
            "[name], [name], [name]'s, [name]",
        ),
        (("Agent-J", "Agent-X"), "agent j, AgentX, agnet_x", "[name], [name], [name]"),
    ],
)
def test_longer_names_are_hidden_by_their_words_and_joints(names, text, shown):
    assert hidden(text, names) == shown


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("Ann", "Bea", "Cid"), "I like Annabel and any beat near the sea; he did act."),
        (("player-5", "player-12"), "Five players voted in round 5 and 12 of 15 did not."),
        (("Agent-J", "Agent-X"), "The agents jump, and an agent explains."),
        (("Will", "Mark"), "I will mark it well; he marks what he wills."),
        (("Dora", "Ezra"), "The door has an extra verb: a door, very dear."),
        (("Morgan",), "Moreover this morning more people vote."),
        (("A", "I"), "As is."),
    ],
)
def test_other_words_stay(names, text):
    assert hidden(text, names) == text


def test_a_name_that_is_a_word_is_hidden_as_the_game_spells_it():
    assert hidden("Will's plan, Wills plan; Graces idea, Garce?", ("Will", "Grace")) == (
        "[name]'s plan, [name] plan; [name] idea, [name]?"
    )


def chat(*, unclear):
    """Two agents with ten messages each; half of them hold a word that may be the other's name."""
    said = []
    for n in range(10):
        odd = "we find it fine" if unclear and n % 2 else "we think it over"
        said += [("Finn", f"Today {odd} at door {n}."), ("Mirela", f"Then {odd} at gate {n}.")]
    return game(messages=said, roles=dict.fromkeys(("Finn", "Mirela")))


RULE = DrawRule(least=3, most=5)


def drawn_positions(record, seed):
    found = draw_test(record, seed, RULE)
    return [*found.unseen, *(position for positions in found.samples for position in positions)]


def test_a_message_with_what_may_be_a_name_is_not_drawn():
    record = chat(unclear=True)
    unclear = {
        message.position
        for message in record.messages
        if may_name(message.text, ("Finn", "Mirela"), frozenset())
    }
    assert len(unclear) == 10
    for own in range(30):
        positions = drawn_positions(record, join_seeds("game", str(own)))
        assert len(positions) == 10
        assert not unclear & {*positions}


@pytest.mark.parametrize("seed", ["game.own", "game-own", "old"])
def test_a_test_that_began_earlier_keeps_its_messages_and_hides_what_may_be_a_name(seed):
    """Its stored answers name a message by its place: a message left out would turn them round."""
    record = chat(unclear=True)
    assert drawn_positions(record, seed) == drawn_positions(chat(unclear=False), seed)
    shown = build_shown_test(record, draw_test(record, seed, RULE), RULE)
    texts = [*shown.unseen, *(text for sample in shown.samples for text in sample)]
    words = [word.strip(".").casefold() for text in texts for word in text.split()]
    assert len(words) > 50
    assert not [word for word in words if OSA.distance(word, "finn") <= 1]


def test_the_draw_of_an_earlier_seed_is_pinned():
    assert draw_test(chat(unclear=True), "game.own", RULE).unseen == PINNED


PINNED = (8, 1, 2, 17)
