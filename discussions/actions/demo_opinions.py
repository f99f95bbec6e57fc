"""How the demo's team judges: each by temper, by what a game is like, and by a chance that is always the same."""

import random
from collections.abc import Mapping

from msgspec import Struct

from discussions.actions.demo_rating import Rater
from discussions.actions.finishing import reveal_roles, submit_evaluation
from discussions.core import kinds
from discussions.core.kinds import ACCURATE, CONSISTENT, INACCURATE, INCONSISTENT, NO, RATINGS, YES, place_of

OTHER = {YES: NO, NO: YES, CONSISTENT: INCONSISTENT, INCONSISTENT: CONSISTENT}
ANSWERS = {"y": YES, "n": NO}


class Temper(Struct, frozen=True):
    """How often somebody sees a thing otherwise than most would, and how much higher they rate."""

    differs: float
    rating: float


class Opinion(Struct, frozen=True):
    """What somebody thinks of one game: `wrong` are its messages that misremember a vote.

    `questions` and `rating` are what most would say; `labels` are references on which this person has made up their
    mind, whatever their temper.
    """

    who: str
    temper: Temper
    wrong: list[int]
    questions: str
    rating: str
    labels: Mapping[str, str] = {}


def give(*, rater: Rater, opinion: Opinion, most: int | None = None) -> None:
    """Judge everything and hand it in; with `most` only so many of the things asked for first."""
    _answer(rater, opinion, most)
    if most is not None:
        return
    reveal_roles(evaluation=rater.evaluation, by=rater.person, now=rater.clock())
    _answer(rater, opinion, None)
    submit_evaluation(evaluation=rater.evaluation, by=rater.person, now=rater.clock())


def _answer(rater: Rater, opinion: Opinion, most: int | None) -> None:
    """Judge what is asked for now."""
    work = rater.work()
    for missing in work.sight.missing[:most]:
        if missing.kind != "reveal":
            machine = work.machine.get((missing.kind, missing.subject), YES)
            value = _said(opinion, work.game.game_id, missing.kind, missing.subject, machine)
            rater.say(missing.kind, missing.subject, value)


def _said(opinion: Opinion, game: str, kind: str, subject: str, machine: str) -> str:
    """What most would say, which of a message is what the machine says; or now and then the other answer."""
    if kind == kinds.REFERENCE:
        likely = INACCURATE if place_of(subject)[0] in opinion.wrong else ACCURATE
        return opinion.labels.get(subject, likely)
    if kind == kinds.RATING:
        rating = float(opinion.rating) + opinion.temper.rating
        return min(RATINGS, key=lambda each: abs(float(each) - rating))
    likely = ANSWERS[opinion.questions[int(subject) - 1]] if kind == kinds.QUESTION else machine
    chance = random.Random(f"{opinion.who}:{game}:{kind}:{subject}")
    return OTHER.get(likely, likely) if chance.random() < opinion.temper.differs else likely
