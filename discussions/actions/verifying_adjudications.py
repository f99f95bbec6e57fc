"""What must hold of what leads settled and of games that need fewer: this part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import Any

import msgspec
from django.db.models import Exists, F, OuterRef, Q

from discussions.core.basis import Adjudication as Named
from discussions.core.disagreements import CAN_BE_NO
from discussions.core.effective import SETTLED_BY_LEADS
from discussions.core.kinds import VALUES
from discussions.models import Adjudication, Evaluation, Game, Verdict
from discussions.models.slots import RATING
from workspace.actions.verifying import untold
from workspace.core.verification import Check
from workspace.models import Event


def _stand_in_line(_now: datetime) -> Iterator[str]:
    rows = Adjudication.objects.order_by("game", "kind", "subject", "number")
    grouped = groupby(rows.iterator(chunk_size=500), key=lambda row: (row.game_id, row.kind, row.subject))
    for _thing, group in grouped:
        before: Adjudication | None = None
        for row in group:
            expected = (before.pk, before.number + 1) if before else (None, 1)
            if (row.supersedes_id, row.number) != expected:
                yield f"{_name(row)} does not follow what was settled of the same thing before it."
            before = row


def _are_whole(_now: datetime) -> Iterator[str]:
    for row in Adjudication.objects.order_by("pk").iterator(chunk_size=500):
        if row.kind not in SETTLED_BY_LEADS:
            yield f"{_name(row)} settles something that is not a lead's to settle."
        elif row.value not in VALUES[row.kind] and not (row.value == "" and row.kind in CAN_BE_NO):
            yield f"{_name(row)} settles on {row.value!r}, which is no answer there."
        if not row.reason.strip():
            yield f"{_name(row)} has no reason."
    adopted = Adjudication.objects.exclude(adopted=None)
    counted = Q(adopted__game=F("game"), adopted__purpose=RATING, adopted__submitted_at__lte=F("created_at"))
    for row in adopted.exclude(counted).order_by("pk"):
        yield f"{_name(row)} adopts an evaluation of another game, or one that was not submitted by then."
    own = Evaluation.objects.filter(
        game=OuterRef("game"),
        evaluator=OuterRef("created_by"),
        purpose=RATING,
        submitted_at__lte=OuterRef("created_at"),
    )
    for row in Adjudication.objects.filter(Exists(own)).order_by("pk"):
        yield f"{_name(row)} was settled by somebody whose own answers are one of the sides."


def _bases_name_them(_now: datetime) -> Iterator[str]:
    columns = ("pk", "game_id", "kind", "subject", "value")
    there = {key: rest for key, *rest in Adjudication.objects.values_list(*columns).order_by("pk")}
    for key, game, basis in Verdict.objects.order_by("pk").values_list("pk", "game_id", "basis").iterator():
        for one in _BASIS.decode(basis).adjudications:
            if there.get(one.id) != [game, one.kind, one.subject, one.value]:
                yield (
                    f"The verdict in row {key} names {one.id} as settled on {one.value!r} of {one.kind} "
                    f"{one.subject}; no such row of its game says so."
                )


def _are_told(_now: datetime) -> Iterator[str]:
    everything = {str(key) for key in Adjudication.objects.values_list("pk", flat=True)}
    yield from untold("adjudication", ("difference:settled",), everything)
    told = set(Event.objects.filter(verb="game:needs_fewer").values_list("object_id", flat=True))
    kept = _kept()
    games = Game.objects.exclude(needed_count=None).order_by("pk")
    for key, number, iteration in games.values_list("pk", "number", "iteration_id"):
        if str(key) not in told and number not in kept.get(iteration, ()):
            yield f"Game {number} (row {key}) needs another number of evaluators, and no audit line tells why."


def _kept() -> dict[int, set[int]]:
    """Iteration -> numbers of the games that kept theirs when another number of evaluators was asked for."""
    found: dict[int, set[int]] = {}
    rows = Event.objects.filter(verb="iteration:changed").values_list("object_id", "detail")
    for key, detail in rows:
        found.setdefault(int(key), set()).update(msgspec.json.decode(detail).get("kept", ()))
    return found


class _Bases(msgspec.Struct):
    """What is read of a basis here."""

    adjudications: list[Named] = []


_BASIS: Any = msgspec.json.Decoder(_Bases)


def _name(row: Adjudication) -> str:
    return f"What was settled of {row.kind} {row.subject} in the game in row {row.game_id} (row {row.pk})"


ADJUDICATION_CHECKS: tuple[Check, ...] = (
    Check("I6k", "Whatever was settled follows what was settled of the same thing before", _stand_in_line),
    Check("I6l", "Leads settle with a reason, on an answer there is, between others' answers", _are_whole),
    Check(
        "I6m", "A verdict names only what was settled in its own game, as it was settled", _bases_name_them
    ),
    Check("I7a", "Whatever was settled, and every game that needs fewer, has its audit line", _are_told),
)
