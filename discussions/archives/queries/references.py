"""How lines of an archive name rows: by the number of a line, or by a text where projects share the rows."""

from array import array
from bisect import bisect_left

from discussions.archives.queries.tables import TABLES, AnyModel, is_shared
from rubric.models import Rubric, RubricVersion
from workspace.models import Person, Project


def load_names(model: AnyModel) -> dict[int, str]:
    """Key -> the name of the row in lines, for every row of a shared model."""
    texts: dict[AnyModel, tuple[str, ...]] = {
        Person: ("email",),
        Rubric: ("key",),
        RubricVersion: ("rubric__key", "number"),
    }
    rows = model._default_manager.values_list("pk", *texts[model])
    return {key: " ".join(parts) for key, *parts in rows.iterator()}


class References:
    """Turns keys of rows of one project into names for lines; `used` collects the shared rows that were named.

    Keys of a table are kept as eight bytes each, in their order.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.used: dict[AnyModel, set[int]] = {}
        self._names: dict[AnyModel, dict[int, str]] = {}
        self._keys: dict[AnyModel, array[int]] = {}

    def name(self, model: AnyModel, key: int) -> int | str:
        """The name of the row in lines. Raises LookupError for a row that is not the project's."""
        if not is_shared(model):
            return self._count(model, key)
        if model not in self._names:
            self._names[model] = load_names(model)
        text = self._names[model].get(key)
        if text is None:
            raise LookupError(f"{TABLES[model].kind} {key}")
        self.used.setdefault(model, set()).add(key)
        return text

    def find(self, model: AnyModel, key: str) -> int | str | None:
        try:
            return self.name(model, int(key))
        except (LookupError, ValueError):
            return None

    def _count(self, model: AnyModel, key: int) -> int:
        if model not in self._keys:
            rows = TABLES[model].find_rows(self.project).order_by("pk").values_list("pk", flat=True)
            self._keys[model] = array("q", rows.iterator(chunk_size=5_000))
        keys = self._keys[model]
        place = bisect_left(keys, key)
        if place == len(keys) or keys[place] != key:
            raise LookupError(f"{TABLES[model].kind} {key}")
        return place + 1
