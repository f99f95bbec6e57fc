"""Which sentences are references to the past: the rubric's patterns count, those of the wider list only suggest."""

import re
from collections.abc import Iterator

from msgspec import Struct

from discussions.metrics.core.patterns import Pattern, PatternGroup
from discussions.metrics.core.references.round_names import RoundNames
from discussions.metrics.core.references.vote_record import round_number

_CLAUSE_END = re.compile(r"[,;:.!?\u2026]+(?= |$)| - ?|(?<= )-+(?= )")


class ReferencePatterns(Struct, frozen=True):
    """The patterns that can match in one message: those that count, those of the wider list, those of a counterfactual.

    `own_round` is the message's; with `past_only` a pattern that names a round must name an earlier one. `names` is
    None under the rules 1.0, where numbers of rounds are the file's and a possible reference may name any round.
    """

    counting: tuple[Pattern, ...]
    wider: tuple[Pattern, ...]
    own_round: int
    past_only: bool
    names: RoundNames | None = None
    counterfactual: PatternGroup | None = None

    def match(self, piece: str) -> tuple[Pattern | None, bool]:
        """The pattern that makes a sentence (lower-cased, folded, marked) a reference, None when it is not one.

        With it comes whether the rubric counts it.
        A counterfactual ("if I had claimed earlier") recalls nothing, so it is possible only.
        """
        supposed = None
        for pattern in self.counting:
            for start in self._find_past(pattern, piece):
                if not self._is_counterfactual(piece, start):
                    return pattern, True
                supposed = supposed or pattern
        wider = supposed or next((pattern for pattern in self.wider if self._offers(pattern, piece)), None)
        return wider, False

    def _find_past(self, pattern: Pattern, piece: str) -> Iterator[int]:
        """The first match of the pattern that names no round, or an earlier round of the file."""
        if not pattern.search(piece):
            return
        for match in pattern.regex.finditer(piece):
            if not self.past_only or not pattern.regex.groups or self._is_earlier(match):
                yield match.start()

    def _is_earlier(self, match: re.Match[str]) -> bool:
        said = match[1] or ""
        if self.names is not None:
            return self.names.calls(match[0]) and self.names.is_earlier(said, self.own_round)
        number = round_number(said)
        return number is None or number < self.own_round

    def _offers(self, pattern: Pattern, piece: str) -> bool:
        """Whether a pattern of the wider list matches the sentence; day 1 matches even where days are not rounds."""
        if self.names is None or not self.past_only or not pattern.regex.groups:
            return pattern.search(piece) is not None
        return any(
            self.names.is_earlier(match[1] or "", self.own_round) for match in pattern.regex.finditer(piece)
        )

    def _is_counterfactual(self, piece: str, at: int) -> bool:
        """Whether the clause around a match supposes something that did not happen."""
        if self.counterfactual is None:
            return False
        start, end = 0, len(piece)
        for mark in _CLAUSE_END.finditer(piece):
            if mark.start() >= at:
                end = mark.start()
                break
            start = mark.end()
        return self.counterfactual.search(piece[start:end]) is not None
