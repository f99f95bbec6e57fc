"""Games in every state of being rated, reached through the real actions.

Many games in a state that one was brought to by the real actions: its rows, copied.
"""

from typing import Any

from discussions.adjudication.core.judgeable import SUGGESTIONS
from discussions.core.iteration_states import QUESTION
from discussions.models import Evaluation, Game, Iteration, Slot
from discussions.queue.actions import take_next_game
from discussions.rating.actions import (
    JUDGEMENTS,
    judge_all,
    look_at_suggestions,
    reveal_roles,
    submit_evaluation,
)
from discussions.rating.core.visibility import asks_for_others, open_suggestions
from discussions.rating.queries import load_state
from rubric.models import RubricVersion
from tests.factories.numbers import numbers
from tests.factories.people import NOW, make_member
from tests.factories.replays import replayed
from tests.factories.transcripts import import_game, make_games_project, native_game, native_message
from workspace.audit.core import Act
from workspace.models import Person

LINES = (
    "I think {0} has been very quiet, and that is a pattern worth our votes.",
    "{0} voted for {1} in round 1 without any reason.",
    "Why would you accuse me? I trust {1} because of the evidence.",
    "Let us hear what {0} says about the vote before we decide anything.",
    "Earlier {1} defended {0}, which I cannot understand at all.",
    "That is a fair question. My answer is that nobody knows yet.",
)


NAMES = ("Ann", "Bea", "Cid", "Dora", "Ezra", "Finn")


ROLES = ("VILLAGER", "MAFIA", "SEER", "VILLAGER", "MAFIA", "VILLAGER")


def judge(*, evaluation, act, by, now):
    """One act as the page stores it."""
    return JUDGEMENTS.save(owner=evaluation, act=act, by=by, now=now)


def game_of(
    message_count, *, player_count=6, game_id="", personality="analytical", justification="too quiet"
):
    """A native game of so many messages, three rounds, with references, accusations and small talk."""
    names = NAMES[:player_count]
    messages = []
    for index in range(message_count):
        speaker = names[index % player_count]
        others = [name for name in names if name != speaker]
        text = LINES[index % len(LINES)].format(
            others[index % len(others)], others[(index + 1) % len(others)]
        )
        messages.append(
            native_message(index + 1, speaker, text, roundNumber=1 + 3 * index // max(message_count, 1))
        )
    players = [
        {"name": name, "role": role, "personality": personality, "isAlive": True, "position": number}
        for number, (name, role) in enumerate(zip(names, ROLES, strict=False), start=1)
    ]
    votes = [
        {
            "roundNumber": 1,
            "voterName": "Bea",
            "targetName": "Ann",
            "justification": justification,
            "timestamp": None,
        },
        {
            "roundNumber": 2,
            "voterName": "Cid",
            "targetName": "Bea",
            "justification": justification,
            "timestamp": None,
        },
    ]
    return native_game(
        gameId=game_id or f"game-{next(numbers)}", players=players, messages=messages, votes=votes
    )


def thinking_game(message_count, *, every=2, **given):
    """The same with what not everybody could hear: thoughts at every second message, talk, a vote's reason."""
    content = game_of(message_count, **given)
    for number, message in enumerate(content["messages"], start=1):
        if number % every == 0:
            message["reasoning"] = f"PONDER{number}: nobody suspects me, so I go with the table."
    content["messages"].insert(
        2, {"roundNumber": 1, "playerName": "Bea", "message": "WHISPER: take Ann.", "audience": ["Ezra"]}
    )
    content["votes"][0]["reasoning"] = "VOTEPONDER: the easy choice."
    return content


@replayed
def make_rating_project(*, reveal="blind_first", evaluator_count=1, slug="", number=""):
    """A project whose unsorted iteration has these rules, and opens its transcripts without a test.

    `number` is that of a shipped version, "" for the newest.
    """
    project = make_games_project(slug=slug)
    Iteration.objects.filter(project=project).update(
        reveal=reveal, evaluator_count=evaluator_count, identification=QUESTION
    )
    if number:
        version = RubricVersion.objects.get(rubric__key="discussion", number=number)
        Iteration.objects.filter(project=project).update(rubric_version=version)
    return project


@replayed
def make_game(*, project, content=None, message_count=12):
    """A measured game of the project with its places open."""
    by = Person.objects.system(now=NOW)
    return import_game(project=project, by=by, **(content or game_of(message_count)))


@replayed
def start(*, project=None, message_count=12, content=None, reveal="blind_first", now=NOW):
    """An evaluation just started by an evaluator of its own."""
    project = project or make_rating_project(reveal=reveal)
    make_game(project=project, message_count=message_count, content=content)
    evaluator = make_member(project=project)
    evaluation = take_next_game(project=project, by=evaluator, now=now)
    return Evaluation.objects.with_work().get(pk=evaluation.pk)


@replayed
def load_again(evaluation: Evaluation) -> Evaluation:
    """The same one as it is now, with its work."""
    return Evaluation.objects.with_work().get(pk=evaluation.pk)


def say(evaluation, kind, subject, value, *, version=None, key="", now=NOW, **given):
    """Judge one thing, on the stored version unless another is given."""
    if version is None:
        stored = evaluation.judgements.filter(kind=kind, subject=subject).first()
        version = stored.version if stored else 0
    key = key or f"key-{next(numbers)}"
    act = Act(kind=kind, subject=subject, value=value, version=version, key=key, **given)
    return judge(evaluation=evaluation, act=act, by=evaluation.evaluator, now=now)


ANSWERS = {"reference": "accurate", "rating": "3.5", "role_consistency": "consistent"}


def say_all(evaluation, state, values, *, now=NOW):
    """Judge several subjects, as `say` does; `state` is the evaluation's state before. The state after."""
    acts = []
    for kind, subject, value in values:
        stored = state.judgements.get((kind, subject))
        version = stored.version if stored else 0
        key = f"key-{next(numbers)}"
        acts.append((Act(kind=kind, subject=subject, value=value, version=version, key=key), now))
    return judge_all(evaluation=evaluation, acts=acts, by=evaluation.evaluator)


def say_engagement(evaluation, *, rating="3.5"):
    """Answer the questions with yes and give the rating: until then nothing automatic is shown."""
    state = load_state(evaluation)
    values = [("question", str(n + 1), "yes") for n in range(state.judgeable.question_count)]
    return say_all(evaluation, state, [*values, ("rating", "", rating)])


def list_asked(state):
    """What is asked for now, reveals aside."""
    return [missing for missing in state.visibility.missing if missing.kind != "reveal"]


def say_what_is_missing(evaluation, *, answers=ANSWERS):
    """Judge everything that is asked for now, and what is asked for because of it; yes where no answer is given.

    Suggested sentences are no references.
    """
    state, before = load_state(evaluation), None
    suggested = {("reference", subject): "not_a_reference" for subject in open_suggestions(state.progress)}
    while (asked := list_asked(state)) and asked != before:
        before = asked
        values = [
            (it.kind, it.subject, suggested.get((it.kind, it.subject)) or answers.get(it.kind, "yes"))
            for it in asked
        ]
        state = say_all(evaluation, state, values)
    if asks_for_others(state.progress):
        look_at_suggestions(evaluation=evaluation, what=SUGGESTIONS, by=evaluation.evaluator, now=NOW)


@replayed
def ready_to_submit(**given):
    """An evaluation with everything in."""
    evaluation = start(**given)
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    return evaluation


@replayed
def submitted(**given):
    """An evaluation submitted."""
    evaluation = ready_to_submit(**given)
    return submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def make_copies(evaluation: Evaluation, count: int) -> list[Game]:
    """So many more games, each with a place and an evaluation as these are; without messages and measurements."""
    game, first = evaluation.game, Game.objects.count() + 10_000
    game = Game.objects.get(pk=game.pk)
    games = Game.objects.bulk_create(
        make_copy(
            game, number=first + at, source_id=f"copy-{first + at}", content_sha256=f"{first + at:064x}"
        )
        for at in range(count)
    )
    slots = Slot.objects.bulk_create(
        make_copy(Slot.objects.get(pk=evaluation.slot_id), game_id=game.pk) for game in games
    )
    whole = Evaluation.objects.get(pk=evaluation.pk)
    Evaluation.objects.bulk_create(
        make_copy(whole, game_id=game.pk, slot_id=slot.pk) for game, slot in zip(games, slots, strict=True)
    )
    return games


def make_copy(row: Any, **changed: object) -> Any:
    """A new row like this one, but for what is changed."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    return type(row)(**{field.attname: getattr(row, field.attname) for field in fields} | changed)
