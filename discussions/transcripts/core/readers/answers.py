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
    """The answers told to all who are told, or answer, something later; at the end half of them are enough."""
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
