"""Forms of judges: a new one, a run on games, and answers that come by hand."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.judges.actions.prompts import RunPlan
from discussions.judges.actions.runs import LONGEST_PROMPT, JudgePlan
from discussions.judges.labels import KIND_LABELS, METRIC_LABELS, SIDE_LABELS, USE_LABELS
from discussions.judges.queries import ALL, ANSWERED_BLIND
from rubric.calibration.forms import NumbersField
from rubric.model_reviewers.forms import ParametersForm
from rubric.versions.forms import LinesField
from workspace.core.limits import LONGEST_NAME, LONGEST_REASON

PASTED, CALLED = "pasted", "called"


class JudgeForm(ParametersForm):
    """A judge: who answers, how the answers come, its prompt, and the parameters of a call."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    model = forms.CharField(label=_("Model"), max_length=LONGEST_NAME)
    how = forms.ChoiceField(
        label=_("Answers come"),
        choices=[(PASTED, _("pasted or uploaded")), (CALLED, _("by calls of this site"))],
        initial=PASTED,
        widget=forms.RadioSelect,
    )
    prompt = LinesField(
        label=_("Prompt"),
        max_length=LONGEST_PROMPT,
        rows=4,
        required=True,
        help_text=_("The game, the rubric’s words and the form of the answer follow by themselves."),
    )
    budget_usd = forms.DecimalField(
        label=_("Budget in US dollars"),
        required=False,
        min_value=Decimal("0.01"),
        max_digits=8,
        decimal_places=2,
    )
    field_order = ("name", "model", "how", "prompt", "budget_usd")

    def to_plan(self) -> JudgePlan:
        own = ("name", "model", "how", "prompt", "budget_usd")
        values: dict[str, Any] = {name: self.cleaned_data.pop(name) for name in own}
        is_called = values.pop("how") == CALLED
        return JudgePlan(**values, is_called=is_called, parameters=self.to_parameters())


class RunForm(forms.Form):
    """What a judge is asked about."""

    games = NumbersField(
        label=_("Games"),
        help_text=_("Numbers such as 3, 5-7."),
        says=_("“%(part)s” names no games. Write numbers such as 3, 5-7."),
    )
    kinds = forms.MultipleChoiceField(
        label=_("What it answers"), choices=list(KIND_LABELS.items()), widget=forms.CheckboxSelectMultiple
    )
    which = forms.ChoiceField(
        label=_("Items"),
        choices=[(ANSWERED_BLIND, _("those that people answered")), (ALL, _("all of the games"))],
        initial=ANSWERED_BLIND,
        widget=forms.RadioSelect,
    )
    repeat_percent = forms.IntegerField(
        label=_("Asked twice, in percent"),
        min_value=0,
        max_value=100,
        initial=30,
        help_text=_("A judge may help with a metric only after 20 items that it was asked twice."),
    )

    def to_plan(self) -> RunPlan:
        return RunPlan(**self.cleaned_data, asks=True)


class PromptAnswerForm(forms.Form):
    prompt = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)
    text = LinesField(label=_("The judge’s answer"), strip=False, rows=8)


class SuspendForm(forms.Form):
    reason = forms.CharField(label=_("Why it is suspended"), max_length=LONGEST_REASON)


class PlaceForm(forms.Form):
    """A metric and a side of a judge's contracts."""

    metric = forms.ChoiceField(label=_("Metric"), choices=list(METRIC_LABELS.items()))
    side = forms.ChoiceField(label=_("Side"), choices=list(SIDE_LABELS.items()), required=False)


class AdmitForm(PlaceForm):
    use = forms.ChoiceField(label=_("Use"), choices=[(use, USE_LABELS[use]) for use in (HELPS, STRATA)])
