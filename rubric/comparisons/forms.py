"""Forms of comparison sets: opening one, one comparison with its responses, a file, and reviewers."""

from collections.abc import Sequence

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.core.records import MOST_RESPONSES
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.versions.forms import JsonFileField, LinesField

FIRST_RESPONSES = 3

MODE_CHOICES = (
    ("holistic", _("overall (holistic): one score for each response")),
    ("rubric", _("by criterion: a score for each criterion of the rubric")),
    ("both", _("both: one holistic score first, then each criterion")),
)


class ClosingForm(forms.Form):
    """Closing a set; `under_way` is how many reviews under way its page counted."""

    under_way = forms.IntegerField(required=False, min_value=0, max_value=10**6)


class PlacesForm(forms.Form):
    people_needed = forms.IntegerField(
        label=_("People for each comparison"),
        required=False,
        min_value=1,
        max_value=50,
        help_text=_(
            "Each comparison goes to this many of the set's people. Empty: everybody reviews every comparison."
        ),
    )


class SetForm(PlacesForm):
    name = forms.CharField(label=_("Name"), max_length=200)
    version = forms.ChoiceField(
        label=_("Rubric"), help_text=_("The newest published version of each. The set keeps it permanently.")
    )
    mode = forms.ChoiceField(label=_("How responses are scored"), choices=MODE_CHOICES)
    has_second_round = forms.BooleanField(
        label=_("Two rounds"),
        required=False,
        help_text=_("After the first, reviewers see what the others gave, without names, and may revise."),
    )

    def __init__(self, *args: object, versions: Sequence[tuple[str, str]], **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["version"].choices = list(versions)  # type: ignore[attr-defined]


class ComparisonForm(forms.Form):
    """A question and fields for as many responses as were sent; `do` is the button that was pressed."""

    question = LinesField(label=_("Question"), strip=False, help_text=_("As it was asked."))
    do = forms.CharField(required=False, max_length=20)

    def __init__(self, *, places: int = FIRST_RESPONSES, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]
        self.places = self._sent() if self.is_bound else places
        for number in range(1, self.places + 1):
            self.fields[f"r{number}-text"] = LinesField(
                label=_now("Response %(number)d") % {"number": number}, strip=False, rows=4
            )
            self.fields[f"r{number}-author"] = forms.CharField(
                label=_now("Author of response %(number)d") % {"number": number}, required=False
            )

    def _sent(self) -> int:
        """The number of response fields: up to the last one that was sent, at least the first few."""
        sent = [number for number in range(1, MOST_RESPONSES + 1) if f"r{number}-text" in self.data]
        return max(FIRST_RESPONSES, *sent) if sent else FIRST_RESPONSES

    @property
    def responses(self) -> list[tuple[BoundField, BoundField]]:
        """The fields of each response, in order: its text, its author."""
        return [(self[f"r{at}-text"], self[f"r{at}-author"]) for at in range(1, self.places + 1)]

    @property
    def can_grow(self) -> bool:
        return self.places < MOST_RESPONSES

    def grown(self) -> "ComparisonForm":
        """The same form with fields for one more response; typed texts stay, and nothing is validated yet."""
        texts = {name: self.data.get(name, "") for name in self.fields if name != "do"}
        more = ComparisonForm(places=min(self.places + 1, MOST_RESPONSES), initial=texts)
        more.fields[f"r{more.places}-text"].widget.attrs["autofocus"] = True
        return more

    @property
    def filled(self) -> list[int]:
        named = [(number, f"r{number}-text", f"r{number}-author") for number in range(1, self.places + 1)]
        return [number for number, *names in named if any(self.data.get(name, "").strip() for name in names)]

    def to_comparison(self) -> NewComparison:
        """The comparison as typed; empty responses are left out."""
        given = self.cleaned_data
        responses = [
            NewResponse(text=given[f"r{number}-text"], author=given[f"r{number}-author"].strip())
            for number in self.filled
        ]
        return NewComparison(question=given["question"].strip(), responses=responses)

    def field_at(self, pointer: str) -> str | None:
        """The field that the pointer of a fault refers to; None if it refers to the whole comparison."""
        parts = pointer.strip("/").split("/")
        if parts == ["question"]:
            return "question"
        if len(parts) == 3 and parts[0] == "responses":
            name = f"r{self.filled[int(parts[1])]}-{parts[2]}"
            return name if name in self.fields else None
        return None


class LinesForm(forms.Form):
    file = JsonFileField(help_text=_("One JSON object a line: comparisons, reviews, or both. At most 32 MB."))


class PersonReviewerForm(forms.Form):
    kind = forms.CharField(initial=PERSON, widget=forms.HiddenInput)
    person = forms.TypedChoiceField(
        label=_("Person"),
        coerce=int,
        help_text=_("A member of this project."),
        error_messages={
            "required": _("Choose somebody."),
            "invalid_choice": _("This person cannot be added now. Choose somebody else."),
        },
    )

    def __init__(self, *args: object, people: Sequence[tuple[int, str]], **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["person"].choices = [("", _("choose")), *people]  # type: ignore[attr-defined]


class ModelReviewerForm(forms.Form):
    kind = forms.CharField(initial=MODEL, widget=forms.HiddenInput)
    name = forms.CharField(label=_("Name"), max_length=200, help_text=_("As the results call it."))
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        required=False,
        help_text=_("The name that a call uses, if it is different."),
    )


class OutsideReviewerForm(forms.Form):
    """An external reviewer, whose reviews are imported from a file."""

    kind = forms.CharField(initial=ELSEWHERE, widget=forms.HiddenInput)
    name = forms.CharField(label=_("Name"), max_length=200, help_text=_("As the file calls them."))
