"""Forms of stages: opening one, opening the next, and the statement that its games are fascinating to watch."""

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.core.iteration_states import AVERAGE, EVERY_GAME, GAME, ITERATION
from rubric.versions.forms import ParagraphField


class StageForm(forms.Form):
    name = forms.CharField(label=_("Name"), help_text=_("What this stage is about, in a few words."))
    goal = ParagraphField(
        label=_("Goal"), help_text=_("What has to be reached before the next stage begins.")
    )
    streak_unit = forms.ChoiceField(
        label=_("What has to succeed in a row"),
        choices=(
            (ITERATION, _("iterations: the averages over all games of each")),
            (GAME, _("games: every single game, one after the other")),
        ),
    )
    engagement_rule = forms.ChoiceField(
        label=_("Engagement of 3.0 or more is asked for"),
        choices=((AVERAGE, _("on average over an iteration")), (EVERY_GAME, _("in every game"))),
    )


class StageTextsForm(StageForm):
    """A stage whose rules are final: its name and goal."""

    streak_unit = None  # type: ignore[assignment]
    engagement_rule = None  # type: ignore[assignment]


class NextStageForm(StageForm):
    reason = ParagraphField(
        label=_("Why it is created although the gate is closed"),
        help_text=_("It is shown on the page of this stage's gate, with your name."),
    )


class StatementForm(forms.Form):
    statement = ParagraphField(label=_("What makes them fascinating to watch"))
