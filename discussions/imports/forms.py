"""The form that says what the columns of a file mean: for each field one of the file's columns, by its number."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from discussions.imports.labels import FIELD_HELP, FIELD_LABELS, KIND_LABELS, LINE_FIELDS, USUAL_COUNT
from discussions.transcripts.core.audience import ROUND
from discussions.transcripts.core.file_names import printable
from discussions.transcripts.core.readers.columns import (
    AFTER_VOTES,
    ANY,
    ENCODING,
    GAMES,
    IS,
    LIST,
    MOST_BYTES,
    NEEDED,
    OF_TYPED_ROWS,
    ONE_GAME,
    OR,
    ROUNDS,
    SEPARATOR,
    SETTINGS,
    SEVERAL_GAMES,
    MappingRecord,
    is_pair,
    is_template,
    read_recipe,
    split_columns,
    suggest_fields,
)
from discussions.transcripts.core.readers.line_templates import find_fault as find_template_fault
from discussions.transcripts.core.readers.row_kinds import Question
from discussions.transcripts.core.readers.separated import LINE
from discussions.transcripts.core.readers.tables import Table

PREVIEW, SAVE = "preview", "save"
# How the lines of a text are written, and what stood there before the last change.
LINES, LINES_BEFORE = "lines", "lines_before"
# The columns that the fields were chosen from.
OF_COLUMNS = "of_columns"
LONGEST_SHOWN = 60


class ColumnsForm(forms.Form):
    """One choice for each field, and what only a person can say. `do` says which button was pressed.

    `mapping` is what is chosen before anything is posted; `marks` are values of a type at which a round may begin.
    """

    do = forms.ChoiceField(choices=((PREVIEW, PREVIEW), (SAVE, SAVE)), widget=forms.HiddenInput)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        table: Table,
        mapping: MappingRecord,
        questions: Sequence[Question] = (),
        pairs: Mapping[str, str] = {},
        marks: Mapping[str, int] = {},
        begins_again: bool = False,
        **given: Any,
    ) -> None:
        self.columns, self.before = table.columns, mapping
        self.numbers = {column: str(number) for number, column in enumerate(table.columns)}
        # In rows of several types a field may have several columns.
        self.suggested = suggest_fields(table.columns) | mapping.fields
        given["initial"] = {field: self._number(name) for field, name in mapping.fields.items()}
        own = f"{crc32(repr(self.columns).encode()):08x}"
        super().__init__(self._fitting(settled(data), own) if data is not None else None, **given)
        self.fields[OF_COLUMNS] = forms.CharField(required=False, initial=own, widget=forms.HiddenInput)
        for field, label in FIELD_LABELS.items():
            is_needed = field in NEEDED
            nothing = _("choose a column") if is_needed else _("not in this file")
            self.fields[field] = forms.ChoiceField(
                label=label,
                choices=[("", nothing), *self._choices(field)],
                required=is_needed,
                help_text=FIELD_HELP.get(field, ""),
                error_messages={"required": _("Choose the column.")},
            )
        self.questions = {_name("is", question.value): question for question in questions}
        self.pairs = {_name("also", alias): (alias, name) for alias, name in pairs.items()}
        self._ask_about_file(table)
        self._ask_about_rounds(marks, begins_again=begins_again)
        self._ask()
        # The answer to a question that another choice has made needless.
        for name in self.data:
            if name.startswith(("is_", "also_")) or name in SETTINGS:
                self.fields.setdefault(name, forms.CharField(required=False))

    def _fitting(self, data: QueryDict, own: str) -> QueryDict:
        """What was posted; of the columns, what is proposed if the file was read otherwise when they were chosen."""
        if data.get(OF_COLUMNS, own) != own:
            for field in FIELD_LABELS:
                data[field] = self._number(self.before.fields.get(field, ""))
        data[OF_COLUMNS] = own
        return data

    def _number(self, name: str) -> str:
        return self.numbers.get(name) or OR.join(
            self.numbers[part] for part in split_columns(name, self.columns)
        )

    def _choices(self, field: str) -> list[tuple[str, Any]]:
        """All columns, several for one field as they were proposed, and a further one beside those that are chosen."""
        chosen = self.data.get(field, "") if self.is_bound else self.initial.get(field, "")
        parts = [part for part in chosen.split(OR) if part.isdecimal() and int(part) < len(self.columns)]
        several = {self._number(self.suggested[field])} if OR in self.suggested.get(field, "") else set()
        several |= {OR.join(parts)} if len(parts) > 1 else set()
        numbers = [*self.numbers.values(), *sorted(number for number in several if OR in number)]
        found: list[tuple[str, Any]] = [self._choice(number) for number in numbers]
        if parts and field in (*NEEDED, *OF_TYPED_ROWS, "vote", "type", "game", "thought"):
            others = [number for number in self.numbers.values() if number not in parts]
            more = [self._choice(OR.join([*parts, number])) for number in others]
            found.append((gettext("With another column"), more))
        return found

    def _choice(self, numbers: str) -> tuple[str, str]:
        shown = printable(self._names(numbers, ", "))
        return numbers, shown if len(shown) <= LONGEST_SHOWN else f"{shown[: LONGEST_SHOWN - 1]}…"

    def _names(self, numbers: str, joint: str = OR) -> str:
        return joint.join(self.columns[int(part)] for part in numbers.split(OR))

    def _ask_about_file(self, table: Table) -> None:
        """Add where the messages are, and which encoding is right, where there is a choice."""
        asked = {
            LIST: _("Where are the messages?"),
            ENCODING: _("Which text is right?"),
            SEPARATOR: _("What stands between name and text?"),
        }
        for name, label in asked.items():
            choices = table.choices.get(name, [])
            if name == SEPARATOR:
                says = _("“%(sign)s”, as in: %(line)s")
                signs = [one for one in choices if not is_template(one[0])]
                choices = [(sign, says % {"sign": sign, "line": line}) for sign, line in signs]
            if len(choices) > 1 or (choices and is_template(table.settings.get(name, ""))):
                self.fields[name] = _radio(label, choices, table.settings.get(name, ""))
        if SEPARATOR in table.choices:
            separator = table.settings.get(SEPARATOR, "")
            written = separator if is_template(separator) else ""
            self.fields[LINES] = forms.CharField(
                label=_("How its lines are written"),
                required=False,
                max_length=2000,
                initial=written,
                help_text=_(
                    "A template for each kind of line, such as [{time}] {player}: {text}; {} leaves something out."
                ),
                widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
            )
            self.fields[LINES_BEFORE] = forms.CharField(
                required=False, initial=written, widget=forms.HiddenInput
            )

    def _ask_about_rounds(self, marks: Mapping[str, int], *, begins_again: bool) -> None:
        if begins_again or GAMES in self.before.settings:
            several = (SEVERAL_GAMES, _("Several: one begins where the rounds begin again"))
            games = [(ONE_GAME, _("One game, whose rounds begin again")), several]
            chosen = self.before.settings.get(GAMES, "")
            self.fields[GAMES] = _radio(_("Is this one game?"), games, chosen, required=True)
        begins = next((f"{IS}{value}" for value, kind in self.before.kinds.items() if kind == ROUND), "")
        choices: list[tuple[str, Any]] = [("", _("As the columns say"))]
        for value, count in marks.items():
            says = ngettext("At “%(value)s”, %(n)d round", "At “%(value)s”, %(n)d rounds", count)
            choices.append((f"{IS}{value.casefold()}", says % {"value": value[:LONGEST_SHOWN], "n": count}))
        if not {"vote", "target"}.isdisjoint(self.suggested):
            choices.append((AFTER_VOTES, _("With the first words after votes")))
        choices.append(("none", _("Nowhere: there are no rounds")))
        chosen = self.before.settings.get(ROUNDS, begins)
        self.fields[ROUNDS] = _radio(_("Where does a round begin?"), choices, chosen)

    def _ask(self) -> None:
        """Add what only a person can say: what rows are, and who is called otherwise."""
        for name, question in self.questions.items():
            chosen = self.before.kinds.get(question.value.casefold(), "")
            self.fields[name] = _radio(question.title, list(KIND_LABELS.items()), chosen, required=True)
        kept = self.before.aliases
        for field, (alias, name) in self.pairs.items():
            choices = [(alias, gettext("Yes")), ("", gettext("No"))]
            says = (
                gettext("Is %(alias)s %(name)s, and so on?")
                if ANY in alias
                else gettext("Is %(alias)s %(name)s?")
            )
            # Of numbers the first stands for all.
            asked = says % {"alias": alias.replace(ANY, "1"), "name": name.replace(ANY, "1")}
            self.fields[field] = _radio(asked, choices, alias if alias in kept else "")
        others = {alias: name for alias, name in kept.items() if (alias, name) not in self.pairs.values()}
        self.fields["also"] = forms.CharField(
            label=_("Other names"),
            required=False,
            help_text=_("What texts call players: Mari=Marisol, P*=Player* (P1 is Player1)."),
            initial=", ".join(f"{alias}={name}" for alias, name in others.items()),
        )

    def clean_lines(self) -> str:
        written: str = self.cleaned_data[LINES]
        fault = find_template_fault(written)
        if self.is_of_lines() and not fault:
            fault = gettext("No line of the file is written so.") if written else gettext("Write a template.")
        if fault:
            raise forms.ValidationError(fault)
        return written

    def clean_also(self) -> dict[str, str]:
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
        """Whether one of the other fields was changed or has a fault."""
        return any(
            field.errors or (field.value() or "") != (field.initial or "") for field in self.other_fields()
        )

    def chosen(self) -> MappingRecord:
        """What is chosen validly, also of a form with faults."""
        self.is_valid()
        given = self.cleaned_data
        fields = {field: self._names(given[field]) for field in FIELD_LABELS if given.get(field)}
        answers = {row.value.casefold(): given.get(name) for name, row in self.questions.items()}
        begins = given.get(ROUNDS) or ""
        # What an earlier recipe says of rows that are not asked about stays.
        kinds = {value: kind for value, kind in self.before.kinds.items() if kind != ROUND}
        kinds |= {value: kind for value, kind in answers.items() if kind}
        kinds |= {begins.removeprefix(IS): ROUND} if begins.startswith(IS) else {}
        aliases = dict(pair for name, pair in self.pairs.items() if given.get(name))
        settings = {
            name: given.get(name) or self.before.settings.get(name)
            for name in (ENCODING, LIST, SEPARATOR, GAMES)
        }
        settings[SEPARATOR] = given.get(SEPARATOR) or given.get(LINES) or settings[SEPARATOR]
        settings[ROUNDS] = begins if begins in ("none", AFTER_VOTES) else ""
        return MappingRecord(
            self.columns,
            fields,
            {value: kind for value, kind in kinds.items() if answers.get(value, kind)},
            aliases | (given.get("also") or {}),
            {name: said for name, said in settings.items() if said},
        )

    def about_file(self) -> list[forms.BoundField]:
        """Questions about the file as a whole, and where rounds begin if no column says it."""
        asks_rounds = self.asks_rounds() and not self.is_of_lines()
        names = (LIST, ENCODING, SEPARATOR, GAMES, *([ROUNDS] if asks_rounds else []))
        return [self[name] for name in names if isinstance(self.fields.get(name), forms.ChoiceField)]

    def fields_of_lines(self) -> Iterable[tuple[str, Any]]:
        return LINE_FIELDS.items()

    def is_of_lines(self) -> bool:
        """Whether nothing is known of a text but its lines."""
        return LINES in self.fields and self.columns == [LINE]

    def asks_rounds(self) -> bool:
        by_columns = self["round"].value() or self["phase"].value()
        return not by_columns or self[ROUNDS].value() == AFTER_VOTES

    def asked(self) -> list[tuple[Question, forms.BoundField]]:
        """The questions that only a person can answer."""
        return [(question, self[name]) for name, question in self.questions.items()]

    def is_answered(self) -> bool:
        return all(self[name].value() for name in self.questions)

    def asked_pairs(self) -> list[forms.BoundField]:
        return [self[name] for name in self.pairs]

    def is_open(self) -> bool:
        """Whether the columns are shown: one is missing, has a fault, or was changed."""
        return (
            not all(self[field].value() for field in NEEDED)
            or any(field.errors for field in self.usual_fields())
            or bool(self.is_bound and set(self.changed_data) & {*list(FIELD_LABELS)[:USUAL_COUNT]})
        )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        parts = {field: (cleaned.get(field) or "").split(OR) for field in FIELD_LABELS if cleaned.get(field)}
        counts = Counter(part for own in parts.values() for part in own)
        for field, own in parts.items():
            if any(counts[part] > 1 for part in own):
                sentence = gettext("This column is chosen twice. Choose another one for one of the two.")
                self.add_error(field, sentence)
        return cleaned


def settled(data: QueryDict) -> QueryDict:
    """What was posted, with templates of lines or a sign between name and text: that which was changed last."""
    written, before = (data.get(name, "").replace("\r\n", "\n").strip() for name in (LINES, LINES_BEFORE))
    settled = data.copy()
    if LINES in data:
        settled[LINES] = settled[LINES_BEFORE] = written
    if written and written != before and SEPARATOR in data:
        settled[SEPARATOR] = ""
    return settled


class RecipeForm(forms.Form):
    recipe = forms.FileField(
        label=_("Recipe file"), error_messages={"required": _("Choose the file of a recipe.")}
    )

    def clean_recipe(self) -> tuple[str, MappingRecord]:
        try:
            return read_recipe(self.cleaned_data["recipe"].read(MOST_BYTES + 1))
        except ValueError as reason:
            raise forms.ValidationError(str(reason)) from None


class NameForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=100, error_messages={"required": _("Write a name.")})


def _radio(label: Any, choices: list[Any], chosen: str, *, required: bool = False) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label,
        choices=choices,
        initial=chosen,
        required=required,
        error_messages={"required": _("Answer this: the file does not say it.")},
        widget=forms.RadioSelect,
    )


def _name(kind: str, value: str) -> str:
    """The name of a question's field, the same whatever else is asked."""
    return f"{kind}_{crc32(value.encode()):08x}"
