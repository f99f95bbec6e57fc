"""A native game that a converter puts together, unchecked, with the place in the foreign file of each part."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from discussions.transcripts.core.audience import kind_of_flag
from discussions.transcripts.core.notes import Notes
from workspace.core.words import mark

# Whom a text begins with: "[Ann]: ", "**Ann:** ".
_NAMED = re.compile(r"[\[(<*_]{0,3}(?P<name>[^\n:：]{1,60}?)[\])>*_]{0,3} ?[:：][*_]{0,3}\s{1,3}(?=\S)")
_LEAST_NAMED = 3
_NAMES_LEFT = mark("Names of speakers before their own texts were left out: {count} (first {what}).")
_BALLOTS = frozenset(
    "approve approved approves reject rejected rejects accept refuse support oppose agree disagree".split()
)
MAFIA, VILLAGER = "MAFIA", "VILLAGER"
VOTED_OUT, KILLED = "voted out", "killed at night"
_NOBODY = frozenset(
    "nobody noone none skip novote pass null noejection noelimination nolynch noexecution "
    "niemand keiner enthaltung personne abstention nadie ninguno nessuno astenuto ninguém никто воздержался "
    "弃权 弃票 没有人 無人 棄権 誰も なし 기권 없음".split()
) | {""}


class Draft:
    """The parts of a native game in order, with their places ("chat.txt line 3"), and suffixes for fields ("/1")."""

    def __init__(self, notes: Notes, game_id: Any, *, counts_private: bool = False) -> None:
        self.notes = notes
        # Of a format that lists no players: where each first speaks or votes, by name.
        self.named: dict[str, str] = {}
        self._turns = 0
        self._counts_private = counts_private
        self.game: dict[str, Any] = {"gameId": game_id}
        self.game |= {key: [] for key in ("players", "messages", "votes", "eliminations")}

    def add_player(self, place: str, name: Any, role: Any, personality: Any) -> None:
        """A player, alive as every player is when a game begins."""
        part = {"name": name, "role": role, "personality": personality, "isAlive": True}
        self._add("players", place, part, {})

    def add_message(
        self,
        place: str,
        number: Any,
        player: Any,
        text: Any,
        *,
        time: Any = None,
        fields: Mapping[str, str] = {},
        **private: Any,
    ) -> None:
        """A message; `private` is audience and reasoning. What not all heard is a turn only where formats count it."""
        is_turn = self._counts_private or private.get("audience") is None
        self._turns += is_turn
        part = {
            "turn": self._turns if is_turn else None,
            "roundNumber": number,
            "playerName": player,
            "message": text,
            "timestamp": time,
        }
        self._add("messages", place, part | private, fields)

    def add_thought(self, place: str, number: Any, player: Any, text: Any) -> None:
        """What nobody but its author knew; anything but a text is left out."""
        if type(text) is str and text.strip():
            self.add_message(place, number, player, text, audience="nobody")

    def add_night(
        self, place: str, number: Any, player: Any, text: Any, channel: str, time: Any = None, side: str = ""
    ) -> None:
        """What was said or done at night: the players of the side hear it, where there are others, else the channel."""
        known = [known["name"] for known in self.game["players"] if side and known["role"] == side]
        hearers = [name for name in known if type(name) is str and name != player]
        self.add_message(place, number, player, text, time=time, audience={"channel": hearers or channel})

    def add_vote(
        self, place: str, number: Any, voter: Any, target: Any, *, time: Any = None, **private: Any
    ) -> None:
        """A vote; without a target it is left out of the vote record, with a warning."""
        part = {"roundNumber": number, "voterName": voter, "targetName": target, "timestamp": time}
        self._add("votes", place, part | private, {})

    def add_elimination(self, place: str, number: Any, player: Any, how: str) -> None:
        self._add("eliminations", place, {"roundNumber": number, "playerName": player, "how": how}, {})

    def _add(self, kind: str, place: str, part: dict[str, Any], fields: Mapping[str, str]) -> None:
        parts = self.game[kind]
        pointer = f"/{kind}/{len(parts)}"
        self.notes.translate(pointer, place)
        for field, suffix in fields.items():
            self.notes.translate(f"{pointer}/{field}", f"{place}{suffix}")
        parts.append(part)


def is_nobody(target: str) -> bool:
    said = re.sub(r"[\W_]+", "", target).lower()
    return said in _NOBODY or said.startswith("abstain")


def is_ballot(target: str) -> bool:
    """Whether a vote is "yes" or "approve", or the other one, which no player is called."""
    return kind_of_flag(target, is_private=True) != "" or target.strip().casefold() in _BALLOTS


def leave_names_out(messages: list[dict[str, Any]], notes: Notes) -> None:
    """Leave out who speaks before what they say, where every text that all heard begins so: "[Ann]: Hi"."""
    said = [row for row in messages if row["audience"] is None and row["message"]]
    named = [(row, match) for row in said if (match := _NAMED.match(row["message"]))]
    are_own = all(match["name"].strip().casefold() == row["playerName"].casefold() for row, match in named)
    if len(said) < _LEAST_NAMED or len(named) < len(said) or not are_own:
        return
    for row, match in named:
        row["message"] = row["message"][match.end() :]
    notes.warn("own_name", "", said[0]["playerName"], count=len(said), says=_NAMES_LEFT)


def find_side(role: Any, sides: Mapping[str, str]) -> Any:
    """The side of a role that the format knows; any other role as it is, so that it is reported as unknown."""
    return sides.get(role, role) if type(role) is str else role


def read_lines(
    lines: Iterable[str], shape: "re.Pattern[str]", stray: Callable[[int], None]
) -> list[tuple[int, "re.Match[str]", str]]:
    """Each line of a shape: number, match, and the other lines below. `stray` is told of text before the first one."""
    found: list[tuple[int, re.Match[str], list[str]]] = []
    for at, line in enumerate(lines, start=1):
        match = shape.fullmatch(line)
        if match is not None:
            found.append((at, match, []))
        elif found:
            found[-1][2].append(f"\n{line}")
        elif line.strip():
            stray(at)
    # Joined once, since a text that grows line by line is copied each time.
    return [(number, match, "".join(more).rstrip("\n")) for number, match, more in found]


def join_texts(*texts: str | None) -> str | None:
    """The non-empty texts joined with "/"; None when there are none."""
    return "/".join(text for text in texts if text) or None
