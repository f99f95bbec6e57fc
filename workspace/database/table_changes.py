"""A migration operation that makes tables, columns, constraints and indexes without rendering every model for each.

After each operation, Django renders a model and all related ones, here nearly every model; on an empty database that
was most of the time that migrations took.
"""

from collections.abc import Iterator
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AlterField, CreateModel, RenameField
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.fields import FieldOperation
from django.db.migrations.operations.models import IndexOperation
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.utils import resolve_relation

Key = tuple[str, str]  # a model: label of its app, name in lower case

# Operations that read only their own model, and of others only the key that they refer to.
ALONE = (CreateModel, FieldOperation, IndexOperation)


class ChangeTables(Operation):
    """The operations one after the other, each with its own model and the keys of models that it refers to.

    The tables and the project state are the same as without it. The whole project is rendered when an operation of
    another kind asks for its models.
    Raises TypeError for operations that other models' fields depend on, such as changing a unique field, or renaming
    or deleting a model.
    """

    def __init__(self, operations: list[Operation]) -> None:
        for operation in operations:
            is_key = isinstance(operation, AlterField) and operation.field.unique
            if is_key or isinstance(operation, RenameField) or not isinstance(operation, ALONE):
                raise TypeError(f"{type(operation).__name__} cannot be in ChangeTables: put it beside it.")
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """As the operations do; the rendered older state is dropped."""
        state.__dict__.pop("apps", None)
        state.is_delayed = False  # the next rendering is complete
        for operation in self.operations:
            operation.state_forwards(app_label, state)
        state.__dict__["apps"] = _Unrendered(state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Each operation, from the state before it to the state after it."""
        for operation, before, after in self._steps(app_label, from_state):
            operation.database_forwards(app_label, schema_editor, before, after)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Each operation undone, the last one first."""
        for operation, before, after in reversed(list(self._steps(app_label, to_state))):
            operation.database_backwards(app_label, schema_editor, after, before)

    def describe(self) -> str:
        """For the list of migrations and the SQL of one."""
        return "; ".join(operation.describe() for operation in self.operations)

    def _steps(
        self, app_label: str, state: ProjectState
    ) -> Iterator[tuple[Operation, ProjectState, ProjectState]]:
        """Each operation with the parts that it needs of the states before and after it."""
        whole = ProjectState(dict(state.models))
        for operation in self.operations:
            key = app_label, _model_of(operation)
            before = _narrow(whole, key)
            before.apps  # noqa: B018  rendered first: SQLite's columns are in the order in which Django made the fields
            if key in whole.models:  # operations change the record of a model in place
                whole.models[key] = whole.models[key].clone()
            operation.state_forwards(app_label, whole)
            yield operation, before, _narrow(whole, key)


class _Unrendered:
    """Stands for the rendered models of a state until one of them is asked for.

    Django renders a state that has none before each migration, also before those that ask for none.
    """

    def __init__(self, state: ProjectState) -> None:
        # Operations change the record of a model in place, and this one is of the moment.
        models = {key: model.clone() for key, model in state.models.items()}
        self._state = ProjectState(models, state.real_apps)

    def clone(self) -> Any:
        """As StateApps has it, called when a state is cloned."""
        return self._state.apps.clone() if "apps" in self._state.__dict__ else _Unrendered(self._state)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state.apps, name)


def _model_of(operation: Any) -> str:
    name = operation.name if isinstance(operation, CreateModel) else operation.model_name
    return str(name).lower()


def _narrow(state: ProjectState, key: Key) -> ProjectState:
    """One model as it is, and only the keys of all models that it refers to; empty before the model is created."""
    narrow = ProjectState()
    if key in state.models:
        narrow.models[key] = state.models[key]
        _add_keys(narrow, state, key)
    return narrow


def _add_keys(narrow: ProjectState, state: ProjectState, key: Key) -> None:
    for field in narrow.models[key].fields.values():
        if not field.is_relation:
            continue
        target = resolve_relation(field.remote_field.model, *key)
        if target not in narrow.models:
            narrow.models[target] = _key_alone(state.models[target])
            _add_keys(narrow, state, target)


def _key_alone(model: ModelState) -> ModelState:
    keys = [(name, field) for name, field in model.fields.items() if field.primary_key]
    table = {"db_table": model.options["db_table"]} if "db_table" in model.options else {}
    return ModelState(model.app_label, model.name, keys, table)
