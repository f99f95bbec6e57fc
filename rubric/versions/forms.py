"""Forms of rubric versions: the editor with a field for every text, a file, the reason of a change.

The core decides what the texts of the editor mean.
"""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from rubric.core.records import RESPONSE, RubricRecord
from rubric.versions.core import draft
from rubric.versions.core.game_specs import add_defaults
from rubric.versions.labels import LABELS, heading, readings


def several_lines(rows: int = 3) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class ParagraphField(forms.CharField):
    """A text that can have several lines, and can be left empty."""

    def __init__(self, *, rows: int = 3, required: bool = False, **given: Any) -> None:
        super().__init__(required=required, widget=several_lines(rows), **given)


class LinesField(ParagraphField):
    """A text of several lines. Browsers end each line with CR LF, whatever was typed or pasted; here it is LF."""

    def to_python(self, value: object) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class JsonFileField(forms.FileField):
    """A file whose content the core checks, also an empty one."""

    def __init__(self, **given: Any) -> None:
        given.setdefault("label", _("JSONL file"))
        super().__init__(max_length=1000, allow_empty_file=True, **given)
        self.error_messages["required"] = _("Choose a file.")


class NoteForm(forms.Form):
    note = LinesField(
        label=_("Change note"),
        help_text=_("Required: what this draft is to change, and why. It stays with the version."),
    )


class VersionChangeForm(forms.Form):
    """The reason for an act on a version; `basis` is the hash of the content that the person saw."""

    reason = LinesField(label=_("Reason"), help_text=_("It stays with the version and in the audit log."))
    basis = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)


class ImportForm(forms.Form):
    """The JSON of a version, and where it belongs."""

    file = JsonFileField(label=_("JSON file"), help_text=_("As this site exports it. At most 2 MB."))
    rubric = forms.ChoiceField(label=_("As a draft of"), required=False)
    key = forms.CharField(
        label=_("Short name of the new rubric"),
        required=False,
        max_length=60,
        help_text=_("Only for a new rubric: small letters, digits and hyphens."),
    )
    note = LinesField(
        label=_("Change note"), help_text=_("Required: where this version comes from, and what it is for.")
    )

    def __init__(self, *args: object, rubrics: list[tuple[str, str]], **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["rubric"].choices = [*rubrics, ("", _("a new response rubric"))]  # type: ignore[attr-defined]
        self.fields["rubric"].initial = rubrics[0][0] if rubrics else ""


EXAMPLES_HELP = _(
    "Evaluators read it where they judge. Say after the example what the right answer is, and why."
)
SCALE_HELP = _(
    "Lowest and highest score: 1 to 5, 0 or 1, 0 to 3 in steps of 0.5. Empty: 1 to 10. For the overall every score is "
    "brought to 1 to 10."
)
BESIDE_A_WEIGHT = ("slide", "was")  # its slider, and what the number was when both were last in step


class DraftForm(VersionChangeForm):
    """Everything a draft says, its note, why it is to be published, and the button that was pressed."""

    note = ParagraphField(
        label=_("Change note"),
        help_text=_("Required: what this draft changes, and why. It stays with the version."),
        rows=2,
    )
    do = forms.CharField(required=False, max_length=80)
    source = forms.CharField(label=_("Source"), required=False)
    even = forms.CharField(
        label=_("When one moves, the others give way in proportion"),
        required=False,
        widget=forms.CheckboxInput,
    )

    def __init__(
        self, *, base: RubricRecord, initial: Mapping[str, object] | None = None, **given: object
    ) -> None:
        texts = draft.draft_texts(base)
        texts |= draft.in_step(texts)
        shown = {
            name: text == draft.YES if name.endswith("-is_mandatory") else text
            for name, text in texts.items()
        }
        super().__init__(initial={**(initial or {}), **shown}, **given)  # type: ignore[arg-type]
        self.base = base
        self.can_add_criteria = base.kind == RESPONSE
        self.indexes = self._indexes(texts if not self.is_bound else self.data)
        for index in self.indexes:
            self._add_criterion(index)
        for name, value in add_defaults(base).items():
            self._add_parameter(name, draft.choice_texts(name, value))
        for field in texts:
            if field.startswith("l-"):
                rows = min(max(texts[field].count("\n") + 2, 4), 16)
                self.fields[field] = ParagraphField(
                    label=heading(field[2:]), strip=False, help_text=field[2:], rows=rows
                )

    @classmethod
    def describe_posted(cls, name: str, value: str) -> tuple[str, str] | None:
        """A text of a criterion, a parameter or a word list, with its label in the editor."""
        group, _hyphen, part = name.partition("-")
        if group in ("p", "l"):
            return heading(part), value
        if not re.fullmatch(r"c[0-9]{1,3}", group) or part not in LABELS:
            return None
        return _now("Criterion %(number)d: %(label)s") % {
            "number": int(group[1:]) + 1,
            "label": LABELS[part],
        }, value

    @property
    def texts(self) -> dict[str, str]:
        if not self.is_bound:
            return draft.draft_texts(self.base)
        return {name: str(value) for name, value in self.data.items() if name in self.fields}

    def with_texts(self, changes: Mapping[str, str]) -> "DraftForm":
        """The same form with some texts changed, not validated yet."""
        return DraftForm(base=self.base, data=self.texts | dict(changes))

    @property
    def criteria(self) -> list[dict[str, Any]]:
        """The fields of the criteria in their order, then of the empty one for a new criterion.

        `slide` and `was` go with the weight; `has_faults` opens it.
        """
        return [self._criterion(index) for index in self.indexes]

    @property
    def parameters(self) -> list[tuple[str, list[BoundField], bool]]:
        groups: dict[str, list[BoundField]] = {}
        words, other = readings(), (_("Other"), "")
        for name in add_defaults(self.base):
            label = str(words.get(name, other)[0])
            groups.setdefault(label, []).append(self[f"p-{name}"])
        return [(label, fields, _has_faults(fields)) for label, fields in groups.items()]

    @property
    def lists(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith("l-")]

    def _indexes(self, texts: Mapping[str, str]) -> list[int]:
        there = [index for index in range(draft.MOST_CRITERIA) if f"c{index}-key" in texts]
        is_filled = not there or any(texts.get(f"c{there[-1]}-{name}", "") for name in draft.CRITERION_FIELDS)
        free = there[-1] + 1 if there else 0
        return [*there, free] if self.can_add_criteria and is_filled and free < draft.MOST_CRITERIA else there

    def _add_criterion(self, index: int) -> None:
        for name in (*draft.CRITERION_FIELDS, *(["remove"] if self.can_add_criteria else [])):
            if name != "scale" or self.can_add_criteria:
                self.fields[f"c{index}-{name}"] = _field(name)
        for name in BESIDE_A_WEIGHT:
            self.fields[f"c{index}-{name}"] = forms.CharField(required=False, strip=False)
        if not self.can_add_criteria:
            self.fields[f"c{index}-key"].widget = forms.HiddenInput()

    def _add_parameter(self, name: str, choices: list[str]) -> None:
        label = str(readings().get(name, ("", name))[1])
        widget: forms.Widget = forms.TextInput(attrs={"inputmode": "decimal"})
        if choices:
            widget = forms.Select(choices=[(choice, choice) for choice in choices])
        self.fields[f"p-{name}"] = forms.CharField(label=label, required=False, help_text=name, widget=widget)

    def _criterion(self, index: int) -> dict[str, Any]:
        names = [name for name in (*draft.CRITERION_FIELDS, "remove") if f"c{index}-{name}" in self.fields]
        bound = {name: self[f"c{index}-{name}"] for name in names}
        key = bound["key"].value()
        stored = (criterion.label for criterion in self.base.criteria if criterion.key == key)
        title = str(bound["label"].value() or next(stored, key) or "")
        fields = [field for name, field in bound.items() if name != "weight" and not field.is_hidden]
        weighing = {name: self[f"c{index}-{name}"] for name in ("weight", *BESIDE_A_WEIGHT)}
        shown = {"index": index, "title": title, "is_new": not title, "fields": fields, **weighing}
        return shown | {"has_faults": _has_faults(list(bound.values()))}


def _field(name: str) -> forms.Field:
    if name in ("is_mandatory", "remove"):
        return forms.CharField(
            label=LABELS[name], required=False, widget=forms.CheckboxInput(attrs={"value": draft.YES})
        )
    widget: forms.Widget = forms.TextInput()
    if name in (*draft.LINES, "description", "question"):
        widget = several_lines(2 if name in ("description", "question") else 5)
    if name in ("weight", "threshold"):
        widget = forms.NumberInput(
            attrs={"step": "any", "min": "0"} | ({"max": "100"} if name == "weight" else {})
        )
    said = SCALE_HELP if name == "scale" else EXAMPLES_HELP if name in draft.EXAMPLES else ""
    return forms.CharField(label=LABELS[name], required=False, strip=False, widget=widget, help_text=said)


def _has_faults(fields: list[BoundField]) -> bool:
    return any(field.errors for field in fields)


class ScoringForm(forms.Form):
    is_on = forms.TypedChoiceField(
        choices=(("yes", _("on")), ("no", _("off"))), coerce=lambda value: value == "yes"
    )
