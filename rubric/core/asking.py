"""Asking a model: what one call gave, when it is worth another try, what it cost, and how far an answer has come."""

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from msgspec import Struct

from rubric.core.records import ABSTAINED, UNREADABLE, RubricRecord
from workspace.core.strict_json import normalise_text, read_json

LONGEST_ANSWER = 2_000_000
MOST_TRIES = 3
# The first wait is between a half and a whole of this many seconds, each further one twice as long.
FIRST_WAIT = 2.0
LONGEST_WAIT = 60.0
SAMPLING = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "reasoning_effort")

# What went wrong with a call. After those of PASSING another try may go well; after the others it would not.
TIMEOUT, CONNECTION, CUT_OFF = "timeout", "connection", "cut_off"
RATE_LIMITED, SERVER_ERROR = "rate_limited", "server_error"
UNAUTHORISED, REFUSED, REDIRECTED = "unauthorised", "refused", "redirected"
GARBAGE, NO_ANSWER, TOO_LARGE = "garbage", "no_answer", "too_large"
PASSING = frozenset((TIMEOUT, CONNECTION, CUT_OFF, RATE_LIMITED, SERVER_ERROR))
REFUSAL = "refusal"

# How far the answer of one model to one comparison has come.
OPEN, UNREAD, ANSWERED, DECLINED, UNREADABLE_ANSWER, FAILED = (
    "open",
    "unread",
    "answered",
    "declined",
    "unreadable",
    "failed",
)


class Call(Struct, frozen=True):
    """What one call sends."""

    model: str
    prompt: str
    sampling: dict[str, int | float | str] = {}


class Reply(Struct, frozen=True):
    """What one call gave: the model's text, or the code and the sentence of what went wrong.

    `retry_after` are the seconds the endpoint asked to be left alone, None when it did not say.
    """

    text: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    error_code: str = ""
    error: str = ""
    retry_after: float | None = None
    took_ms: int | None = None


class Price(Struct, frozen=True):
    """US dollars for a million tokens of prompts, and of answers."""

    prompt: Decimal
    answer: Decimal


class Try(Struct, frozen=True):
    """One stored answer, as far as it decides what is next. `is_fetched` is a live call."""

    error_code: str
    is_fetched: bool


def state_of(mode: str, tries: Sequence[Try]) -> str:
    """How far it is: `mode` is that of the review that was read, "" before; `tries` in the order in which they came."""
    if mode:
        return {ABSTAINED: DECLINED, UNREADABLE: UNREADABLE_ANSWER}.get(mode, ANSWERED)
    if any(not each.error_code for each in tries):
        return UNREAD
    codes = [each.error_code for each in tries if each.is_fetched]
    return FAILED if codes and (len(codes) >= MOST_TRIES or codes[-1] not in PASSING) else OPEN


def wait_before(tries: int, retry_after: float | None, share: float) -> float | None:
    """The seconds to wait after so many failed tries, twice as long after each; `share` from 0 to 1 spreads them out.

    Never less than what the endpoint asked for. None when it asked for more than anybody here waits.
    """
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1)) * (0.5 + share / 2)
    if retry_after is None:
        return wait
    return max(wait, retry_after) if retry_after <= LONGEST_WAIT else None


def seconds_of(header: str | None) -> float | None:
    """The seconds of a Retry-After header; None when there is none, or it is a date or nonsense."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def cost_of(price: Price | None, prompt_tokens: int | None, answer_tokens: int | None) -> Decimal | None:
    """What a call cost in US dollars, to the sixth decimal; None when the price or the tokens are not known."""
    if price is None or prompt_tokens is None or answer_tokens is None:
        return None
    cost = (price.prompt * prompt_tokens + price.answer * answer_tokens) / 1_000_000
    return cost.quantize(Decimal("0.000001"), ROUND_HALF_UP)


def criteria_order(rubric: RubricRecord, seed: str) -> list[str] | None:
    """The keys of the criteria in an order that the seed gives, where the version asks for that; else None."""
    if not rubric.parameters.get("shuffle_criteria", False):
        return None
    keys = [criterion.key for criterion in rubric.criteria]
    random.Random(f"criteria {seed}").shuffle(keys)
    return keys


def sampling_of(parameters: Mapping[str, Any]) -> dict[str, int | float | str]:
    """Those of a reviewer's parameters that a call may carry: plain numbers and short words under known names."""
    return {
        name: value
        for name in SAMPLING
        if isinstance(value := parameters.get(name), int | float | str)
        and not isinstance(value, bool)
        and not (isinstance(value, str) and len(value) > 40)
    }


def read_completion(body: bytes) -> Reply:
    """The model's text in the body of a chat completion, and its tokens. Never raises; garbage keeps its text."""
    document = read_json(body)
    value = document.value
    if not document.is_readable or document.problems or not isinstance(value, dict):
        text = normalise_text(body.decode("utf-8", errors="replace"))[0]
        said = "What the endpoint sent is no chat completion, so there is nothing to read. What came is kept below."
        return Reply(text=text, error_code=GARBAGE, error=said)
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    text, refusal = _texts(message if isinstance(message, dict) else {})
    usage = value.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    # The protocol says of a refusal that it "stopped"; we write down what it was.
    reason = REFUSAL if refusal and not text else choice.get("finish_reason")
    reply = Reply(
        text=text or refusal,
        finish_reason=reason[:40] if isinstance(reason, str) else "",
        prompt_tokens=_count(counts.get("prompt_tokens")),
        answer_tokens=_count(counts.get("completion_tokens")),
    )
    return reply if reply.text.strip() else _empty(reply)


def bounded(reply: Reply) -> Reply:
    """The reply, or why it is not kept when its text is larger than an answer may be."""
    if len(reply.text.encode()) <= LONGEST_ANSWER:
        return reply
    return Reply(
        error_code=TOO_LARGE,
        error="The answer is larger than 2 MB, so it was not kept. Ask for a shorter one (max_tokens).",
        prompt_tokens=reply.prompt_tokens,
        answer_tokens=reply.answer_tokens,
        took_ms=reply.took_ms,
    )


def _texts(message: Mapping[str, Any]) -> tuple[str, str]:
    """The content of a message, which is text or a list of parts, and its refusal."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_part_texts(content))
    refusal = message.get("refusal")
    return (content if isinstance(content, str) else ""), (refusal if isinstance(refusal, str) else "")


def _part_texts(parts: Iterable[Any]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _empty(reply: Reply) -> Reply:
    said = "The model sent no text"
    said += f' ("{reply.finish_reason}").' if reply.finish_reason else "."
    return Reply(
        error_code=NO_ANSWER,
        error=f"{said} Ask again, or paste an answer.",
        finish_reason=reply.finish_reason,
        prompt_tokens=reply.prompt_tokens,
        answer_tokens=reply.answer_tokens,
    )


def _count(value: Any) -> int | None:
    """A count of tokens that a column can hold."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return value if is_count else None
