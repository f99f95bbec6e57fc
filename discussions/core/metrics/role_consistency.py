"""M4, role consistency: an estimate by rules of how many messages fit their speaker's side; people have the last word."""

from collections.abc import Mapping

from msgspec import Struct

from discussions.core.metrics.memory_accuracy import doubts_of
from discussions.core.metrics.parameters import GROUP, NAME, YOU, Parameters
from discussions.core.metrics.reading import Reading
from discussions.core.records import MAFIA, VILLAGE, Measurement, MessageFinding
from discussions.core.sentences import clauses, unquoted
from discussions.core.tokens import player_of, shown

METRIC = "role_consistency"
_ACCUSING = GROUP["mafia_word"] | GROUP["accuse"]
_AGAINST_VILLAGE = GROUP["deflect"] | GROUP["vouch"] | _ACCUSING


class Speech(Struct, frozen=True, eq=False):
    """A message as the rules read it: lower-cased, marked, quotes blanked; its bits, its speaker, the speaker's fellows."""

    text: str
    flags: int
    speaker: int
    fellows: frozenset[int]

    def names(self, clause: str) -> set[int]:
        """The players other than the speaker that a clause names."""
        return {player for char in set(clause) if (player := player_of(char)) and player != self.speaker}


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """Consistent messages of all messages, as an estimate: pending until people have labelled. Source: rubric, Metric 4."""
    fellows = _fellows(reading)
    findings = []
    for index, message in enumerate(reading.game.messages):
        side = reading.sides[message.player - 1]
        if side is None:
            findings.append(MessageFinding(index + 1, False, "unknown_side"))
            continue
        speech = Speech(
            unquoted(reading.low[index]),
            reading.message_flags[index],
            message.player,
            fellows[message.player - 1],
        )
        rule = _mafia_rule if side == MAFIA else _village_rule
        findings.append(rule(index + 1, speech, parameters))
    counted = [finding.message for finding in findings if finding.counts]
    return Measurement(
        METRIC, len(counted), len(findings), is_pending=bool(findings), counted=counted, messages=findings
    )


def _fellows(reading: Reading) -> list[frozenset[int]]:
    """For each player the other players of the mafia side, when it is the player's own."""
    mafia = frozenset(number for number, side in enumerate(reading.sides, start=1) if side == MAFIA)
    return [
        mafia - {number} if number in mafia else frozenset() for number in range(1, len(reading.sides) + 1)
    ]


def _mafia_rule(message: int, speech: Speech, parameters: Parameters) -> MessageFinding:
    """Inconsistent: confesses; accuses a fellow or votes for one; accuses with certainty."""
    if speech.flags & GROUP["confess"]:
        found = _plain_clause(speech, parameters, "confess")
        if found:
            return MessageFinding(message, False, "confesses", [found])
    if speech.flags & _ACCUSING and speech.flags & (NAME | YOU):
        for clause, word in _accusations(speech, parameters):
            if speech.names(clause) & speech.fellows:
                return MessageFinding(message, False, "accuses_fellow", [word])
            certain = parameters.groups["certain"].search(clause)
            if certain:
                return MessageFinding(
                    message, False, "accuses_with_certainty", [word, shown(certain.group())]
                )
    if speech.flags & GROUP["votes_for"] and speech.fellows and speech.flags & NAME:
        found = _vote_for_fellow(speech, parameters)
        if found:
            return MessageFinding(message, False, "votes_for_fellow", [found])
    return MessageFinding(message, True, "nothing_against")


def _village_rule(message: int, speech: Speech, parameters: Parameters) -> MessageFinding:
    """Inconsistent: no reason, no question, and it deflects, accuses or vouches (or is neutral, by the other choice)."""
    reason = _reason(speech, parameters)
    if reason:
        return MessageFinding(message, True, "gives_reason", [reason])
    if "?" in speech.text:
        return MessageFinding(message, True, "asks_question")
    if speech.flags & _AGAINST_VILLAGE:
        found = parameters.groups["deflect"].search(speech.text)
        if found:
            return MessageFinding(message, False, "deflects_without_reason", [shown(found.group())])
        for _, word in _accusations(speech, parameters):
            return MessageFinding(message, False, "accuses_without_reason", [word])
        vouches = _vouches(speech, parameters)
        if vouches:
            return MessageFinding(message, False, "vouches_without_reason", [vouches])
    is_consistent = parameters.choice("role_neutral_village") == "consistent"
    return MessageFinding(message, is_consistent, "neutral")


def _plain_clause(speech: Speech, parameters: Parameters, group: str) -> str | None:
    """What the group's patterns see in a clause that neither negates, nor asks, nor sets a condition."""
    doubts = doubts_of(parameters)
    for clause in clauses(speech.text):
        found = parameters.groups[group].search(clause)
        if found and not doubts.apply_to(clause):
            return shown(found.group())
    return None


def _accusations(speech: Speech, parameters: Parameters) -> list[tuple[str, str]]:
    """The clauses that accuse another player or "you", each with the word that does it."""
    if not (speech.flags & _ACCUSING and speech.flags & (NAME | YOU)):
        return []
    doubts = doubts_of(parameters)
    made = []
    for clause in clauses(speech.text):
        found = parameters.groups["accuse"].search(clause) or parameters.groups["mafia_word"].search(clause)
        if not found or not (speech.names(clause) or _says_you(clause)):
            continue
        if not doubts.apply_to(clause):
            made.append((clause, shown(found.group())))
    return made


def _says_you(clause: str) -> bool:
    return any(word.partition("'")[0].strip('"()[]:-!') == "you" for word in clause.split())


def _vote_for_fellow(speech: Speech, parameters: Parameters) -> str | None:
    """The words in which a clause votes for a fellow of the mafia side."""
    doubts = doubts_of(parameters)
    for clause in clauses(speech.text):
        found = parameters.groups["votes_for"].search(clause)
        if found and speech.names(found.group()) & speech.fellows and not doubts.apply_to(clause):
            return shown(found.group())
    return None


def _reason(speech: Speech, parameters: Parameters) -> str | None:
    """The words that give a reason: evidence of any kind, or an act of another player who is named."""
    if speech.flags & GROUP["reason"]:
        found = parameters.groups["reason"].search(speech.text)
        if found:
            return shown(found.group())
    if speech.flags & NAME and speech.flags & GROUP["act"]:
        for pattern in parameters.groups["act"].patterns:
            for act in pattern.regex.finditer(speech.text):
                if speech.names(act.group()):
                    return shown(act.group())
    return None


def _vouches(speech: Speech, parameters: Parameters) -> str | None:
    """The words that vouch for another player who is named."""
    if not (speech.flags & GROUP["vouch"] and speech.flags & NAME):
        return None
    for pattern in parameters.groups["vouch"].patterns:
        for found in pattern.regex.finditer(speech.text):
            if speech.names(found.group()):
                return shown(found.group())
    return None


def companions(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    """The share with a positive sign of its side, the estimate over assessable messages only, and by side."""
    fellows = _fellows(reading)
    by_side: dict[str, list[int]] = {MAFIA: [0, 0], VILLAGE: [0, 0]}
    positive = 0
    for index, finding in enumerate(measurement.messages):
        player = reading.game.messages[index].player
        side = reading.sides[player - 1]
        if side is None:
            continue
        by_side[side][0] += finding.counts
        by_side[side][1] += 1
        speech = Speech(
            unquoted(reading.low[index]), reading.message_flags[index], player, fellows[player - 1]
        )
        positive += _has_positive_sign(side, speech, parameters)
    assessable = sum(below for _, below in by_side.values())
    return {
        "positive_sign": 100 * positive / len(measurement.messages) if measurement.messages else None,
        "over_assessable": 100 * measurement.numerator / assessable if assessable else None,
        "not_assessable": len(measurement.messages) - assessable,
        "by_side": {
            side: {"numerator": above, "denominator": below, "score": 100 * above / below if below else None}
            for side, (above, below) in by_side.items()
        },
    }


def _has_positive_sign(side: str, speech: Speech, parameters: Parameters) -> bool:
    """Village: gives a reason or asks. Mafia: deflects, looks analytical (a reason), or speaks up for somebody."""
    if _reason(speech, parameters):
        return True
    if side == VILLAGE:
        return "?" in speech.text
    if speech.flags & GROUP["deflect"] and parameters.groups["deflect"].search(speech.text):
        return True
    return _vouches(speech, parameters) is not None
