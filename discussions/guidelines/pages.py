"""The page of the guideline, and the practice item, for everybody in the project."""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from discussions.core.outcome import ENGAGEMENT
from discussions.guidelines.core import ENOUGH, QUESTIONS, TOO_LOW, PracticeQuestion, too_low
from discussions.guidelines.labels import ABOUT, EXCHANGE, MORE_ANSWERS, VOTES, WHY
from discussions.guidelines.permissions import check_write_guideline
from discussions.guidelines.queries import newest_guideline, unread_guideline
from discussions.models import Guideline, GuidelineReading, Iteration
from discussions.rating.pages.records import StepGuide
from discussions.rating.pages.review import STEP_METRICS, build_guides
from discussions.rating.pages.visible_evaluation import say_answer
from discussions.slots.permissions import check_take_game
from rubric.core.records import RubricRecord
from workspace.access.permissions import may
from workspace.models import Membership, Person, Project


class GuidelinePage(Struct, frozen=True):
    """Current version (None without one), the versions so far, and whether the person must confirm it.

    `newest` is the number of the newest version, also of an empty one. For leads, `read_count` of `evaluator_count`
    evaluators have confirmed the version that holds.
    """

    guideline: Guideline | None
    newest: int
    versions: list[Guideline]
    is_unread: bool
    may_write: bool
    read_count: int
    evaluator_count: int
    may_rate: bool


def guideline_page(*, project: Project, person: Person) -> GuidelinePage:
    """What the page shows to this person."""
    may_write = may(check_write_guideline, person, project)
    guideline = newest_guideline(project)
    versions = Guideline.objects.filter(project=project).select_related("created_by").order_by("-number")
    people = Membership.objects.filter(project=project, role="evaluator", ended_at=None).values("person")
    read = GuidelineReading.objects.filter(guideline=guideline, person__in=people)
    newest = versions.first()
    return GuidelinePage(
        guideline=guideline,
        newest=newest.number if newest else 0,
        versions=list(versions[:20]) if may_write else [],
        is_unread=not may_write and unread_guideline(person, project) is not None,
        may_write=may_write,
        read_count=read.count() if may_write and guideline else 0,
        evaluator_count=people.count() if may_write else 0,
        may_rate=may(check_take_game, person, project),
    )


class PracticeItem(Struct, frozen=True):
    """One question of the practice item; with an answer `given`, `why` says what is right and for what reason.

    `answers` are the buttons: value -> label. `kept` are the answers to the other questions, which a button sends on.
    """

    metric: str
    guide: StepGuide
    about: str
    quote: str
    answers: dict[str, str]
    kept: dict[str, str]
    given: str
    is_right: bool
    why: str


class PracticePage(Struct, frozen=True):
    """The exchange as (number, name, text), the votes of round 1 and the questions; `right` of `done` are right."""

    messages: list[tuple[int, str, str]]
    votes: tuple[tuple[str, str], ...]
    items: list[PracticeItem]
    done: int
    right: int
    may_rate: bool


def practice_page(*, project: Project, person: Person, given: Mapping[str, str]) -> PracticePage:
    """The practice item in the words of the rubric version of new games; `given` are the answers so far."""
    iteration = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
    record = iteration.rubric_version.to_record()
    items = [_item(question, record, given) for question in QUESTIONS]
    return PracticePage(
        messages=[(number, name, str(text)) for number, (name, text) in enumerate(EXCHANGE, start=1)],
        votes=VOTES,
        items=items,
        done=sum(bool(item.given) for item in items),
        right=sum(item.is_right for item in items),
        may_rate=may(check_take_game, person, project),
    )


def _item(question: PracticeQuestion, record: RubricRecord, given: Mapping[str, str]) -> PracticeItem:
    metric, answer = question.metric, given.get(question.metric, "")
    steps = {key: step for step, key in STEP_METRICS.items()}
    least = Fraction(str(record.parameters["answers_yes_rating"]))
    values = {"yes": int(record.parameters["answers_yes_count"]), "least": _number(least)}
    ratings = {ENOUGH: _number(least), TOO_LOW: _number(too_low(least))}
    return PracticeItem(
        metric=metric,
        guide=build_guides(record)[steps[metric]],
        about=str(ABOUT[metric]) % values if metric == ENGAGEMENT else str(ABOUT[metric]),
        quote=str(EXCHANGE[question.message - 1][1]) if question.message else "",
        answers={
            value: ratings.get(value) or str(MORE_ANSWERS.get(value) or _say(question, value))
            for value in question.answers
        },
        kept={key: value for key, value in given.items() if key != metric},
        given=answer,
        is_right=answer == question.right,
        why=str(WHY[metric]) % values if metric == ENGAGEMENT else str(WHY[metric]),
    )


def _say(question: PracticeQuestion, value: str) -> str:
    return say_answer(question.kind, value)


def _number(value: Fraction) -> str:
    return f"{float(value):g}"
