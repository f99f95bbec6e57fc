"""API of the search in messages, of one project or of all."""

from typing import Annotated, Any

from ninja import Query
from pydantic import BaseModel, Field

from discussions.search.core import LONGEST_QUERY
from discussions.search.pages import FoundGame, FoundText, MessageSearch, SearchPage, search_everywhere
from discussions.search.permissions import check_search_messages, keep_searchable
from discussions.search.queries import Judged
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()
TEXTS = ("round", "iteration")
Name = Annotated[str, Field(max_length=200)]


class FoundMessageAnswer(Answer, of=FoundText, fields="position round name role text"):
    """A message that was found. `text` is an excerpt, `marked` where it has what was found (half-open code points).

    `role` is "" for evaluators, who must not know it.
    """

    marked: list[tuple[int, int]]


class FoundGameAnswer(Answer, of=FoundGame, fields="project:project.slug number iteration passes count"):
    """A game with `count` messages that were found, of which the first are here: ask with `game` for all.

    For evaluators `iteration` is "" and `passes` null; else null means that no verdict is recorded.
    """

    messages: list[FoundMessageAnswer]


class SearchAnswer(Answer):
    """The games of a part of a search, newest first.

    `message_count` and `game_count` count what was found, up to 1,000 messages: with `is_more` there are others.
    """

    message_count: int
    game_count: int
    is_more: bool
    items: list[FoundGameAnswer]
    next: str | None


class WantedMessages(BaseModel):
    """What is looked for. `judged` is who, what and how, such as “people-coherence-no”."""

    q: str = Field("", max_length=LONGEST_QUERY, description='words, "words in a row", -without, begin*')
    agent: Name = ""
    role: Name = ""
    model: Name = ""
    round: Annotated[int | None, Field(description="the number that the file gives")] = None
    judged: Judged = ""
    after: After = 0


class WantedInProject(WantedMessages):
    iteration: int | None = None
    game: int = Field(0, ge=0, lt=2**31, description="the number of one game")


class WantedEverywhere(WantedMessages):
    project: str = Field("", max_length=60, description="the short name of the only project to search in")


@router.get("/projects/{slug:slug}/messages/", "api_messages", "search_messages", costs="searches")
def search_messages(request: SignedIn, slug: str, wanted: Query[WantedInProject]) -> SearchAnswer:
    """Search in all messages of a project.

    Leads search in all games, evaluators in those that they rated. With `judged`, `message_count` counts in the newest
    200 games that hold the words.
    """
    project = project_or_404(request.user, slug, check_search_messages)
    asked = _read_wanted(wanted)
    page = SearchPage(request.user, keep_searchable(request.user, [project], asked.unblinding), asked)
    return _write_answer(request, page)


@router.get("/messages/", "api_all_messages", "search_messages", costs="searches")
def search_all_messages(request: SignedIn, wanted: Query[WantedEverywhere]) -> SearchAnswer:
    """Search in all messages of all your projects.

    By role, model or judgement, in those that you lead.
    """
    return _write_answer(request, search_everywhere(request.user, _read_wanted(wanted)))


def _read_wanted(wanted: WantedMessages) -> MessageSearch:
    """`round` and `iteration` are texts in addresses, since 0 is one of them."""
    given: dict[str, Any] = {name: value for name, value in wanted if value is not None}
    return MessageSearch(**given | {name: str(given[name]) for name in TEXTS if name in given})


def _write_answer(request: SignedIn, page: SearchPage) -> SearchAnswer:
    items, following = [_to_answer(found) for found in page.games], next_part(request, page.after)
    return SearchAnswer.read(page, items=items, next=following)


def _to_answer(found: FoundGame) -> FoundGameAnswer:
    messages = [FoundMessageAnswer.read(message, marked=message.spans) for message in found.messages]
    return FoundGameAnswer.read(found, messages=messages)
