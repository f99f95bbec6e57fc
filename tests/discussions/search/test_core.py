"""How texts and searches are cut into words, and what of a text is marked."""

import pytest

from discussions.core.records import GameRecord, Message, Player
from discussions.search.core import (
    LONGEST_QUERY,
    MOST_BYTES,
    MOST_TERMS,
    SIGN,
    Asked,
    Term,
    cut_words,
    index_game,
    list_words,
    mark_terms,
    parse_search,
    write_match,
    write_tsquery,
    write_vector,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Trust me, it's Noor!", ["trust", "me", "it", "s", "noor"]),
        ("Café CAFE\u0301 cafe", ["cafe", "cafe", "cafe"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁne ①", ["fine", "1"]),
        ("我不是狼人", ["我", "不", "是", "狼", "人"]),
        ("狼人said", ["狼", "人", "said"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("سَلَام سلام", ["سلام", "سلام"]),
        ("라스베이거스", ["라스베이거스"]),
        ("\0' \" \\ & | ! <-> ( ) : * ¶ \ue000", []),
        ("a\u0300\u0301\u0302\u0303 b", ["a", "b"]),
    ],
)
def test_words_are_cut_without_case_and_accents(text, words):
    assert list_words(text) == words
    cut = list(cut_words(text))
    assert [word for word, _start, _end in cut] == words
    assert all(text[start:end] for _word, start, end in cut)


def test_a_long_word_is_cut_in_texts_and_searches_alike():
    (said,) = list_words("x" * 5000)
    assert parse_search("x" * 900).wanted == (Term((said,)),)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("trust  me", Asked((Term(("trust",)), Term(("me",))))),
        ('"trust me"', Asked((Term(("trust", "me")),))),
        ("“trust me” «ja»", Asked((Term(("trust", "me")), Term(("ja",))))),
        ('"not closed', Asked((Term(("not", "closed")),))),
        ("trust -bea", Asked((Term(("trust",)),), (Term(("bea",)),))),
        ('-"trust me"', Asked((), (Term(("trust", "me")),))),
        ("suspi*", Asked((Term(("suspi",), is_prefix=True),))),
        ("su* 狼*", Asked((Term(("su",)), Term(("狼",))))),
        ("don't", Asked((Term(("don", "t")),))),
        ("狼人", Asked((Term(("狼", "人")),))),
        ("the the THE", Asked((Term(("the",)),))),
        ('* - "" \' ) OR', Asked((Term(("or",)),))),
        ("\0", Asked()),
    ],
)
def test_a_search_is_words_rows_of_words_exclusions_and_beginnings(text, asked):
    assert parse_search(text) == asked


def test_a_search_has_a_bounded_number_of_terms():
    many = " ".join(f"w{number}" for number in range(5000))
    assert len(many) > LONGEST_QUERY
    assert len(parse_search(many).wanted) == MOST_TERMS


def test_what_databases_are_asked_holds_words_and_signs_alone():
    asked = parse_search('"trust me" -bea* x\'y <-> & drop\\')
    assert write_tsquery(asked, [f"{SIGN}p1"]) == (
        "'¶p1' & ('trust' <-> 'me') & ('x' <-> 'y') & ('drop') & !('bea':*)"
    )
    assert write_match(asked, [f"{SIGN}p1"]) == '("¶p1" AND "trust me" AND "x y" AND "drop") NOT ("bea" *)'


def test_only_what_the_table_heard_is_indexed_with_where_it_was_said():
    game = GameRecord(
        "g", [Player("Ann", role="SEER"), Player("Bea")], [Message(1, 1, "Hi", 0), Message(2, 2, "Ho", 1)]
    )
    rows = list(index_game(game, key=5, project=1, iteration=2))
    assert [(key, words, len(signs)) for key, words, signs in rows] == [
        (5 * 2**20 + 1, ["hi"], 5),
        (5 * 2**20 + 2, ["ho"], 4),
    ]
    assert write_vector(["a", "b", "a"], ["¶x"]) == "'a':1,3 'b':2 '¶x'"
    long = write_vector([f"{chr(0x1E900)}{number:059d}" for number in range(50_000)], ["¶x"])
    assert 1_000_000 // 4 < len(long) < len(long.encode()) < MOST_BYTES and long.endswith(" '¶x'")


@pytest.mark.parametrize(
    ("text", "search", "marked"),
    [
        ("You can Trust me, TRUST-ME.", '"trust me"', ["Trust me", "TRUST-ME"]),
        ("Suspicious suspects", "susp*", ["Suspicious", "suspects"]),
        ("un café noir", "cafe noir -un", ["café", "noir"]),
        ("我不是狼人", "狼人", ["狼人"]),
        ("ha ha ha", '"ha ha"', ["ha ha ha"]),
        ("nothing", "trust", []),
        ("a", '"a b"', []),
    ],
)
def test_what_was_found_is_marked_in_the_text_as_it_was_said(text, search, marked):
    spans = mark_terms(text, parse_search(search).wanted)
    assert [text[start:end] for start, end in spans] == marked
