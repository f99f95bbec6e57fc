"""Many games in a state that one was brought to by the real actions: its rows, copied."""

from typing import Any

from discussions.models import Evaluation, Game, Slot


def copies_of(evaluation: Evaluation, count: int) -> list[Game]:
    """So many more games, each with a place and an evaluation as these are; without messages and measurements."""
    game, first = evaluation.game, Game.objects.count() + 10_000
    game = Game.objects.get(pk=game.pk)
    games = Game.objects.bulk_create(
        copy_of(game, number=first + at, source_id=f"copy-{first + at}", content_sha256=f"{first + at:064x}")
        for at in range(count)
    )
    slots = Slot.objects.bulk_create(
        copy_of(Slot.objects.get(pk=evaluation.slot_id), game_id=each.pk) for each in games
    )
    whole = Evaluation.objects.get(pk=evaluation.pk)
    Evaluation.objects.bulk_create(
        copy_of(whole, game_id=each.pk, slot_id=slot.pk) for each, slot in zip(games, slots, strict=True)
    )
    return games


def copy_of(row: Any, **changed: object) -> Any:
    """A new row like this one, but for what is changed."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    return type(row)(**{field.attname: getattr(row, field.attname) for field in fields} | changed)
