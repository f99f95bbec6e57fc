"""API of the search in messages."""

from typing import Annotated

from pydantic import Field

from discussions.search.core import LONGEST_QUERY
from discussions.search.pages import FoundGame, FoundText, MessageSearch, SearchPage
from discussions.search.permissions import check_filter_unblinded, check_search_messages
from discussions.search.queries import Judged
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Operations, next_part
from workspace.web.require import SignedIn

router = Operations()
Query = Annotated[
    str, Field(max_length=LONGEST_QUERY, description='words, "words in a row", -without, begin*')
]
Name = Annotated[str, Field(max_length=200)]


class FoundMessageAnswer(Answer, of=FoundText, fields="position round name role text"):
    """A message that was found. `text` is an excerpt, `marked` where it has what was found (half-open code points).

    `role` is "" for evaluators, who must not know it.
    """

    marked: list[tuple[int, int]]


class FoundGameAnswer(Answer, of=FoundGame, fields="number iteration passes count"):
    """A game with `count` messages that were found, of which the first are here: ask with `game` for all.

    For evaluators `iteration` is "" and `passes` null; else null means that no verdict is recorded.
    """

    messages: list[FoundMessageAnswer]


class SearchAnswer(Answer):
    """The games of a part of a search, newest first.

    `message_count` and `game_count` count all that was found, up to 1,000 messages: with `is_more` there are others.
    """

    message_count: int
    game_count: int
    is_more: bool
    items: list[FoundGameAnswer]
    next: str | None


@router.get("/projects/{slug:slug}/messages/", "api_messages", "search_messages", costs="searches")
def search_messages(
    request: SignedIn,
    slug: str,
    q: Query = "",
    agent: Name = "",
    role: Name = "",
    model: Name = "",
    round: Annotated[int | None, Field(description="the number that the file gives")] = None,  # noqa: A002
    iteration: int | None = None,
    judged: Judged = "",
    game: Annotated[int, Field(ge=0, lt=2**31, description="the number of one game")] = 0,
    after: After = 0,
) -> SearchAnswer:
    """Search in all messages of a project.

    Leads search in all games, evaluators in those that they rated. `judged` is who, what and how, such as
    “people-coherence-no”; with it, `message_count` counts in the newest 200 games that hold the words.
    """
    project = project_or_404(request.user, slug, check_search_messages)
    wanted = MessageSearch(
        q=q,
        agent=agent,
        role=role,
        model=model,
        round="" if round is None else str(round),
        iteration="" if iteration is None else str(iteration),
        judged=judged,
        game=game,
        after=after,
    )
    check_filter_unblinded(request.user, project, wanted.unblinding)
    page = SearchPage(request.user, project, wanted)
    return SearchAnswer(
        message_count=page.message_count,
        game_count=page.game_count,
        is_more=page.is_more,
        items=[_to_answer(found) for found in page.games],
        next=next_part(request, page.after),
    )


def _to_answer(found: FoundGame) -> FoundGameAnswer:
    messages = [FoundMessageAnswer.read(message, marked=message.spans) for message in found.messages]
    return FoundGameAnswer.read(found, messages=messages)
