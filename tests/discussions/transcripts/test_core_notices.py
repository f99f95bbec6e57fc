"""What chat programs write in place of messages: left out of every format, with a count."""

import json

import pytest

from discussions.transcripts.core.notices import is_notice, split_notice
from tests.factories.reading import read_transcripts

PHONE = """\
31/01/2026, 10:05 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
31/01/2026, 10:05 - Ann created group "Wolves"
31/01/2026, 10:06 - Ann: Good morning
31/01/2026, 10:07 - Bea: <Media omitted>
31/01/2026, 10:08 - Cid: This message was deleted
31/01/2026, 10:08 - Bea: <Media omitted>
Look at this
31/01/2026, 10:09 - Ann: I vote Bea <This message was edited>
31/01/2026, 10:10 - Bea left
31/01/2026, 10:12 - Cid: Why?
"""
OTHER_PHONE = """\
[31/01/2026, 10:05:00] Wolves: \u200eMessages and calls are end-to-end encrypted. Only people in this chat can read.
[31/01/2026, 10:05:01] Wolves: \u200eAnn added Bea
[31/01/2026, 10:05:03] Ann: Hello Bea
\u200e[31/01/2026, 10:05:04] Bea: \u200eimage omitted
[31/01/2026, 10:05:05] Bea: Hello Ann
"""
IRC = """\
[20:19] <Ann> Hello Bea
[20:20] *** Cid joined #wolf
[20:20] <Bea> Hello Ann
[20:21] -!- Cid has quit (bye)
"""
PLAIN = "Ann: Hello Bea, all\nCid joined the game.\nBea: Hello Ann\nAnn: image omitted\nBea: Who begins?\nAnn: Me.\n"


@pytest.mark.parametrize(
    ("text", "said", "count"),
    [
        (
            PHONE,
            [("Ann", "Good morning"), ("Bea", "Look at this"), ("Ann", "I vote Bea"), ("Cid", "Why?")],
            7,
        ),
        (OTHER_PHONE, [("Ann", "Hello Bea"), ("Bea", "Hello Ann")], 3),
        (IRC, [("Ann", "Hello Bea"), ("Bea", "Hello Ann")], 2),
        (PLAIN, [("Ann", "Hello Bea, all"), ("Bea", "Hello Ann"), ("Bea", "Who begins?"), ("Ann", "Me.")], 2),
    ],
)
def test_notices_are_no_messages_and_their_writers_no_players(text, said, count):
    (game,) = read_transcripts(text.encode(), "chat.txt").games
    names = [player.name for player in game.record.players]
    assert [(names[message.player - 1], message.text) for message in game.record.messages] == said
    assert sorted(names) == sorted({name for name, _text in said})
    (told,) = [warning.message for warning in game.warnings if warning.code == "notice"]
    assert told.startswith(f"Notices of the chat program were left out: {count} (")


def test_notices_are_left_out_of_rows_too_and_a_game_of_nothing_else_is_refused():
    rows = [{"player": "Ann", "text": "Hello."}, {"player": "Bea", "text": "<Media omitted>"}]
    (game,) = read_transcripts("\n".join(map(json.dumps, rows)).encode(), "a.jsonl").games
    assert [message.text for message in game.record.messages] == ["Hello."]
    read = read_transcripts("\n".join(json.dumps(rows[1]) for _time in range(2)).encode(), "a.jsonl")
    assert ([fault.code for fault in read.faults], read.games) == (["no_messages"], [])


@pytest.mark.parametrize(
    ("text", "author"),
    [
        *[
            (text, "")
            for text in (
                "<Medien ausgeschlossen>",
                "imagen omitida",
                "Ce message a été supprimé",
                "GIF omitted",
            )
        ],
        *[
            (text, "")
            for text in ("Missed voice call", "You deleted this message.", "IMG-1.jpg (file attached)")
        ],
        *[
            (text, "Ann")
            for text in ("Ann left", "Ann joined using this group's invite link", "Ann was removed")
        ],
    ],
)
def test_notices_of_many_programs_and_languages(text, author):
    assert split_notice(text, author) == ("", text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "I think the image was omitted",
            "Ann left us no choice",
            "Bea left the game early and lied",
            "<b>Hi</b>",
        ),
        *(
            "This message was deleted? I do not believe that, Bea.",
            "the document",
            "Did you read mafia.txt (again)",
        ),
    ],
)
def test_what_people_say_is_no_notice(text):
    assert split_notice(text, "Ann") == (text, "")
    assert not is_notice(text)


@pytest.mark.parametrize(
    "notice", ["-!- gm changed the topic of #wolf to: Day 2", "-!- Day 2", '*** Topic set to: "Day 2"']
)
def test_a_notice_may_begin_a_round(notice):
    data = f"[20:18] -!- Day 1\n{IRC}[20:22] {notice}\n[20:23] <Ann> And now?\n[20:24] <Bea> Wait.\n"
    (game,) = read_transcripts(data.encode(), "chat.txt").games
    assert [message.round for message in game.record.messages] == [1, 1, 2, 2]
