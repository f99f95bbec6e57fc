"""What leads settled and where evaluators differ, read in few queries: rows in, records of the core out."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Count, Max

from discussions.core.basis import Adjudication as BasisAdjudication
from discussions.core.disagreements import Disagreement, Settled, disagreements_of
from discussions.core.effective import Judged, Key, machine_values
from discussions.core.grounds import ground_of
from discussions.core.kinds import Ground
from discussions.core.moves import SUBMITTED
from discussions.models.adjudications import Adjudication
from discussions.models.evaluations import Evaluation, Judgement
from discussions.models.games import Game
from discussions.models.slots import RATING
from discussions.models.standings import game_record, measurements_of, newest_measured, rubric_record

_SETTLED = (
    *("id", "kind", "subject", "number", "value", "reason", "adopted_id", "sides_sha256"),
    *("created_by_id", "created_by__name", "created_at"),
)


def settled_in(games: Collection[int]) -> dict[int, list[Settled]]:
    """Game -> what stands as settled in it, the oldest first; games in which nothing was settled are left out."""
    rows = Adjudication.objects.standing().filter(game__in=games).order_by("pk")
    found: dict[int, list[Settled]] = defaultdict(list)
    for game, *values in rows.values_list("game_id", *_SETTLED):
        found[game].append(Settled(*values))
    return dict(found)


def settled_ever(game: int) -> list[Settled]:
    """Everything that was ever settled in the game, also what a later one supersedes, the oldest first."""
    rows = Adjudication.objects.filter(game=game).order_by("pk")
    return [Settled(*values) for values in rows.values_list(*_SETTLED)]


def adjudications_in(games: Collection[int]) -> dict[int, list[BasisAdjudication]]:
    """Game -> what stands as settled in it, as a basis holds it; in one query."""
    rows = Adjudication.objects.standing().filter(game__in=games).order_by("pk")
    found: dict[int, list[BasisAdjudication]] = defaultdict(list)
    for game, *values in rows.values_list("game_id", *BasisAdjudication.__struct_fields__):
        found[game].append(BasisAdjudication(*values))
    return found


def adjudicated_so_far() -> dict[str, int | None]:
    """What changes whenever a lead settles something: how many rows there are, and the newest."""
    return Adjudication.objects.aggregate(Count("pk"), Max("pk"))


def disagreements_in(game: Game) -> list[Disagreement]:
    """Where the submitted evaluations of a measured game differ, and what was settled; three queries.

    Raises LookupError when the game is not measured. Fetch the game with its iteration and rubric version.
    """
    rows = Judgement.objects.filter(
        evaluation__game=game, evaluation__purpose=RATING, evaluation__state=SUBMITTED
    ).order_by("pk")
    return disagreements_of(
        [
            Judged(row.evaluation_id, row.kind, row.subject, row.value, row.blind_value, is_submitted=True)
            for row in rows
        ],
        machine_of(game),
        settled_in([game.pk]).get(game.pk, ()),
        game=game.pk,
        reasons={(row.evaluation_id, row.kind, row.subject): row.reason for row in rows if row.reason},
    )


def submitted_in(game: Game) -> dict[int, int]:
    """Evaluation -> evaluator, of the submitted evaluations that count for the game's verdict."""
    rows = Evaluation.objects.filter(game=game, purpose=RATING, state=SUBMITTED).order_by("pk")
    return dict(rows.values_list("pk", "evaluator_id"))


def machine_of(game: Game) -> dict[Key, str]:
    """What the machine says of each thing in the game, as its newest measurement has it; LookupError without one."""
    measured = newest_measured(game)
    if measured is None:
        raise LookupError(f"game {game.pk} is not measured")
    return machine_values(measurements_of(measured.pk, measured.findings_sha256))


def ground_in(game: Game) -> Ground:
    """What there is to judge in the game, as its newest measurement has it; LookupError without one."""
    measured, version = newest_measured(game), game.iteration.rubric_version
    if measured is None:
        raise LookupError(f"game {game.pk} is not measured")
    rubric = rubric_record(version.pk, version.sha256)
    return ground_of(
        game_record(game.pk, game.content_sha256),
        measurements_of(measured.pk, measured.findings_sha256),
        rubric.parameters,
        len(rubric.criterion("engagement").guiding_questions),
    )
