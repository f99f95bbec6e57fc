"""Forms of iterations: the plan of a baseline or a change, games to move, and the settings of unsorted games."""

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import msgspec
from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from discussions.core import intake
from discussions.core.intake import LONGEST_VALUE, MOST_ROWS, Filling, FillRow
from discussions.core.iteration_states import ALONGSIDE, BLIND_FIRST, NEVER, QUESTION, TEST
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS
from discussions.models.iterations import LEAST_GAMES, MOST_EVALUATORS
from discussions.models.queue_rules import HOLD, IGNORE, MOST_REOPEN_MINUTES, WARN
from discussions.planning.core import MOST_GAMES, Plan
from discussions.queue.forms import GameNumbersField
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from rubric.versions.core.draft import NO, YES
from rubric.versions.forms import ParagraphField

ASKS = (
    (QUESTION, _("a question beside the transcript: could I identify this agent by its language?")),
    (TEST, _("a test before the transcript opens: unseen messages are assigned to agents")),
)


REVEAL_CHOICES = (
    (BLIND_FIRST, _("blind first: once the evaluator has judged for themselves")),
    (ALONGSIDE, _("alongside: from the start")),
    (NEVER, _("never: once a verdict is recorded")),
)


HERE, OUT = "here", "out"
_DIFFERENCE = "material-"


class IterationForm(forms.Form):
    """How many evaluators rate each game, and how they are asked who said what.

    `confirmed` is the number for which the page showed the effect. Another number is saved only after the page has
    shown its effect.
    """

    evaluator_count = forms.IntegerField(
        label=_("Evaluators per game"),
        required=False,
        min_value=1,
        max_value=MOST_EVALUATORS,
        help_text=_(
            "2 or 4 have no majority: a lead resolves each difference. The effect is shown before saving."
        ),
    )
    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)
    identification = forms.ChoiceField(
        label=_("Personality diversity: the manual check"),
        choices=ASKS,
        help_text=_("Applies to games taken from now on. Evaluations that were started keep their form."),
    )


class RatingRuleForm(forms.Form):
    flags = forms.ChoiceField(
        label=_("Open flags"),
        choices=(
            (HOLD, _("hold: an evaluator whose flag is open cannot record the verdict; team leads can")),
            (WARN, _("warn: the page of the verdict names open flags")),
            (IGNORE, _("ignore: open flags change nothing")),
        ),
    )
    reopen_minutes = forms.IntegerField(
        label=_("Reopen one's own submission, in minutes"),
        min_value=0,
        max_value=MOST_REOPEN_MINUTES,
        help_text=_("Until a team lead has used it. 0: never."),
    )
    shows_differences = forms.TypedChoiceField(
        label=_("Where you and the rule differ"),
        choices=(
            (NO, _("off")),
            (YES, _("on: evaluators see after submitting where they and the automatic score differ")),
        ),
        coerce=lambda value: value == YES,
        help_text=_("For learning: people who have read it judge more like the rule afterwards."),
    )
    records_at_submit = forms.TypedChoiceField(
        label=_("Recording the verdict"),
        choices=(
            (NO, _("by hand: a team lead, or whoever rated the game alone")),
            (YES, _("at submit: where one evaluator rates a game and nothing is open")),
        ),
        coerce=lambda value: value == YES,
    )


class PlanForm(forms.Form):
    """What every iteration states before it has games: its name, the whole prompt, and the least number of games.

    `do` is the button that was pressed. `planning.core.plan_faults` checks the plan itself.
    """

    name = forms.CharField(label=_("Name"), required=False, help_text=_("A short name for lists."))
    prompt = forms.CharField(
        label=_("Prompt"),
        required=False,
        strip=False,
        help_text=_("The whole text that the agents are given. It is stored unchanged."),
        widget=forms.Textarea(attrs={"rows": 18, "class": "prompt-box", "spellcheck": "false"}),
    )
    prompt_file = forms.FileField(
        label=_("Or the prompt as a file"),
        required=False,
        allow_empty_file=True,
        help_text=_("Plain text in UTF-8. It replaces the text above."),
    )
    least_games = forms.IntegerField(
        label=_("Games at least"),
        initial=LEAST_GAMES,
        min_value=1,
        max_value=MOST_GAMES,
        help_text=_("With fewer games the iteration cannot be opened for rating."),
    )
    do = forms.CharField(required=False, max_length=20)

    def read_file(self) -> None:
        """Take the text of an uploaded file as the prompt, or say in the form what is wrong with the file."""
        file = self.files.get("prompt_file")
        if file is None:
            return
        raw = file.read()
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = ""
        if text.strip():
            data = self.data.copy()  # type: ignore[attr-defined]
            data["prompt"] = text
            self.data = data
            return
        says = _("This file holds no text.") if not raw.strip() else _("This file is not text in UTF-8.")
        self.add_error("prompt_file", says)

    def to_plan(self) -> Plan:
        return Plan(**{name: self.cleaned_data[name] for name in ("name", "prompt", "least_games")})


class BaselineForm(PlanForm):
    """A baseline, with how its games and those of all its changes are judged."""

    rubric_version = forms.ChoiceField(
        label=_("Rubric"), help_text=_("Changes of this baseline are judged by the same version.")
    )
    evaluator_count = forms.IntegerField(
        label=_("Evaluators per game"),
        initial=1,
        min_value=1,
        max_value=MOST_EVALUATORS,
        help_text=_("2 or 4 have no majority: a lead resolves each difference."),
    )
    reveal = forms.ChoiceField(label=_("When evaluators see the automatic findings"), choices=REVEAL_CHOICES)
    identification = forms.ChoiceField(label=_("Personality diversity: the manual check"), choices=ASKS)

    def __init__(self, *args: Any, versions: Sequence[tuple[str, str]], **given: Any) -> None:
        super().__init__(*args, **given)
        self.fields["rubric_version"].choices = list(versions)  # type: ignore[attr-defined]


class ChangeForm(PlanForm):
    change_note = forms.CharField(
        label=_("What is changed"), required=False, help_text=_("One line, as the history shows it.")
    )
    target = forms.ChoiceField(
        label=_("Target metric"),
        required=False,
        help_text=_("Named before the games of this change are there; the other six are only watched."),
    )
    hunks_answer = ParagraphField(label=_("Why these belong together"))
    compared_with = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, rubric: RubricRecord, **given: Any) -> None:
        super().__init__(*args, **given)
        none = _("none: all metrics answer together, which asks for more games")
        named = [(criterion.key, criterion.label) for criterion in rubric.criteria]
        self.fields["target"].choices = [*named, ("", none)]  # type: ignore[attr-defined]
        for criterion in rubric.criteria:
            scale = METRICS[criterion.key].scale
            self.fields[f"{_DIFFERENCE}{criterion.key}"] = forms.FloatField(
                label=criterion.label,
                required=False,
                initial=scale.material,
                min_value=0.01,
                max_value=scale.span,
                widget=forms.NumberInput(attrs={"step": "any"}),
            )

    @property
    def differences(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith(_DIFFERENCE)]

    def to_plan(self) -> Plan:
        """The plan as typed; an empty difference stands for the usual one."""
        typed = self.cleaned_data
        chosen = {field.name.removeprefix(_DIFFERENCE): typed[field.name] for field in self.differences}
        return msgspec.structs.replace(
            super().to_plan(),
            change_note=typed["change_note"],
            target=typed["target"],
            material={key: value for key, value in chosen.items() if value is not None},
            hunks_answer=typed["hunks_answer"],
        )


class MoveForm(forms.Form):
    to = forms.ChoiceField(choices=((HERE, _("into this iteration")), (OUT, _("back to the unsorted games"))))
    games = GameNumbersField(label=_("Games"), required=False)


class VersionForm(forms.Form):
    to = forms.ChoiceField(label=_("Rubric version"))
    shown = forms.RegexField("^[0-9a-f]{64}$", widget=forms.HiddenInput)
    reason = ParagraphField(
        label=_("Reason"),
        help_text=_(
            "Why these games are judged again. The reason and your name are kept with every new verdict."
        ),
        rows=2,
    )

    def __init__(self, *args: object, versions: Iterable[RubricVersion] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["to"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(version.pk), str(version)) for version in versions]


CONDITION_CHOICES = (
    ("", "–"),
    (intake.SHORT, _("fails by less than … points")),
    (intake.NEAR, _("within … points of the threshold")),
    (intake.FAILS, _("fails")),
    (intake.PASSES, _("passes")),
    (intake.BELOW, _("is below …")),
    (intake.FROM, _("is at least …")),
    (intake.AGENT, _("agent")),
    (intake.ROLE, _("role")),
    (intake.MODEL, _("model")),
    (intake.ITERATION, _("iteration")),
    (intake.CATEGORY, _("category")),
    (intake.ODD, _("an oddity or a warning")),
)
METRIC_CHOICES = (
    (intake.WEAKEST, _("The weakest metric")),
    *((key, LABELS[key].title) for key, metric in METRICS.items() if not metric.is_rated),
)
LATER, WAITING = "later", "waiting"
BLANK_ROWS = 2


class FillForm(forms.Form):
    """The rules that fill the queue, each a row of five fields; a row without a condition is none.

    `confirmed` is the hash of the rules whose preview was shown: others are saved only after their preview.
    """

    rest = forms.FloatField(label=_("The rest, at random, in percent"), min_value=0, max_value=100)
    games = forms.ChoiceField(
        label=_("Which games"),
        choices=((LATER, _("new games")), (WAITING, _("new games, and those that wait"))),
    )
    confirmed = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, stored: Filling, **given: Any) -> None:
        super().__init__(*args, **given)
        self.initial = {"rest": f"{stored.rest:g}", "games": LATER}
        for number, row in enumerate(stored.rows, start=1):
            self.initial |= {f"{name}-{number}": getattr(row, name) for name in FillRow.__struct_fields__}
            self.initial[f"percent-{number}"] = f"{row.percent:g}"
        for number in range(1, MOST_ROWS + 1):
            self.fields |= _build_row(number)

    @property
    def rows(self) -> list[list[BoundField]]:
        """The fields of each row that is shown: those with a condition, and some to add."""
        filled = [number for number in range(1, MOST_ROWS + 1) if self[f"condition-{number}"].value()]
        shown = min(MOST_ROWS, max(filled, default=0) + BLANK_ROWS)
        names = ("place", "metric", "condition", "value", "percent")
        return [[self[f"{name}-{number}"] for name in names] for number in range(1, shown + 1)]

    def to_filling(self) -> Filling:
        given, rows = self.cleaned_data, []
        for number in range(1, MOST_ROWS + 1):
            if given[f"condition-{number}"]:
                values = {name: given[f"{name}-{number}"] for name in FillRow.__struct_fields__}
                values["percent"] = 100.0 if values["percent"] is None else values["percent"]
                rows.append((given[f"place-{number}"] or number, number, FillRow(**values)))
        return Filling([row for _place, _number, row in sorted(rows, key=itemgetter(0, 1))], given["rest"])


def _build_row(number: int) -> dict[str, forms.Field]:
    says = {"n": number}
    fields: dict[str, forms.Field] = {
        "place": forms.IntegerField(
            label=_now("Place of rule %(n)d") % says, initial=number, min_value=1, max_value=MOST_ROWS
        ),
        "condition": forms.ChoiceField(
            label=_now("Condition of rule %(n)d") % says, choices=CONDITION_CHOICES
        ),
        "metric": forms.ChoiceField(label=_now("Metric of rule %(n)d") % says, choices=METRIC_CHOICES),
        "value": forms.CharField(label=_now("Value of rule %(n)d") % says, max_length=LONGEST_VALUE),
        "percent": forms.FloatField(
            label=_now("Share of rule %(n)d, in percent") % says, min_value=0, max_value=100
        ),
    }
    for field in fields.values():
        field.required = field.widget.is_required = False
        field.widget.attrs |= {"aria-label": field.label, "class": "input"}
    return {f"{name}-{number}": field for name, field in fields.items()}
