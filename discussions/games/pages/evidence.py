"""The evidence behind a metric's score: each message, the rule that decided, and people's judgements."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core import judgement_kinds
from discussions.core.records import Measurement, MessageFinding, Player
from discussions.metrics.labels import describe_check, list_evidence, rule_text


class MetricEvidence(Struct, frozen=True):
    """One message and why it counts or not. `judged` is people's answer if it differs from the automatic one."""

    message: int
    name: str
    rule: str
    words: str
    judged: str
    counts: bool


class WhyReference(Struct, frozen=True):
    """One reference with its label, the vote record's check, and the rows behind the check."""

    message: int
    name: str
    text: str
    label: str
    check: str
    evidence: tuple[str, ...]
    is_counted: bool


class WhyPlayer(Struct, frozen=True):
    """One player and the most similar other one."""

    name: str
    says: str
    nearest: str
    similarity: str
    is_unique: bool


class WhyPhrase(Struct, frozen=True):
    """One phrase that a player repeats."""

    name: str
    phrase: str
    count: int
    messages: tuple[int, ...]
    is_accepted: bool


def why_messages(
    measurement: Measurement, found: Effective, names: list[str], most: int
) -> list[MetricEvidence]:
    """The first `most` messages of metrics 2 to 4, those that count first; `names` are the speakers by position."""
    values, metric = found.values.get(measurement.metric, {}), measurement.metric
    read = [(finding, *_valued(finding, values, metric)) for finding in measurement.messages]
    yes = judgement_kinds.CONSISTENT if metric == judgement_kinds.ROLE_CONSISTENCY else judgement_kinds.YES
    first = [row for row in read if row[2] == yes] + [row for row in read if row[2] != yes]
    return [_why(finding, machine, value, yes, names) for finding, machine, value in first[:most]]


def _valued(finding: MessageFinding, values: Mapping[str, str], metric: str) -> tuple[str, str]:
    """The automatic value and the effective value."""
    machine = judgement_kinds.machine_value(metric, finding)
    return machine, values.get(str(finding.message), machine) if values else machine


def _why(finding: MessageFinding, machine: str, value: str, yes: str, names: list[str]) -> MetricEvidence:
    return MetricEvidence(
        message=finding.message,
        name=names[finding.message - 1],
        rule=rule_text(finding.rule),
        words=", ".join(finding.words),
        judged="" if value == machine else _("judged: %(value)s") % {"value": value.replace("_", " ")},
        counts=value == yes,
    )


def why_references(
    measurement: Measurement, found: Effective, names: list[str], players: list[Player]
) -> list[WhyReference]:
    """Every reference, those that count first: labels of people, checks against votes, evidence as sentences."""
    rows = []
    listed = set()
    for finding in measurement.references:
        subject = finding.subject
        listed.add(subject)
        counts = finding.is_counted or subject in found.added
        rows.append(
            WhyReference(
                message=finding.message,
                name=names[finding.message - 1],
                text=finding.text,
                label=_label(subject, found, counts),
                check=describe_check(finding),
                evidence=list_evidence(finding, players),
                is_counted=counts,
            )
        )
    for subject in sorted(found.added - listed, key=judgement_kinds.parse_subject):
        message = judgement_kinds.parse_subject(subject)[0]
        missed = _("marked by people; not found automatically")
        rows.append(
            WhyReference(message, names[message - 1], "", _label(subject, found, True), missed, (), True)
        )
    return sorted(rows, key=lambda row: not row.is_counted)


def _label(subject: str, found: Effective, counts: bool) -> str:
    if value := found.values.get(judgement_kinds.REFERENCE, {}).get(subject, ""):
        return value.replace("_", " ")
    if (judgement_kinds.REFERENCE, subject) in found.ties:
        return _("evaluators differ, not resolved yet")
    return _("not labelled yet") if counts else _("possible only, not counted")


def why_players(measurement: Measurement, players: list[Player]) -> list[WhyPlayer]:
    """Every player of metric 5 with the nearest neighbour."""
    rows = []
    for finding in measurement.players:
        nearest = "" if finding.nearest is None else players[finding.nearest - 1].name
        says = (
            _("did not speak")
            if not finding.spoke
            else _("unique")
            if finding.is_unique
            else _("like another")
        )
        similarity = "" if finding.similarity is None else f"{finding.similarity:.2f}\u00a0%"
        rows.append(WhyPlayer(players[finding.player - 1].name, says, nearest, similarity, finding.is_unique))
    return rows


def why_phrases(
    measurement: Measurement, found: Effective, players: list[Player], most: int
) -> list[WhyPhrase]:
    """The first `most` repeated phrases of metric 6, the most used first."""
    accepted = found.values.get(judgement_kinds.PHRASE, {})
    return [
        WhyPhrase(
            name=players[finding.player - 1].name if finding.player else _("all agents"),
            phrase=finding.phrase,
            count=finding.count,
            messages=tuple(finding.messages),
            is_accepted=finding.subject in accepted,
        )
        for finding in measurement.phrases[:most]
    ]
