"""What jobs are called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

JOB_KINDS: dict[str, str | Promise] = {
    "import": _("import of transcripts"),
    "measure": _("automatic scores"),
    "companions": _("diagnostics"),
    "figure_team": _("statistics of a team"),
    "preview_games": _("preview of a draft rubric: games"),
    "preview_rankings": _("preview of a draft rubric: rankings"),
    "figure_set": _("statistics of a comparison set"),
    "ask_models": _("reviews by models"),
    "read_answers": _("parsing of models' answers"),
    "export": _("export"),
    "deliver": _("deliveries to webhooks"),
}
