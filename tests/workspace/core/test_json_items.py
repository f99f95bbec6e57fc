"""The parts of a large JSON file are found without building it, and places in them are places in the file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.core.json_items import (
    PartPlaces,
    blank_between,
    find_items,
    find_lines,
    find_values,
    split_items,
)
from workspace.core.strict_json import is_too_deep, read_json

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(max_size=6)
    | st.sampled_from(['"', "\\", '\\"]', "[{,", "é😀"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def cut(data, parts):
    return [data[start:end] for start, end in parts]


@given(st.lists(values, max_size=6), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_the_items_of_a_list_are_those_that_a_parser_finds(items, indent, is_ascii):
    data = b"\xef\xbb\xbf \n" + json.dumps(items, indent=indent, ensure_ascii=is_ascii).encode() + b"\n"
    assert [json.loads(part) for part in cut(data, find_items(data))] == items
    assert list(split_items(data.strip(b"\xef\xbb\xbf"))) == [
        (start - 3, end - 3) for start, end in find_items(data)
    ]


@given(st.binary(max_size=60), st.text(alphabet='[]{}",:\\ 1a\n', max_size=30))
def test_what_is_found_in_any_bytes_is_a_list_cut_at_its_commas(data, text):
    for given_bytes in (data, b"[" + data + b"]", text.encode(), b"[" + text.encode() + b"]"):
        items = find_items(given_bytes)
        if items is not None and (split := split_items(given_bytes)) is not None:
            assert list(split) == list(items)
        try:
            value = json.loads(given_bytes)
        except ValueError:
            continue
        assert (items is not None) == (type(value) is list)
        assert items is None or [json.loads(part) for part in cut(given_bytes, items)] == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[",
        b"[1",
        b"[1,",
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b"[1] 2",
        b'["a]',
        b'[["a\\',
        b'[{"a\\nb\\',
        b'[{"a": 1]',
        b"[[1]",
        b"]",
        b"[1]]",
    ],
)
def test_what_does_not_close_is_no_list(data):
    assert find_items(data) is None


def test_a_list_that_is_too_deep_or_too_long_is_not_cut():
    assert len(find_items(b"[[[]],[]]", max_depth=3)) == 2
    assert find_items(b"[[[]],[]]", max_depth=2) is None
    assert len(find_items(b"[1,2,3]", most=3)) == 3
    assert find_items(b"[1,2,3]", most=2) is None
    assert find_lines(b"1\n2\n3", most=2) is None


@given(
    st.lists(values, max_size=3),
    st.lists(
        st.tuples(
            st.integers(0, 60),
            st.sampled_from(
                [
                    b'"',
                    b"\\",
                    b"\\ud83d",
                    b"\\q",
                    b"[",
                    b"]",
                    b"{",
                    b"}",
                    b",",
                    b"-",
                    b"0",
                    b"\xff",
                    b"e",
                    b"\n",
                    b"tru",
                ]
            ),
        ),
        max_size=3,
    ),
)
def test_what_is_split_quickly_and_is_utf8_keeps_the_grammar(items, changes):
    data = json.dumps(items).encode()
    for at, added in changes:
        data = data[:at] + added + data[at:]
    parts = split_items(data)
    if parts is not None:
        assert cut(data, parts) == cut(data, find_items(data))
        for part in cut(data, parts):
            assert b"\xff" in part or read_json(part).is_readable


@given(values, st.integers(0, 4))
def test_how_deep_a_text_is_does_not_depend_on_its_strings(value, most):
    def depth(part):
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else None
        return 0 if inner is None else 1 + max(map(depth, inner), default=0)

    assert is_too_deep(json.dumps(value).encode(), most) == (depth(value) > most)


def test_lines_are_cut_without_the_space_around_them():
    data = b'\xef\xbb\xbf\n {"a": 1} \r\n\n\t\n{"b":\t2}'
    assert cut(data, find_lines(data)) == [b'{"a": 1}', b'{"b":\t2}']
    assert len(find_lines(b" \n ")) == 0


FAULTY = '{"é😀": 1, "a": NaN}', '{"x": 2, "x": 3}', '{\n"b": 1e999}', '["😀", 1234567890123456789]', "5"


@given(
    st.lists(st.sampled_from(FAULTY), max_size=6), st.sampled_from([", ", ",\n", ",\n\n  "]), st.booleans()
)
def test_places_in_items_are_those_that_the_whole_file_gives(items, comma, has_bom):
    data = b"\xef\xbb\xbf" * has_bom + ("[" + comma.join(items) + "\n]").encode()
    places, found = PartPlaces(data), []
    for index, (start, end) in enumerate(find_items(data)):
        problems = read_json(data[start:end]).problems
        found += [places.place(problem, start, f"/{index}") for problem in problems]
    assert found == read_json(data).problems


VALUES = [b'{"a": "x, y"}', b'{"a": {"b": [1, 2]}}', b'{"a": "---"}']
BETWEEN = {
    "commas": (b"", b",", b""),
    "commas at the ends of lines": (b"", b",\n", b",\n"),
    "lines of signs": (b"---\n", b"\n---\n", b""),
    "record separators": (b"\x1e", b"\n\x1e", b"\n"),
    "a list that is not closed": (b"[\n", b",\n", b"\n"),
}


@pytest.mark.parametrize(("before", "between", "after"), BETWEEN.values(), ids=BETWEEN)
def test_signs_between_values_are_blank_and_all_places_stay(before, between, after):
    data = before + between.join(VALUES) + after
    blank = blank_between(data)
    assert cut(blank, find_values(blank)) == VALUES
    assert (len(blank), blank.count(b"\n")) == (len(data), data.count(b"\n"))


def test_of_a_part_whole_values_are_read():
    data = b",\n".join(VALUES)
    assert blank_between(data[:-3], is_part=True)[:20] == blank_between(data)[:20]


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b",".join(VALUES) + b"]",
        b"\n".join(VALUES),
        b",\n".join(VALUES)[:-3],
        b"[" + b",".join(VALUES)[:-3],
        b",".join(VALUES) + b"]",
        b"{Ann}, {Bea}",
        b"[Day 1] Ann: Hello, {Bea}",
        b"\x1eAnn: hello \x1e world",
        b"\x1e[12:03] {Ann}: hello \x1e world",
    ],
)
def test_other_bytes_stay_as_they_are(data):
    assert blank_between(data) == data
