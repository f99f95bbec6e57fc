"""What an act on several games would do to each of them: done, or refused with the reason."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.access.queries import barred_until
from discussions.models import Evaluation, Game, Iteration, Slot, Verdict
from discussions.models.slots import RATING
from discussions.transcripts.permissions import check_takes_games
from workspace.access.permissions import get_refusal
from workspace.display.core.number_lists import write_numbers
from workspace.models import Person, Project


class SelectedGame(Struct, frozen=True):
    """One game of a selection: what will be done to it, or why nothing will."""

    number: int
    source_id: str
    file_name: str
    iteration: str
    says: str
    refusal: str


class Selection(Struct, frozen=True):
    """The games that an act accepts, and those that it refuses, both in the order of numbers."""

    taken: list[SelectedGame]
    refused: list[SelectedGame]

    @property
    def numbers(self) -> str:
        """The games that the act accepts, as an address names them."""
        return write_numbers(game.number for game in self.taken)


def preview_assigning(*, project: Project, numbers: Collection[int], person: Person) -> Selection:
    """Which games get a slot for this person; five queries."""
    games = _load(project, numbers)
    keys = [game.pk for game in games]
    rated = Evaluation.objects.filter(game__in=keys, evaluator=person, purpose=RATING)
    started = set(rated.values_list("game_id", flat=True))
    slots = Slot.objects.filter(game__in=keys, purpose=RATING)
    assigned = set(slots.filter(assigned_to=person).values_list("game_id", flat=True))
    free = set(slots.free().filter(assigned_to=None).values_list("game_id", flat=True))
    led_until = barred_until(person, project)

    def refuse(game: Game) -> str:
        if game.withdrawn_at is not None:
            return _("Withdrawn, so nobody is to rate it.")
        if game.pk in started:
            return _("They have started or rated it already.")
        if game.pk <= led_until:
            return _("They led this project while the game was in it and could see its roles.")
        if game.pk not in free and game.pk not in assigned:
            return _("No slot is open: all are taken or assigned, or the iteration is not open for rating.")
        return ""

    def say(game: Game) -> str:
        return _("is assigned to them already") if game.pk in assigned else _("a slot is assigned to them")

    return _select(games, refuse, say)


def preview_moving(*, project: Project, numbers: Collection[int], to: Iteration) -> Selection:
    """Which games move into that iteration; three queries."""
    games = _load(project, numbers)
    keys = [game.pk for game in games]
    started = Counter(Evaluation.objects.filter(game__in=keys).values_list("game_id", flat=True))
    started += Counter(Verdict.objects.filter(game__in=keys).values_list("game_id", flat=True))
    into = get_refusal(check_takes_games, to)

    def refuse(game: Game) -> str:
        if game.iteration_id == to.pk:
            return _("It is there already.")
        if game.withdrawn_at is not None:
            return _("Withdrawn, so it stays where it is.")
        if started[game.pk]:
            return _("Somebody rates or rated it already.")
        return into or get_refusal(check_takes_games, game.iteration)

    return _select(games, refuse, lambda _game: _("moves to %(name)s") % {"name": to.name})


def preview_withdrawing(*, project: Project, numbers: Collection[int]) -> Selection:
    """Which games can be withdrawn; one query."""

    def refuse(game: Game) -> str:
        return _("It is withdrawn already.") if game.withdrawn_at is not None else ""

    return _select(
        _load(project, numbers), refuse, lambda _game: _("no average, comparison or gate counts it any more")
    )


def list_selected(*, project: Project, numbers: Collection[int]) -> Selection:
    """The selected games before the act's question is answered; one query."""
    return _select(_load(project, numbers), lambda _game: "", lambda _game: "")


def _load(project: Project, numbers: Collection[int]) -> list[Game]:
    rows = Game.objects.filter(project=project, number__in=numbers).select_related("iteration", "transcript")
    return list(rows.order_by("number"))


def _select(games: list[Game], refuse: Callable[[Game], str], say: Callable[[Game], Any]) -> Selection:
    lines = [
        SelectedGame(
            number=game.number,
            source_id=game.source_id,
            file_name=game.transcript.name,
            iteration=game.iteration.name,
            says="" if refusal else str(say(game)),
            refusal=refusal,
        )
        for game in games
        for refusal in (refuse(game),)
    ]
    return Selection([line for line in lines if not line.refusal], [line for line in lines if line.refusal])
