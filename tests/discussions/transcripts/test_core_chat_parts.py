"""Several games in a text, the rounds of its days, and lines that nobody says."""

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.readers.columns import GAMES, MappingRecord
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from tests.factories.reading import read_transcripts

NAMES, ROLES = ("Ann", "Bea", "Cid"), ("SEER", "DOCTOR", "MAFIA")
SAID = {number: [(name, f"{name} says this on day {number}.") for name in NAMES] for number in (1, 2, 3)}


def text(*parts):
    """Lines of parts: a line, or the number of a day, whose messages follow."""
    lines = []
    for part in parts:
        lines += [part] if isinstance(part, str) else [f"{name}: {said}" for name, said in SAID[part]]
    return "\n".join(lines).encode()


def told(data, **options):
    found = read_transcripts(data, "log.txt", **options)
    assert not [fault for fault in found.faults if not fault.is_warning]
    return [[(row.round, row.text) for row in game.record.messages] for game in found.games]


def one_game(*days):
    return [(day, said) for day in days for _name, said in SAID[day]]


@pytest.mark.parametrize(
    "title", ["Game {}", "Match #{}", "Game {} begins.", "Starting game {}", "=== Game {} ==="]
)
def test_titles_of_games_begin_them(title):
    data = text(title.format(1), "Day 1", 1, "Day 2", 2, title.format(2), "Day 1", 1, "Day 2", 2)
    assert told(data) == [one_game(1, 2), one_game(1, 2)]


@pytest.mark.parametrize("title", ["### Huddle behind the barn", "### Le repaire", "#### 2.1 The cellar"])
def test_titles_of_markdown_that_are_not_known_are_asked_about(title):
    data = text(
        "# A game", "## Day 1", "", 1, "", title, "", "**Cid**: CANARY, we take Ann.", "## Day 2", "", 2
    )
    (fault,) = read_transcripts(data, "log.md").faults
    assert fault.code == "unknown_columns"
    assert told(text("# A game", "## Day 1", "", 1, "## Day 2", "", 2)) == [one_game(1, 2)]


@pytest.mark.parametrize("heading", ["Day {}", "--- Day {} ---", "Day {} begins."])
def test_whether_rounds_that_begin_again_are_one_game_is_asked(heading):
    parts = [part for _game in "ab" for day in (1, 2) for part in (heading.format(day), day)]
    data = text(*parts)
    (fault,) = read_transcripts(data, "log.txt").faults
    assert (fault.code, fault.place) == ("unknown_columns", "log.txt line 9")
    mapping = propose_mapping(read_head(data, is_part=False))
    assert mapping.fields == {"round": "round", "player": "player", "text": "text"}
    for said, games in (("several", [one_game(1, 2)] * 2), ("one", [one_game(1, 2) * 2])):
        own = replace(mapping, settings={GAMES: said})
        found = [sorted(game) for game in told(data, columns=[own])]
        assert found == [sorted(game) for game in games]


def test_the_rounds_of_each_day_are_no_rounds_of_the_game():
    data = text(
        "=== Day 1 ===", "--- Round 1 ---", 1, "--- Round 2 ---", 1, "=== Day 2 ===", "--- Round 1 ---", 2
    )
    assert told(data) == [one_game(1, 1, 2)]
    assert told(text("=== Round 1 ===", 1, "=== Round 2 ===", 2)) == [one_game(1, 2)]


@pytest.mark.parametrize(
    "says",
    ["Day {} begins.", "It is day {}.", "Welcome to day {}.", "The sun rises on day {}.", "Round {} starts!"],
)
def test_days_that_nobody_announces_are_rounds(says):
    data = text(says.format(1), 1, says.format(2), "Discussion, turn 1", 2)
    assert told(data) == [one_game(1, 2)]


def test_nights_that_nobody_announces_are_private():
    data = text("Day 1 begins.", 1, "Night 1 begins.", 3, "Day 2 begins.", 2, "Night 2 begins.", 3)
    (game,) = read_transcripts(data, "log.txt").games
    assert [row.text for row in game.record.messages] == [said for _day, said in one_game(1, 2)]


@pytest.mark.parametrize(
    "line",
    ["Voting begins.", "Nobody was eliminated.", "End of discussion", "The werewolves win.", "GAME OVER"],
)
def test_lines_of_a_program_are_no_part_of_the_text_above(line):
    data = text("Day 1", ("Ann: Hello, Bea."), line, "Bea: Hello, Ann.", line, 1)
    (game,) = told(data)
    assert [said for _round, said in game][:2] == ["Hello, Bea.", "Hello, Ann."]
    # What one player says each time stays.
    (game,) = told(
        text("Day 1", 1, "Ann: Hello.", "I mean it.", "Bea: Why?", "Ann: I say it again.", "I mean it.")
    )
    assert game[-1] == (1, "I say it again.\nI mean it.")


def test_what_players_say_alike_over_several_lines_stays():
    data = text("Day 1", "Ann: Hello.", "I rest my case.", "Bea: Hello.", "I rest my case.", 1)
    (game,) = told(data)
    assert game[:2] == [(1, "Hello.\nI rest my case.")] * 2


def test_days_that_a_recap_repeats_stay_rounds():
    nights = "--- Night 1 ---", "--- Night 2 ---"
    data = text("--- Day 1 ---", 1, nights[0], "--- Day 2 ---", 2, nights[1], "--- Day 3 ---", 3)
    assert told(data) == [one_game(1, 2, 3)]


def test_that_a_game_is_over_may_be_said_once():
    assert told(text("Day 1", 1, "Day 2", 2, "Villagers win!")) == [one_game(1, 2)]
    assert told(text("Day 1", 1, "Day 2", 2, "We win!"))[0][-1] == (2, SAID[2][-1][1] + "\nWe win!")


def test_an_answer_for_tables_says_nothing_of_texts():
    data = text("Day 0", 1, "Day 1", 2, "Day 0", 1, "Day 1", 2)
    table = MappingRecord(["who", "what"], {"player": "who", "text": "what"}, settings={GAMES: "one"})
    (fault,) = read_transcripts(data, "log.txt", columns=[table]).faults
    assert (fault.code, fault.place) == ("unknown_columns", "log.txt line 9")


def test_flags_of_who_hears_may_be_marks_alone():
    rows = [f"{name},{said},1,1,1" for number in (1, 2) for name, said in SAID[number]]
    head = "speaker,text,Ann_visible,Bea_visible,Cid_visible"
    data = "\n".join([head, *rows, "Ann,I am the wolf.,,,", "Ann,Join me.,1,1,"]).encode()
    table = read_head(data, is_part=False)
    assert [row.cells[-1] for row in table.rows][-2:] == ["[]", "Ann, Bea"]


def test_what_follows_a_name_may_hide_its_text():
    rows = [f'assistant,"{name}: {said}"' for number in (1, 2) for name, said in SAID[number]]
    for verb in ("whispers", "thinks", "messaged Bea"):
        data = "\n".join(["role,content", *rows, f'assistant,"Ann {verb}: kill Cid"']).encode()
        assert read_transcripts(data, "log.csv").games == []


@pytest.mark.parametrize("rule", ["=" * 40, "-" * 20, ""])
@pytest.mark.parametrize("head", ["{} (Round {}):", "## {} (round {})", "{}"])
@pytest.mark.parametrize(
    "parts", [("PRIVATE THOUGHTS:", "PUBLIC MESSAGE (what others see):"), ("Thinking:", "**Speech:**")]
)
def test_titles_below_a_name_say_what_it_thinks_and_what_it_says(rule, head, parts):
    lines = ["FULL LOG", ""]
    for day in (1, 2):
        # A round in brackets behind a name begins one, too.
        lines += ["#" * 30, f"# ROUND {day}", "#" * 30] if head == "{}" or rule else []
        for name, said in SAID[day]:
            lines += [
                rule,
                head.format(name, day),
                rule,
                parts[0],
                f"CANARY of {name}.",
                "",
                parts[1],
                said,
                "",
            ]
    found = read_transcripts("\n".join(lines).encode(), "log.txt")
    (game,) = found.games
    assert [(row.round, row.text) for row in game.record.messages] == one_game(1, 2)
    assert len(game.private) == 6


def test_a_tree_has_players_below_its_parts():
    lines = ["GAME"]
    for day in (1, 2):
        lines += ["", f"DAY {day}", "├── 💬 DISCUSSION (2 per player)"]
        lines += [
            f'│   ├── {name} ({role}): "🔒 THINK: CANARY. 📢 SAYS: {said}"'
            for (name, said), role in zip(SAID[day], ROLES, strict=True)
        ]
        lines += ["│", "└── 🗳️ VOTING PHASE", "    ├── Ann → Bea", "    └── Bea → Ann"]
    (game,) = read_transcripts("\n".join(lines).encode(), "log.txt").games
    assert [(row.round, row.text) for row in game.record.messages] == one_game(1, 2)
    assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [
        *((day, *vote) for day in (1, 2) for vote in ((1, 2), (2, 1)))
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "Day 1\nAnn: One.\nBea: Two.\nAnn: Three.\nNight 1\nAnn: CANARY.\nVote\nAnn: CANARY.\nDay 2\nBea: Four.",
        "Ann:\nMESSAGE (wolves only):\nCANARY.\nBea:\nMESSAGE:\nTwo.\nAnn:\nMESSAGE:\nThree.\nBea:\nMESSAGE:\nFour.",
        "Ann:\nACTION:\nCANARY.\nBea:\nMESSAGE:\nTwo.\nAnn:\nMESSAGE:\nThree.\nBea:\nACTION:\nCANARY.",
        "├── Chat (wolves only)\n│   ├── Ann (wolf): CANARY\n│   └── Cid: CANARY\n├── Talk\n│   └── Ann (wolf): 1.",
        "Day 1\n[Ann] says: One.\n[Bea] says: Two.\n[Ann] (wolves): CANARY\n[Bea] says: Three.\n[Ann] says: Four.",
    ],
)
def test_what_brackets_or_nights_hide_stays_hidden_in_parts(lines):
    for game in read_transcripts(lines.encode(), "log.txt").games:
        assert not [message for message in game.record.messages if "CANARY" in message.text]


def test_that_somebody_votes_is_text_where_no_title_stands_apart():
    lines = "Day 1\nAnn: One.\nBea: Two.\nAnn: I say it now.\nVote!\nBea: No."
    assert (1, "I say it now.\nVote!") in told(lines.encode())[0]


def test_who_speaks_once_below_a_name_is_a_player():
    lines = "\n".join(
        f"{name}:\nMESSAGE:\n{name} speaks {at}."
        for at, name in enumerate(("Ann", "Bea", "Cid", "Ann", "Bea"))
    )
    (game,) = read_transcripts(lines.encode(), "log.txt").games
    assert [message.text for message in game.record.messages][2] == "Cid speaks 2."
    assert [player.name for player in game.record.players] == [*NAMES]


def test_a_sentence_below_a_name_is_its_text_however_often_it_comes_back():
    said = [
        (name, f"I doubt you, as in round {number}.") for number in (1, 2) for name in ("Ann", "Bea", "Cid")
    ]
    lines = [part for name, text in said for part in (f"[10:00] {name}:", text)]
    (game,) = read_transcripts("\n".join(lines).encode(), "chat.txt").games
    assert [message.text for message in game.record.messages] == [text for _name, text in said]
