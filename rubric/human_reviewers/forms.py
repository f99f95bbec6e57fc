"""Forms of the reviewer's page: they turn strings into typed values; the actions check whether these fit the review.

Without JavaScript the page is one form, and each button posts all its texts, so that no typed text is lost.
"""

import re
from functools import cached_property

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from rubric.core.records import HOLISTIC
from rubric.core.response_order import LABELS
from rubric.human_reviewers.core import CANNOT, NOTES, RANKING, SCORE, get_label
from workspace.audit.core import Act
from workspace.audit.forms import SEPARATOR, KeyedActForm, KeyedForm, UndoForm

# The name of a field for a text or a choice: "text~kind~subject~version", like the act that saves it.
_TYPED = re.compile(r"(text|value)~[a-z]{1,30}~[^~]{0,200}~[0-9]{1,7}")
CHOSEN = "*"


class _PageForm(KeyedForm):
    def __init__(self, *args: object, **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        for name in filter(_TYPED.fullmatch, self.data):
            self.fields[name] = forms.CharField(required=False, max_length=5000, strip=False)

    @cached_property
    def typed_notes(self) -> list[Act]:
        """The acts that would save the notes of the page, whether they were changed or not. The form must be clean."""
        acts = []
        for name in self.fields:
            part, _tilde, act = name.partition("~")
            if part == "text" and act.startswith(f"{NOTES}~"):
                fields = {"act": f"{act}~", "text": self.cleaned_data.get(name, ""), "nonce": self.page_nonce}
                form = MarkForm(fields)
                acts += [form.to_act()] if form.is_valid() else []
        return acts


class MarkForm(_PageForm, KeyedActForm):
    """One act of a reviewer. Its text is the notes themselves, or the reason why something cannot be judged."""

    text = forms.CharField(label=_("Text"), required=False, max_length=5000, strip=False)

    @classmethod
    def describe_posted(cls, name: str, value: str) -> tuple[str, str] | None:
        """A score, the ranking or a text in words: "Response B: accuracy" and "7"."""
        parts = (value if name == "act" else name.partition(SEPARATOR)[2]).split(SEPARATOR, 3)
        kind, subject, answer = (
            parts[0],
            parts[1] if len(parts) > 1 else "",
            parts[3] if len(parts) > 3 else "",
        )
        said = answer if name == "act" else value
        if kind not in (HOLISTIC, SCORE, NOTES, RANKING) or said in ("", CHOSEN):
            return None
        what = name_mark(kind, subject)
        if name.startswith("text") and kind != NOTES:
            what = _now("%(what)s cannot be judged, since") % {"what": what}
        return what, _now("cannot judge") if said == CANNOT else said

    def clean(self) -> dict[str, object]:
        """Take the text and the choice from the fields that are named like the act."""
        cleaned = super().clean()
        if self.errors:
            return cleaned
        about = f"{cleaned['kind']}~{cleaned['subject']}~{cleaned['version']}"
        if cleaned["value"] == CHOSEN:
            cleaned["value"] = cleaned.get(f"value~{about}", "")
            if not cleaned["value"]:
                raise ValidationError(_("Choose a score first, then save it."))
        self.has_text = bool({"text", "reason", f"text~{about}"} & self.data.keys())
        cleaned["text"] = cleaned.get(f"text~{about}") or cleaned["text"]
        return cleaned

    @property
    def posted_text(self) -> str | None:
        return (self.cleaned_data["text"] or super().posted_text or "") if self.has_text else None

    @property
    def is_from_conflict(self) -> bool:
        """Whether one of two versions was chosen: that form says so in `page`, which no other form here uses."""
        return bool(self.cleaned_data.get("page"))

    def to_act(self) -> Act:
        act = super().to_act()
        plain = None if act.reason is None else act.reason.replace("\r\n", "\n").strip()
        return replace(act, value=plain, reason=None) if act.kind == NOTES else replace(act, reason=plain)


def name_mark(kind: str, subject: str) -> str:
    """The subject of a mark in words, from its key alone: "Response B: accuracy", "Notes on Response B", "Ranking"."""
    place, _dot, criterion = subject.partition(".")
    if not (place.isascii() and place.isdigit() and 1 <= int(place[:3]) <= len(LABELS)):
        return _now("Ranking")
    label = get_label(place)
    if kind == NOTES:
        return _now("Notes on %(label)s") % {"label": label}
    what = criterion.replace("_", " ") or _now("overall (holistic)")
    return _now("%(label)s: %(what)s") % {"label": label, "what": what}


class UndoMarkForm(_PageForm, UndoForm):
    """Undo an act."""


class SubmitForm(_PageForm):
    """Submit the review."""
