"""Games as lines of an export: a batch of games at a time, each kind of row that belongs to them in one query."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from django.db.models import QuerySet
from msgspec import Raw

from discussions.exports.core.items import (
    JUDGEMENT_WORDS,
    ExportedAdjudication,
    ExportedEvaluation,
    ExportedFigure,
    ExportedGame,
    ExportedJudgement,
    ExportedMeasurement,
    ExportedOffset,
    ExportedRemark,
    ExportedReply,
    ExportedReveal,
    ExportedRevision,
    ExportedVerdict,
    ExportedWithdrawal,
)
from discussions.exports.queries.names import Names
from discussions.models import (
    Adjudication,
    Evaluation,
    FlagReply,
    Game,
    Judgement,
    ManualFigure,
    Measured,
    Remark,
    Reveal,
    Revision,
    RoundOffset,
    Verdict,
    Withdrawal,
)
from discussions.queries import list_batches

NO_FINDINGS = Raw(b"null")
_GAME = (
    *("number", "source_id", "iteration__number", "iteration__stage__number", "transcript__name"),
    *("transcript__sha256", "content_sha256", "player_count", "message_count", "word_count", "round_count"),
    *("vote_count", "cost_usd", "cache_hit_rate", "input_tokens", "warnings", "created_at", "created_by"),
    *("withdrawn_at", "needed_count", "needed_reason", "text__body"),
)
_WARNINGS, _BY, _WITHDRAWN, _BODY = (
    _GAME.index(name) for name in ("warnings", "created_by", "withdrawn_at", "text__body")
)
_WHEN = ("created_at", "created_by")
_VERSION = ("rubric_version__rubric__key", "rubric_version__number")

Found = dict[int, list[Any]]
PartT = TypeVar("PartT")


def fill(part: Callable[..., PartT], *values: Any) -> PartT:
    """Fill a part of an item from the columns of a row, in their order."""
    return part(*values)


def stream_games(games: "QuerySet[Game]", names: Names, *, has_findings: bool) -> Iterator[ExportedGame]:
    """These games in the order of their import, with all that belongs to them; findings are JSON null unless asked."""
    for keys in list_batches(games):
        belonging = _Belonging(keys, names, has_findings=has_findings)
        rows = Game.objects.filter(pk__in=keys).order_by("pk").values_list("pk", *_GAME)
        for key, *values in rows:
            values[_WARNINGS] = Raw(values[_WARNINGS])
            values[_BY] = names.person(values[_BY])
            values[_WITHDRAWN] = values[_WITHDRAWN] is not None
            values[_BODY] = Raw(values[_BODY])
            yield fill(ExportedGame, *values, *belonging.of(key))


class _Belonging:
    """What belongs to the games of a batch, by game, each list in the order in which it was made."""

    def __init__(self, games: list[int], names: Names, *, has_findings: bool) -> None:
        self.games, self.names = games, names
        self.parts = (
            self._plain(RoundOffset, ExportedOffset, "number", "offset"),
            self._plain(ManualFigure, ExportedFigure, "kind", "number", "value", "reason"),
            self._plain(Withdrawal, ExportedWithdrawal, "number", "is_withdrawn", "reason"),
            self._measurements(has_findings=has_findings),
            _evaluations(games, names),
            self._adjudications(),
            self._verdicts(),
        )

    def of(self, game: int) -> Sequence[list[Any]]:
        """The last fields of an `ExportedGame`."""
        return [part.get(game, []) for part in self.parts]

    def _rows(self, model: type[Any], *columns: str) -> Iterator[tuple[Any, ...]]:
        rows = model._default_manager.filter(game__in=self.games).order_by("pk")
        yield from rows.values_list("game", *columns)

    def _plain(self, model: type[Any], part: Callable[..., Any], *columns: str) -> Found:
        found: Found = defaultdict(list)
        for game, *values, at, by in self._rows(model, *columns, *_WHEN):
            found[game].append(fill(part, *values, at, self.names.person(by)))
        return found

    def _measurements(self, *, has_findings: bool) -> Found:
        columns = (
            "code_version",
            "round_offset_number",
            "input_hash",
            "findings_sha256",
            "created_at",
            "figures",
        )
        findings = ("findings__body",) if has_findings else ()
        found: Found = defaultdict(list)
        for game, rubric, number, *values, figures, body in (
            row if has_findings else (*row, None)
            for row in self._rows(Measured, *_VERSION, *columns, *findings)
        ):
            raw = NO_FINDINGS if body is None else Raw(body)
            found[game].append(fill(ExportedMeasurement, f"{rubric} {number}", *values, Raw(figures), raw))
        return found

    def _adjudications(self) -> Found:
        columns = (
            "kind",
            "subject",
            "number",
            "supersedes__value",
            "value",
            "reason",
            "adopted",
            "sides_sha256",
        )
        return self._plain(Adjudication, ExportedAdjudication, *columns)

    def _verdicts(self) -> Found:
        columns = (
            *("number", "passes", "passed_count", "composite", "flip_distance", "weak_pass_count", *_VERSION),
            *("basis", "basis_sha256", "outcome", "reason", "supersedes__number", "superseded_by", *_WHEN),
        )
        rename = self.names.rename_evaluator
        found: Found = defaultdict(list)
        for game, *values in self._rows(Verdict, *columns):
            *figures, rubric, number, basis, sha256, outcome, reason, supersedes, newer, at, by = values
            raw = Raw(basis) if rename is None else _rename_in_basis(basis, rename)
            found[game].append(
                fill(
                    ExportedVerdict,
                    *figures,
                    f"{rubric} {number}",
                    raw,
                    sha256,
                    Raw(outcome),
                    reason,
                    supersedes,
                    newer is None,
                    at,
                    self.names.person(by),
                )
            )
        return found


def _rename_in_basis(basis: str, rename: Callable[[int], str]) -> Raw:
    """The basis with pseudonyms in place of the evaluators' keys. Its hash remains that of the stored basis."""
    read = msgspec.json.decode(basis)
    for evaluation in read["evaluations"]:
        evaluation["evaluator"] = rename(evaluation["evaluator"])
    return Raw(msgspec.json.encode(read))


_EVALUATION = (
    *("evaluator", "purpose", "state", "seed", "identification", "measured__rubric_version__rubric__key"),
    *("measured__rubric_version__number", "measured__findings_sha256", "created_at", "submitted_at"),
    *("skipped_reason", "returned_comment", "released_reason"),
)
_REVISION = ("version", "value", "reason", "phase", "took_ms", "undoes", "created_by", "created_at")
_REMARK = ("kind", "target", "text", "created_at", "created_by", "resolved_at", "resolved_by")


def _evaluations(games: list[int], names: Names) -> Found:
    rows = list(
        Evaluation.objects.filter(game__in=games).order_by("pk").values_list("game", "pk", *_EVALUATION)
    )
    keys = [row[1] for row in rows]
    if not keys:
        return {}
    judgements, reveals, remarks = load_judgements(keys, names), _reveals(keys), _remarks(keys, names)
    found: Found = defaultdict(list)
    for game, key, evaluator, purpose, state, seed, identification, rubric, number, *rest in rows:
        found[game].append(
            fill(
                ExportedEvaluation,
                key,
                names.person(evaluator),
                purpose,
                state,
                seed,
                identification,
                f"{rubric} {number}",
                *rest,
                judgements.get(key, []),
                reveals.get(key, []),
                remarks.get(key, []),
            )
        )
    return found


def load_judgements(evaluations: Collection[int], names: Names) -> dict[int, list[ExportedJudgement]]:
    """Evaluation -> its judgements, each with its acts, in the order in which they were first made."""
    acts: dict[int, list[ExportedRevision]] = defaultdict(list)
    revisions = Revision.objects.filter(judgement__evaluation__in=evaluations)
    rows = revisions.order_by("judgement", "version").values_list("judgement", *_REVISION)
    for judgement, version, value, reason, phase, took_ms, undoes, by, at in rows:
        before = acts[judgement][-1].after if acts[judgement] else ""
        revision = fill(
            ExportedRevision, version, before, value, reason, phase, took_ms, undoes, names.person(by), at
        )
        acts[judgement].append(revision)
    found: dict[int, list[ExportedJudgement]] = defaultdict(list)
    judgements = Judgement.objects.filter(evaluation__in=evaluations).order_by("pk")
    columns = ("evaluation", "pk", "kind", "subject", "value", "blind_value", "reason")
    for evaluation, key, kind, *values in judgements.values_list(*columns):
        word = JUDGEMENT_WORDS.get(kind, kind)
        found[evaluation].append(fill(ExportedJudgement, word, kind, *values, acts.get(key, [])))
    return found


def _reveals(evaluations: Collection[int]) -> dict[int, list[ExportedReveal]]:
    found: dict[int, list[ExportedReveal]] = defaultdict(list)
    rows = Reveal.objects.filter(evaluation__in=evaluations).order_by("pk")
    for evaluation, what, at in rows.values_list("evaluation", "what", "created_at"):
        found[evaluation].append(fill(ExportedReveal, what, at))
    return found


def _remarks(evaluations: Collection[int], names: Names) -> dict[int, list[ExportedRemark]]:
    replies: dict[int, list[ExportedReply]] = defaultdict(list)
    answers = FlagReply.objects.filter(flag__evaluation__in=evaluations).order_by("pk")
    for flag, text, at, by in answers.values_list("flag", "text", "created_at", "created_by"):
        replies[flag].append(ExportedReply(text, at, names.person(by)))
    found: dict[int, list[ExportedRemark]] = defaultdict(list)
    rows = Remark.objects.filter(evaluation__in=evaluations).order_by("pk")
    for key, evaluation, kind, target, text, at, by, resolved_at, resolved_by in rows.values_list(
        "pk", "evaluation", *_REMARK
    ):
        found[evaluation].append(
            fill(
                ExportedRemark,
                kind,
                target,
                text,
                at,
                names.person(by),
                resolved_at,
                names.person(resolved_by),
                replies.get(key, []),
            )
        )
    return found
