"""Statistics that a job computes and stores under the hash of their input: what is stored for the present input."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model
from msgspec import Struct
from msgspec.structs import replace

from workspace.models import Job, Project
from workspace.models.stored_statistics import StoredStatistics

OwnerT = TypeVar("OwnerT", bound=Model)


class Present(Struct, frozen=True):
    """The hash of the present input of statistics, by kind, and its number of submissions.

    `rows` are the keys of what is stored for it, by kind.
    """

    hashes: dict[str, str]
    count: int
    rows: dict[str, int] = {}


class StatisticsStore(ABC, Generic[OwnerT]):
    """The statistics of one kind of owner, such as a project: their table, their kinds, their input.

    Kinds are computed in the order of `kinds`. `owner_name` is the table's key to the owner, `subject_name` the
    word for it in the subject of jobs.
    """

    row_model: ClassVar[type[StoredStatistics]]
    owner_name: ClassVar[str]
    subject_name: ClassVar[str]
    job_kind: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]

    @abstractmethod
    def load(self, key: int) -> OwnerT:
        """The owner with that key."""

    @abstractmethod
    def project(self, owner: OwnerT) -> Project:
        """The project in which the job runs."""

    @abstractmethod
    def inputs(self, owner: OwnerT) -> Present:
        """The present input of the statistics, without rows."""

    @abstractmethod
    def read(self, owner: OwnerT, kind: str) -> Callable[[], Struct]:
        """Read everything; return a function that computes the statistics, which may be slow and reads nothing more."""

    @abstractmethod
    def count(self, row: Any) -> int:
        """How many submissions a stored row was computed from."""

    def columns(self, count: int, job: Job) -> dict[str, Any]:
        return {}

    def subject(self, owner: OwnerT) -> str:
        """The subject of the jobs that compute the owner's statistics."""
        return f"{self.subject_name}:{owner.pk}"

    def present(self, owner: OwnerT) -> Present:
        inputs = self.inputs(owner)
        rows = self.row_model._default_manager.filter(
            **{self.owner_name: owner, "input_sha256__in": inputs.hashes.values()}
        )
        return replace(inputs, rows=dict(rows.values_list("kind", "pk")))
