"""Forms of model reviewers: an answer that is pasted, and a file of answers."""

from collections.abc import Mapping, Sequence

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from rubric.core.call_parameters import COMPLETION_TOKENS, LONGEST_SYSTEM
from rubric.core.records import UPLOAD_BYTES, UPLOAD_LINES
from rubric.core.scales import COMMON, Scales
from rubric.reviews.core.corrections import Correction, parse_typed_ranking
from rubric.versions.forms import JsonFileField, LinesField


class PasteForm(forms.Form):
    """A model's answer, unchanged; `part` says which of two calls it answers."""

    part = forms.CharField(required=False, max_length=10, widget=forms.HiddenInput)

    text = LinesField(
        label=_("The model's answer"),
        strip=False,
        rows=8,
        help_text=_(
            "The whole answer, with its reasons and its JSON. It is stored unchanged, then parsed. At most 2 MB."
        ),
    )


class CorrectionForm(forms.Form):
    """A person's correction of a reading: a field for each score of each response, the ranking, the reason."""

    def __init__(
        self,
        *args: object,
        labels: Sequence[str],
        criteria: Mapping[str, str],
        scales: Scales,
        **given: object,
    ) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.labels, self.criteria = list(labels), dict(criteria)
        for place, label in enumerate(self.labels, start=1):
            for key, name in self.criteria.items():
                scale = scales.get(key, COMMON)
                said = _now("%(response)s, %(criterion)s") % {"response": label, "criterion": name}
                lies = _now("%(criterion)s lies on a scale of %(scale)s.") % {
                    "criterion": name,
                    "scale": scale.text,
                }
                self.fields[f"s{place}-{key}"] = forms.DecimalField(
                    label=said + (f" ({scale.text})" if scales else ""),
                    required=False,
                    min_value=scale.lowest,
                    max_value=scale.highest,
                    max_digits=8,
                    decimal_places=4,
                    error_messages={"min_value": lies, "max_value": lies} if scales else None,
                )
        self.fields["ranking"] = forms.CharField(
            label=_("Ranking"),
            required=False,
            max_length=400,
            help_text=_("By letters, best first: B > A = C. Empty where there is none."),
        )
        self.fields["reason"] = forms.CharField(
            label=_("What the parser got wrong"), max_length=500, error_messages={"required": _("Say why.")}
        )

    @property
    def rows(self) -> list[tuple[str, list[BoundField]]]:
        return [
            (label, [self[f"s{place}-{key}"] for key in self.criteria])
            for place, label in enumerate(self.labels, start=1)
        ]

    def clean_ranking(self) -> list[list[str]] | None:
        text = str(self.cleaned_data["ranking"]).strip()
        ranking = parse_typed_ranking(text, self.labels) if text else None
        if text and ranking is None:
            raise forms.ValidationError(
                _now("Name each response once by its letter, such as B > A = C."), code="ranking"
            )
        return ranking

    def to_correction(self) -> Correction:
        scores: dict[str, dict[str, int | float]] = {}
        for place, label in enumerate(self.labels, start=1):
            for key in self.criteria:
                value = self.cleaned_data[f"s{place}-{key}"]
                if value is not None:
                    points = int(value) if value == int(value) else float(value)
                    scores.setdefault(label, {})[key] = points
        return Correction(scores, self.cleaned_data["reason"], self.cleaned_data["ranking"])


EFFORTS = (("", _("the endpoint's own")), *((word, word) for word in ("minimal", "low", "medium", "high")))


class ParametersForm(forms.Form):
    """The parameters that every call to a model sends besides the prompt. Empty ones are not sent."""

    temperature = forms.FloatField(label=_("Temperature"), required=False, min_value=0, max_value=2)
    top_p = forms.FloatField(label=_("top_p"), required=False, min_value=0, max_value=1)
    max_tokens = forms.IntegerField(
        label=_("Most tokens of an answer"), required=False, min_value=1, max_value=1_000_000
    )
    seed = forms.IntegerField(label=_("Seed"), required=False, min_value=0, max_value=2**31 - 1)
    reasoning_effort = forms.ChoiceField(
        label=_("Reasoning effort"),
        required=False,
        choices=EFFORTS,
        help_text=_(
            "If it is set, the most tokens are sent as max_completion_tokens, which includes reasoning."
        ),
    )
    system_prompt = LinesField(label=_("System prompt"), max_length=LONGEST_SYSTEM, rows=4)

    @classmethod
    def read_initial(cls, parameters: Mapping[str, object]) -> dict[str, object]:
        initial = dict(parameters)
        most = initial.pop(COMPLETION_TOKENS, None)
        return initial | ({"max_tokens": most} if most is not None else {})

    def to_parameters(self) -> dict[str, int | float | str]:
        parameters = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        if "reasoning_effort" in parameters and "max_tokens" in parameters:
            parameters[COMPLETION_TOKENS] = parameters.pop("max_tokens")
        return parameters


class AnswersForm(forms.Form):
    file = JsonFileField(help_text=_("One answer a line. At most 32 MB."))

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file.size > UPLOAD_BYTES:
            raise forms.ValidationError(_("The file is larger than 32 MB. Split it."))
        data: bytes = file.read()
        if data.count(b"\n") > UPLOAD_LINES:
            raise forms.ValidationError(_("The file has more than 10,000 lines. Split it."))
        return data
