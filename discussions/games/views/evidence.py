"""The evidence behind a metric's score: each message, the rule that decided, and people's judgements."""

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core import judgement_kinds
from discussions.core.records import Measurement, MessageFinding, Player
from discussions.metrics.labels import describe_check, list_evidence, rule_text


class MetricEvidence:
    """One message and why it counts or not. `judged` is people's answer if it differs from the automatic one."""

    def __init__(self, finding: MessageFinding, name: str, machine: str, value: str, yes: str) -> None:
        self.message, self.name, self.rule = finding.message, name, rule_text(finding.rule)
        self.words, self.counts = ", ".join(finding.words), value == yes
        self.judged = ""
        if value != machine:
            self.judged = _("judged: %(value)s") % {"value": value.replace("_", " ")}


class WhyReference(Struct, frozen=True):
    """One reference with its label, the vote record's check, and the rows behind the check."""

    message: int
    name: str
    text: str
    label: str
    check: str
    evidence: tuple[str, ...]
    is_counted: bool


def why_messages(
    measurement: Measurement, effective: Effective, names: list[str], most: int
) -> list[MetricEvidence]:
    """The first `most` messages of metrics 2 to 4, those that count first; `names` are the speakers by position."""
    metric = measurement.metric
    values = effective.values.get(metric, {})
    yes = judgement_kinds.CONSISTENT if metric == judgement_kinds.ROLE_CONSISTENCY else judgement_kinds.YES
    rows = []
    for finding in measurement.messages:
        machine = judgement_kinds.machine_value(metric, finding)
        rows.append((finding, machine, values.get(str(finding.message), machine) if values else machine))
    first = [row for row in rows if row[2] == yes] + [row for row in rows if row[2] != yes]
    return [
        MetricEvidence(finding, names[finding.message - 1], machine, value, yes)
        for finding, machine, value in first[:most]
    ]


def why_references(
    measurement: Measurement, effective: Effective, names: list[str], players: list[Player]
) -> list[WhyReference]:
    """Every reference, those that count first: labels of people, checks against votes, evidence as sentences."""
    rows = []
    listed = set()
    for finding in measurement.references:
        subject = finding.subject
        listed.add(subject)
        counts = finding.is_counted or subject in effective.added
        rows.append(
            WhyReference(
                message=finding.message,
                name=names[finding.message - 1],
                text=finding.text,
                label=_label(subject, effective, counts),
                check=describe_check(finding),
                evidence=list_evidence(finding, players),
                is_counted=counts,
            )
        )
    for subject in sorted(effective.added - listed, key=judgement_kinds.parse_subject):
        message = judgement_kinds.parse_subject(subject)[0]
        missed = _("marked by people; not found automatically")
        rows.append(
            WhyReference(message, names[message - 1], "", _label(subject, effective, True), missed, (), True)
        )
    return sorted(rows, key=lambda row: not row.is_counted)


def _label(subject: str, effective: Effective, counts: bool) -> str:
    if value := effective.values.get(judgement_kinds.REFERENCE, {}).get(subject, ""):
        return value.replace("_", " ")
    if (judgement_kinds.REFERENCE, subject) in effective.ties:
        return _("evaluators differ, not resolved yet")
    return _("not labelled yet") if counts else _("possible only, not counted")
