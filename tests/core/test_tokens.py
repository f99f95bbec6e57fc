"""The one tokenizer, against its definition as a regular expression."""

import re

from hypothesis import given
from hypothesis import strategies as st

from discussions.core.names import fold, lowered, roster_of
from discussions.core.tokens import tokenise

_DEFINITION = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
ROSTER = roster_of(("Agent-Alpha", "Agent-Bravo"))


def test_tokens_are_lower_case_runs_with_inner_apostrophes() -> None:
    assert tokenise("Don\u2019t rush, it's O'Brien's 2nd e-mail_box!") == [
        "don't", "rush", "it's", "o'brien's", "2nd", "e", "mail", "box",
    ]  # fmt: skip
    assert tokenise("'quoted' dogs' a''b \u00dcber na\u00efve \u6f22\u5b57 \U0001f600") == [
        "quoted", "dogs", "a", "b", "\u00fcber", "na\u00efve", "\u6f22\u5b57",
    ]  # fmt: skip
    assert tokenise("") == []
    assert tokenise("... \u2014 !?") == []


def test_a_name_is_one_token_with_its_possessive() -> None:
    assert tokenise("I think Agent-Alpha's vote (Bravo) lies", ROSTER) == [
        "i", "think", "[name]", "vote", "[name]", "lies",
    ]  # fmt: skip


def test_a_text_cannot_pretend_to_name_anybody() -> None:
    assert tokenise("\ue001 \uf8ff[name]\U000f0001", ROSTER) == ["name"]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_tokens_are_those_of_the_definition(text: str) -> None:
    assert tokenise(text) == _DEFINITION.findall(lowered(fold(text)))


@given(st.text(max_size=60))
def test_folding_and_lowering_keep_the_length(text: str) -> None:
    assert len(lowered(fold(text))) == len(text)
