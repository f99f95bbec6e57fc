"""M4, role consistency: an estimate of how many messages fit their speaker's side; people have the last word."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from discussions.core.metrics.parameters import NAME, YOU, Parameters
from discussions.core.metrics.reading import Reading
from discussions.core.patterns import PatternGroup
from discussions.core.records import MAFIA, VILLAGE, Measurement, MessageFinding
from discussions.core.sentences import clauses, unquoted
from discussions.core.tokens import players_in, shown

METRIC = "role_consistency"
_YOU = re.compile(r"\byou\b")


class Speech(Struct, frozen=True, eq=False, gc=False):
    """A message as the rules read it: marked text without quotes, its bits, its speaker and the speaker's fellows."""

    text: str
    flags: int
    speaker: int
    fellows: frozenset[int]

    def names(self, clause: str) -> set[int]:
        """The players other than the speaker that a clause names."""
        return players_in(clause) - {self.speaker}


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """Consistent messages of all, an estimate that is pending until people have labelled. Source: rubric, Metric 4."""
    fellows = _fellows(reading)
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
        text = reading.low(index)
        if side == VILLAGE and not flags & of_interest and "?" not in text:
            findings.append(MessageFinding(index + 1, neutral_counts, "neutral"))
            continue
        speech = Speech(unquoted(text), flags, speaker, fellows[speaker - 1])
        findings.append(_RULES[side](index + 1, speech, parameters))
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
    confessed = _confession(speech, parameters)
    if confessed:
        return MessageFinding(message, False, "confesses", [confessed])
    is_about_fellow = speech.flags & NAME and speech.flags & parameters.against_fellow
    names_fellow = bool(is_about_fellow and speech.names(speech.text) & speech.fellows)
    certain = parameters.groups["certain"]
    if names_fellow or speech.flags & certain.mask:
        for clause, word in _accusations(speech, parameters):
            if names_fellow and speech.names(clause) & speech.fellows:
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
    if not speech.flags & (NAME | YOU):
        return
    patterns = parameters.accusing.active(speech.flags)
    if not patterns:
        return
    for clause in clauses(speech.text):
        if clause.isascii() and "you" not in clause:
            continue
        found = None
        for pattern in patterns:
            found = found or pattern.search(clause)
        if (
            found
            and (speech.names(clause) or _YOU.search(clause))
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
            and speech.names(found.group()) & speech.fellows
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
    if not speech.flags & NAME:
        return None
    for pattern in group.active(speech.flags):
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
            unquoted(reading.low(index)), reading.message_flags[index], player, fellows[player - 1]
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
    if parameters.groups["deflect"].search(speech.text, speech.flags):
        return True
    return _said_of_another(speech, parameters.groups["vouch"]) is not None
