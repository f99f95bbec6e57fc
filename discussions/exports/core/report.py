"""The Markdown report of an export: a readable summary of what the other formats hold in full."""

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import msgspec
from msgspec import Struct

from discussions.core.judgement_kinds import RATING
from discussions.core.outcome import Outcome
from discussions.exports.core.items import (
    ExportedEvaluation,
    ExportedGame,
    ExportedIteration,
    ExportedJudgement,
    ExportedStage,
    OwnEvaluation,
)
from rubric.exports.core.items import ExportedComparison, ExportedSet, ExportedVersion, OwnReviewRecord
from workspace.core.markdown import plain
from workspace.core.text import one_line
from workspace.exports.core.items import ExportHead

_OUTCOME = msgspec.json.Decoder(Outcome)
_LONGEST = 120
_MISSING = "-"

Row = list[object]


class _Section(Struct, frozen=True):
    """A heading with the head of its table."""

    title: str
    columns: tuple[str, ...]


_VERSIONS = _Section("Rubric versions", ("Version", "State", "SHA-256"))
_STAGES = _Section("Stages", ("Stage", "Name", "Goal", "State"))
_ITERATIONS = _Section(
    "Iterations", ("Iteration", "Stage", "Name", "Kind", "Judged by", "Decision", "Reason")
)
_GAMES = _Section(
    "Games",
    (
        "Game",
        "Id in the file",
        "Iteration",
        "Messages",
        "Cost in $",
        "Evaluations",
        "Verdict",
        "Metrics passed",
    ),
)
_SETS = _Section("Comparison sets", ("Set", "Name", "Mode", "Judged by", "Reviewers", "Left out"))
_COMPARISONS = _Section(
    "Comparisons", ("Set", "Comparison", "Question", "Response", "Author", "Reviews", "Mean overall")
)
_OWN_GAMES = _Section("Own evaluations", ("Game", "State", "Submitted", "Judgements", "Rating"))
_OWN_REVIEWS = _Section("Own reviews", ("Set", "Comparison", "Question", "Round", "State", "Submitted"))


class MarkdownReport:
    """The file of a report, written as items come: a section for each kind of them. One game is reported in detail."""

    def __init__(self, out: IO[bytes], *, is_detailed: bool) -> None:
        self.out, self.is_detailed = out, is_detailed
        self.section: _Section | None = None

    def add(self, item: Struct) -> None:
        """Write the lines of one item."""
        if isinstance(item, ExportHead):
            self._write(_list_head_lines(item))
            return
        found = _ROWS.get(type(item))
        if found is None:
            return
        section, read = found
        if self.section is not section:
            self.section = section
            self._write(
                ["", f"## {section.title}", "", _join(section.columns), _join(["---"] * len(section.columns))]
            )
        self._write(_join(_cell(value) for value in row) for row in read(item))
        if self.is_detailed and isinstance(item, ExportedGame):
            self._write(_list_details(item))
            self.section = None

    def close(self, tick: Callable[[], None]) -> None:
        """Every line is written already."""

    def _write(self, lines: Any) -> None:
        self.out.write("".join(f"{line}\n" for line in lines).encode())


def _join(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    if value is None or value == "":
        return _MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return plain(one_line(value, _LONGEST))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _moment(value: Any) -> str | None:
    return None if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


def _list_head_lines(head: ExportHead) -> list[str]:
    lines = [
        f"# {plain(head.project_name)}: {head.subject.replace(':', ' ')}",
        "",
        f"Exported by {plain(head.made_by)}, {_moment(head.made_at)}. It holds {head.holds}.",
    ]
    if head.has_pseudonyms:
        lines += ["", "Names are pseudonyms. Texts that people wrote may hold names."]
    if head.audit_head is not None:
        lines += ["", f"Audit log: line {head.audit_head.seq}, seal `{head.audit_head.mac}`."]
    return lines


def _version_rows(item: ExportedVersion) -> Iterator[Row]:
    yield [f"{item.rubric} {item.number}", item.state, item.sha256]


def _stage_rows(item: ExportedStage) -> Iterator[Row]:
    yield [item.number, item.name, item.goal, "closed" if item.closed_at else "open"]


def _iteration_rows(item: ExportedIteration) -> Iterator[Row]:
    last = item.decisions[-1] if item.decisions else None
    decided = [last.choice, last.reason] if last else [None, None]
    yield [item.number, item.stage, item.name, item.iteration_kind, item.rubric_version, *decided]


def _game_rows(item: ExportedGame) -> Iterator[Row]:
    verdict = item.current_verdict
    submitted = sum(evaluation.state == "submitted" for evaluation in item.evaluations)
    said = [None, None] if verdict is None else ["PASS" if verdict.passes else "FAIL", verdict.passed_count]
    cost = None if item.cost_usd is None else float(item.cost_usd)
    yield [item.number, item.game_id, item.iteration, item.message_count, cost, submitted, *said]


def _set_rows(item: ExportedSet) -> Iterator[Row]:
    names = ", ".join(reviewer.name for reviewer in item.reviewers)
    yield [item.number, item.name, item.mode, item.rubric_version, names, item.left_out]


def _comparison_rows(item: ExportedComparison) -> Iterator[Row]:
    reviews = [review for review in item.reviews if review.state == "submitted"]
    for response in item.responses:
        overalls = [
            given["overall"]
            for review in reviews
            for label, given in review.answer["evaluations"].items()
            if review.labels.get(label) == response.number and "overall" in given and label not in review.own
        ]
        mean = round(sum(overalls) / len(overalls), 2) if overalls else None
        name = response.id or str(response.number)
        yield [item.set, item.number, item.question, name, response.author, len(overalls), mean]


def _own_game_rows(item: OwnEvaluation) -> Iterator[Row]:
    yield [
        item.game,
        item.state,
        _moment(item.submitted_at),
        len(item.judgements),
        _find_rating(item.judgements),
    ]


def _own_review_rows(item: OwnReviewRecord) -> Iterator[Row]:
    yield [item.set, item.comparison, item.question, item.round, item.state, _moment(item.submitted_at)]


def _find_rating(judgements: Sequence[ExportedJudgement]) -> str | None:
    return next((judgement.value for judgement in judgements if judgement.kind == RATING), None)


_ROWS: dict[type[Struct], tuple[_Section, Callable[[Any], Iterator[Row]]]] = {
    ExportedVersion: (_VERSIONS, _version_rows),
    ExportedStage: (_STAGES, _stage_rows),
    ExportedIteration: (_ITERATIONS, _iteration_rows),
    ExportedGame: (_GAMES, _game_rows),
    ExportedSet: (_SETS, _set_rows),
    ExportedComparison: (_COMPARISONS, _comparison_rows),
    OwnEvaluation: (_OWN_GAMES, _own_game_rows),
    OwnReviewRecord: (_OWN_REVIEWS, _own_review_rows),
}


def _list_details(item: ExportedGame) -> Iterator[str]:
    """The verdict line by line, and every evaluation with its judgements."""
    verdict = item.current_verdict
    if verdict is not None:
        outcome = _OUTCOME.decode(verdict.outcome)
        yield from [
            "",
            f"### {plain(outcome.headline)}",
            "",
            "| Metric | Counted | Of | Threshold | Passes |",
            _join(["---"] * 5),
        ]
        for line in outcome.lines:
            cells = [line.label, line.numerator, line.denominator, line.threshold, line.passes]
            yield _join(_cell(cell) for cell in cells)
    for evaluation in item.evaluations:
        yield from _list_judgements(evaluation)


def _list_judgements(evaluation: ExportedEvaluation) -> Iterator[str]:
    yield from ["", f"### Evaluation by {plain(evaluation.evaluator or '')} ({evaluation.state})", ""]
    yield from [_join(["Kind", "Subject", "Value", "Reason"]), _join(["---"] * 4)]
    for judgement in evaluation.judgements:
        cells = [judgement.kind.replace("_", " "), judgement.subject, judgement.value, judgement.reason]
        yield _join(_cell(cell) for cell in cells)
