"""Stored figures of a project's team: their kinds, and what they come from."""

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import Struct

from discussions.core import agreement_figures as agreed
from discussions.core import sampled_accuracy
from discussions.models.agreed import agreement_figures, repeats
from discussions.models.sampled import accuracy_figures, handed_in
from discussions.models.team_figures import TeamFigures
from workspace.core.canonical import canonical_hash
from workspace.models import Job, Project
from workspace.models.statistics_store import Inputs, StatisticsStore

FIGURE_TEAM = "figure_team"


class Figured(NamedTuple):
    """One kind of figures: the version of the code that computes them, and what reads and computes them.

    `reads_repeats` says that hidden repeats take part in them, too.
    """

    code_version: str
    compute: Callable[[Project], Struct]
    reads_repeats: bool = False


# In the order in which they are computed. A kind has a page of its name under the project's team.
KINDS: dict[str, Figured] = {
    "accuracy": Figured(sampled_accuracy.CODE_VERSION, accuracy_figures),
    "agreement": Figured(agreed.CODE_VERSION, agreement_figures, reads_repeats=True),
}


class _TeamStore(StatisticsStore[Project]):
    """The figures of a project's team."""

    row_model, owner_name, subject_name = TeamFigures, "project", "project"
    job_kind, kinds = FIGURE_TEAM, tuple(KINDS)

    def load(self, key: int) -> Project:
        return Project.objects.get(pk=key)

    def project(self, owner: Project) -> Project:
        return owner

    def inputs(self, owner: Project) -> Inputs:
        """Two queries. A version counts every change of an evaluation; a withdrawn game takes its evaluations out."""
        columns = ("pk", "version", "measured_id", "game_id")
        handed = [list(values) for values in handed_in(owner).order_by("pk").values_list(*columns)]
        again = [list(values) for values in repeats(owner).order_by("pk").values_list(*columns)]
        base = canonical_hash(handed)
        bases = {False: base, True: canonical_hash([base, again])}
        hashes = {
            kind: canonical_hash([kind, figured.code_version, bases[figured.reads_repeats]])
            for kind, figured in KINDS.items()
        }
        return Inputs(hashes, len(handed))

    def read(self, owner: Project, kind: str) -> Callable[[], Struct]:
        figures = KINDS[kind].compute(owner)
        return lambda: figures

    def count(self, row: TeamFigures) -> int:
        return row.evaluation_count

    def columns(self, count: int, job: Job) -> dict[str, Any]:
        return {"evaluation_count": count, "job": job}


TEAM_STATISTICS = _TeamStore()
