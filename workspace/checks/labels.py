"""What jobs are called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

JOB_KINDS: dict[str, str | Promise] = {
    "import": _("import of transcripts"),
    "import_part": _("part of an import of transcripts"),
    "import_private": _("private talk of imported games"),
    "erase": _("an erasure"),
    "index": _("the index of messages"),
    "measure": _("automatic scores"),
    "companions": _("diagnostics"),
    "figure_team": _("statistics of a team"),
    "figure_agents": _("files of agents"),
    "preview_games": _("preview of a draft rubric: games"),
    "preview_rankings": _("preview of a draft rubric: rankings"),
    "figure_set": _("statistics of a comparison set"),
    "ask_models": _("reviews by models"),
    "ask_judge": _("answers of judges"),
    "make_prompts": _("prompts for a judge"),
    "watch_judge": _("drift of a judge"),
    "read_answers": _("parsing of models' answers"),
    "export": _("export"),
    "send_emails": _("e-mails"),
    "deliver": _("deliveries to webhooks"),
}
# Calls of models: they wait while others are asked, which is no reason to send people elsewhere, and they cost money.
MAY_WAIT = ("ask_models", "ask_judge")

# What the site needs, by name: the sentences for when it is available, and when it is not. Anybody may read them.
NEEDS: dict[str, tuple[str | Promise, str | Promise]] = {
    "database": (_("The database answers."), _("The database does not answer, or is damaged.")),
    "migrations": (
        _("The database and the code fit."),
        _(
            "The database and the code do not fit. If the code is newer, run manage.py migrate. If it is older, "
            "install the newer version again, or restore the backup that was made before the update."
        ),
    ),
    "triggers": (
        _("Verdicts, decisions and the audit log are protected against changes."),
        _("Triggers that protect verdicts, decisions and the audit log are missing: run manage.py check."),
    ),
    "worker": (_("A worker runs."), _("No worker runs.")),
    "queue": (_("Jobs are taken in time."), _("A job has waited for more than two minutes.")),
    "sweep": (
        _("What is due by time is done."),
        _("These acts of the sweep have not succeeded for more than ten minutes: %(acts)s."),
    ),
    "broker": (_("The broker answers."), _("The broker does not answer.")),
    "disk": (
        _("There is room on the disk."),
        _("The disk has less room than DISK_FREE_MB asks for, or cannot be written."),
    ),
    "storage": (_("Files can be stored."), _("The storage of files does not answer.")),
}
NOT_KNOWN = _("Not known while the database does not answer.")
NO_ANSWER = _("The checks do not end in time: the database, the broker or the disk does not answer.")
