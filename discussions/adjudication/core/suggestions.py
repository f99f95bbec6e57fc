"""Suggested references that nobody looked at: no person marked, labelled or dismissed them."""

from collections.abc import Container, Iterable

from discussions.core.judgement_kinds import parse_subject

# What an evaluator has looked at is stored as "suggestions" (all of them) or "suggestions:12.1-40.2" (a range).
SUGGESTIONS = "suggestions"


def list_unasked(possible: Iterable[str], judged: Container[str], looked_at: Iterable[str]) -> list[str]:
    """The suggested references outside `judged` and outside what people looked at, in their order."""
    names = set(looked_at)
    if SUGGESTIONS in names:
        return []
    ranges = [ends for what in names if (ends := _read_range(what))]
    return [
        subject
        for subject in possible
        if subject not in judged
        and not any(first <= parse_subject(subject) <= last for first, last in ranges)
    ]


def _read_range(what: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    name, _, ends = what.partition(":")
    first, _, last = ends.partition("-")
    return (parse_subject(first), parse_subject(last)) if name == SUGGESTIONS and ends else None
