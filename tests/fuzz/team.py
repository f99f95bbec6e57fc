"""A team at work, act by act, beside a plain account of what was acknowledged: the world of the state machine.

Every act is a real action, called as the pages call it. An act that is refused must have written nothing.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from msgspec.structs import replace

from discussions.core.evaluation_states import OPEN
from discussions.models import CalibrationRound, Evaluation, Game, Judgement, Slot
from discussions.rating.actions import undo
from discussions.rating.queries import load_state
from tests.factories.people import NOW, load_membership, make_admin, make_member
from tests.factories.rating import ANSWERS, game_of, judge, make_game, make_rating_project
from workspace.audit.actions import Saved
from workspace.audit.core import Act
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Membership, Person
from workspace.people.actions.people import system_person

REFUSED = (NotAllowed, Conflict, Unacceptable)


MESSAGES = 6


PEOPLE = 4


# What people say, in turn: of each thing at least two of them differ now and then.
OPINIONS: dict[str, Sequence[str]] = {
    "reference": ("accurate", "inaccurate", "accurate", "vague"),
    "strategic_depth": ("yes", "no", "yes", "yes"),
    "coherence": ("yes", "yes", "no", "no"),
    "question": ("yes", "yes", "no", "yes"),
    "rating": ("3.5", "4.0", "3.0", "5.0"),
    "role_consistency": ("consistent", "inconsistent", "consistent", "not_assessable"),
}


class Team:
    """A project with evaluators, a lead and an admin, its clock, and what people were told was saved.

    `said` holds by evaluation, kind and subject the value and version that the last answer acknowledged; `sent` every
    act that was acknowledged, with the revision it became; `done` counts what succeeded, by name, and `log` tells of
    everything that was tried.
    """

    def __init__(self, *, evaluator_count: int = 3) -> None:
        self.now: datetime = NOW
        self.project = make_rating_project(evaluator_count=evaluator_count, slug="team")
        self.system = system_person(now=NOW)
        self.admin = make_admin()
        self.lead = make_member(project=self.project, role="lead")
        self.people = [make_member(project=self.project) for _ in range(PEOPLE)]
        self.said: dict[tuple[int, str, str], tuple[str, int]] = {}
        self.sent: list[tuple[int, Act | str, int]] = []
        self.done: Counter[str] = Counter()
        self.log: list[str] = []
        self.keys = 0

    # ---------------------------------------------------------------- looking

    def person(self, pick: int) -> Person:
        """One of the evaluators, as the row is now."""
        return Person.objects.get(pk=self.people[pick % PEOPLE].pk)

    def games(self) -> list[Game]:
        """All games, as actions fetch them."""
        rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
        return list(rows.filter(project=self.project).order_by("pk"))

    def evaluations(self, *states: str, purpose: str = "") -> list[Evaluation]:
        """Evaluations in these states; all of them where none is named."""
        rows = Evaluation.objects.with_work().filter(game__project=self.project).order_by("pk")
        rows = rows.filter(state__in=states) if states else rows
        return list(rows.filter(purpose=purpose) if purpose else rows)

    def round(self) -> CalibrationRound | None:
        """The newest calibration round."""
        return CalibrationRound.objects.filter(project=self.project).order_by("-number").first()

    def membership(self, pick: int) -> Membership:
        """What that person is in the project now."""
        return load_membership(person=self.person(pick), project=self.project)

    # ---------------------------------------------------------------- acting

    def attempt(self, name: str, work: Callable[[], Any], *, writes_first: bool = False) -> Any:
        """Do it; None where it is refused, and then nothing was written.

        `writes_first` says that what comes before the refusal is an act of its own: leases of others that ended.
        """
        self.now += timedelta(seconds=20)
        before = Event.objects.count()
        try:
            result = work()
        except REFUSED as refusal:
            self.log.append(f"{name}: {refusal}")
            is_untouched = writes_first or Event.objects.count() == before
            return self._refused(name, refusal.sentence, is_untouched=is_untouched)
        self.log.append(name)
        self.done[name] += 1
        return result

    def _refused(self, name: str, sentence: str, *, is_untouched: bool) -> None:
        assert sentence.strip(), f"{name} was refused without a sentence"
        assert is_untouched, f"{name} was refused, and wrote all the same: {self.log[-9:]}"

    def key(self) -> str:
        """A key as a page makes one."""
        self.keys += 1
        return f"team-{self.keys}"

    def bring_game(self) -> None:
        """A game comes in and is measured."""
        self.done["bring game"] += 1
        name = f"team-{self.done['bring game']}"
        make_game(project=self.project, content=game_of(MESSAGES, game_id=name))

    def say(
        self, evaluation: Evaluation, kind: str, subject: str, value: str, *, version: int = -1
    ) -> Saved | None:
        """Judge one thing, on what was last acknowledged or on another version."""
        known = self.said.get((evaluation.pk, kind, subject), ("", 0))[1]
        based_on = known if version < 0 else version
        act = Act(kind=kind, subject=subject, value=value, version=based_on, key=self.key())
        work = partial(judge, evaluation=evaluation, act=act, by=evaluation.evaluator)
        saved = self.attempt("judge", lambda: work(now=self.now))
        if saved is not None:
            assert based_on == known, "an answer on an older version was stored"
            assert not saved.is_repeated
            self._acknowledged(evaluation.pk, act, saved)
        return saved

    def say_again(self, pick: int, *, value: str | None = None) -> None:
        """Send an acknowledged act once more, as it was or with another value under the same key."""
        key, act, revision = self.sent[pick % len(self.sent)]
        evaluation = Evaluation.objects.with_work().get(pk=key)
        given = {"evaluation": evaluation, "by": evaluation.evaluator}
        if isinstance(act, str):
            again, is_same = partial(undo, key=act, **given), True
        else:
            is_same = value is None or act.value == value
            again = partial(judge, act=replace(act, value=act.value if value is None else value), **given)
        saved = self.attempt("replay" if is_same else "reuse a key", lambda: again(now=self.now))
        assert (saved is not None) == is_same, "the stored result comes again, and for nothing else"
        assert saved is None or (saved.is_repeated and saved.revision.pk == revision)

    def take_back(self, evaluation: Evaluation) -> None:
        """Undo the newest act."""
        key = self.key()
        saved = self.attempt(
            "undo", lambda: undo(evaluation=evaluation, key=key, by=evaluation.evaluator, now=self.now)
        )
        if saved is not None:
            self._acknowledged(evaluation.pk, key, saved)

    def _acknowledged(self, evaluation: int, act: Act | str, saved: Saved) -> None:
        self.said[evaluation, saved.kind, saved.subject] = (saved.revision.value, saved.revision.version)
        self.sent.append((evaluation, act, saved.revision.pk))

    def fill(self, evaluation: Evaluation, opinion: int) -> None:
        """Judge everything that is asked for now, each person in their own way, until something is refused."""
        work = load_state(evaluation)
        for missing in work.visibility.missing:
            if missing.kind == "reveal":
                return
            values = OPINIONS.get(missing.kind, (ANSWERS.get(missing.kind, "yes"),))
            place = opinion + sum(map(int, missing.subject.replace(".", " ").split()))
            value = (
                "3.5"
                if missing.kind == "rating" and missing.says.endswith("answer.")
                else values[place % len(values)]
            )
            if self.say(evaluation, missing.kind, missing.subject, value) is None:
                return


# ---------------------------------------------------------------- what must hold after every act


def wrongs(team: Team) -> list[str]:
    """What does not hold of the rows: sentences, none when all is well. Plain queries, so that each step can ask."""
    slots = list(Slot.objects.filter(project=team.project).order_by("pk"))
    rows = list(Evaluation.objects.filter(game__project=team.project).order_by("pk"))
    return [*_of_places(team, slots, rows), *_of_evaluations(slots, rows), *_of_judgements(team)]


def _of_places(team: Team, slots: list[Slot], rows: list[Evaluation]) -> list[str]:
    found = []
    held = Counter((slot.game_id, slot.purpose, slot.evaluator_id) for slot in slots if slot.evaluator_id)
    found += [f"{person} holds {count} places" for person, count in held.items() if count > 1]
    working = Counter(
        (evaluation.slot_id, evaluation.evaluator_id)
        for evaluation in rows
        if evaluation.state in (*OPEN, "submitted")
    )
    for slot in slots:
        there = working[slot.pk, slot.evaluator_id]
        if slot.evaluator_id and there != 1:
            found.append(f"{there} evaluations are under way in {slot}, which is taken")
        if slot.lease_until and slot.is_closed:
            found.append(f"a lease runs on {slot}, which is closed")
    for game in Game.objects.select_related("iteration").filter(project=team.project):
        there = [slot for slot in slots if slot.game_id == game.pk and slot.purpose == "rating"]
        free = [slot for slot in there if not slot.evaluator_id and not slot.is_closed]
        taken = sum(slot.evaluator_id is not None for slot in there)
        if free and taken + len(free) > game.evaluator_count:
            found.append(f"{taken} taken and {len(free)} free places on game {game.number}")
        if taken + len(free) < game.evaluator_count and not game.verdicts.exists():
            found.append(f"only {taken} taken and {len(free)} free places on game {game.number}")
    return found


def _of_evaluations(slots: list[Slot], rows: list[Evaluation]) -> list[str]:
    places = {slot.pk: slot for slot in slots}
    once = Counter((evaluation.game_id, evaluation.evaluator_id, evaluation.purpose) for evaluation in rows)
    found = [f"{key} has {count} evaluations" for key, count in once.items() if count > 1]
    for evaluation in rows:
        place = places[evaluation.slot_id]
        is_theirs = place.evaluator_id == evaluation.evaluator_id
        holds = {
            "submitted": is_theirs and place.is_closed,
            "skipped": not is_theirs,
            "lapsed": not is_theirs,
        }
        if not holds.get(evaluation.state, is_theirs and not place.is_closed):
            found.append(f"{evaluation} is {evaluation.state}, and {place} is held by {place.evaluator_id}")
        if evaluation.state == "draft" and place.lease_until is None:
            found.append(f"no lease runs on {evaluation}, which is a draft")
    return found


def _of_judgements(team: Team) -> list[str]:
    columns = ("evaluation_id", "kind", "subject", "value", "version")
    rows = Judgement.objects.filter(evaluation__game__project=team.project).values_list(*columns)
    stored = {
        (evaluation, kind, subject): (value, version) for evaluation, kind, subject, value, version in rows
    }
    differing = set(stored.items()) ^ set(team.said.items())
    return [f"acknowledged and stored differ: {difference}" for difference in sorted(differing)]
