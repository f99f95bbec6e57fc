"""People's judgements, flags and comments on each message of a game, for display at the message."""

from collections.abc import Iterable

from msgspec import Struct

from discussions.games.pages.evaluations import JudgementLine, PersonPart, RemarkLine


class SaidAnswer(Struct, frozen=True):
    """One answer on a message, with all who gave it: letters or names, "" if names are hidden and there is no letter.

    `was` is the blind answer of a person who changed it, else "".
    """

    says: str
    who: str
    was: str
    reason: str


class MessageMarks(Struct, frozen=True):
    """The marks at one message: answers by subject, and remarks with their authors."""

    judged: dict[str, list[SaidAnswer]]
    remarks: list[tuple[str, RemarkLine]]


def collect_marks(people: Iterable[PersonPart]) -> dict[int, MessageMarks]:
    """Position of the message -> people's judgements and remarks."""
    found: dict[int, MessageMarks] = {}
    for person in people:
        who = person.name or person.alias
        for line in person.judgements:
            if line.message:
                marks = found.setdefault(line.message, MessageMarks({}, []))
                marks.judged.setdefault(_about(line), []).append(
                    SaidAnswer(line.value, who, line.before, line.reason)
                )
        for remark in person.remarks:
            if remark.message:
                found.setdefault(remark.message, MessageMarks({}, [])).remarks.append((who, remark))
    return {position: _grouped(marks) for position, marks in found.items()}


def _about(line: JudgementLine) -> str:
    """The kind of judgement, with the sentence where a message has several."""
    sentence = line.subject.partition(".")[2]
    return f"{line.kind} {line.subject}" if sentence and sentence != "0" else line.kind


def _grouped(marks: MessageMarks) -> MessageMarks:
    """Group people who gave the same answer without a reason or a change."""
    judged = {}
    for about, answers in marks.judged.items():
        plain: dict[str, list[str]] = {}
        told = []
        for answer in answers:
            if answer.was or answer.reason:
                told.append(answer)
            else:
                plain.setdefault(answer.says, []).append(answer.who)
        same = [SaidAnswer(says, ", ".join(filter(None, whos)), "", "") for says, whos in plain.items()]
        judged[about] = same + told
    return MessageMarks(judged, marks.remarks)
