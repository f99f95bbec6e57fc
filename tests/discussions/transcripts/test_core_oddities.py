"""What looks odd in a game, on written and on real transcripts; empty messages are left out and counted."""

import json
import os
from pathlib import Path

import pytest
from msgspec import structs

from benchmarks.calibration import fits
from discussions.core.records import GameRecord, Message, Player, Vote
from discussions.transcripts.core.oddities import (
    NOTED,
    ODDITY_CODES,
    ONE_ROUND,
    list_oddities,
    without_repeated,
)
from tests.factories.public_formats import kaggle_replay
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import inspect_sample
from tests.factories.transcripts import as_bytes, native_game, native_message

REAL = Path(os.environ.get("NATIVE_TRANSCRIPTS", Path(__file__).parents[4] / "shared" / "data" / "native"))
needs_real_files = pytest.mark.skipif(
    not REAL.is_dir(), reason="the real transcripts are not on this machine"
)


def said(
    *messages: tuple[int, str, str | None], rounds: list[int] | None = None, players: int = 3
) -> GameRecord:
    """A game of these messages: player, text, time."""
    rounds = rounds or [1] * len(messages)
    return GameRecord(
        game_id="g",
        players=[Player(name=f"P{number}") for number in range(1, players + 1)],
        messages=[
            Message(position=position, player=player, text=text, round=number, time=moment)
            for position, ((player, text, moment), number) in enumerate(
                zip(messages, rounds, strict=True), start=1
            )
        ],
    )


def found(game: GameRecord) -> dict[str, tuple[int, int]]:
    """How many messages look odd, and the first, by code."""
    return {oddity.code.removeprefix("odd_"): (oddity.count, oddity.first) for oddity in list_oddities(game)}


def of_texts(*texts: str) -> dict[str, tuple[int, int]]:
    return found(said(*((1 + number % 3, text, None) for number, text in enumerate(texts))))


def of_times(*times: str | None) -> tuple[int, int] | None:
    return found(said(*((1 + number % 3, f"text {number}", at) for number, at in enumerate(times)))).get(
        "time_back"
    )


def test_a_usual_game_has_nothing_odd():
    assert list_oddities(read_transcripts(as_bytes(native_game()), "a.json").games[0].record) == []


def test_a_repeat_has_the_same_player_text_and_time():
    game = said(
        (1, "Hi", "1"), (1, "Hi", "1"), (2, "Hi", "1"), (1, "Hi", "2"), (3, "Yo", "2"), (1, "Hi", "1")
    )
    assert found(game)["repeated"] == (2, 2)
    assert "repeated" not in found(said((1, "Hi", None), (1, "Hi", None), (2, "Yo", None)))


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (("20:00:05", "20:00:04", "20:00:06"), (1, 2)),
        (("9:59", "10:00", "09:58:59.5"), (1, 3)),
        (("2025-01-15T10:01:00Z", None, "2025-01-15T10:00:00Z"), (1, 3)),
        (("2025-01-15T10:01:00+02:00", "2025-01-15T08:02:00Z"), None),
        (("2025-01-15 10:01", "2025-01-15 10:00"), (1, 2)),
        (("1700000001", "1700000000.5"), (1, 2)),
        (("9", "10"), None),
        (("23:59:59", "00:00:01"), None),
        (("soon", "99:99:99:99", "2025-13-45"), None),
        (("5", "20:00:05", "4"), (1, 3)),
        ((None, None), None),
    ],
)
def test_times_that_run_backwards_are_counted(times, expected):
    assert of_times(*times) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"say": "I am Bea"}',
        'Well. "reasoning": "accuse Ann before she speaks"',
        "{'thought': 'hide'}",
        "```json\n{}",
        "<think>I am the wolf</think> Hello",
        ' {"vote" : 3}',
    ],
)
def test_json_and_private_reasoning_in_a_text_are_odd(text):
    assert of_texts("Hello", text)["leaked"] == (1, 2)


@pytest.mark.parametrize(
    "text", ["I say: no", 'His "reasoning" is odd: thin', "{Bea}", "think again", 'He said "I say: vote"']
)
def test_plain_talk_is_not_called_leaked(text):
    assert "leaked" not in of_texts("Hello", text)


def test_rounds_from_0_are_odd_in_the_file_and_in_the_texts():
    talk = [(1, "a", None), (2, "b", None), (3, "c", None)]
    assert found(said(*talk, rounds=[0, 0, 1]))["round_zero"] == (2, 1)
    named = [(1, "İİİ", None), (2, "In Round 0 I was quiet", None), (3, "night zero: Bea", None)]
    assert found(said(*named))["text_round_zero"] == (2, 2)
    assert "text_round_zero" not in found(said(*named, rounds=[0, 0, 1]))
    assert "text_round_zero" not in of_texts("round 0.5 and round 10", "a ground 0", "day 01")


def test_one_speaker_with_more_than_half_is_odd_among_three_or_more_agents():
    talk = [(1, "a", None), (2, "b", None), (2, "c", None), (2, "d", None)]
    assert found(said(*talk))["one_speaker"] == (3, 2)
    assert "one_speaker" not in found(said(*talk[:3], (1, "e", None)))
    assert "one_speaker" not in found(said(*talk, players=2))


def test_sentences_name_the_count_and_the_first_message():
    game = said((1, "Hi", "1"), (1, "Hi", "1"), (2, "Hi", "1"))
    assert [oddity.says for oddity in list_oddities(game)] == [
        "Messages repeat earlier ones (same agent, text and time): 1 of 3, first message 2.",
        "One agent wrote more than half of the messages: 2 of 3, first message 1.",
    ]


def test_without_repeats_positions_count_anew_and_replies_follow():
    game = said((1, "Hi", "1"), (2, "Yo", "2"), (1, "Hi", "1"), (3, "So", "3"), (3, "So", None))
    replies = {2: (True, 1), 4: (True, 3), 5: (False, 5)}
    messages = [
        structs.replace(
            message,
            has_reply_link=replies.get(message.position, (False, None))[0],
            reply_to=replies.get(message.position, (False, None))[1],
        )
        for message in game.messages
    ]
    shorter = without_repeated(structs.replace(game, messages=messages))
    assert [(message.position, message.text, message.reply_to) for message in shorter.messages] == [
        (1, "Hi", None),
        (2, "Yo", 1),
        (3, "So", 1),
        (4, "So", 4),
    ]
    assert "repeated" not in found(shorter)
    assert without_repeated(shorter) == shorter


def test_long_texts_take_time_in_proportion():
    hostile = [(1, text * 100_000, None) for text in ('"', "{ ", "' ", "round  ")]
    record = said(*((player, text[:100_000], at) for player, text, at in hostile))
    assert fits(lambda: list_oddities(record), 500)


def with_empty(count: int, total: int = 20, empty: object = " ") -> dict[str, object]:
    """A game of so many messages, the last of which have no text."""
    names = ("Ann", "Bea", "Cid")
    messages = [
        native_message(number + 1, names[number % 3], empty if number >= total - count else f"Hello {number}")
        for number in range(total)
    ]
    return native_game(messages=messages)


@pytest.mark.parametrize("empty", ["", " \n", None])
def test_up_to_a_tenth_of_empty_messages_is_left_out_and_counted(empty):
    given = read_transcripts(as_bytes(with_empty(2, empty=empty)), "game.json")
    (game,) = given.games
    assert (len(game.record.messages), given.faults) == (18, [])
    (warning,) = [one for one in game.warnings if one.code not in ODDITY_CODES]
    assert (warning.code, warning.place) == ("empty_message", "game.json /messages/18")
    assert warning.message == "Messages without a text were left out, so no metric counts them: 2."


def test_more_than_a_tenth_of_empty_messages_refuses_the_game():
    given = read_transcripts(as_bytes(with_empty(3)), "game.json")
    assert given.games == []
    assert [fault.code for fault in given.faults] == ["no_text"] * 3


def test_positions_rounds_and_reply_links_pass_over_an_empty_message():
    game = with_empty(0)
    game["messages"][4] |= {"message": "", "roundNumber": 2}
    game["messages"][5] |= {"inReplyToId": "4"}
    game["messages"][6] |= {"inReplyToId": "6"}
    game["messages"][7] |= {"inReplyToId": "5"}
    for later in game["messages"][5:]:
        later["roundNumber"] = None
    (read,) = read_transcripts(as_bytes(game), "game.json").games
    messages = read.record.messages
    assert [message.position for message in messages] == list(range(1, 20))
    assert (messages[3].round, messages[4].round) == (1, 2)
    assert (messages[4].reply_to, messages[5].reply_to) == (4, 5)
    assert (messages[6].has_reply_link, messages[6].reply_to) == (True, None)
    assert {"empty_message", "unresolved_reply"} <= {warning.code for warning in read.warnings}


def test_an_empty_message_of_an_unknown_speaker_is_still_a_fault():
    game = with_empty(1)
    game["messages"][19]["playerName"] = "Narrator"
    given = read_transcripts(as_bytes(game), "game.json")
    assert [fault.code for fault in given.faults] == ["unknown_player"]


def odd_in_file(name: str) -> dict[str, tuple[int, int]]:
    (game,) = read_transcripts((REAL / name).read_bytes(), name).games
    return found(game.record)


@needs_real_files
def test_real_games_show_what_is_known_to_be_wrong_with_them():
    assert odd_in_file("llmafia-0015.json") == {"repeated": (79, 27), "time_back": (12, 27)}
    assert odd_in_file("werewolf_arena-session_20250418_181926.json") == {"leaked": (6, 4)}
    assert odd_in_file("werewolf_arena-session_20250504_202530.json") == {"text_round_zero": (2, 16)}


@needs_real_files
def test_a_real_game_without_its_repeats_has_half_of_its_messages():
    (game,) = read_transcripts((REAL / "llmafia-0015.json").read_bytes(), "llmafia-0015.json").games
    shorter = without_repeated(game.record)
    assert (len(game.record.messages), len(shorter.messages)) == (161, 82)
    assert set(found(shorter)) == {"time_back"}


@needs_real_files
def test_most_real_games_have_nothing_odd_and_their_leaks_are_real():
    odd = {path.name for path in REAL.glob("*.json") if odd_in_file(path.name)}
    assert len(odd) == 9
    leaked = {path.name for path in REAL.glob("*.json") if "leaked" in odd_in_file(path.name)}
    raw = {
        path.name
        for path in REAL.glob("*.json")
        if any('"reasoning"' in message["message"] for message in json.loads(path.read_bytes())["messages"])
    }
    assert leaked == raw


def test_oddities_are_warnings_of_the_game_with_codes_of_their_own():
    messages = [
        native_message(1, "Ann", "Hi"),
        native_message(1, "Ann", "Hi"),
        native_message(2, "Bea", "Yo"),
    ]
    (game,) = read_transcripts(as_bytes([native_game(messages=messages)]), "a.json").games
    assert [(warning.place, warning.is_warning) for warning in game.warnings] == [("a.json /0", True)] * 2
    assert {warning.code for warning in game.warnings} <= ODDITY_CODES


def noted(data: bytes, name: str = "games.json") -> list[list[str]]:
    """The codes of the oddities of each game of a file that only its reading shows."""
    read = read_transcripts(data, name)
    assert read.faults == []
    return [[warning.code for warning in game.warnings if warning.code in NOTED] for game in read.games]


def test_a_game_of_one_round_among_games_of_many_is_odd():
    def game(number: int, *rounds: int) -> dict[str, object]:
        said = [(at, name) for at in rounds for name in ("Ann", "Bea")]
        messages = [
            native_message(turn, name, "Hi", roundNumber=at) for turn, (at, name) in enumerate(said, 1)
        ]
        return native_game(gameId=f"g{number}", messages=messages, votes=[])

    many = [game(number, 1, 2) for number in range(8)]
    single = game(9, 1)
    for place in (0, 3, 8):
        games = [*many[:place], single, *many[place:]]
        expected = [[ONE_ROUND] if number == place else [] for number in range(9)]
        assert noted(as_bytes(games)) == expected
    assert noted(as_bytes([single])) == noted(as_bytes([game(1, 1)])) == [[]]
    assert noted(as_bytes([single, game(1, 1), game(2, 1, 2)])) == [[], [], []]


def test_what_only_the_reading_shows_is_odd():
    table = "player,text,round,role,vote\nAnn,Hi,1,SEER,Bea\nAnn,Yo,1,MAFIA,Bea\nBea,No,1,SEER,Ann\n"
    assert noted(table.encode(), "a.csv") == [["role_differs", "vote_repeated"]]
    turns = [{"player": name, "text": "Hi", "role": "SEER"} for name in ("Ann", "Bea")]
    for given in (
        {"players": [{"name": "Ann", "role": "MAFIA"}, {"name": "Bea"}]},
        {"roles": {"Ann": "MAFIA"}},
    ):
        assert noted(json.dumps({"turns": turns} | given).encode()) == [["player_differs"]]
    stopped = kaggle_replay()
    stopped["info"]["GAME_END"]["terminated_with_agent_error"] = True
    assert noted(json.dumps(stopped).encode()) == [["game_stopped"]]
    sample = inspect_sample() | {"error": {"message": "x"}}
    assert noted(json.dumps(sample).encode()) == [["sample_error"]]
    limit = inspect_sample() | {"limit": {"type": "token", "limit": 9}}
    assert noted(json.dumps(limit).encode()) == [["sample_error"]]
    rows = [{"type": "speech", "player": name, "text": "Hi"} for name in ("Ann", "Bea")]
    for said, code in (("Ann timed out; game terminated", ["game_stopped"]), ("one call was repeated", [])):
        log = "\n".join(json.dumps(row) for row in (*rows, {"type": "error", "text": said}))
        assert noted(log.encode(), "a.jsonl") == [code]


def cast_of(*names: str, texts: tuple[str, ...], votes: tuple[tuple[int, int, int], ...] = ()) -> GameRecord:
    """A game of these players, who speak in turn; votes as round, voter, target."""
    return GameRecord(
        game_id="g",
        players=[Player(name=name) for name in names],
        messages=[
            Message(position=position, player=1 + (position - 1) % len(names), text=text, round=1)
            for position, text in enumerate(texts, start=1)
        ],
        votes=[Vote(round=number, voter=voter, target=target) for number, voter, target in votes],
    )


def test_more_votes_than_players_in_a_round_are_odd():
    game = cast_of("Ann", "Bea", texts=("Hi",), votes=((1, 1, 2), (1, 2, 1), (2, 1, 2), (2, 2, 1), (2, 1, 2)))
    assert found(game) == {"many_votes": (1, 2)}


def test_names_of_players_who_are_none_are_odd():
    texts = ("Good day, P2.", "Hello.", "Player 3 is quiet.")
    long_names = ("Player1_Game77_model-a", "Player2_Game77_model-b", "Player3_Game77_model-a")
    # "Player 3" stands in a name of the cast, "P2" in none.
    assert found(cast_of(*long_names, texts=texts)) == {"stranger": (1, 1)}
    assert found(cast_of("P1", "P2", "Player_3", texts=texts)) == {}
    assert found(cast_of("1", "2", "3", texts=(*texts[1:], "Hi."))) == {}


def test_somebody_who_is_voted_for_and_is_not_in_the_cast_is_odd():
    texts = (
        "I vote for Zelda.",
        "Zelda? I voted against Bea.",
        "They vote for Miss Bea, or vote for Nobody.",
    )
    assert found(cast_of("Ann", "Bea", "Cid", texts=texts)) == {"stranger": (2, 1)}
    texts = ("I vote for Bea Lee.", "We vote for Mafia.", "I vote for Trust: I trust nobody.")
    assert found(cast_of("Ann", "Bea Lee", "Cid", texts=texts)) == {}


def test_a_long_game_whose_texts_name_nobody_is_odd():
    texts = ("I have nothing to say.",) * 10
    assert found(cast_of("Ann", "Bea", "Cid", texts=texts)) == {"names_nobody": (1, 1)}
    assert found(cast_of("Ann", "Bea", "Cid", texts=texts[:9])) == {}
    assert found(cast_of("Ann Lee", "Bea", "Cid", texts=(*texts, "Ann lies."))) == {}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("This is only for you, Bea.", "for_one"),
        ("Between you and me, Cid is a wolf.", "for_one"),
        ("Don’t tell the others.", "for_one"),
        ("0 " * 30, "loop"),
        ("Bea must not learn that I am the wolf.", "thinks"),
        ("As the werewolf, I should stay quiet.", "thinks"),
        ("I must not reveal my role.", "thinks"),
        ("For your eyes only: I am it.", "for_one"),
        ("Just between us, I am it.", "for_one"),
        ("Keep this to yourself.", "for_one"),
        ("Das sage ich nur dir, Bea.", "for_one"),
        ("Unter uns gesagt, Cid ist es.", "for_one"),
        ("我只告诉你一个人。", "for_one"),
        ("别告诉别人。", "for_one"),
        ("Esto es solo para ti, Bea.", "for_one"),
        ("Entre tú y yo, es Cid.", "for_one"),
        ("Ce n'est que pour toi, Bea.", "for_one"),
        ("Только тебе скажу это.", "for_one"),
        ("Никому не говори.", "for_one"),
        ("あなただけに言う。", "for_one"),
        ("ここだけの話だ。", "for_one"),
        ("Surtout, ne le dis à personne.", "for_one"),
        ("I must not let them know that I am it.", "thinks"),
        ("Ich darf nicht verraten, dass ich der Wolf bin.", "thinks"),
        ("Niemand darf merken, dass ich es war.", "thinks"),
        ("Je ne dois pas montrer que je suis le loup.", "thinks"),
        ("No debo dejar que sepan que soy el lobo.", "thinks"),
        ("我不能让他们知道我是狼人。", "thinks"),
        ("Никто не должен знать, что я волк.", "thinks"),
        ("私が狼だとバレてはいけない。", "thinks"),
        ("哈" * 90, "loop"),
        ("I agree. " * 60, "loop"),
        ("Ok. " + "I think so. " * 30, "loop"),
        ("!" * 80, "loop"),
        ("<|end|>" * 40, "loop"),
        ("-" * 200, ""),
        ("|" + "---|" * 60, ""),
        ("I agree. " * 3, ""),
        ("There is no trust between us.", ""),
        ("The vote is between us two.", ""),
        ("I must not let them win.", ""),
        ("Ich glaube nur dir.", ""),
        ("Unter uns ist ein Wolf.", ""),
        ("Ich darf nicht fehlen.", ""),
        ("我只相信你。", ""),
        ("我不能让他们赢。", ""),
        ("Entre nosotros hay un lobo.", ""),
        ("No debo olvidar a Bea.", ""),
        ("Entre nous il y a un loup.", ""),
        ("Je ne dois pas oublier Bea.", ""),
        ("Верю только тебе.", ""),
        ("Никто не должен молчать.", ""),
        ("あなただけが怪しい。", ""),
        ("狼が誰か分からない。", ""),
        ("Only you said that, Bea.", ""),
        ("No no no no, Bea.", ""),
        ("As a villager, I should vote.", ""),
        ("You must not hide.", ""),
    ],
)
def test_texts_that_were_hardly_public_are_odd(text, code):
    assert found(cast_of("Ann", "Bea", "Cid", texts=("Hi.", text))) == ({code: (1, 2)} if code else {})


def test_a_denied_vote_is_checked_against_the_record():
    texts = ("I did not vote for Bea.", "I never voted for Ann.", "I didn’t vote Cid.")
    assert found(cast_of("Ann", "Bea", "Cid", texts=texts, votes=((1, 1, 2), (2, 2, 1), (1, 3, 1)))) == {
        "denied": (1, 1)
    }


@pytest.mark.parametrize(
    "text",
    [
        "My vote was not for Bea.",
        "I haven't voted for Bea.",
        "I did not cast a vote against Bea.",
        "I voted for Cid, not Bea.",
        "Ich habe gestern nicht für Bea gestimmt.",
        "Je n'ai pas voté pour Bea.",
        "No voté por Bea.",
        "Nunca he votado a Bea.",
        "Я не голосовала за Bea.",
        "我昨天没有投Bea。",
        "Beaに投票していません。",
    ],
)
def test_a_vote_is_denied_in_many_words(text):
    players = {"texts": (text, "Hi, Ann.", "Hi, Bea.")}
    assert found(cast_of("Ann", "Bea", "Cid", votes=((1, 1, 2),), **players)) == {"denied": (1, 1)}
    assert found(cast_of("Ann", "Bea", "Cid", votes=((1, 1, 3),), **players)) == {}
    assert found(cast_of("Ann", "Bea", "Cid", votes=((1, 1, 2),), texts=("Bea?", text, "Hi."))) == {}
    other = (
        text.replace("für Bea gestimmt", "für Bea gesprochen").replace("vot", "spok").replace("голос", "г")
    )
    other = other.replace("投", "说").replace("Vot", "Spok")
    assert found(cast_of("Ann", "Bea", "Cid", votes=((1, 1, 2),), texts=(other, "Hi.", "Hi."))) == {}
