"""Stored figures of a project's team: of what they are made, and which are of the present input."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from discussions.core import agreement_figures as agreed
from discussions.core import sampled_accuracy
from discussions.models.agreed import agreement_figures, repeats
from discussions.models.sampled import accuracy_figures, handed_in
from discussions.models.team_figures import TeamFigures
from workspace.core.canonical import canonical_hash
from workspace.models import Project

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


class Stored(NamedTuple):
    """Hashes of what figures would come from now, keys of the rows that are there, both by kind; what they rest on."""

    hashes: dict[str, str]
    rows: dict[str, int]
    evaluation_count: int


def subject_of(project: Project) -> str:
    """What the jobs that compute a team's figures say that they are about."""
    return f"project:{project.pk}"


def stored_team_figures(project: Project) -> Stored:
    """Which figures of the present input are there; three queries."""
    # A version counts every change of an evaluation; a withdrawn game takes its evaluations out.
    columns = ("pk", "version", "measured_id", "game_id")
    handed = [list(values) for values in handed_in(project).order_by("pk").values_list(*columns)]
    again = [list(values) for values in repeats(project).order_by("pk").values_list(*columns)]
    base = canonical_hash(handed)
    bases = {False: base, True: canonical_hash([base, again])}
    hashes = {
        kind: canonical_hash([kind, figured.code_version, bases[figured.reads_repeats]])
        for kind, figured in KINDS.items()
    }
    found = TeamFigures.objects.filter(project=project, input_sha256__in=hashes.values())
    return Stored(hashes, dict(found.values_list("kind", "pk")), len(handed))


def input_hash(project: Project) -> str:
    """The hash of what all kinds together would come from now."""
    return canonical_hash(list(stored_team_figures(project).hashes.values()))
