"""M4, role consistency: an estimate of how many messages fit their speaker's side; people have the last word."""

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from discussions.core.metrics.parameters import YOU, Parameters
from discussions.core.metrics.reading import Reading
from discussions.core.patterns import PatternGroup
from discussions.core.records import MAFIA, VILLAGE, Measurement, MessageFinding
from discussions.core.sentences import clauses, unquoted
from discussions.core.tokens import name_token, shown

METRIC = "role_consistency"
_YOU = re.compile(r"\byou\b")


class Speech(Struct, frozen=True, eq=False, gc=False):
    """A message as the rules read it: marked text without quotes, and its bits.

    `others` are the characters of the players other than the speaker that the message names (in quotes too),
    `fellows` those of them who are on the mafia side with the speaker.
    """

    text: str
    flags: int
    others: str
    fellows: str

    def names_another(self, clause: str) -> bool:
        """Whether a clause names a player other than the speaker."""
        return any(map(clause.__contains__, self.others))

    def names_fellow(self, clause: str) -> bool:
        """Whether a clause names another player of the speaker's mafia side."""
        return any(map(clause.__contains__, self.fellows))


def _speeches(reading: Reading) -> Callable[[int], Speech]:
    """What gives the speech with that index (from 0)."""
    speakers = reading.speakers.tolist()
    named: dict[int, str] = {}
    for index, player in zip(reading.name_messages.tolist(), reading.name_players.tolist(), strict=True):
        if player != speakers[index]:
            named[index] = named.get(index, "") + name_token(player)
    mafia = "".join(name_token(player) for player, side in enumerate(reading.sides, start=1) if side == MAFIA)

    def speech(index: int) -> Speech:
        others = named.get(index, "")
        fellows = ""
        if others and reading.sides[speakers[index] - 1] == MAFIA:
            fellows = "".join(char for char in others if char in mafia)
        return Speech(unquoted(reading.low(index)), reading.message_flags[index], others, fellows)

    return speech


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """Consistent messages of all, an estimate that is pending until people have labelled. Source: rubric, Metric 4."""
    speech = _speeches(reading)
    against_mafia = parameters.mask("confess", "accuse", "mafia_word", "votes_for")
    of_interest = parameters.mask("reason", "act", "deflect", "accuse", "mafia_word", "vouch")
    neutral_counts = parameters.choice("role_neutral_village") == "consistent"
    findings = []
    for index, (speaker, flags) in enumerate(
        zip(reading.speakers.tolist(), reading.message_flags, strict=True)
    ):
        side = reading.sides[speaker - 1]
        if side == MAFIA and not flags & against_mafia:
            findings.append(MessageFinding(index + 1, True, "nothing_against"))
            continue
        if side == VILLAGE and not flags & of_interest and "?" not in reading.low(index):
            findings.append(MessageFinding(index + 1, neutral_counts, "neutral"))
            continue
        findings.append(_RULES[side](index + 1, speech(index), parameters))
    counted = [finding.message for finding in findings if finding.counts]
    return Measurement(
        METRIC, len(counted), len(findings), is_pending=bool(findings), counted=counted, messages=findings
    )


def _mafia_rule(message: int, speech: Speech, parameters: Parameters) -> MessageFinding:
    """Inconsistent: confesses; accuses a fellow or votes for one; accuses with certainty."""
    confessed = _confession(speech, parameters)
    if confessed:
        return MessageFinding(message, False, "confesses", [confessed])
    names_fellow = bool(speech.flags & parameters.against_fellow) and speech.names_fellow(speech.text)
    certain = parameters.groups["certain"]
    if names_fellow or speech.flags & certain.mask:
        for clause, word in _accusations(speech, parameters):
            if names_fellow and speech.names_fellow(clause):
                return MessageFinding(message, False, "accuses_fellow", [word])
            found = certain.search(clause, speech.flags)
            if found:
                return MessageFinding(message, False, "accuses_with_certainty", [word, shown(found.group())])
    if names_fellow:
        voted = _vote_for_fellow(speech, parameters)
        if voted:
            return MessageFinding(message, False, "votes_for_fellow", [voted])
    return MessageFinding(message, True, "nothing_against")


def _village_rule(message: int, speech: Speech, parameters: Parameters) -> MessageFinding:
    """Inconsistent: no reason, no question, and it deflects, accuses or vouches (by choice: or is neutral)."""
    reason = _reason(speech, parameters)
    if reason:
        return MessageFinding(message, True, "gives_reason", [reason])
    if "?" in speech.text:
        return MessageFinding(message, True, "asks_question")
    deflects = parameters.groups["deflect"].search(speech.text, speech.flags)
    if deflects:
        return MessageFinding(message, False, "deflects_without_reason", [shown(deflects.group())])
    accuses = next(_accusations(speech, parameters), None)
    if accuses:
        return MessageFinding(message, False, "accuses_without_reason", [accuses[1]])
    vouches = _said_of_another(speech, parameters.groups["vouch"])
    if vouches:
        return MessageFinding(message, False, "vouches_without_reason", [vouches])
    is_consistent = parameters.choice("role_neutral_village") == "consistent"
    return MessageFinding(message, is_consistent, "neutral")


def _no_side_rule(message: int, speech: Speech, parameters: Parameters) -> MessageFinding:
    """Nothing to hold the message against: out of the numerator, in the denominator."""
    return MessageFinding(message, False, "unknown_side")


_RULES = {MAFIA: _mafia_rule, VILLAGE: _village_rule, None: _no_side_rule}


def _confession(speech: Speech, parameters: Parameters) -> str | None:
    """The words that give the own role away, in a clause that neither negates, nor asks, nor sets a condition."""
    group = parameters.groups["confess"]
    if not group.search(speech.text, speech.flags):
        return None
    for clause in clauses(speech.text):
        found = group.search(clause, speech.flags)
        if found and not parameters.doubts.apply_to(clause, speech.flags):
            return shown(found.group())
    return None


def _accusations(speech: Speech, parameters: Parameters) -> Iterator[tuple[str, str]]:
    """The plain clauses that accuse another player or "you", each with the word that does it."""
    if not speech.others and not speech.flags & YOU:
        return
    patterns = [
        pattern for pattern in parameters.accusing.active(speech.flags) if pattern.may_match(speech.text)
    ]
    for clause in clauses(speech.text) if patterns else ():
        if clause.isascii() and "you" not in clause:
            continue
        found = None
        for pattern in patterns:
            found = found or pattern.search(clause)
        if (
            found
            and (speech.names_another(clause) or _YOU.search(clause))
            and not parameters.doubts.apply_to(clause, speech.flags)
        ):
            yield clause, shown(found.group())


def _vote_for_fellow(speech: Speech, parameters: Parameters) -> str | None:
    """The words in which a clause votes for a fellow of the mafia side."""
    group = parameters.groups["votes_for"]
    if not group.search(speech.text, speech.flags):
        return None
    for clause in clauses(speech.text):
        found = group.search(clause, speech.flags)
        if (
            found
            and speech.names_fellow(found.group())
            and not parameters.doubts.apply_to(clause, speech.flags)
        ):
            return shown(found.group())
    return None


def _reason(speech: Speech, parameters: Parameters) -> str | None:
    """The words that give a reason: evidence of any kind, or an act of another player who is named."""
    found = parameters.groups["reason"].search(speech.text, speech.flags)
    return shown(found.group()) if found else _said_of_another(speech, parameters.groups["act"])


def _said_of_another(speech: Speech, group: PatternGroup) -> str | None:
    """The first words that match the group and name another player."""
    if not speech.others:
        return None
    for pattern in group.active(speech.flags):
        if not pattern.may_match(speech.text):
            continue
        for found in pattern.regex.finditer(speech.text):
            if speech.names_another(found.group()):
                return shown(found.group())
    return None


def companions(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    """The share with a positive sign of its side, the estimate over assessable messages only, and by side."""
    speech = _speeches(reading)
    by_side: dict[str, list[int]] = {MAFIA: [0, 0], VILLAGE: [0, 0]}
    positive = 0
    for index, finding in enumerate(measurement.messages):
        player = reading.game.messages[index].player
        side = reading.sides[player - 1]
        if side is None:
            continue
        by_side[side][0] += finding.counts
        by_side[side][1] += 1
        positive += _has_positive_sign(side, speech(index), parameters)
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
    if parameters.groups["deflect"].search(speech.text, speech.flags):
        return True
    return _said_of_another(speech, parameters.groups["vouch"]) is not None
