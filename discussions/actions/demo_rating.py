"""How the demo's evaluators rate: through the same acts as on the page, one after the other."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct

from discussions.actions.finishing import reveal_roles, submit_evaluation
from discussions.actions.judging import judge
from discussions.actions.remarking import remark
from discussions.actions.settling import record_verdict
from discussions.core import kinds
from discussions.core.kinds import place_of
from discussions.models import Evaluation, Game
from discussions.models.bases import preview_of
from discussions.models.standings import Work, work_of
from workspace.core.revisions import Act
from workspace.models import Person

OVERRIDE_REASON = "Judged by what it does in the game, not by its words."


class Planned(Struct, frozen=True):
    """One game of the demo, who rates it, how far, and what they say; without an evaluator it waits in the queue."""

    file: str
    evaluator: str = ""
    until: str = ""
    labels: dict[str, str] = {}
    overrides: dict[str, int] = {}
    questions: list[str] = []
    rating: str = ""
    comment: dict[str, Any] = {}
    flag: dict[str, Any] = {}


class Rater:
    """One evaluator at work on one game of the demo, from its beginning."""

    def __init__(self, evaluation: Evaluation, person: Person, clock: Callable[[], datetime]) -> None:
        self.evaluation, self.person, self.clock = evaluation, person, clock
        self.versions: Counter[tuple[str, str]] = Counter()

    def work(self) -> Work:
        """The evaluation as it stands."""
        return work_of(self.evaluation)

    def say(self, kind: str, subject: str, value: str, reason: str | None = None) -> None:
        """One act, on the version that is stored."""
        version = self.versions[kind, subject]
        act = Act(
            kind=kind,
            subject=subject,
            value=value,
            version=version,
            key=f"demo:{self.evaluation.pk}:{kind}:{subject}:{version}",
            reason=reason,
            took_ms=2000 + 37 * (len(subject) + version),
        )
        judge(evaluation=self.evaluation, act=act, by=self.person, now=self.clock())
        self.versions[kind, subject] += 1

    def note(self, kind: str, about: dict[str, Any]) -> None:
        """A comment or a flag on a message."""
        remark(
            evaluation=self.evaluation,
            kind=kind,
            target=f"message:{about['message']}",
            text=about["text"],
            key=f"demo:{self.evaluation.pk}:{kind}",
            by=self.person,
            now=self.clock(),
        )


def rate(*, rater: Rater, planned: Planned, by: Person) -> None:
    """Rate the game as planned: half of it, or all and submit."""
    for subject in rater.work().ground.counted:
        rater.say(kinds.REFERENCE, subject, planned.labels.get(subject, kinds.ACCURATE))
    _sample(rater, kinds.STRATEGIC_DEPTH)
    for kind, about in (("comment", planned.comment), ("flag", planned.flag)):
        if about:
            rater.note(kind, about)
    if planned.until == "half":
        return
    _sample(rater, kinds.COHERENCE)
    for metric, count in planned.overrides.items():
        _override(rater, metric, count)
    for number, answer in enumerate(planned.questions, start=1):
        rater.say(kinds.QUESTION, str(number), answer)
    rater.say(kinds.RATING, "", planned.rating)
    reveal_roles(evaluation=rater.evaluation, by=by, now=rater.clock())
    work = rater.work()
    for missing in work.sight.missing:
        rater.say(missing.kind, missing.subject, work.machine[missing.kind, missing.subject])
    submit_evaluation(evaluation=rater.evaluation, by=by, now=rater.clock())


def settle(*, rater: Rater) -> None:
    """Record the verdict of the game that was rated."""
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    record(game=rows.get(pk=rater.evaluation.game_id), by=rater.person, now=rater.clock())


def record(*, game: Game, by: Person, now: datetime) -> None:
    """Record what the evaluations of the game come to."""
    preview = preview_of(game)
    assert preview is not None
    record_verdict(game=game, basis_sha256=preview.basis_sha256, by=by, now=now)


def _sample(rater: Rater, metric: str) -> None:
    """Judge an audit sample as the rules would."""
    work = rater.work()
    for position in work.samples[metric]:
        rater.say(metric, str(position), work.machine[metric, str(position)])


def _override(rater: Rater, metric: str, count: int) -> None:
    """Say that the first few messages count which the rules did not count, the very first message aside."""
    machine = rater.work().machine
    short = [subject for (kind, subject), value in machine.items() if (kind, value) == (metric, kinds.NO)]
    for subject in sorted(short, key=place_of)[1 : count + 1]:
        rater.say(metric, subject, kinds.YES, OVERRIDE_REASON)
