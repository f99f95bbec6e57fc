"""The editor's texts and what is read from them: nothing changes by itself, every fault names its field.

The number and the slider of a weight are kept in step, and whichever was moved counts.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rubric.core.records import RubricRecord
from rubric.core.scales import Scale
from rubric.versions.core.differences import Change, differences
from rubric.versions.core.draft import (
    Unreadable,
    choice_texts,
    draft_texts,
    in_step,
    read_draft,
    scale_weights,
    slide_text,
    used_indexes,
    weight_changes,
    weight_faults,
    weight_sum,
)
from rubric.versions.queries import (
    discussion_version,
    first_discussion_version,
    first_response_version,
    response_version,
)
from workspace.core.canonical import canonical_bytes

VERSIONS = (first_discussion_version(), first_response_version())


RESPONSE = first_response_version()


def problems(texts, base=RESPONSE):
    """(field, sentence) of everything that is wrong."""
    found = read_draft(texts, base)
    assert isinstance(found, list)
    assert all(message.endswith(".") for _field, message in found)
    return found


def changed(base=RESPONSE, **fields):
    """The texts of a version with some replaced; __ stands for - in their names."""
    return draft_texts(base) | {name.replace("__", "-"): text for name, text in fields.items()}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.kind)
def test_opening_and_saving_changes_nothing(version):
    texts = draft_texts(version)
    assert canonical_bytes(read_draft(texts, version)) == canonical_bytes(version)
    as_sent = {name: text.replace("\n", "\r\n") for name, text in texts.items()}
    assert canonical_bytes(read_draft(as_sent, version)) == canonical_bytes(version)


def test_a_parameter_that_an_old_version_lacks_is_shown_and_stored_once_it_is_changed():
    base = VERSIONS[0]
    texts = draft_texts(base)
    assert (texts["p-rules"], choice_texts("rules", "1.0")) == ("1.0", ["1.0", "1.1"])
    assert "rules" not in read_draft(texts, base).parameters
    changed_to = read_draft(texts | {"p-rules": "1.1"}, base)
    assert changed_to.parameters == base.parameters | {"rules": "1.1"}
    assert differences(base, changed_to)[0] == Change("parameter", "rules", "1.0", "1.1")
    assert problems(texts | {"p-rules": "2"}, base)[0][0] == "p-rules"


def test_what_the_editor_cannot_show_is_kept_where_it_was_not_touched():
    words = replace(VERSIONS[0], lists=VERSIONS[0].lists | {"stop_words": [" a ", "two\nlines", "b"]})
    assert canonical_bytes(read_draft(draft_texts(words), words)) == canonical_bytes(words)
    touched = draft_texts(words) | {"l-stop_words": " a \n\nb\n"}
    assert read_draft(touched, words).lists["stop_words"] == ["a", "b"]


def test_line_ends_that_no_browser_sends_back_are_kept_where_they_were_not_touched():
    """A file may hold lone carriage returns; a form sends line ends as it pleases."""
    base = VERSIONS[0]
    first = replace(base.criteria[0], question="What\rnow?\r\n", anchors={"1": "low\rend"})
    people = [{"key": "calm", "label": "Calm", "description": "Little.\rOr nothing."}]
    odd = replace(
        base,
        criteria=[first, *base.criteria[1:]],
        lists=base.lists | {"personalities": people},
        source="One\rtwo",
    )
    sent = {
        name: text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
        for name, text in draft_texts(odd).items()
    }
    assert read_draft(sent, odd) == odd
    assert read_draft(draft_texts(odd), odd) == odd


def test_every_kind_of_field_is_read():
    base = VERSIONS[0]
    texts = changed(
        base, c0__label="Memory", c0__threshold="82.5", c6__threshold="3.5", c0__is_mandatory="yes",
        c0__guiding_questions="One?\r\n\r\n Two? ", c6__anchors="1: low\n5: high: very", p__pass_count="6",
        p__cost_limit_usd="2.50", p__coherence_names="no", p__similarity="dice_bigrams", source="Mine",
        l__stop_words="about\nabove", **{"l-role_map.mafia": "mafia\nwolf"},
        l__personalities="calm | Calm | Says little | or nothing.",
    )  # fmt: skip
    found = read_draft(texts, base)
    first, last = found.criteria[0], found.criteria[6]
    assert (first.label, first.threshold, first.is_mandatory) == ("Memory", 82.5, True)
    assert first.guiding_questions == ["One?", "Two?"]
    assert (last.threshold, last.anchors) == (3.5, {"1": "low", "5": "high: very"})
    assert [found.parameters[name] for name in ("pass_count", "cost_limit_usd", "coherence_names")] == [
        6,
        2.5,
        False,
    ]
    assert (found.parameters["similarity"], found.source) == ("dice_bigrams", "Mine")
    assert found.lists["stop_words"] == ["about", "above"]
    assert found.lists["role_map"] == base.lists["role_map"] | {"mafia": ["mafia", "wolf"]}
    assert found.lists["personalities"] == [
        {"key": "calm", "label": "Calm", "description": "Says little | or nothing."}
    ]


def test_the_adrs_wrong_weights_are_refused_with_their_sum():
    found = problems(changed(c3__weight="19"))
    assert [field for field, _said in found] == [""]
    assert "sum to 99\u00a0%" in found[0][1] and "Clarity 19\u00a0%" in found[0][1]


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"c0-weight": "135"}, "c0-weight", "Accuracy is 135\u00a0%"),
        ({"c0-weight": "heavy"}, "c0-weight", '"heavy", which is no number'),
        ({"c0-weight": ""}, "c0-weight", "no number"),
        ({"c0-weight": "nan"}, "c0-weight", "no number"),
        ({"c0-weight": "1/3"}, "c0-weight", "no number"),
        ({"c0-key": "Overall"}, "c0-key", "cannot be the key"),
        ({"c0-key": "clarity"}, "c0-key", "more than once"),
        ({"c0-threshold": "low"}, "c0-threshold", "threshold of Accuracy"),
        ({"c0-anchors": "nothing"}, "c0-anchors", 'The line "nothing"'),
        ({"c0-anchors": "1: a\n1: b"}, "c0-anchors", "twice"),
        ({"p-ask_overall": "maybe"}, "p-ask_overall", "true or false"),
    ],
)
def test_a_fault_names_its_field(fields, field, says):
    assert any(name == field and says in said for name, said in problems(changed() | fields))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"p-pass_count": "9"}, "p-pass_count"),
        ({"p-pass_count": "2.5"}, "p-pass_count"),
        ({"p-pass_count": "few"}, "p-pass_count"),
        ({"p-similarity": "guess"}, "p-similarity"),
        ({"l-patterns.accuse": "("}, "l-patterns.accuse"),
        ({"l-personalities": "calm"}, "l-personalities"),
        ({"c0-key": "other"}, ""),
    ],
)
def test_a_fault_of_a_discussion_version_names_its_field(fields, field):
    assert field in [name for name, _said in problems(changed(VERSIONS[0]) | fields, VERSIONS[0])]


def test_the_sum_is_said_even_while_something_else_cannot_be_read():
    found = problems(changed(c3__weight="19", c0__threshold="low"))
    assert [field for field, _said in found] == ["c0-threshold", ""]


@pytest.mark.parametrize("part", ["question", "description"])
def test_a_criterion_without_words_is_named_at_its_field(part):
    ((field, says),) = read_draft(changed(**{f"c1__{part}": " "}), RESPONSE)
    assert field == f"c1-{part}"
    assert says.startswith(f'The criterion "completeness" has no {part}.')


def test_criteria_are_added_and_removed_by_their_indexes():
    new = {"c4-key": "tone", "c4-label": "Tone", "c4-description": "How it sounds", "c4-weight": "20"}
    new |= {"c4-question": "How does it sound?"}
    texts = changed(c3__remove="yes") | new | {"c5-key": "", "c5-label": " "}
    assert used_indexes(texts) == [0, 1, 2, 4]
    assert [criterion.key for criterion in read_draft(texts, RESPONSE).criteria] == [
        "accuracy",
        "completeness",
        "conciseness",
        "tone",
    ]
    assert (
        "c4-weight",
        'The weight of Tone is "", which is no number. Write one from 0 to 100, such as 25.',
    ) in problems(texts | {"c4-weight": ""})
    bad = problems(texts | {"c4-key": "Tone!"})
    assert bad[0][0] == "c4-key"


def test_the_running_sum():
    assert weight_sum(changed()) == 1
    assert weight_sum(changed(c0__weight="50")) == 1 + weight_sum({"c0-key": "a", "c0-weight": "15"})
    assert weight_sum(changed(c0__weight="")) is None


def test_the_others_are_scaled_to_what_is_left():
    texts = changed(c0__weight="48")
    found = scale_weights(texts, 0)
    assert found == {"c0-weight": "48", "c1-weight": "20", "c2-weight": "16", "c3-weight": "16"}
    assert isinstance(read_draft(texts | found, RESPONSE), RubricRecord)
    assert scale_weights(texts | {"c0-label": "Clarity"}, 0) == found, "labels need not differ"


@pytest.mark.parametrize("label", ["Accuracy", "Clarity"])
def test_a_fault_of_a_weight_is_at_its_field_whatever_the_labels(label):
    said = f"The weight of {label} is 200\u00a0%"
    faults = weight_faults(changed(c0__label=label, c0__weight="200"))
    assert [(field, says.partition(";")[0]) for field, says in faults if field] == [("c0-weight", said)]


@pytest.mark.parametrize(
    ("fields", "index", "says"),
    [
        ({"c0-weight": "200"}, 0, "between 0 and 100\u00a0%"),
        ({"c0-weight": "x"}, 1, "must be a number"),
        ({"c0-key": "clarity"}, 1, "same key"),
        ({}, 9, "must be a number"),
    ],
)
def test_what_cannot_be_scaled_says_why(fields, index, says):
    with pytest.raises(Unreadable, match=says):
        scale_weights(changed() | fields, index)


def test_a_number_that_would_take_for_ever_is_none():
    assert problems(changed(c0__weight="1e999999999"))


def test_what_a_parameter_can_be():
    assert choice_texts("similarity", "token_sort_ratio") == ["token_sort_ratio", "dice_bigrams"]
    assert choice_texts("coherence_names", True) == choice_texts("ask_overall", True) == ["yes", "no"]
    assert choice_texts("pass_count", 5) == []


@given(st.data())
def test_whatever_is_typed_gives_a_version_or_faults(data):
    version = data.draw(st.sampled_from(VERSIONS))
    texts = draft_texts(version)
    names = data.draw(st.lists(st.sampled_from(sorted(texts)), max_size=6))
    text = st.text(alphabet="01.eE+-|:\n ab(*)é\u2028", max_size=30) | st.text(max_size=30)
    found = read_draft(texts | {name: data.draw(text) for name in names}, version)
    if isinstance(found, RubricRecord):
        assert canonical_bytes(read_draft(draft_texts(found), found)) == canonical_bytes(found)
    else:
        assert found and all(message for _field, message in found)


RESPONSE_VERSION = first_response_version()


def one(number, slide, was, active_field=""):
    """What becomes of the number of one weight."""
    sent = {"c3-weight": number, "c3-slide": slide, "c3-was": was}
    found = in_step(sent, active_field=active_field)
    assert (found["c3-slide"], found["c3-was"]) == (slide_text(found["c3-weight"]), found["c3-weight"])
    return found["c3-weight"]


@pytest.mark.parametrize(
    ("number", "slide"),
    [("35", "35"), ("33.3", "33"), ("33.6", "34"), (" 1 ", "1"), ("107", "100"), ("-1", "0"), ("1e-9", "0"),
     ("x", "0"), ("", "0"), ("1e999999999", "0")],
)  # fmt: skip
def test_where_the_slider_stands(number, slide):
    assert slide_text(number) == slide


@pytest.mark.parametrize(
    ("number", "slide", "was", "counts"),
    [
        ("35", "35", "35", "35"),
        ("33.3", "33", "33.3", "33.3"),  # the slider rounds; that is no move
        ("33.3", "34", "33.3", "34"),
        ("40", "35", "35", "40"),
        ("x", "35", "35", "x"),
        ("x", "0", "x", "x"),
        ("", "0", "", ""),
        ("", "20", "", "20"),
        ("35", "x", "35", "35"),
    ],
)
def test_what_was_moved_counts(number, slide, was, counts):
    assert one(number, slide, was) == counts


def test_where_both_were_moved_the_active_field_counts_else_the_number():
    assert one("40", "50", "35") == "40"
    assert one("40", "50", "35", active_field="c3-weight") == "40"
    assert one("40", "50", "35", active_field="c3-slide") == "50"


def test_a_form_without_sliders_is_left_alone():
    texts = draft_texts(RESPONSE_VERSION)
    assert in_step(texts)["c0-weight"] == "35"
    assert read_draft(texts | in_step(texts), RESPONSE_VERSION) == RESPONSE_VERSION


@given(st.lists(st.text(alphabet="0123456789.eE+-x ", max_size=6), min_size=3, max_size=3))
def test_what_is_in_step_stays_so(sent):
    one(*sent)
    found = in_step(dict(zip(("c3-weight", "c3-slide", "c3-was"), sent, strict=True)))
    assert in_step(found) == found


@pytest.mark.parametrize(
    ("typed", "scale"),
    [
        ("1 to 5", Scale(1, 5)),
        (" 1–5 ", Scale(1, 5)),
        ("0 or 1", Scale(0, 1)),
        ("0 or 10", Scale(0, 10, 10)),
        ("-2 to 2", Scale(-2, 2)),
        ("0 to 3 in steps of 0.5", Scale(0, 3, 0.5)),
        ("0-3, step 0.5", Scale(0, 3, 0.5)),
        ("", None),
    ],
)
def test_a_scale_is_typed_in_words(typed, scale):
    found = read_draft(changed(c0__scale=typed, c0__anchors=""), RESPONSE)
    assert isinstance(found, RubricRecord)
    assert found.criteria[0].scale == scale
    assert read_draft(draft_texts(found), RESPONSE) == found


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("five", 'The scale of Accuracy is "five", which is none. Write one such as 1 to 5'),
        (
            "5 to 1",
            "The scale of Accuracy goes from 5 to 1; the lowest must be below the highest. Change them.",
        ),
        ("0 to 1 in steps of 0.3", "The scale of Accuracy does not reach 1 from 0 in steps of 0.3."),
    ],
)
def test_what_is_no_scale_is_a_fault_of_its_field(typed, says):
    found = problems(changed(c0__scale=typed, c0__anchors=""))
    assert [field for field, _said in found] == ["c0-scale"]
    assert found[0][1].startswith(says)


def test_anchors_of_another_scale_are_a_fault_of_theirs():
    assert {field for field, _said in problems(changed(c0__scale="1 to 5"))} == {"c0-anchors"}


@pytest.mark.parametrize("newest", [discussion_version(), response_version()], ids=["discussion", "response"])
def test_examples_are_edited_line_by_line(newest):
    texts = draft_texts(newest) | {"c0-good_examples": " One \r\n\r\nTwo "}
    found = read_draft(texts, newest)
    assert found.criteria[0].good_examples == ["One", "Two"]
    assert found.criteria[0].bad_examples == newest.criteria[0].bad_examples


def test_each_weight_says_what_it_was_and_how_far_it_moved():
    before = RESPONSE
    texts = draft_texts(before) | {
        "c0-weight": "48.5",
        "c1-weight": "20",
        "c3-weight": "odd",
        "c4-key": "new",
    }
    changes = weight_changes(texts | {"c4-weight": "7"}, before)
    assert changes == {
        0: ("35", "+13.5"),
        1: ("25", "\N{MINUS SIGN}5"),
        2: ("20", ""),
        3: ("20", ""),
        4: ("", "+7"),
    }
    assert weight_changes(texts, None)[0] == ("", "+48.5")
    sevenths = first_discussion_version()
    assert weight_changes(draft_texts(sevenths), sevenths)[6] == ("14.2857", "")
