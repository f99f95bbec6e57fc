"""Games with several evaluators, reached through the real actions; what nobody was told to say, the machine says.

Games on which evaluators differ, with everything a lead looks at: reasons, flags, changed minds, hostile words.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from discussions.adjudication.actions import adjudicate
from discussions.adjudication.core.judgeable import SUGGESTIONS
from discussions.adjudication.queries import disagreements_in
from discussions.checks.actions import CHECKS
from discussions.models import Adjudication, Evaluation, Game
from discussions.models.slots import RATING
from discussions.queue.actions import take_next_game
from discussions.rating.actions import look_at_suggestions, remark, reveal_roles, submit_evaluation
from discussions.rating.core.visibility import asks_for_others, open_suggestions
from discussions.rating.queries import load_state
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import ANSWERS, list_asked, make_game, make_rating_project, say_all
from tests.factories.replays import replayed
from tests.factories.verdicts import fresh
from workspace.models import Person, Project

Key = tuple[str, str]


AFTER_ROLES = "role_consistency"


@replayed
def make_shared_game(
    *,
    k: int = 3,
    project: Project | None = None,
    message_count: int = 12,
    content: object = None,
    reveal: str = "blind_first",
    number: str = "",
    now: datetime = NOW,
) -> Game:
    """A game that needs k evaluators, each with an evaluation started; other games of the project are rated before."""
    project = project or make_rating_project(reveal=reveal, evaluator_count=k, number=number)
    game = make_game(project=project, message_count=message_count, content=content)
    for _number in range(k):
        taken = take_next_game(project=project, by=make_member(project=project), now=now)
        assert taken is not None and taken.game_id == game.pk
    return fresh(game)


def list_evaluations(game: Game) -> list[Evaluation]:
    """The evaluations that count for the game's verdict once they are in, in the order in which they were started."""
    return list(Evaluation.objects.with_work().filter(game=game, purpose=RATING).order_by("pk"))


@replayed
def submit_as(
    evaluation: Evaluation,
    *,
    values: Mapping[Key, str] | None = None,
    answers: Mapping[str, str] = ANSWERS,
    now: datetime = NOW,
) -> Evaluation:
    """Hand an evaluation in, with these values by (kind, subject), whatever else is asked answered as the machine does.

    What the machine says nothing about has the answer of its kind in `answers`, else "yes".
    """
    chosen = dict(values or {})
    _fill(evaluation, chosen, answers, now)
    _choose(evaluation, {key: chosen[key] for key in chosen if key[0] != AFTER_ROLES}, now)
    _fill(evaluation, chosen, answers, now)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=now)
    _fill(evaluation, chosen, answers, now)
    _choose(evaluation, {key: chosen[key] for key in chosen if key[0] == AFTER_ROLES}, now)
    return submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=now)


def _fill(
    evaluation: Evaluation, chosen: Mapping[Key, str], answers: Mapping[str, str], now: datetime
) -> None:
    """Judge what is asked for now, and what is asked for because of it; where a value is chosen, that one."""
    work, before = load_state(evaluation), None
    suggested = dict.fromkeys(open_suggestions(work.progress), "not_a_reference")
    while (asked := list_asked(work)) and asked != before:
        before = asked
        keys = [(missing.kind, missing.subject) for missing in asked]
        values = [
            (
                *key,
                chosen.get(key)
                or work.machine.get(key)
                or suggested.get(key[1])
                or answers.get(key[0], "yes"),
            )
            for key in keys
        ]
        work = say_all(evaluation, work, values, now=now)
    if asks_for_others(work.progress):
        look_at_suggestions(evaluation=evaluation, what=SUGGESTIONS, by=evaluation.evaluator, now=now)


def _choose(evaluation: Evaluation, chosen: Mapping[Key, str], now: datetime) -> None:
    """Say what was chosen and is not said yet."""
    work = load_state(evaluation)
    stored = {key: record.value for key, record in work.judgements.items()}
    say_all(
        evaluation,
        work,
        [(*key, value) for key, value in chosen.items() if stored.get(key, "") != value],
        now=now,
    )


def breaches(now: datetime = NOW) -> list[str]:
    """Every sentence that the discussions' part of `manage.py verify` says."""
    return [sentence for check in CHECKS for sentence in check.find(now)]


@replayed
def submitted_game(
    k: int = 3, *, differing: Mapping[Key, Sequence[str]] | None = None, **given: object
) -> Game:
    """A shared game with every evaluation in. `differing` says of each thing what each evaluator says, in turn.

    {("strategic_depth", "4"): ("no", "yes", "")} : the third stays silent, which accepts what the machine says.
    Everything else is agreed. `given` goes to make_shared_game.
    """
    game = make_shared_game(k=k, **given)
    for place, evaluation in enumerate(list_evaluations(game)):
        own = {key: values[place] for key, values in (differing or {}).items() if values[place]}
        submit_as(evaluation, values=own)
    return fresh(game)


TIE = ("coherence", "5")


OTHER_TIE = ("strategic_depth", "4")


HOSTILE = "I am not sure what this <b>answers</b>."


@replayed
def make_differing(
    *, leads: Iterable[Person] = (), project: Project | None = None, slug: str = "", message_count: int = 12
) -> Game:
    """A game that two evaluators submitted; they differ on a reference, two messages, a phrase and a question."""
    project = project or make_rating_project(evaluator_count=2, slug=slug)
    for person in leads:
        make_member(project=project, person=person, role="lead")
    game = make_shared_game(k=2, project=project, message_count=message_count)
    first, two = list_evaluations(game)
    reference, phrase = first_reference(first), min(load_state(first).judgeable.phrases)
    for place, text in ((first, HOSTILE), (two, "Too vague to be a reply.")):
        remark(
            evaluation=place,
            kind="flag" if place is first else "comment",
            target="message:5",
            text=text,
            key=f"remark-{place.pk}",
            by=place.evaluator,
            now=NOW,
        )
    ours = {TIE: "yes", OTHER_TIE: "no", reference: "accurate", ("phrase", phrase): "acceptable"}
    submit_as(first, values=ours | {("question", "1"): "yes"})
    submit_as(two, values={TIE: "no", OTHER_TIE: "yes", reference: "vague", ("question", "1"): "no"})
    return fresh(game)


def first_reference(evaluation: Evaluation) -> tuple[str, str]:
    """The first thing in the game that the machine counts as a reference."""
    return min(key for key in load_state(evaluation).machine if key[0] == "reference")


def page_hash(game: Game, kind: str, subject: str) -> str:
    """What the resolve page's form of that thing carries now."""
    return next(
        disagreement.page_sha256
        for disagreement in disagreements_in(fresh(game))
        if disagreement.key == (kind, subject)
    )


LABEL = ("reference", "2.1")


def difference(game, key):
    """The difference as a page shows it now."""
    return {disagreement.key: disagreement for disagreement in disagreements_in(fresh(game))}[key]


@replayed
def resolve_difference(
    game,
    about=LABEL,
    value="",
    *,
    by=None,
    adopted=None,
    reason="Because.",
    shown="",
    form_key="",
    minutes=60,
):
    """Resolve as the page would."""
    return adjudicate(
        game=game,
        kind=about[0],
        subject=about[1],
        value=value,
        reason=reason,
        adopted=adopted,
        sides_sha256=shown or difference(game, about).page_sha256,
        key=form_key or f"key-{Adjudication.objects.count()}",
        by=by or make_lead(project=game.project),
        now=moment(minutes),
    )
