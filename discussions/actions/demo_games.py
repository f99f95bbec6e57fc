"""Short games of the demo's stage, put together from lines written for it; a seed always gives the same game."""

import random
from typing import Any

from msgspec import Struct

OPEN = "open"
# These speak of the votes of round 1, so they can only be said in round 2.
PAST = ("recall", "misrecall")


class Voice(Struct, frozen=True):
    """One kind of agent: its role, and its lines for every beat of a game."""

    key: str
    personality: str
    role: str
    open: list[str]
    plain: list[str]
    answer: list[str]
    case: list[str]
    bold: list[str]
    recall: list[str]
    misrecall: list[str]
    echo: str


class Voices(Struct, frozen=True):
    """What all games are made of."""

    names: list[str]
    votes: list[str]
    chorus: str
    voices: list[Voice]


class Sketch(Struct, frozen=True):
    """One game as the plan has it: how many agents, how many messages of each beat, how many end in a stock phrase.

    An opening message comes before all beats. The phrase is each agent's own, or with `is_chorus` one for all. Without
    a cost or cache rate the transcript reports none.
    """

    id: str
    agents: int
    beats: dict[str, int]
    echoes: int
    tokens: int
    is_chorus: bool = False
    cost: float | None = None
    cache: float | None = None
    questions: str = ""
    rating: str = ""


class Played(Struct, frozen=True):
    """A game in the native format; `wrong` are the positions of messages that misremember a vote."""

    sketch: Sketch
    body: dict[str, Any]
    wrong: list[int]


def play(sketch: Sketch, voices: Voices, played: str) -> Played:
    """The game of that sketch, as played at that moment."""
    game = _Game(sketch, voices)
    return Played(sketch, game.to_builtins(played), game.wrong)


class _Game:
    """A game while it is being put together."""

    def __init__(self, sketch: Sketch, voices: Voices) -> None:
        self.sketch, self.chorus, self.draw = sketch, voices.chorus, random.Random(sketch.id)
        self.cast = dict(zip(self.draw.sample(voices.names, sketch.agents), voices.voices, strict=False))
        self.left = {name: self._shuffled(voice) for name, voice in self.cast.items()}
        names = list(self.cast)
        self.mafia = next(name for name in names if self.cast[name].role == "MAFIA")
        self.gone = self.draw.choice([name for name in names if name != self.mafia])
        self.votes = self._votes(1, names, self.gone, voices.votes)
        alive = [name for name in names if name != self.gone]
        self.votes += self._votes(2, alive, self.mafia, voices.votes)
        self.messages: list[dict[str, Any]] = []
        self.wrong: list[int] = []
        self._talk(names, alive)

    def to_builtins(self, played: str) -> dict[str, Any]:
        """The game as the native format has it."""
        sketch = self.sketch
        cost = {"totalUsd": sketch.cost, "inputTokens": sketch.tokens, "cacheHitRate": sketch.cache}
        return {
            "gameId": sketch.id,
            "timestamp": played,
            "metadata": {"cost": {key: value for key, value in cost.items() if value is not None}},
            "players": [
                {"name": name, "role": voice.role, "personality": voice.personality}
                for name, voice in self.cast.items()
            ],
            "messages": self.messages,
            "votes": self.votes,
            "eliminations": [
                {"roundNumber": number, "playerName": name, "how": "voted out"}
                for number, name in ((1, self.gone), (2, self.mafia))
            ],
        }

    def _shuffled(self, voice: Voice) -> dict[str, list[str]]:
        """The voice's lines in an order of this game; each is said once."""
        lines = {beat: list(getattr(voice, beat)) for beat in (OPEN, *self.sketch.beats)}
        for said in lines.values():
            self.draw.shuffle(said)
        return lines

    def _votes(self, number: int, names: list[str], out: str, because: list[str]) -> list[dict[str, Any]]:
        """Everybody votes the same one out, but for that one and one more."""
        other = self.draw.choice([name for name in names if name != out])
        return [
            {
                "roundNumber": number,
                "voterName": name,
                "targetName": self._target(name, names, out, is_apart=name in (out, other)),
                "justification": self.draw.choice(because),
            }
            for name in names
        ]

    def _target(self, voter: str, names: list[str], out: str, *, is_apart: bool) -> str:
        others = [name for name in names if name not in (voter, out)]
        return self.draw.choice(others) if is_apart else out

    def _talk(self, names: list[str], alive: list[str]) -> None:
        """An opening, then the beats in a drawn order, those about the past in the second round."""
        beats = [beat for beat, count in self.sketch.beats.items() for _ in range(count)]
        now = [beat for beat in beats if beat not in PAST]
        self.draw.shuffle(now)
        past = [beat for beat in beats if beat in PAST]
        half = (len(beats) + 1) // 2
        first, second = [OPEN, *now[: half - 1]], [*now[half - 1 :], *past]
        self.draw.shuffle(second)
        speakers = self._turns(names, len(first))
        speakers += self._turns(alive, len(second), last=speakers[-1])
        echoes = self._echoes(speakers)
        for place, (beat, name) in enumerate(zip([*first, *second], speakers, strict=True)):
            line = self._line(name, beat) + echoes.get(place, "")
            self._say(1 if place < len(first) else 2, name, line)

    def _echoes(self, speakers: list[str]) -> dict[int, str]:
        """Where the stock phrases go: all messages of one agent after the other, or of each agent one."""
        places = range(1, len(speakers))
        if self.sketch.is_chorus:
            order = sorted(places, key=lambda place: speakers[:place].count(speakers[place]))
        else:
            order = sorted(places, key=lambda place: (-speakers.count(speakers[place]), speakers[place]))
        said = {
            name: self.chorus if self.sketch.is_chorus else voice.echo for name, voice in self.cast.items()
        }
        return {place: f" {said[speakers[place]]}" for place in order[: self.sketch.echoes]}

    def _turns(self, names: list[str], count: int, last: str = "") -> list[str]:
        """Who speaks: all in a drawn order, and nobody twice in a row."""
        turns: list[str] = []
        while len(turns) < count:
            order = self.draw.sample(names, len(names))
            if order[0] == (turns[-1] if turns else last):
                order.reverse()
            turns += order
        return turns[:count]

    def _line(self, name: str, beat: str) -> str:
        """A line of that beat; where the voice has none left, one of its cases or plain remarks."""
        lines = next(
            (
                self.left[name][each]
                for each in (beat, "case", "plain", "answer")
                if self.left[name].get(each)
            ),
            [self.cast[name].echo],
        )
        return lines.pop().format(**self._named(name, beat))

    def _named(self, name: str, beat: str) -> dict[str, str]:
        recent = [each["playerName"] for each in self.messages[-3:] if each["playerName"] != name]
        vote = self.draw.choice([each for each in self.votes if each["roundNumber"] == 1])
        voter, voted = vote["voterName"], vote["targetName"]
        if beat == "misrecall":
            voted = self.draw.choice([other for other in self.cast if other not in (voter, voted)])
            self.wrong.append(len(self.messages) + 1)
        return {"other": recent[-1] if recent else "", "voter": voter, "voted": voted}

    def _say(self, number: int, name: str, text: str) -> None:
        place = len(self.messages) + 1
        self.messages.append(
            {"id": f"m{place}", "turn": place, "roundNumber": number, "playerName": name, "message": text}
        )
