"""A team in which everything hidden carries a mark, and everything that the site answers one of its evaluators."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from discussions.games.actions import return_evaluation
from discussions.models import Evaluation, Game, RatingRule
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark, return_to_game, skip_game
from discussions.slots.actions import release_slot
from rubric.models import ComparisonSet, Rubric
from tests.factories.adjudication import submit_as
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.rating import game_of, judge, load_again, make_rating_project
from tests.factories.replays import replayed
from tests.factories.routes import named_routes
from tests.factories.tokens import Program
from tests.factories.transcripts import upload
from tests.site.rights_matrix import MATRIX
from workspace.audit.core import Act
from workspace.models import Person, Project
from workspace.web.problems import API

HTMX = {"HX-Request": "true"}


# New secrets or times with every load, and nothing of anybody's games.
OF_ONESELF = ("set_up_second_factor", "settings", "access_tokens", "readyz", "healthz")


# Drawn from the code alone, without a row: what stands around it is on every other page.
OF_CODE = ("api_docs", "api_openapi", "llms")


# The number of a game and the slug of a project name no comparison set and no rubric: nothing is there to be answered.
OF_OTHER_THINGS = re.compile(r"/(?:comparisons|comparison-sets)/\d|/rubrics/[^/]+/\d")


def game_with_marks(
    *, role: str = "ROLEMARK", personality: str = "PERSONMARK", secret: str = "MARK", messages: int = 12
) -> dict[str, Any]:
    """A game in which every hidden field carries a mark."""
    content = game_of(
        messages, game_id=f"game{secret.lower()}", personality=personality, justification=f"JUSTIFY{secret}"
    )
    for player in content["players"][1:]:
        player["role"] = role
    # What not everybody could hear is no part of the talk; it is kept with the game.
    first, second = (player["name"] for player in content["players"][:2])
    content["messages"][1:1] = [
        {"roundNumber": 1, "playerName": first, "message": f"THOUGHT{secret}", "audience": "nobody"},
        {"roundNumber": 1, "playerName": first, "message": f"WHISPER{secret}", "audience": [second]},
        {"roundNumber": 1, "playerName": first, "message": f"WOLVES{secret}", "audience": "wolves"},
    ]
    content["messages"][0]["reasoning"] = f"PONDER{secret}"
    for vote in content["votes"]:
        vote["reasoning"] = f"VOTEPONDER{secret}"
    content["winner"] = f"WINNER{secret}"
    content["prompt"] = f"PROMPT{secret}"
    content["metadata"] = {
        "model": f"MODEL{secret}",
        "winner": f"WINNER{secret}",
        "prompt": f"PROMPT{secret}",
        "cost": {"totalUsd": 7.77 if secret == "MARK" else 0.5, "inputTokens": 9, "outputTokens": 9},
    }
    return content


def found(text: str, marks: Iterable[str]) -> list[str]:
    """The marks that are in the text."""
    lower = text.lower()
    return [mark for mark in marks if mark.lower() in lower]


def masked(text: str) -> str:
    """Without what is new with every request: tokens, sessions, the time of day, and names counted up by the tests."""
    for made in set(re.findall(r'name="nonce" value="([0-9a-f]{16})"', text)):
        text = text.replace(made, "")
    text = re.sub(r'csrfmiddlewaretoken" value="[^"]+"|"X-CSRFToken": "[^"]+"|csrftoken=[^;]+', "", text)
    text = re.sub(r"\d\d:\d\d:\d\d|Person \d+|person\d+@|game-\d+|sessionid=[^;]+", "", text)
    return re.sub(r"'(?:Set-Cookie|Content-Length)': '[^']*'", "", text)


# ---------------------------------------------------------------- everything that one evaluator is answered


def is_of_others(route_name: str, names: Iterable[str]) -> bool:
    """Whether an evaluator is refused there for the role: so the rights matrix has it, and no game is named."""
    statuses = [row.expected("assigned", as_htmx=False) for row in MATRIX[route_name] if row.verb == "GET"]
    return not {"number", "evaluation"} & set(names) and statuses[0] in (403, 404)


def addresses(given: Mapping[str, Any], *, of_others: bool = True) -> Iterator[tuple[str, str]]:
    """Every route that can be fetched whose address is made of these arguments: its name and the address."""
    for route_name, route in named_routes().items():
        names = set(route.pattern.converters or {})
        if route_name in OF_ONESELF + OF_CODE:
            continue
        is_fetched = names <= given.keys() and "GET" in getattr(route.callback, "methods", ())
        if is_fetched and (of_others or not is_of_others(route_name, names)):
            yield route_name, reverse(route_name, kwargs={name: given[name] for name in names})


def crawled(
    client: Client,
    evaluations: Iterable[Evaluation],
    *,
    program: Program,
    numbers: Iterable[int] = (),
    of_others: bool = True,
    **given: Any,
) -> dict[str, str]:
    """Everything that the site answers now, by address and manner: pages, regions, exports, refusals, with headers.

    The API answers `program`, which has a token of the same person. Without `of_others` the pages are left out that
    every evaluator is refused: what one test asks once it need not ask in each phase.

    `evaluations` are the person's own and others', `numbers` games that they may know; `given` goes to every address.
    """
    assert not ComparisonSet.objects.exists() and not Rubric.objects.filter(key=given["slug"]).exists()
    wanted: dict[str, None] = {}
    steps: list[str] = []
    own = list(evaluations)
    for number in {
        *numbers,
        *(evaluation.game.number for evaluation in own),
        *(evaluation.game_number for evaluation in own),
    }:
        found_at = addresses({**given, "number": number}, of_others=of_others)
        wanted |= {at: None for _name, at in found_at}
    for evaluation in own:
        rate = reverse("rate", args=[evaluation.pk])
        # The page makes a number of its own for its forms, unless one is asked for.
        found_at = addresses({**given, "evaluation": evaluation.pk}, of_others=of_others)
        wanted |= {at: None for _name, at in found_at if at != rate}
        steps += [f"{rate}?step={step}&nonce=n&player=2&votes=1" for step in STEPS]
        steps += [f"{rate}?at={position}&nonce=n" for position in (1, 3, 5)]
    wanted |= dict.fromkeys(steps)
    answers: dict[str, str] = {}
    refused: set[str] = set()
    for at in wanted:
        path = at.partition("?")[0]
        # Whoever is refused one step of an evaluation is refused all.
        if OF_OTHER_THINGS.search(at) or path in refused:
            continue
        if at.startswith(API):
            answers[f"program {at}"] = get_text(program.get(at.removeprefix(API)))
            continue
        page = client.get(at)
        answers[f"page {at}"] = get_text(page)
        if page.status_code == 404:
            refused.add(path)
        # Who is refused as a page is refused in the same words as htmx; of steps one region is like all others.
        if page.status_code == 200 and (at not in steps or at in steps[:1]):
            answers[f"region {at}"] = get_text(client.get(at, headers=HTMX))
    return answers


def ask_operations(program: Program, **given: Any) -> list[HttpResponse]:
    """What the API answers to every operation that can be fetched by an address made of these arguments."""
    found = (at for _name, at in addresses(given) if at.startswith(API))
    return [program.get(at.removeprefix(API)) for at in found]


def get_text(answer: HttpResponse) -> str:
    """The whole answer: status, headers, body."""
    return f"{answer.status_code} {answer.headers}\n{answer.content.decode()}"


STEPS = ("engagement", "references", "depth", "coherence", "repetition", "identify", "roles", "review")


def leaks(answers: Mapping[str, str], marks: Iterable[str]) -> list[str]:
    """Where a mark is, and which."""
    kept = list(marks)
    return [f"{at}: {', '.join(there)}" for at, text in answers.items() if (there := found(text, kept))]


# ---------------------------------------------------------------- a team with marks


def say_with(evaluation: Evaluation, kind: str, subject: str, value: str, reason: str) -> None:
    """One judgement with a reason."""
    stored = evaluation.judgements.filter(kind=kind, subject=subject).first()
    act = Act(
        kind=kind,
        subject=subject,
        value=value,
        reason=reason,
        version=stored.version if stored else 0,
        key=f"reason-{kind}-{subject}-{evaluation.pk}",
    )
    judge(evaluation=evaluation, act=act, by=evaluation.evaluator, now=NOW)


def marked_person(project: Project, name: str) -> Person:
    """An evaluator whose name and address are marks."""
    person = make_person(name=name, email=f"{name.lower()}@example.org")
    return make_member(project=project, person=person)


@replayed
def begin(project: Project, person: Person) -> Evaluation:
    """What the person is given next, with its work."""
    taken = take_next_game(project=project, by=person, now=NOW)
    assert taken is not None
    return Evaluation.objects.with_work().get(pk=taken.pk)


@replayed
def marked_team(*, secret: str = "MARK", of_game: str = "MARK", swapped: bool = False) -> tuple[Game, Person]:
    """A game for three; one other submitted, one was sent theirs back, both left marks wherever people can leave any.

    The marks of the game end in `of_game`, those of people in `secret`; with `swapped` the others say the opposite of
    what they say otherwise. Also returned: a lead.
    """
    project = make_rating_project(evaluator_count=3, slug="blind")
    lead = make_lead(project=project)
    content = game_with_marks(secret=of_game, role=f"ROLE{of_game}", personality=f"PERSON{of_game}")
    upload(project=project, by=lead, games=content, name=f"file{of_game.lower()}.json")
    run_waiting_jobs()
    game = Game.objects.get(project=project)
    first, two = (begin(project, marked_person(project, f"OTHER{secret}{n}")) for n in (1, 2))
    _leave_marks(first, secret)
    skip_game(evaluation=load_again(first), reason=f"SKIP{secret}", by=first.evaluator, now=NOW)
    first = begin_again(first)
    release_slot(evaluation=load_again(two), reason=f"RELEASE{secret}", by=lead, now=NOW)
    two = begin_again(two)
    _leave_marks(two, secret)
    said = ("no", "1.5") if swapped else ("yes", "4.5")
    for evaluation in (first, two):
        values = {("coherence", "5"): said[0], ("rating", ""): "4.5", ("question", "2"): said[0]}
        submit_as(evaluation, values=values)
    return_evaluation(evaluation=two, comment=f"RETURN{secret}", by=lead, now=NOW)
    RatingRule.objects.create(project=project, shows_differences=True, changed_at=NOW, changed_by=lead)
    return game, lead


@replayed
def begin_again(evaluation: Evaluation) -> Evaluation:
    """Taken up again by its evaluator."""
    return_to_game(evaluation=load_again(evaluation), by=evaluation.evaluator, now=NOW)
    return load_again(evaluation)


def _leave_marks(evaluation: Evaluation, secret: str) -> None:
    for kind in ("comment", "flag"):
        remark(
            evaluation=evaluation,
            kind=kind,
            target="message:3",
            text=f"{kind.upper()}{secret}",
            key=f"{kind}-{evaluation.pk}",
            by=evaluation.evaluator,
            now=NOW,
        )
    say_with(evaluation, "strategic_depth", "4", "no", f"REASON{secret}")


# What not everybody could hear is shown after the last answer on the roles.
PRIVATE = ("THOUGHTMARK", "WHISPERMARK", "WOLVESMARK", "PONDERMARK", "VOTEPONDERMARK")
HIDDEN_ALWAYS = (
    *PRIVATE,
    "JUSTIFYMARK",
    "WINNERMARK",
    "MODELMARK",
    "PROMPTMARK",
    "gamemark",
    "filemark",
    "7.77",
    "OTHERMARK",
)


HIDDEN_UNTIL_REVEAL = ("ROLEMARK", "PERSONMARK")
