"""The form that says what the columns of a file mean: for each field one of the file's columns, by its number."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from discussions.imports.labels import FIELD_HELP, FIELD_LABELS, KIND_LABELS, USUAL_COUNT
from discussions.transcripts.core.readers.aliases import ANY, is_pair
from discussions.transcripts.core.readers.columns import (
    NEEDED,
    OR,
    MappingRecord,
    split_columns,
    suggest_fields,
)
from discussions.transcripts.core.readers.recipes import MOST_BYTES, read_recipe
from discussions.transcripts.core.readers.row_kinds import Question

PREVIEW, SAVE = "preview", "save"
LONGEST_SHOWN = 60


class ColumnsForm(forms.Form):
    """One choice for each field. `do` says which button was pressed."""

    do = forms.ChoiceField(choices=((PREVIEW, PREVIEW), (SAVE, SAVE)), widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        columns: Sequence[str],
        mapping: MappingRecord | None = None,
        questions: Sequence[Question] = (),
        pairs: Mapping[str, str] = {},
        **given: Any,
    ) -> None:
        numbers = {column: str(number) for number, column in enumerate(columns)}
        # In rows of several types a field may have several columns.
        suggested = (mapping.fields if mapping else {}) | suggest_fields(columns)
        for name in suggested.values():
            numbers.setdefault(name, "|".join(numbers[part] for part in split_columns(name, columns)))
        given["initial"] = {
            field: numbers.get(name, "") for field, name in (mapping.fields if mapping else {}).items()
        }
        super().__init__(*args, **given)
        self.names = {number: name for name, number in numbers.items()}
        choices = [(number, _shortened(name.replace(OR, ", "))) for name, number in numbers.items()]
        for field, label in FIELD_LABELS.items():
            is_needed = field in NEEDED
            nothing = _("choose a column") if is_needed else _("not in this file")
            self.fields[field] = forms.ChoiceField(
                label=label,
                choices=[("", nothing), *choices],
                required=is_needed,
                help_text=FIELD_HELP.get(field, ""),
                error_messages={"required": _("Choose the column.")},
            )
        self.questions, self.pairs = list(questions), list(pairs.items())
        self._ask(mapping.kinds if mapping else {}, mapping.aliases if mapping else {})

    def _ask(self, kinds: Mapping[str, str], kept: Mapping[str, str]) -> None:
        """Add what only a person can say; `kinds` and `kept` are the answers so far."""
        for number, question in enumerate(self.questions):
            self.fields[f"is_{number}"] = forms.ChoiceField(
                label=question.title,
                choices=list(KIND_LABELS.items()),
                initial=kinds.get(question.value.casefold(), ""),
                error_messages={"required": _("Answer this: nobody else can know.")},
                widget=forms.RadioSelect,
            )

        for number, (alias, name) in enumerate(self.pairs):
            self.fields[f"also_{number}"] = forms.ChoiceField(
                label=_ask_pair(alias, name),
                choices=[(alias, gettext("Yes")), ("", gettext("No"))],
                required=False,
                initial=alias if alias in kept else "",
                widget=forms.RadioSelect,
            )
        self.fields["also"] = forms.CharField(
            label=_("Other names"),
            required=False,
            help_text=_("What texts call players: Mari=Marisol, P*=Player* (P1 is Player1)."),
            initial=", ".join(
                f"{alias}={name}" for alias, name in kept.items() if (alias, name) not in self.pairs
            ),
        )

    def clean_also(self) -> dict[str, str]:
        """Raises ValidationError."""
        parts = [part.partition("=") for part in self.cleaned_data["also"].split(",") if part.strip()]
        found = {alias.strip(): name.strip() for alias, _sign, name in parts}
        if wrong := next((alias for alias, name in found.items() if not is_pair(alias, name)), None):
            raise forms.ValidationError(
                gettext("“%(alias)s” has no player. Write NAME=PLAYER, both with a * at the end or none.")
                % {"alias": wrong[:60]}
            )
        return found

    def usual_fields(self) -> list[forms.BoundField]:
        return [self[field] for field in list(FIELD_LABELS)[:USUAL_COUNT]]

    def other_fields(self) -> list[forms.BoundField]:
        return [self[field] for field in [*list(FIELD_LABELS)[USUAL_COUNT:], "also"]]

    def has_others(self) -> bool:
        """Whether one of the other fields is chosen or has a fault."""
        return any(field.value() or field.errors for field in self.other_fields())

    def chosen_fields(self) -> dict[str, str]:
        """Field -> column for valid choices, also of a form with faults."""
        self.is_valid()
        given = self.cleaned_data
        return {field: self.names[given[field]] for field in FIELD_LABELS if given.get(field)}

    def asked(self) -> list[tuple[Question, forms.BoundField]]:
        """The questions that only a person can answer."""
        return [(question, self[f"is_{number}"]) for number, question in enumerate(self.questions)]

    def chosen_kinds(self) -> dict[str, str]:
        """What rows of a type are, as the questions were answered."""
        self.is_valid()
        given = (
            (row.value.casefold(), self.cleaned_data.get(f"is_{n}")) for n, row in enumerate(self.questions)
        )
        return {value: kind for value, kind in given if kind}

    def asked_pairs(self) -> list[forms.BoundField]:
        return [self[f"also_{number}"] for number in range(len(self.pairs))]

    def chosen_aliases(self) -> dict[str, str]:
        """Other names, as the questions were answered and as they were written."""
        self.is_valid()
        said = {self.cleaned_data.get(f"also_{number}") for number in range(len(self.pairs))}
        return dict(pair for pair in self.pairs if pair[0] in said) | self.cleaned_data.get("also", {})

    def has_column_faults(self) -> bool:
        return any(field.errors for field in self.usual_fields())

    def is_complete(self) -> bool:
        """Whether player and text have a column, so that only answers are missing."""
        return all(self[field].value() for field in NEEDED)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        counts = Counter(cleaned.get(field) for field in FIELD_LABELS if cleaned.get(field))
        for field in FIELD_LABELS:
            if counts[cleaned.get(field)] > 1:
                sentence = gettext("This column is chosen twice. Choose another one for one of the two.")
                self.add_error(field, sentence)
        return cleaned


class RecipeForm(forms.Form):
    """A recipe as a file."""

    recipe = forms.FileField(
        label=_("Recipe file"), error_messages={"required": _("Choose the file of a recipe.")}
    )

    def clean_recipe(self) -> tuple[str, MappingRecord]:
        """Raises ValidationError."""
        try:
            return read_recipe(self.cleaned_data["recipe"].read(MOST_BYTES + 1))
        except ValueError as reason:
            raise forms.ValidationError(str(reason)) from None


class NameForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=100, error_messages={"required": _("Write a name.")})


def _ask_pair(alias: str, name: str) -> str:
    """The question whether a pair is one player; of numbers the first stands for all."""
    says = gettext("Is %(alias)s %(name)s, and so on?") if ANY in alias else gettext("Is %(alias)s %(name)s?")
    return says % {"alias": alias.replace(ANY, "1"), "name": name.replace(ANY, "1")}


def _shortened(column: str) -> str:
    column = "".join(character if character.isprintable() else "\ufffd" for character in column)
    return column if len(column) <= LONGEST_SHOWN else f"{column[: LONGEST_SHOWN - 1]}…"
