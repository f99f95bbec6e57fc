"""The files of a project's agents: what they are computed from, where they are stored, and the texts of moments."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from django.db.models import Count, Exists, F, Max, QuerySet, Sum

from discussions.agents.core.categories import Code, CodedGames, find_roots, merge_codes
from discussions.agents.core.files import (
    AGENT,
    CODE_VERSION,
    ITERATION,
    AgentFigures,
    Moment,
    Seat,
    compute_files,
    list_seats,
)
from discussions.history.core.weak_spots import ExaminedGame
from discussions.metrics.core.parameters import get_parameters
from discussions.metrics.core.registry import CODE_VERSION as METRICS_VERSION
from discussions.models import (
    Adjudication,
    Category,
    CategoryEnd,
    Coding,
    Evaluation,
    Game,
    GameText,
    Measured,
    QueueDraw,
    TeamFigures,
)
from discussions.preview.queries import Batch, read_judged
from discussions.queries import list_batches, measured_for
from discussions.slots.queries import left_out
from discussions.verdicts.core.scoring import compute_effective_values
from workspace.core.canonical import canonical_hash
from workspace.models import Job, Person, Project
from workspace.stored_statistics.queries import Present, StatisticsStore

KIND = "agents"
MOST_PROJECTS = 20
_FIGURES = msgspec.json.Decoder(AgentFigures)


class _AgentStore(StatisticsStore[Project]):
    row_model, owner_name, subject_name = TeamFigures, "project", "project"
    job_kind, kinds = "figure_agents", (KIND,)

    def load(self, key: int) -> Project:
        return Project.objects.get(pk=key)

    def project(self, owner: Project) -> Project:
        return owner

    def inputs(self, owner: Project) -> Present:
        """Four queries, counts alone; `count` is that of the measured games that count in averages."""
        evaluations = Evaluation.objects.submitted_ratings().filter(game__project=owner)
        # A game can come into another iteration.
        moved = Sum(F("pk") * F("iteration_id"))
        drawn = {"drawn": Count("queue_draw"), "chances": Sum("queue_draw__chance")}
        games = _query_games(owner).aggregate(Count("pk"), Sum("pk"), moved=moved, **drawn)
        if not games["drawn"]:
            games = {name: value for name, value in games.items() if name not in drawn}
        content = [
            CODE_VERSION,
            METRICS_VERSION,
            games,
            Measured.objects.filter(game__project=owner).aggregate(Count("pk"), Max("pk")),
            evaluations.aggregate(Count("pk"), Sum("pk"), Sum("version"), Max("submitted_at")),
            Adjudication.objects.filter(game__project=owner).aggregate(Count("pk"), Max("pk")),
        ]
        return Present({KIND: canonical_hash(content)}, games["pk__count"])

    def read(self, owner: Project, kind: str) -> Callable[[], AgentFigures]:
        seats = list(_read_seats(owner))
        return lambda: compute_files(seats)

    def count(self, row: TeamFigures) -> int:
        return row.evaluation_count

    def columns(self, count: int, job: Job) -> dict[str, Any]:
        return {"evaluation_count": count, "job": job}


AGENT_STATISTICS = _AgentStore()


def decode_figures(row: TeamFigures) -> AgentFigures:
    return _FIGURES.decode(row.body)


def find_figures(project: Project) -> AgentFigures | None:
    """The files for the present input, if a job computed them."""
    key = AGENT_STATISTICS.present(project).rows.get(KIND)
    return decode_figures(TeamFigures.objects.get(pk=key)) if key else None


def find_elsewhere(person: Person, project: Project, grouping: str, name: str) -> list[tuple[Project, int]]:
    """The other projects that the person leads in which somebody of that name has a file, and of how many games.

    By the newest files of each project, in one query; iterations are of one project alone.
    """
    if grouping == ITERATION:
        return []
    led = Project.objects.led_by(person).exclude(pk=project.pk)
    stored = TeamFigures.objects.filter(kind=KIND, project__in=led)
    newest = stored.values("project").annotate(newest=Max("pk")).values("newest")
    rows = TeamFigures.objects.filter(pk__in=newest).select_related("project").order_by("project__name", "pk")
    return [
        (row.project, file["games"])
        for row in rows[:MOST_PROJECTS]
        for file in msgspec.json.decode(row.body)["files"][grouping]
        if file["name"] == name
    ]


def load_texts(project: Project, moments: list[Moment]) -> dict[tuple[int, int], str]:
    """(game, message) -> the text of each moment, in one query; without those of games that were erased meanwhile."""
    texts = GameText.objects.filter(game__project=project, game__number__in={row.game for row in moments})
    texts = texts.filter(game__erased_at=None).select_related("game")
    records = {row.game.number: row.to_record() for row in texts}
    return {
        (row.game, row.message): records[row.game].messages[row.message - 1].text
        for row in moments
        if row.game in records
    }


def _query_games(project: Project) -> "QuerySet[Game]":
    return Game.objects.filter(Exists(measured_for()), ~left_out(), project=project, withdrawn_at=None)


def _query_chances(project: Project) -> "QuerySet[QueueDraw]":
    return QueueDraw.objects.filter(game__in=_query_games(project))


def _read_seats(project: Project) -> Iterator[Seat]:
    """Everybody who spoke in a game that counts, in batches of games."""
    chances = dict(_query_chances(project).values_list("game__number", "chance"))
    is_weighted = len(set(chances.values())) > 1 or len(chances) < _query_games(project).count()
    for keys in list_batches(_query_games(project)):
        rows = Game.objects.filter(pk__in=keys).select_related("iteration")
        known = {
            row.number: (row.model_build, "" if row.iteration.is_unsorted else str(row.iteration.number))
            for row in rows
        }
        for judged in read_judged(Batch(keys, is_recorded=False), lambda _rubric: True):
            assert judged.text is not None  # every text was requested
            chance = chances.get(judged.where.number, 1.0) if is_weighted else 1.0
            if not chance:
                continue
            found = compute_effective_values(judged.basis, judged.measurements)
            game = ExaminedGame(judged.where.number, judged.text, judged.measurements, found)
            roles = get_parameters(judged.rubric).role_map
            yield from list_seats(game, *known[game.number], roles, 1 / chance)


MOST_CODED = 200


def load_coded(project: Project, **games: object) -> CodedGames:
    """The codes that count in the project's newest coded games, narrowed by a filter of games; four queries."""
    categories = dict(Category.objects.filter(project=project).values_list("pk", "name"))
    ends = dict(CategoryEnd.objects.filter(category__project=project).values_list("category", "merged_into"))
    roots = find_roots({key: ends.get(key) for key in categories})
    ended = [key for key in ends if roots[key] == key]
    counted = Game.objects.filter(project=project, withdrawn_at=None, **games)
    rows = Coding.objects.filter(game__in=counted, removed_at=None)
    columns = ("game__number", "message", "category", "created_by")
    codes = merge_codes([Code(*row) for row in rows.values_list(*columns)], roots, ended)
    newest = sorted({code.game for code in codes})[-MOST_CODED:]
    texts = GameText.objects.filter(game__project=project, game__number__in=newest)
    said: dict[str, dict[int, list[str]]] = {AGENT: {}, ITERATION: {}}
    for text in texts.select_related("game__iteration"):
        record, iteration = text.to_record(), text.game.iteration
        speakers = [record.players[message.player - 1].name for message in record.messages]
        said[AGENT][text.game.number] = speakers
        name = "" if iteration.is_unsorted else str(iteration.number)
        said[ITERATION][text.game.number] = [name for _speaker in speakers]
    names = {key: name for key, name in categories.items() if key not in ends}
    return CodedGames(names, [code for code in codes if code.game in said[AGENT]], said)
