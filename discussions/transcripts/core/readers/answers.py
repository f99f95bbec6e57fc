"""What players answered, who was told it, and what everybody heard of it."""

from msgspec import Struct


class Answer(Struct):
    """A text that a player answered: its message in the history, and where each hearer was told it."""

    owner: str
    at: int
    text: str
    heard: dict[str, int] = {}

    @property
    def hearers(self) -> set[str]:
        """Those who knew it: its author, and everybody who was told it."""
        return {self.owner, *self.heard}


def find_public(said: list[Answer]) -> list[Answer]:
    """The answers that everybody was told who is told, or answers, something later.

    At the end of a game, where some are told nothing more, more than half of those who heard the last one are enough.
    """
    later: set[str] = set()
    likely: list[Answer] = []
    hidden: list[Answer] = []
    for answer in reversed(said):
        (likely if answer.hearers >= later else hidden).append(answer)
        later |= answer.hearers
    small = [answer.hearers for answer in hidden]
    public: list[Answer] = []
    for answer in reversed(likely):
        is_shrunk = public and 2 * len(answer.hearers) <= len(public[-1].hearers)
        if answer.hearers not in small and not is_shrunk:
            public.append(answer)
    return public
