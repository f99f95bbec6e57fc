"""What people and programs are told of, in words: occasions of notifications, events of webhooks. They name things by
their numbers: no player, no evaluator, no answer, no verdict.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from msgspec import Struct

from workspace.core.words import mark_many
from workspace.outbox import core


class Occasion(Struct, frozen=True):
    """One thing that people are told of: its kind, and the page that it leads to.

    `arguments` are those of the page, names of numbers ("slug": the project); `fragment` is a part of the page, with a
    number in it. `many` is the page of a project that several lead to together, "" for the same page.
    """

    kind: str
    page: str
    arguments: tuple[str, ...] = ()
    fragment: str = ""
    many: str = ""


OCCASIONS = {
    "game_assigned": Occasion(core.ASSIGNED, "queue", ("slug",)),
    "ties_sent": Occasion(core.ASSIGNED, "ties"),
    "set_assigned": Occasion(core.ASSIGNED, "reviews"),
    "evaluation_returned": Occasion(core.RETURNED, "rate", ("evaluation",), many="queue"),
    "flag_answered": Occasion(core.MENTIONED, "flags", ("slug",), "flag-{flag}"),
    "flag_mentioned": Occasion(core.MENTIONED, "flags", ("slug",), "flag-{flag}"),
    "second_round": Occasion(core.SECOND_ROUND, "reviews"),
    "flag_opened": Occasion(core.FLAG, "flags", ("slug",), "flag-{flag}"),
    "game_tied": Occasion(core.TIE, "adjudicate", ("slug", "game"), many="project"),
    "import_failed": Occasion(core.IMPORT_FAILED, "import_show", ("slug", "transcript"), many="imports"),
    "import_faults": Occasion(core.IMPORT_FAILED, "import_show", ("slug", "transcript"), many="imports"),
    "import_waits": Occasion(core.IMPORT_FAILED, "import_show", ("slug", "transcript"), many="imports"),
    "judge_suspended": Occasion(core.DRIFT, "show_judge", ("slug", "judge"), many="judges"),
    "export_failed": Occasion(core.JOB_FAILED, "exports", ("slug",)),
    "job_failed": Occasion(core.JOB_FAILED, "project", ("slug",)),
    "site_job_failed": Occasion(core.JOB_FAILED, "status"),
}
SENTENCES = {
    "game_assigned": _("Game %(game)s is assigned to you."),
    "ties_sent": _("Ties of game %(game)s wait for your answer."),
    "set_assigned": _("You are a reviewer of comparison set %(set)s."),
    "evaluation_returned": _(
        "Your evaluation of game %(game)s was returned. Read the comment, change it and submit it again."
    ),
    "flag_answered": _("Somebody replied to a flag on game %(game)s."),
    "flag_mentioned": _("You are mentioned in a reply to a flag on game %(game)s."),
    "second_round": _("The second round of a comparison in set %(set)s is open."),
    "flag_opened": _("There is a new flag on game %(game)s."),
    "game_tied": _("The evaluations of game %(game)s are tied. Resolve the disagreements."),
    "import_failed": _("The import of a file failed."),
    "import_faults": _("A file was imported with faults (%(faults)s)."),
    "import_waits": _("A file waits for your answer."),
    "judge_suspended": _(
        "Judge %(judge)s was suspended: it agrees with people in %(now)s %% of %(answers)s answers, "
        "in %(then)s %% before."
    ),
    "export_failed": _("An export failed."),
    "job_failed": _("Work in the background failed (job %(job)s)."),
    "site_job_failed": _("Work in the background of the installation failed (job %(job)s)."),
}
# The sentences for several in one line.
SENTENCES_OF_MANY = {
    "game_assigned": mark_many("%(n)d game is assigned to you.", "%(n)d games are assigned to you."),
    "ties_sent": mark_many(
        "Ties of %(n)d game wait for your answer.", "Ties of %(n)d games wait for your answer."
    ),
    "set_assigned": mark_many(
        "You are a reviewer of %(n)d comparison set.", "You are a reviewer of %(n)d comparison sets."
    ),
    "evaluation_returned": mark_many(
        "%(n)d evaluation of yours was returned. Read the comment, change it and submit it again.",
        "%(n)d evaluations of yours were returned. Read the comments, change them and submit them again.",
    ),
    "flag_answered": mark_many("Somebody replied to %(n)d flag.", "Somebody replied to %(n)d flags."),
    "flag_mentioned": mark_many(
        "You are mentioned in the replies to %(n)d flag.", "You are mentioned in the replies to %(n)d flags."
    ),
    "second_round": mark_many(
        "The second round of %(n)d comparison is open.", "The second round of %(n)d comparisons is open."
    ),
    "flag_opened": mark_many("There is %(n)d new flag.", "There are %(n)d new flags."),
    "game_tied": mark_many(
        "The evaluations of %(n)d game are tied. Resolve the disagreements.",
        "The evaluations of %(n)d games are tied. Resolve the disagreements.",
    ),
    "import_failed": mark_many("The import of %(n)d file failed.", "The import of %(n)d files failed."),
    "import_faults": mark_many(
        "%(n)d file was imported with faults.", "%(n)d files were imported with faults."
    ),
    "import_waits": mark_many("%(n)d file waits for your answer.", "%(n)d files wait for your answer."),
    "judge_suspended": mark_many("%(n)d judge was suspended.", "%(n)d judges were suspended."),
    "export_failed": mark_many("%(n)d export failed.", "%(n)d exports failed."),
    "job_failed": mark_many(
        "Work in the background failed %(n)d time.", "Work in the background failed %(n)d times."
    ),
    "site_job_failed": mark_many(
        "Work in the background of the installation failed %(n)d time.",
        "Work in the background of the installation failed %(n)d times.",
    ),
}
KIND_LABELS = {
    core.ASSIGNED: _("Work is assigned to you"),
    core.RETURNED: _("An evaluation of yours is returned"),
    core.MENTIONED: _("Somebody replies to a flag of yours, or mentions you"),
    core.SECOND_ROUND: _("The second round of a comparison opens"),
    core.JOB_FAILED: _("Work that you started fails"),
    core.FLAG: _("An evaluator sets a flag"),
    core.TIE: _("Evaluations are tied"),
    core.DRIFT: _("A judge is suspended, as it agrees less with people"),
    core.IMPORT_FAILED: _("An import fails, has faults or waits for an answer"),
}
DIGEST_CHOICES = (
    (core.AT_ONCE, _("At once (at most one e-mail in 10 minutes)")),
    (core.DAILY, _("Once a day, at 7 in the morning")),
    (core.OFF, _("No e-mail")),
)
EVENT_CHOICES = (
    (core.IMPORT_FINISHED, _("import.finished: a file was read to its end")),
    (core.GAME_MEASURED, _("game.measured: a game was measured, or measured again")),
    (core.EVALUATION_SUBMITTED, _("evaluation.submitted: an evaluator submitted an evaluation")),
    (core.GAME_TIED, _("game.tied: evaluators differ, and a lead must decide")),
    (core.VERDICT_RECORDED, _("verdict.recorded: a verdict was recorded, or superseded")),
    (core.ITERATION_READY, _("iteration.ready: every game of a change has its verdict")),
    (core.ITERATION_DECIDED, _("iteration.decided: a change was kept, reverted or found inconclusive")),
    (core.GATE_OPENED, _("gate.opened: a stage was closed and the next one opened")),
    (core.JUDGE_SUSPENDED, _("judge.suspended: a judge agrees with people less than before")),
    (core.SET_CLOSED, _("set.closed: a comparison set was closed")),
)
NOT_SENT = _("It was not sent: the webhook was deactivated or removed.")
NOT_SENT_RESTORED = _("It was not sent: the site was restored from a backup in which it waited.")


def say_burst(burst: Sequence[Any]) -> str:
    """The sentence of notifications with one code, each thing counted once; numbers that it lacks are left open."""
    code, count = burst[0].code, len({row.subject for row in burst})
    if count > 1:
        return ngettext(*SENTENCES_OF_MANY[code], count) % {"n": count}
    numbers = ("game", "set", "faults", "job", "judge", "now", "answers", "then")
    return str(SENTENCES[code]) % (dict.fromkeys(numbers, "?") | dict(burst[0].about))
