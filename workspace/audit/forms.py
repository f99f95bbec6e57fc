"""The filter of the audit log."""

import secrets
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from workspace.audit.core import Act
from workspace.audit.labels import KIND_LABELS, SITE_ONLY, list_verb_choices
from workspace.core.refusals import Unacceptable


def day_input() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date"})


# The range of days that the log can hold.
DAYS = (MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31)))


class FilterForm(forms.Form):
    kind = forms.ChoiceField(
        label=_("About"),
        required=False,
        choices=[("", _("everything")), *KIND_LABELS.items()],
    )
    number = forms.IntegerField(
        label=_("Number"),
        required=False,
        min_value=1,
        max_value=10**12,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    verb = forms.ChoiceField(
        label=_("What was done"),
        required=False,
        choices=lambda: [("", _("anything")), *list_verb_choices()],
    )
    who = forms.CharField(label=_("Who (part of a name or address)"), required=False, max_length=200)
    since = forms.DateField(label=_("From"), required=False, validators=DAYS, widget=day_input())
    until = forms.DateField(label=_("To"), required=False, validators=DAYS, widget=day_input())

    def offer_project_lines(self) -> None:
        """Offer only what the log of a project can hold, and what the address asks for."""
        for name in ("kind", "verb"):
            widget: Any = self.fields[name].widget
            widget.choices = [
                (key, label)
                for key, label in widget.choices
                if key == self.data.get(name) or not SITE_ONLY & {key, key.partition(":")[0]}
            ]

    def clean_number(self) -> int:
        """0 where none was typed; a number without its kind of thing is refused."""
        number = int(self.cleaned_data["number"] or 0)
        if number and not self.cleaned_data.get("kind"):
            raise forms.ValidationError(_("Choose under “About” what this is the number of."))
        return number


SEPARATOR = "~"
OLD = _("This form does not fit the page any more. Load the page again.")


class KeyedForm(forms.Form):
    """The fields of every form of such a page: its key, the page's nonce, the open step, the part of what is judged."""

    key = forms.CharField(required=False, max_length=600, strip=False)
    nonce = forms.CharField(required=False, max_length=64, strip=False)
    step = forms.CharField(required=False, max_length=20, strip=False)
    page = forms.IntegerField(required=False, min_value=0, max_value=10**6)

    @property
    def page_nonce(self) -> str:
        """The nonce of the page: its own field, else the first part of the key."""
        data = self.cleaned_data if hasattr(self, "cleaned_data") else {}
        return str(data.get("nonce") or str(data.get("key") or "").partition(":")[0])

    def check(self) -> None:
        if not self.is_valid():
            raise Unacceptable(str(next(iter(next(iter(self.errors.values()))))))


class KeyedActForm(KeyedForm):
    """One act: five fields, or the short form "kind~subject~version~value" of a button without its own form."""

    kind = forms.CharField(required=False, max_length=30, strip=False)
    subject = forms.CharField(required=False, max_length=200, strip=False)
    version = forms.IntegerField(required=False, min_value=0, max_value=10**7)
    value = forms.CharField(label=_("Answer"), required=False, max_length=100, strip=False)
    text = forms.CharField(label=_("Text"), required=False, max_length=5000)
    reason = forms.CharField(label=_("Reason"), required=False, max_length=5000)
    took_ms = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    act = forms.CharField(required=False, max_length=300, strip=False)

    def clean(self) -> dict[str, object]:
        """Split the short form; without JavaScript, make the key here as the script does."""
        cleaned = dict(super().clean() or {})
        if self.errors:
            return cleaned
        if cleaned.get("act"):
            cleaned |= _apart(str(cleaned["act"]))
        elif cleaned.get("version") is None or not cleaned.get("kind"):
            raise ValidationError(OLD)
        if not cleaned.get("key"):
            parts = (cleaned.get("nonce"), cleaned["kind"], cleaned["subject"], cleaned["version"])
            cleaned["key"] = ":".join(str(part) for part in parts) if cleaned.get("nonce") else ""
        return cleaned

    def to_act(self) -> Act:
        """What was posted, with absent fields told from empty ones."""
        cleaned = self.cleaned_data
        return Act(
            kind=cleaned["kind"],
            subject=cleaned["subject"],
            version=cleaned["version"],
            key=cleaned["key"],
            value=self.posted_value,
            reason=self.posted_text,
            took_ms=cleaned["took_ms"],
        )

    @property
    def posted_value(self) -> str | None:
        has_value = "value" in self.data or bool(self.cleaned_data["act"])
        return str(self.cleaned_data["value"]) if has_value else None

    @property
    def posted_text(self) -> str | None:
        """The text or the reason, None when neither field was there."""
        texts = [str(self.cleaned_data[name]) for name in ("text", "reason") if name in self.data]
        return texts[0] if texts else None


def _apart(short: str) -> dict[str, object]:
    parts = short.split(SEPARATOR, 3)
    if len(parts) != 4 or not (parts[2].isascii() and parts[2].isdigit() and len(parts[2]) <= 7):
        raise ValidationError(OLD)
    return {"kind": parts[0], "subject": parts[1], "version": int(parts[2]), "value": parts[3]}


class SharedFields(dict[str, forms.Field]):
    """Fields that all forms of a class share instead of copying: `deepcopy` copies only the dictionary."""

    def __deepcopy__(self, memo: object) -> dict[str, forms.Field]:
        return dict(self)


class UndoForm(KeyedForm):
    kind = forms.CharField(required=False, max_length=30, strip=False)
    subject = forms.CharField(required=False, max_length=200, strip=False)

    @property
    def target(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("key", "kind", "subject")}


def new_nonce() -> str:
    """The part of every key that is new with each load of the page."""
    return secrets.token_hex(8)
