"""Histories of agents: what was told to all others is public, and nothing else."""

import json

import pytest

from tests.factories.reading import read_transcripts

NAMES = ["Ann", "Bea", "Cid", "Dan", "Eve"]
WOLVES = {"Ann", "Bea"}
OUT, WHY = "Dan", "CANARY: they were quiet."


def said(name, number):
    return f"I am {name}, and on day {number} I would rather hear Cid before we vote."


def plan(name, number):
    return f"CANARY: nobody knows what {name} wants in round {number}."


def whisper(name, number):
    return f"CANARY: {name} says let us take Eve in night {number}, partner."


PLAIN = {
    "say": lambda text, thought: {"content": text, "reasoning_content": thought},
    "vote": lambda name: {"content": json.dumps({"vote": name})},
}
ANSWERS = {
    "plain": PLAIN,
    "names": PLAIN | {"vote": lambda name: {"content": f"{name}."}},
    "own names": {
        "say": lambda text, thought: {
            "content": text if "CANARY" in text else f"{text.split()[2].strip(',')}: {text}",
            "reasoning_content": thought,
        },
        "vote": lambda name: {"content": f"I vote for {name}."},
    },
    "tags": PLAIN | {"say": lambda text, thought: {"content": f"<think>{thought}</think>\n{text}"}},
    "lines": PLAIN | {"say": lambda text, thought: {"content": f"NOTES: {thought}\nSPEECH: {text}"}},
    "json": PLAIN
    | {
        "say": lambda text, thought: {
            "content": f"```json\n{json.dumps({'plan': thought, 'speech': text})}\n```"
        }
    },
    "calls": {
        "say": lambda text, thought: {"content": thought, "tool_calls": [call("speak", {"message": text})]},
        "vote": lambda name: {"content": None, "tool_calls": [call("vote", {"target": name})]},
    },
    "calls alone": {
        "say": lambda text, thought: {
            "tool_calls": [call("think", {"text": thought}), call("speak", {"message": text})]
        },
        "vote": lambda name: {"tool_calls": [call("cast_vote", {"name": name, "because": WHY})]},
    },
    "blocks": {
        "say": lambda text, thought: {
            "content": [{"type": "thinking", "thinking": thought}, {"type": "text", "text": text}]
        },
        "vote": lambda name: {
            "content": [{"type": "tool_use", "id": "1", "name": "vote", "input": {"target": name}}]
        },
    },
}


def call(name, given):
    return {"type": "function", "function": {"name": name, "arguments": json.dumps(given)}}


class Table:
    """Plays two rounds; each agent is told what it hears before it answers, or everything again each time."""

    def __init__(self, answers, *, repeats=False, wording="{name}: {text}"):
        self.answers, self.repeats, self.wording = answers, repeats, wording
        self.chats = {name: [{"role": "system", "content": role_of(name)}] for name in NAMES}
        self.heard = {name: [] for name in NAMES}
        self.new = {name: [] for name in NAMES}
        self.alive = list(NAMES)

    def tell(self, names, line):
        for name in names:
            self.heard[name].append(line)
            self.new[name].append(line)

    def ask(self, name, question, **answer):
        lines = self.heard[name] if self.repeats else self.new[name]
        self.chats[name] += [
            {"role": "user", "content": "\n".join([*lines, question])},
            {"role": "assistant", **answer},
        ]
        self.new[name] = []

    def others(self, name, among):
        return [other for other in among if other != name]

    def play(self, *, ends_by_night=False):
        for number in (1, 2):
            self.tell(self.alive, f"Night {number} falls.")
            self.night(number)
            self.tell(self.alive, f"Day {number} begins.")
            for name in self.alive:
                self.ask(name, "Your turn.", **self.answers["say"](said(name, number), plan(name, number)))
                self.tell(
                    self.others(name, self.alive), self.wording.format(name=name, text=said(name, number))
                )
            for name in self.alive:
                self.ask(name, "Vote.", **self.answers["vote"](OUT if name != OUT else "Ann"))
            if number == 1:
                self.tell(self.alive, f"{OUT} is out.")
                self.alive.remove(OUT)
        if ends_by_night:
            self.night(3)
        return self.chats

    def night(self, number):
        for name in sorted(WOLVES):
            self.ask(
                name,
                "Speak to your partner.",
                **self.answers["say"](whisper(name, number), "CANARY: I hide."),
            )
            self.tell(WOLVES - {name}, f"(wolves) {name}: {whisper(name, number)}")


def role_of(name):
    return f"You are {name}. Your secret role is {'Werewolf' if name in WOLVES else 'Villager'}. CANARY of the rules."


SHAPES = {
    "by name": lambda chats: chats,
    "under agents": lambda chats: {"game_id": "g", "agents": chats},
    "with facts": lambda chats: {
        "players": [{"name": name, "model": "m", "messages": chat} for name, chat in chats.items()]
    },
    "list": lambda chats: [{"agent": name, "history": chat} for name, chat in chats.items()],
    "system apart": lambda chats: {
        name: {"system": chat[0]["content"], "messages": chat[1:]} for name, chat in chats.items()
    },
}


def check(chats):
    return check_bytes(json.dumps(chats).encode())


def check_bytes(data):
    (game,) = read_transcripts(data, "agents.json").games
    record = game.record
    names = [player.name for player in record.players]
    assert [(message.round, names[message.player - 1], message.text) for message in record.messages] == [
        (number, name, said(name, number))
        for number in (1, 2)
        for name in NAMES
        if (number, name) != (2, OUT)
    ]
    assert [player.role for player in record.players] == [
        "Werewolf" if name in WOLVES else "Villager" for name in NAMES
    ]
    votes = {(vote.round, names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes}
    assert votes == {
        (number, name, OUT if name != OUT else "Ann")
        for number in (1, 2)
        for name in NAMES
        if (number, name) != (2, OUT)
    }
    return game


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("answers", ANSWERS)
def test_what_all_others_were_told_is_the_game(answers, repeats):
    game = check(Table(ANSWERS[answers], repeats=repeats).play())
    kept = [(entry.kind, NAMES[entry.player - 1], entry.text, entry.to) for entry in game.private]
    assert ("talk", "Ann", whisper("Ann", 1), [2]) in kept
    hidden = [plan("Cid", 2), "CANARY: I hide.", *([WHY] if answers == "calls alone" else [])]
    assert {text for kind, _who, text, _to in kept if kind == "thought"} >= {*hidden}
    # What is written beside a call is not known to be a thought about its text.
    after = next(entry.after for entry in game.private if entry.text == plan("Cid", 2))
    assert after == (9 if answers == "calls" else 7)


@pytest.mark.parametrize("shape", SHAPES)
def test_histories_are_found_where_people_keep_them(shape):
    check(SHAPES[shape](Table(PLAIN).play()))


def test_wolves_who_talk_last_are_not_public():
    check(Table(PLAIN).play(ends_by_night=True))


def test_histories_that_do_not_say_what_others_were_told_are_refused():
    chats = Table(PLAIN).play()
    alone = {
        name: [
            message | {"content": "Your turn."} if message["role"] == "user" else message for message in chat
        ]
        for name, chat in chats.items()
    }
    outcome = read_transcripts(json.dumps(alone).encode(), "agents.json")
    assert [fault.code for fault in outcome.faults] == ["no_names"]
    assert "What the others were told" in outcome.faults[0].message


def test_an_answer_that_nobody_was_told_is_kept_apart():
    chats = Table(PLAIN).play()
    chats["Cid"].append(
        {"role": "assistant", "content": "CANARY: now that it is over, I was bored all along."}
    )
    game = check(chats)
    assert any("bored" in entry.text for entry in game.private)


def test_memories_tell_who_was_voted_out_when_a_day_ends():
    talk = [(number, name, said(name, number)) for number in (1, 2, 3) for name in NAMES]
    ends = {number: f"Day {number}: {NAMES[-number]} was arrested (villager)" for number in (1, 2)}
    memories = {name: [f"You're {name}."] for name in NAMES}
    for at, (number, who, text) in enumerate(talk, start=1):
        for name, memory in memories.items():
            memory.append(f"You said: {text}" if who == name else f"{who}: {text}")
            memory += [ends[number]] if at % len(NAMES) == 0 and number in ends else []
    state = [{"name": name, "memory": memory} for name, memory in memories.items()]
    cast = [{"name": name, "role": "cop"} for name in [*NAMES, "Fay"]]
    around = {"winner": "good", "start": cast, "state": state}
    (odd,) = read_transcripts(json.dumps(around | {"winner": ["good"]}).encode(), "a.json").games
    assert odd.record.winner is None
    game = json.dumps(around).encode()
    (read,) = read_transcripts(game, "a.json").games
    assert [(one.round, NAMES[one.player - 1], one.text) for one in read.record.messages] == talk
    assert (read.record.winner, read.record.players[-1].name) == ("good", "Fay")
    assert {player.role for player in read.record.players} == {"cop"}


WORDINGS = ['{name} said: "{text}"', "[Day {name}] - {name} (to all) > {text}", "Statement of {name}: {text}"]


@pytest.mark.parametrize("wording", WORDINGS)
def test_what_is_told_may_be_worded_otherwise(wording):
    check(Table(ANSWERS["names"], wording=wording).play())


def test_what_is_told_may_be_a_message_with_a_name():
    chats = Table(PLAIN).play()
    for chat in chats.values():
        for message in list(chat):
            if message["role"] == "user":
                lines = [line.partition(": ") for line in message["content"].split("\n")]
                chat[chat.index(message) : chat.index(message) + 1] = [
                    {"role": "user", "content": text or name} | ({"name": name} if text else {})
                    for name, _colon, text in lines
                ]
    check(chats)


@pytest.mark.parametrize("kind", ["text", "tool_result"])
def test_what_is_told_may_stand_in_parts(kind):
    chats = Table(PLAIN).play()
    for message in (message for chat in chats.values() for message in chat if message["role"] == "user"):
        text = {"type": "text", "text": message["content"]}
        message["content"] = [text if kind == "text" else {"type": kind, "content": [text]}]
    check(chats)


def test_a_name_alone_is_a_vote_only_where_one_was_asked_for():
    chats = Table(PLAIN).play()
    chats["Eve"] += [
        {"role": "user", "content": "Whom do you save?"},
        {"role": "assistant", "content": "Cid."},
    ]
    assert ("thought", 5, "Cid") in [(one.kind, one.player, one.text) for one in check(chats).private]


def test_a_call_says_what_is_a_vote_whatever_was_asked():
    chats = json.dumps(Table(ANSWERS["calls alone"]).play())
    check_bytes(chats.replace("Vote.", "Choose.").encode())


def test_histories_may_stand_on_lines():
    lines = [json.dumps({"agent": name, "messages": chat}) for name, chat in Table(PLAIN).play().items()]
    check_bytes("\n".join(lines).encode())


def test_a_line_that_only_some_were_told_is_not_public():
    def say(text, thought):
        return {"content": f"SPEECH: {text}\nWHISPER to Eve: CANARY, {text}\nNOTES: {thought}"}

    table = Table(PLAIN | {"say": say})
    tell = table.tell

    def tell_whisper_too(names, line):
        tell(names, line)
        if "rather hear" in line and not line.startswith("Eve"):
            tell(["Eve"], f"{line[:3]} whispers: CANARY, {line[5:]}")

    table.tell = tell_whisper_too
    game = check(table.play())
    assert not any("CANARY" in one.text for one in game.record.messages)
    assert any("CANARY, I am Cid" in entry.text for entry in game.private)


def test_a_thought_that_others_say_too_is_not_public():
    chats = Table(PLAIN).play()
    for message in chats["Eve"]:
        if message["role"] == "assistant" and "rather hear" in message["content"]:
            message["reasoning_content"] = "CANARY"
    secret = said("Bea", 1)[:30]
    chats["Eve"].append({"role": "assistant", "content": secret})
    game = check(chats)
    assert any(entry.text == secret for entry in game.private)


def test_memories_in_sentences_say_what_everybody_heard():
    talk = [("Ann", "Good morning, let us begin."), ("Bea", "I slept well."), ("Cid", "Ann, why so early?")]
    talk += [("Bea", "Cid is right to ask."), ("Ann", "Because we lost Dan.")]
    memories = {
        name: [f"You said: {text}" if who == name else f"{who}: {text}" for who, text in talk]
        for name in ("Ann", "Bea", "Cid")
    }
    memories["Ann"].insert(0, "You said: CANARY, we take Dan.")
    memories["Bea"].insert(0, "Ann: CANARY, we take Dan.")
    players = [{"name": name, "memory": ["You are awake.", *memory]} for name, memory in memories.items()]
    read = read_transcripts(
        json.dumps({"game_id": "g", "final": players, "winner": "good"}).encode(), "g.json"
    )
    names = [player.name for player in read.games[0].record.players]
    messages = read.games[0].record.messages
    assert [(names[message.player - 1], message.text) for message in messages] == talk
