"""The normal form: one value, one sequence of bytes, whatever order or spelling it came in.

Names, addresses and short names as people type them.

Strict JSON: what is refused, with the place and the sentence; what is replaced; and that nothing ever raises.

Which item comes again, and when: by chance with a seed, long after, none twice.
"""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.records import Cost, Player
from tests.factories.effort import count_lines
from workspace.core.canonical import bytes_hash, canonical_bytes, canonical_hash
from workspace.core.hidden_duplicates import APART, choose_duplicate, count_ahead, is_due
from workspace.core.identifiers import is_slug, plain_email, plain_name, secret_hash
from workspace.core.strict_json import Replaced, normalise_text, read_json


def test_keys_are_sorted_and_nothing_is_spent_on_spaces():
    assert (
        canonical_bytes({"b": [1, 2.5, None, True], "a": "ä"}) == '{"a":"ä","b":[1,2.5,null,true]}'.encode()
    )


def test_negative_zero_is_zero():
    assert canonical_bytes([-0.0, {"a": -0.0}, "-0.0"]) == b'[0.0,{"a":0.0},"-0.0"]'


def test_records_and_decimals_are_taken_as_plain_values():
    assert canonical_bytes(Player(name="Ann")) == b'{"name":"Ann"}'
    assert canonical_bytes(Cost(total_usd=Decimal("2.50"))) == b'{"total_usd":"2.50"}'


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], "\ud800"])
def test_what_no_database_can_store_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        canonical_bytes(value)


def test_the_hash_is_that_of_the_bytes():
    assert canonical_hash({}) == bytes_hash(b"{}")
    assert bytes_hash(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_the_order_of_keys_never_matters(value):
    backwards = dict(reversed(list(value.items())))
    assert canonical_hash(value) == canonical_hash(backwards)


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        (" Ada@Example.ORG ", "ada@example.org"),
        ("a.b+c@sub.example.org", "a.b+c@sub.example.org"),
        ("ada", None),
        ("ada@", None),
        ("ada@example", None),
        ("a b@example.org", None),
        ("ada@example.org\nBcc: x@y.org", None),
        ("ada@exa_mple.org", None),
        ("аda@example.org", None),
        ("a" * 190 + "@example.org", None),
        ("", None),
    ],
)
def test_addresses(typed, plain):
    assert plain_email(typed) == plain


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("  Ada   Byron ", "Ada Byron"),
        ("李小龍", "李小龍"),
        ("Zoë O'Neil-Ünal", "Zoë O'Neil-Ünal"),
        ("", None),
        ("   ", None),
        ("A\u202eda", None),
        ("A\u200bda", None),
        ("A\x00da", None),
        ("x" * 201, None),
        ("x" * 200, "x" * 200),
    ],
)
def test_names(typed, plain):
    assert plain_name(typed) == plain


@pytest.mark.parametrize("slug", ["a", "mafia-2026", "0", "x" * 60])
def test_short_names(slug):
    assert is_slug(slug)


@pytest.mark.parametrize("slug", ["", "new", "-a", "a-", "A", "a_b", "ä", "a b", "x" * 61, "a\n", "a/b"])
def test_bad_short_names(slug):
    assert not is_slug(slug)


def test_a_secret_is_stored_as_its_hash():
    assert secret_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert len(secret_hash("\ud800")) == 64


REFUSED = [
    (b"", "empty", 1, 1, "", "The file is empty."),
    (b" \r\n\t", "empty", 1, 1, "", "The file is empty."),
    (b"\xff\xfe{\x00}\x00", "encoding", 1, 1, "", 'in Excel, choose the file type "CSV UTF-8"'),
    (b"\x00{\x00}", "encoding", 1, 1, "", "UTF-16 or UTF-32"),
    (b'{"a":\n "\xc3\xa4\xff"}', "encoding", 2, 4, "", "Byte 11 (0xff) is not UTF-8 text."),
    (b'"\xc0\xaf"', "encoding", 1, 2, "", "Byte 2 (0xc0) is not UTF-8 text."),
    (b"{", "truncated", 1, 2, "", "the end of an object was expected"),
    (b'{"a": [1,\n2', "truncated", 2, 2, "/a/1", "the end of a list was expected"),
    (b'["abc', "truncated", 1, 2, "/0", "The text ends inside a string."),
    (b'["ab\\u00', "truncated", 1, 2, "/0", "The text ends inside a string."),
    (b"[1,]", "syntax", 1, 4, "/1", "There may be a comma too many before it."),
    (b'{"a":1,}', "syntax", 1, 8, "/a", "There may be a comma too many before it."),
    (b"{'a': 1}", "syntax", 1, 2, "", "JSON strings stand in double quotes."),
    (b"// hello\n{}", "syntax", 1, 1, "", "JSON has no comments"),
    (b"# hello", "syntax", 1, 1, "", "JSON has no comments"),
    (b'{"a" 1}', "syntax", 1, 6, "/a", "a colon after the key was expected"),
    (b"[1 2]", "syntax", 1, 4, "/0", "a comma or the end of the list was expected"),
    (b"[01]", "syntax", 1, 3, "/0", "a comma or the end of the list was expected"),
    (b"[tru]", "syntax", 1, 2, "/0", "a value was expected"),
    (b"[\xd9\xa1]", "syntax", 1, 2, "/0", "a value was expected"),
    (b'["\\x41"]', "syntax", 1, 3, "/0", "no escape of JSON"),
    (b'["a\tb"]', "control_character", 1, 4, "/0", "the bare control character U+0009. Write it as \\u0009."),
    (b"{}{}", "trailing", 1, 3, "", "put several games into one list"),
    (b'{"a": 1}\n{"a": 2}', "trailing", 2, 1, "", "put several games into one list"),
    (b"\x89PNG\r\n\x1a\n", "encoding", 1, 1, "", "is not UTF-8 text"),
]


@pytest.mark.parametrize(("data", "code", "line", "column", "pointer", "sentence"), REFUSED)
def test_a_text_that_breaks_the_grammar_is_refused_with_its_place(
    data, code, line, column, pointer, sentence
):
    document = read_json(data)
    assert not document.is_readable
    assert document.value is None
    problem = document.problems[0]
    assert (problem.code, problem.line, problem.column, problem.pointer) == (code, line, column, pointer)
    assert sentence in problem.message


LISTED = [
    (b'{"a": {"b": 1, "b": 2}}', "duplicate_key", "/a", 'The key "b" appears twice in one object'),
    (b'{":": {"a": 1, "a": {"b:": 1}}}', "duplicate_key", "/:", 'The key "a" appears twice'),
    (b'{"a": 1, "\\u0061": 2}', "duplicate_key", "", 'The key "a" appears twice'),
    (b"[NaN]", "not_finite", "/0", "NaN is not a JSON number."),
    (b"[-Infinity]", "not_finite", "/0", "-Infinity is not a JSON number."),
    (b"[1e400]", "not_finite", "/0", "The number 1e400 is too large to be stored."),
    (b"[-1E+400]", "not_finite", "/0", "is too large to be stored."),
    (b"[1234567890123456789]", "number", "/0", "A number has 19 digits; at most 18 are read."),
    (b"[" + b"9" * 5000 + b"]", "number", "/0", "A number has 5,000 digits; at most 18 are read."),
    (b'{"a\\u0000": 1}', "key", "", "A key contains a NUL"),
    (b'{"a\\ud800": 1}', "key", "", "A key contains a NUL or half a character"),
]


@pytest.mark.parametrize(("data", "code", "pointer", "sentence"), LISTED)
def test_a_value_that_cannot_be_trusted_is_named_by_its_pointer(data, code, pointer, sentence):
    document = read_json(data)
    assert document.is_readable
    assert [(problem.code, problem.pointer) for problem in document.problems] == [(code, pointer)]
    assert sentence in document.problems[0].message


def test_all_problems_of_a_file_are_listed_in_order_and_the_rest_is_still_read():
    document = read_json(b'[{"a": 1, "a": 2},\n {"b": NaN},\n {"c": 3}]')
    assert [(p.code, p.line, p.pointer) for p in document.problems] == [
        ("duplicate_key", 1, "/0"),
        ("not_finite", 2, "/1/b"),
    ]
    assert document.value[2] == {"c": 3}


def test_problems_beyond_the_limit_are_counted():
    document = read_json(b"[" + b"NaN," * 2_000 + b"1]", most_problems=1_000)
    assert len(document.problems) == 1_000
    assert document.problem_count == 2_000


def test_depth_64_is_read_and_depth_65_is_refused():
    assert read_json(b"[" * 64 + b"]" * 64).is_readable
    document = read_json(b"[" * 65 + b"]" * 65)
    assert not document.is_readable
    assert document.problems[0].code == "depth"
    assert document.problems[0].column == 65
    assert read_json(b'["' + b"[" * 1000 + b'"]').is_readable


@pytest.mark.parametrize("bracket", [b"[", b'{"a":', b'[{"a":'])
def test_a_hundred_thousand_brackets_are_refused_at_the_65th(bracket):
    few, many = bracket * 100, bracket * 100_000
    assert count_lines(lambda: read_json(many)) == count_lines(lambda: read_json(few))
    assert read_json(many).problems[0].code == "depth"


def test_more_values_than_memory_can_bear_are_refused_before_any_is_built():
    document = read_json(b"[" + b"{}," * 1_000 + b"{}]", max_values=1_000)
    assert document.problems[0].code == "too_many_values"
    assert "more than 1,000 values" in document.problems[0].message
    assert read_json(b'["' + b"," * 5_000 + b'"]', max_values=1_000).is_readable
    assert read_json(b'"' * 10_000, max_values=1_000).problems[0].code == "too_many_values"


def test_a_byte_order_mark_is_noted():
    document = read_json(b'\xef\xbb\xbf{"a": 1}')
    assert document.value == {"a": 1}
    assert document.had_bom
    assert not read_json(b"{}").had_bom


def test_nul_and_lone_surrogates_are_replaced_and_counted_for_each_item_of_the_list():
    document = read_json(b'[{"a": "x\\u0000y\\u0000"}, {"a": "plain"}, {"a": ["\\ud800", "\\udc00z"]}]')
    assert document.value == [{"a": "x\u2400y\u2400"}, {"a": "plain"}, {"a": ["\ufffd", "\ufffdz"]}]
    assert document.replaced == {"/0": Replaced(nul=2), "/2": Replaced(surrogate=2)}
    assert read_json(b'"\\u0000"').replaced == {"": Replaced(nul=1)}


def test_a_surrogate_pair_is_one_character_and_stays():
    document = read_json(b'["\\ud83d\\ude00", "\\\\u0000"]')
    assert document.value == ["\U0001f600", "\\u0000"]
    assert document.replaced == {}


def test_texts_are_normalised_alike_everywhere():
    assert normalise_text("a\0b\udcff") == ("a\u2400b\ufffd", Replaced(nul=1, surrogate=1))
    assert normalise_text("plain") == ("plain", Replaced())


def test_long_fractions_and_small_numbers_are_read():
    assert read_json(b"[0.1000000000000000055511151231257827, 1e-400, 1E5, 123456789012345678]").value == [
        0.1,
        0.0,
        100000.0,
        123456789012345678,
    ]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(json_values, st.booleans())
def test_every_proper_value_comes_back_equal(value, ensure_ascii):
    document = read_json(json.dumps(value, ensure_ascii=ensure_ascii).encode())
    assert document.problems == []
    assert document.value == value


@given(json_values, st.data())
def test_a_damaged_text_never_raises_and_is_readable_only_where_the_library_reads_it(value, data):
    text = json.dumps(value, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    junk = data.draw(
        st.sampled_from(["", '"', "\\", "{", "]", ",", ":", "9", "e", "NaN", "\0", "\n", "'", "-", ".", "é"])
    )
    damaged = text[:at] + junk + text[at + cut :]
    document = read_json(damaged.encode())
    try:
        json.loads(damaged)
    except ValueError:
        assert not document.is_readable
        assert document.problem_count >= 1
    else:
        assert document.is_readable


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    document = read_json(data)
    assert document.is_readable or document.problems


@pytest.mark.parametrize("data", [b'{"a\\u0000": 1', b'{"\\ud800b": [1, 1}', b'{"\\u0000": 1, "\\u0000": 2}'])
def test_what_is_said_of_a_key_that_cannot_be_stored_can_be_stored(data):
    problems = read_json(data).problems
    assert problems
    for problem in problems:
        said = problem.message + problem.pointer
        assert normalise_text(said) == (said, Replaced())


def test_about_as_many_are_repeats_as_the_rule_says():
    due = sum(is_due("a person", given_count, 5) for given_count in range(10_000))
    assert 430 <= due <= 570  # 500 expected, standard deviation 22


def test_none_are_due_at_zero_and_the_same_ones_again_for_the_same_seed():
    assert not any(is_due("a person", given_count, 0) for given_count in range(1000))
    first, second = ([is_due(seed, given_count, 50) for given_count in range(50)] for seed in ("one", "two"))
    assert first == [is_due("one", given_count, 50) for given_count in range(50)]
    assert first != second


def test_an_item_comes_again_only_after_twenty_others():
    items = list(range(100, 100 + APART))
    assert choose_duplicate("seed", 1, items, ()) is None
    assert choose_duplicate("seed", 1, [7, *items], ()) == 7
    assert choose_duplicate("seed", 1, [7, *items], {7}) is None


def test_of_several_each_is_chosen_now_and_then():
    items = list(range(APART + 3))
    chosen = {choose_duplicate("seed", given_count, items, ()) for given_count in range(60)}
    assert chosen == {0, 1, 2}


@pytest.mark.parametrize(("percent", "items"), [(0, 60), (5, 60), (20, 90), (50, 120), (50, APART)])
def test_how_many_repeats_come_is_told_before_and_goes_down_by_each_that_came(percent, items):
    submitted, repeated, given_count, ahead = [], set(), 0, []
    left = list(range(items))
    while left:
        given = {"given_count": given_count, "percent": percent, "left": len(left)}
        ahead.append(len(left) + count_ahead("x", **given, submitted=len(submitted), repeated=len(repeated)))
        chosen = (
            choose_duplicate("x", given_count, submitted, repeated)
            if is_due("x", given_count, percent)
            else None
        )
        if chosen is None:
            submitted.append(left.pop(0))
        else:
            repeated.add(chosen)
        given_count += 1
    assert ahead == list(range(given_count, 0, -1))
    assert bool(repeated) == (percent > 0 and items > APART)
