"""Copies of rows that went through every step of the product, for benchmarks that need many of them."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

BATCH = 500


def copy(row: Any, **changed: Any) -> Any:
    """A new row like this one."""
    values = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }
    values |= {
        f"{name}_id" if hasattr(value, "pk") else name: getattr(value, "pk", value)
        for name, value in changed.items()
    }
    return row.__class__(**values)


def copy_games(game: Any, changes: Sequence[Mapping[str, Any]], *, with_texts: bool = True) -> list[Any]:
    """A game like this one for each of these changes."""
    from discussions.models import Game, GameText

    games = Game.objects.bulk_create([copy(game, **changed) for changed in changes], batch_size=BATCH)
    if with_texts:
        body = game.text.body
        GameText.objects.bulk_create([GameText(game=new, body=body) for new in games], batch_size=BATCH)
    return games


def copy_measured(measured: Any, games: Sequence[Any], *, with_findings: bool = True) -> list[Any]:
    """The measurement of each of these games."""
    from discussions.models import Measured

    rows = Measured.objects.bulk_create([copy(measured, game=game) for game in games], batch_size=BATCH)
    if with_findings:
        copy_findings(measured, rows)
    return rows


def copy_findings(measured: Any, rows: Sequence[Any]) -> None:
    """The findings of each of these measurements."""
    from discussions.models import MeasuredFindings

    body = measured.findings.body
    MeasuredFindings.objects.bulk_create(
        [MeasuredFindings(measured=row, body=body) for row in rows], batch_size=BATCH
    )


def copy_evaluations(
    evaluation: Any, games: Sequence[Any], rows: Sequence[Any] = (), raters: Sequence[Any] = ()
) -> list[Any]:
    """An evaluation of each of these games in its slot, by these measurements and raters, or those of the first."""
    from discussions.models import Evaluation, Slot

    changes = [
        {"game": game, "measured": row, "evaluator": rater}
        for game, row, rater in zip(
            games, rows or repeat(evaluation.measured), raters or repeat(evaluation.evaluator), strict=False
        )
    ]
    slots = Slot.objects.bulk_create(
        [copy(evaluation.slot, game=change["game"], evaluator=change["evaluator"]) for change in changes],
        batch_size=BATCH,
    )
    made = [copy(evaluation, slot=slot, **change) for slot, change in zip(slots, changes, strict=True)]
    return Evaluation.objects.bulk_create(made, batch_size=BATCH)


def copy_judgements(evaluation: Any, evaluations: Sequence[Any]) -> None:
    """The judgements of an evaluation for each of these."""
    from discussions.models import Judgement

    judged = list(evaluation.judgements.all())
    Judgement.objects.bulk_create(
        [copy(row, evaluation=new) for new in evaluations for row in judged], batch_size=BATCH
    )


def copy_verdicts(verdict: Any, games: Sequence[Any], rows: Sequence[Any]) -> None:
    """The verdict of each of these games."""
    from discussions.models import Verdict

    Verdict.objects.bulk_create(
        [copy(verdict, game=game, measured=row) for game, row in zip(games, rows, strict=True)],
        batch_size=BATCH,
    )
