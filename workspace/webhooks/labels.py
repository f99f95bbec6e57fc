"""Events of webhooks in words."""

from django.utils.translation import gettext_lazy as _

from workspace.webhooks.core import EVALUATION_SUBMITTED, GAME_MEASURED, ITERATION_DECIDED, VERDICT_RECORDED

EVENT_CHOICES = (
    (GAME_MEASURED, _("game.measured: a game was measured, or measured again")),
    (EVALUATION_SUBMITTED, _("evaluation.submitted: an evaluator submitted an evaluation")),
    (VERDICT_RECORDED, _("verdict.recorded: a verdict was recorded, or superseded")),
    (ITERATION_DECIDED, _("iteration.decided: a change was kept, reverted or found inconclusive")),
)
NOT_SENT = _("It was not sent: the webhook was deactivated or removed.")
NOT_SENT_RESTORED = _("It was not sent: the site was restored from a backup in which it waited.")
