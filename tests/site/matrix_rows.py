"""The rows and columns of the rights matrix."""

from collections.abc import Mapping
from typing import NamedTuple

COLUMNS = (
    "anonymous",
    "assigned",  # an evaluator who has a place on the game
    "same_project",  # an evaluator of the project without a place
    "elsewhere",  # an evaluator of another project
    "lead",
    "lead_elsewhere",
    "admin",
    "deactivated",  # was an evaluator of the project, with a cookie that still lives
)


class Row(NamedTuple):
    """One verb of one route: what each column is answered."""

    verb: str
    statuses: str
    body: Mapping[str, str] = {}
    htmx: str = ""
    scope: str = ""

    def expected(self, column: str, *, as_htmx: bool) -> int:
        """The status for that kind of person."""
        plain = int(self.statuses.split()[COLUMNS.index(column)])
        if not as_htmx:
            return plain
        if self.htmx:
            return int(self.htmx.split()[COLUMNS.index(column)])
        signed_out = column in ("anonymous", "deactivated")
        return {302: 401 if signed_out else 302, 303: 200}.get(plain, plain)


def operation(verb: str, statuses: str, scope: str, body: Mapping[str, str] | None = None) -> Row:
    """A verb of an operation of the API, asked by tokens of the people with all scopes."""
    return Row(verb, statuses, body or {}, "", scope)
