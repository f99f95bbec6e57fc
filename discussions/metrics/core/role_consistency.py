"""M4, role consistency: an estimate of how many messages fit their speaker's side; people decide.

Edition 1.0 of the rules reads every clause on its own. Edition 1.1 cuts less ("so" alone and "and" between names do not
cut), lets a condition or a question extend across the commas of its sentence, and distinguishes reports from own words.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.records import MAFIA, VILLAGE, Measurement, MessageFinding, Score
from discussions.metrics.core.metric import Judgements, Metric, flip_by_messages
from discussions.metrics.core.parameters import YOU, Parameters
from discussions.metrics.core.patterns import PatternGroup, with_boundary_later
from discussions.metrics.core.prepared_game import Reading, plain_findings
from discussions.metrics.core.text import (
    NAME_CHARS,
    OWNED,
    PAD,
    clauses,
    name_token,
    to_readable_text,
    unquoted,
)
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "role_consistency"
_YOU = re.compile(with_boundary_later(r"\byou\b"))
_ITEM = f"(?:[{NAME_CHARS}]{PAD}*+|\\b(?:you|me|i)\\b)"
# "I trust Alpha and Bravo is lying" continues with a new clause: a singular verb does not follow a list.
_SINGULAR = (
    r"(?:is|isn't|was|wasn't|has|hasn't|does|doesn't|seems|looks|sounds|keeps|needs|wants|says|claims)"
)
_LISTED = re.compile(f"{_ITEM}(?:(?:,? and|,) {_ITEM}){{0,20}},? and {_ITEM}(?! {_SINGULAR}\\b)(?!{OWNED})")
_BETWEEN_NAMES = re.compile(r", and | and |, ")
_TITLE = re.compile(r"\b(mr|mrs|ms|dr)\.")
_PART = re.compile(
    "[^;.!?\\n\\r\u2026\x85\u2028\u2029]*?(?:\\?|[;.!\\n\\r\u2026\x85\u2028\u2029]|[ (-](?:but|although)\\b(?!-)|$)"
)
_BREAKS = ";.!?\n\r\u2026\x85\u2028\u2029"
_SENTENCE = re.compile(f"[^{_BREAKS}]*+(?:[{_BREAKS}]|$)")
_CUTS = re.compile(r",| and\b|\(and\b|-(?:and|so)\b(?!-)|[;.!\r\n\u2026\x85\u2028\u2029]")
# Cuts a text without "and" and "-so" at the same places, faster.
_MARKS = re.compile(r"[,;.!\r\n\u2026\x85\u2028\u2029]")
_REASONS = re.compile(r"\b(?:so|because|since|who|which|as (?:he|she|they|it))\b")


class Speech(Struct, frozen=True, eq=False, gc=False):
    """A message in the form that the rules read: marked text without quotes, and its bits.

    `others` are the characters of the players other than the speaker that the message names (in quotes too),
    `mafia` those of the players on the mafia side.
    """

    message: int
    text: str
    flags: int
    others: str
    mafia: frozenset[str]

    def names_another(self, clause: str) -> bool:
        """Whether a clause names a player other than the speaker."""
        return any(map(clause.__contains__, self.others))

    def names_fellow(self, clause: str) -> bool:
        """Whether a clause names another player who is on the mafia side."""
        return any(char in clause for char in self.others if char in self.mafia)


class Speeches:
    """The messages of a game as the rules read them; `named` has the characters of the others that each names."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        chars = [name_token(player) for player in range(len(reading.sides) + 1)]
        self._mafia = frozenset(
            chars[player] for player, side in enumerate(reading.sides, start=1) if side == MAFIA
        )
        self.named: dict[int, str] = {}
        is_other = reading.speakers[reading.name_messages] != reading.name_players
        messages, players = reading.name_messages[is_other], reading.name_players[is_other]
        for index, player in zip(messages.tolist(), players.tolist(), strict=True):
            self.named[index] = self.named.get(index, "") + chars[player]

    def speech(self, index: int) -> Speech:
        others = self.named.get(index, "")
        text = self._reading.low(index)
        if '"' in text:
            text = unquoted(text)
        return Speech(index + 1, text, self._reading.message_flags[index], others, self._mafia)


def measure(reading: Reading, parameters: Parameters) -> Measurement:
    """The share of consistent messages: an estimate, pending until people have labelled. Source: rubric, Metric 4."""
    speeches = Speeches(reading)
    named, speech = speeches.named, speeches.speech
    neutral_counts = parameters.choice("role_neutral_village") == "consistent"
    nothing_found = {
        MAFIA: plain_findings(reading.count, "nothing_against", counts=True),
        VILLAGE: plain_findings(reading.count, "neutral", counts=neutral_counts),
        # Nothing to check the message against: it counts in the denominator only.
        None: plain_findings(reading.count, "unknown_side", counts=False),
    }
    alone, with_a_name = _telling(parameters)
    sides = [None, *reading.sides]
    findings = []
    for index, (speaker, flags) in enumerate(
        zip(reading.speakers.tolist(), reading.message_flags, strict=True)
    ):
        side = sides[speaker]
        found = None
        if flags & alone[side] or (flags & with_a_name[side] and (flags & YOU or index in named)):
            found = _RULES[side](speech(index), parameters)
        elif side == VILLAGE and "?" in reading.low(index):
            found = _village_rule(speech(index), parameters)
        findings.append(found or nothing_found[side][index])
    counted = [finding.message for finding in findings if finding.counts]
    return Measurement(
        KEY, len(counted), len(findings), is_pending=bool(findings), counted=counted, messages=findings
    )


def _telling(parameters: Parameters) -> tuple[dict[str | None, int], dict[str | None, int]]:
    alone = {MAFIA: parameters.mask("confess"), VILLAGE: parameters.mask("reason", "deflect"), None: 0}
    with_a_name = {
        MAFIA: parameters.against_fellow,
        VILLAGE: parameters.mask("act", "vouch") | parameters.accusing.mask,
        None: 0,
    }
    return alone, with_a_name


def _mafia_rule(speech: Speech, parameters: Parameters) -> MessageFinding | None:
    """Inconsistent: confesses; accuses a fellow or votes for one; accuses with certainty."""
    message, flags = speech.message, speech.flags
    confessed = _confession(speech, parameters)
    if confessed:
        return MessageFinding(message, False, "confesses", [confessed])
    names_fellow = bool(flags & parameters.against_fellow) and speech.names_fellow(speech.text)
    certain = parameters.groups["certain"]
    if names_fellow or flags & certain.mask:
        for clause, word in _accusations(speech, parameters):
            if names_fellow and speech.names_fellow(clause):
                return MessageFinding(message, False, "accuses_fellow", [word])
            found = certain.search(clause, flags)
            if found:
                return MessageFinding(
                    message, False, "accuses_with_certainty", [word, to_readable_text(found.group())]
                )
    if names_fellow:
        voted = _vote_for_fellow(speech, parameters)
        if voted:
            return MessageFinding(message, False, "votes_for_fellow", [voted])
    return None


def _village_rule(speech: Speech, parameters: Parameters) -> MessageFinding | None:
    """Inconsistent: no reason, no question, and it deflects, accuses or vouches (by choice: or is neutral)."""
    message, text, flags, groups = speech.message, speech.text, speech.flags, parameters.groups
    reason = _reason(speech, parameters)
    if reason:
        return MessageFinding(message, True, "gives_reason", [reason])
    if "?" in text:
        return MessageFinding(message, True, "asks_question")
    deflects = groups["deflect"].search(text, flags)
    if deflects:
        return MessageFinding(message, False, "deflects_without_reason", [to_readable_text(deflects.group())])
    if flags & parameters.accusing.mask:
        accuses = next(_accusations(speech, parameters), None)
        if accuses:
            return MessageFinding(message, False, "accuses_without_reason", [accuses[1]])
    vouches = _vouching(speech, parameters)
    if vouches:
        return MessageFinding(message, False, "vouches_without_reason", [vouches])
    return None


_RULES = {MAFIA: _mafia_rule, VILLAGE: _village_rule}


class Clause(Struct, frozen=True):
    """A clause and its part of the sentence (up to "but" or a semicolon), which may set a condition or ask."""

    text: str
    part: str = ""


def _find_clauses(
    group: PatternGroup, speech: Speech, parameters: Parameters
) -> Iterator[tuple[Clause, re.Match[str]]]:
    """The clauses of a message in which a pattern of the group matches, each with the first match."""
    if not speech.flags & group.mask:
        return
    if parameters.choice("rules") == "1.0":
        all_clauses: Iterator[Clause] = map(Clause, clauses(speech.text))
    else:
        text = _join_lists(speech.text)
        if group.is_local and not group.search(text, speech.flags):
            return
        all_clauses = _cut(text)
    for clause in all_clauses:
        if found := group.search(clause.text, speech.flags):
            yield clause, found


def _join_lists(text: str) -> str:
    """The text with " & " between the names of a list, so that no list is cut; and titles without their dots."""
    # Every title ends in one of these.
    if "r." in text or "s." in text:
        text = _TITLE.sub(r"\1 ", text)
    if " and " in text:
        text = _LISTED.sub(lambda found: _BETWEEN_NAMES.sub(" & ", found.group()), text)
    return text


def _cut(text: str) -> Iterator[Clause]:
    # If those words are absent, both patterns cut alike, and the second is three times as fast.
    pattern = _PART if "but" in text or "although" in text else _SENTENCE
    cuts = _CUTS if "and" in text or "-so" in text else _MARKS
    for part in pattern.findall(text):
        for clause in cuts.split(part):
            if clause and not clause.isspace():
                yield Clause(clause, part)


def _without_asides(clause: Clause, flags: int, parameters: Parameters) -> str:
    """The clause without words that only mention or address somebody ("you all", "I agree with [name]").

    `flags` belong to the message's tokens, here and below.
    """
    text = clause.text
    for pattern in parameters.groups["aside"].active(flags):
        text = pattern.regex.sub(" ", text)
    return text


def _is_own_statement(clause: Clause, found: re.Match[str], flags: int, parameters: Parameters) -> bool:
    """Whether the words found in a clause are a plain statement: not negated, conditional, asked or reported."""
    if parameters.choice("rules") == "1.0":
        return not parameters.doubts.apply_to(clause.text, flags)
    is_open = "?" in clause.part or parameters.groups["condition"].search(clause.part, flags)
    if is_open or any(
        report.start() < found.start()
        for pattern in parameters.groups["report"].active(flags)
        for report in pattern.regex.finditer(clause.text)
    ):
        return False
    # "[name] is not mafia" vouches: a negation inside the words found is part of them. "[name] is evil so I won't
    # agree" is plain: that negation belongs to what follows.
    around = clause.text[: found.start()] + " " + _REASONS.split(clause.text[found.end() :], maxsplit=1)[0]
    return not parameters.doubts.apply_to(around, flags)


def _confession(speech: Speech, parameters: Parameters) -> str | None:
    group = parameters.groups["confess"]
    if not group.search(speech.text, speech.flags):
        return None
    for clause, found in _find_clauses(group, speech, parameters):
        if _is_own_statement(clause, found, speech.flags, parameters):
            return to_readable_text(found.group())
    return None


def _accusations(speech: Speech, parameters: Parameters) -> Iterator[tuple[str, str]]:
    """The plain clauses that accuse another player or "you", each with the accusing word."""
    flags = speech.flags
    if not speech.others and not flags & YOU:
        return
    for clause, found in _find_clauses(parameters.accusing, speech, parameters):
        if not speech.names_another(clause.text) and "you" not in clause.text:
            continue
        aimed = _without_asides(clause, flags, parameters)
        if not speech.names_another(aimed) and not ("you" in aimed and _YOU.search(aimed)):
            continue
        if _is_own_statement(clause, found, flags, parameters):
            yield aimed, to_readable_text(found.group())


def _vote_for_fellow(speech: Speech, parameters: Parameters) -> str | None:
    group = parameters.groups["votes_for"]
    if not group.search(speech.text, speech.flags):
        return None
    for clause, found in _find_clauses(group, speech, parameters):
        if speech.names_fellow(found.group()) and _is_own_statement(clause, found, speech.flags, parameters):
            return to_readable_text(found.group())
    return None


def _vouching(speech: Speech, parameters: Parameters) -> str | None:
    group = parameters.groups["vouch"]
    if parameters.choice("rules") == "1.0":
        return _said_of_another(speech, group)
    if not speech.others:
        return None
    for clause, found in _find_clauses(group, speech, parameters):
        if speech.names_another(found.group()) and _is_own_statement(clause, found, speech.flags, parameters):
            return to_readable_text(found.group())
    return None


def _reason(speech: Speech, parameters: Parameters) -> str | None:
    """The words that give a reason: evidence of any kind, or an act of another player who is named."""
    found = parameters.groups["reason"].search(speech.text, speech.flags)
    return to_readable_text(found.group()) if found else _said_of_another(speech, parameters.groups["act"])


def _said_of_another(speech: Speech, group: PatternGroup) -> str | None:
    """The first words that match the group and name another player."""
    text = speech.text
    if not speech.others or not speech.flags & group.mask:
        return None
    for pattern in group.active(speech.flags):
        if pattern.literal in text:
            for found in pattern.regex.finditer(text):
                if speech.names_another(found.group()):
                    return to_readable_text(found.group())
    return None


def diagnostics(reading: Reading, measurement: Measurement, parameters: Parameters) -> Mapping[str, object]:
    speech = Speeches(reading).speech
    by_side: dict[str, list[int]] = {MAFIA: [0, 0], VILLAGE: [0, 0]}
    positive = 0
    for index, finding in enumerate(measurement.messages):
        side = reading.sides[reading.game.messages[index].player - 1]
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
    """Village: gives a reason or asks. Mafia: deflects, looks analytical (a reason), or defends somebody."""
    if _reason(speech, parameters):
        return True
    if side == VILLAGE:
        return "?" in speech.text
    return bool(
        parameters.groups["deflect"].search(speech.text, speech.flags) or _vouching(speech, parameters)
    )


def recount(measurement: Measurement, judgements: Judgements) -> Score:
    """The share of consistent messages; messages that violate the rules or are in the sample must have a label.

    Every game with a role has a sample: without any label nobody has judged it yet, or nobody's side is known.
    """
    values = judgements.values
    if not values and {finding.rule for finding in measurement.messages} == {"unknown_side"}:
        return Score(measurement.metric, 0, 0, is_applicable=False)
    above = 0
    missing = []
    for finding in measurement.messages:
        subject = str(finding.message)
        value = values.get(subject)
        above += finding.counts if value is None else value == judgement_kinds.CONSISTENT
        is_suspect = not finding.counts and finding.rule != "unknown_side"
        if value is None and (is_suspect or subject in judgements.sample):
            missing.append(subject)
    return Score(
        measurement.metric,
        above,
        len(measurement.messages),
        is_pending=bool(missing or (measurement.messages and not values)),
        missing=missing,
    )


def machine_values(measurement: Measurement) -> dict[str, str]:
    return {
        str(finding.message): finding.machine_value(judgement_kinds.ROLE_CONSISTENCY)
        for finding in measurement.messages
    }


METRIC = Metric(
    KEY,
    measure,
    diagnostics,
    parameters=ParameterSpecs(choices={"role_neutral_village": ("consistent", "inconsistent")}),
    judged=judgement_kinds.ROLE_CONSISTENCY,
    machine_values=machine_values,
    recount=recount,
    flip=flip_by_messages,
    step="roles",
    is_required=True,
)
