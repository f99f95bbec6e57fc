"""New comparisons before they are stored, and what can be wrong with them."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rubric.core.limits import MOST_RESPONSES

LONGEST_TEXT = 100_000
LONGEST_KEY = 120
LONGEST_AUTHOR = 200


class NewResponse(Struct, frozen=True):
    """One candidate text. `author` names the model or person that wrote it, or their e-mail address; "" for nobody."""

    text: str
    key: str = ""
    author: str = ""


class NewComparison(Struct, frozen=True):
    """A question with its candidate responses; `key` is what whoever brings it calls it."""

    question: str
    responses: list[NewResponse]
    key: str = ""


class ComparisonFault(Struct, frozen=True):
    """One thing wrong: the place as a JSON pointer within the comparison, and a sentence."""

    pointer: str
    message: str


def comparison_faults(comparison: NewComparison) -> list[ComparisonFault]:
    """Everything that keeps a comparison from being stored."""
    return [*_question_faults(comparison), *_response_faults(comparison.responses)]


def word_count(text: str) -> int:
    """How many words a text has, cut at white space."""
    return len(text.split())


def _question_faults(comparison: NewComparison) -> Iterator[ComparisonFault]:
    if not comparison.question.strip():
        yield ComparisonFault("/question", "The question is empty. Say what the responses answer.")
    if len(comparison.question) > LONGEST_TEXT:
        yield ComparisonFault("/question", "The question has more than 100,000 characters. Shorten it.")
    if len(comparison.key) > LONGEST_KEY:
        yield ComparisonFault("/id", "The id has more than 120 characters. Shorten it.")


def _response_faults(responses: Sequence[NewResponse]) -> Iterator[ComparisonFault]:
    if not 2 <= len(responses) <= MOST_RESPONSES:
        count = "is 1 response" if len(responses) == 1 else f"are {len(responses)} responses"
        said = f"There {count}; a comparison has 2 to {MOST_RESPONSES}."
        yield ComparisonFault("/responses", said)
    seen: set[str] = set()
    for place, response in enumerate(responses):
        pointer = f"/responses/{place}"
        if not response.text.strip():
            yield ComparisonFault(f"{pointer}/text", f"Response {place + 1} is empty. Give its text.")
        if len(response.text) > LONGEST_TEXT:
            said = f"Response {place + 1} has more than 100,000 characters. Shorten it."
            yield ComparisonFault(f"{pointer}/text", said)
        if len(response.key) > LONGEST_KEY:
            said = f"The id of response {place + 1} has more than 120 characters. Shorten it."
            yield ComparisonFault(f"{pointer}/id", said)
        if len(response.author) > LONGEST_AUTHOR:
            said = f"The author of response {place + 1} has more than 200 characters. Shorten the name."
            yield ComparisonFault(f"{pointer}/author", said)
        key = response.key or str(place + 1)
        if key in seen:
            yield ComparisonFault(
                f"{pointer}/id", f'The id "{key}" is there twice. Give each response its own.'
            )
        seen.add(key)
