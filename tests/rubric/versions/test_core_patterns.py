"""Patterns whose time grows exponentially with a text are refused; those that people write are not."""

import json
import re
from pathlib import Path

import pytest

from rubric.versions.core.pattern_growth import repeats_choice
from rubric.versions.core.version_json import publishing_problems, read_version
from rubric.versions.queries import DISCUSSION_NUMBERS

RUNAWAY = [
    "(a|a)*b", "(a|ab)*c", "(?:a|b|ab)*c", "((a+))+b", "(a+|b)+c", "(a*b?)*c", "(?:a+ ?)+b", "(a{1,20}){1,20}b",
    "([a-z]+_?)+!", "(?:(?:a+))*b", "(?=(a+)+b)a", "(a?){40}b", "(?:(a)?b?)+c", "((?:a|a){9}){9}b",
    "(?:(?P<x>a+)b?)+c", "({mafia_word})+!", "(?:{mafia_word} ?){2}!", r"(\w+\s?)*$", "(a+)+b", "(?:a*?)*b",
]  # fmt: skip
HARMLESS = [
    "a+b*c?", "(?:abc)+", "[a-z]+ [a-z]+", "(?: (?:is|was|be)){0,4} mafia", "(a|b)c", "(?>a+b?)+c", "(?:ab)++c++",
    "(?<!x)a+", "(?>(?:ab?c){0,10})", r"\byou(?:'re)? (?:a|the) {mafia_word}", "{name}(?: & {name})?",
]  # fmt: skip


SLOW = [
    r"\w*\w*\w*\w*\w*\w*!", "[a-z ]*[a-z ]*[a-z ]*[a-z ]*1", ".*.*.*", "(a*)(a*)(a*)", r"\s*\w*\s*\w*\s*",
    "a*b?a*(?:c?)a*", r"\w+\w+\w+", r"\w*?\w*?\w*?", "(?:a*|b)(?:a*|c)(?:a*|d)", "(a*|b*)(a*|b*)(a*|b*)x",
    r"(?:\w*){3}", r"(?:\w*-?){0,5}", r"x\w*(?:\w*)?(?:_?\w*)?", r".*\w\w*\w\w*", "[^x]*[^y]*[^z]*",
    r"\w{0,90}\w{0,90}\w{0,90}", "(?:ab)*(?:ab)*(?:ab)*c", "(?=.*.*.*b)a", r"\w*\b\w*\b\w*", "A*a*A*", r".*\s*.*",
    r"\d*[0-9]*\w*x", "(?P<x>a*)(?P<y>a*)a*", r"\D*\D*\D*1", "(?>a*)a*a*a*", "(?i:a*A*a*)", "é*é*é*",
]  # fmt: skip
QUICK = [
    r"\w+ \w+ \w+ \w+", ".*.*", r"trust\s*,?\s*because\s+\w+", "a*b*c*d*", r"\w*\s*\w*", "a*xa*xa*",
    "(?>a*)(?>a*)(?>a*)", "a*+a*+a*+a*+", "(?:a*|b*|c*)", r"\w{0,9}\w{0,9}\w{0,9}", r"\w{40}\w{40}\w{40}",
    "(?:[a-z]+,){0,4}", "[a-m]*[n-z]*[a-m]*[n-z]*[0-9]*", "(?=a*)(?=a*)(?=a*)", r"\d*\D*\d*",
]  # fmt: skip

SLOW_WITH_TEXT_BETWEEN = [
    ".*foo.*foo.*foo", r"\w+a\w+a\w+a\w+", "(.*,){5}", r".*\bmafia\b.*\btown\b.*", r"\w*ing\w*ed\w*",
    "[a-z]*ab[a-z]*cd[a-z]*ef", ".*?because.*?therefore.*?so", "(?:.*foo){3}", "(.+)and(.+)or(.+)",
    "(?:ab)*ab(?:ab)*ab(?:ab)*c", r"\S+@\S+\.\S+", "[a-z ]+ is [a-z ]+ and [a-z ]+",
    "[^.]*vote[^.]*because[^.]*", r"\d*12\d*34\d*", "(?P<a>.*)x+(?P<b>.*)y{2}(?P<c>.*)",
    "(?i:[a-z]*FOO[a-z]*BAR[a-z]*)", r"[\w ]*: ?[\w :]*: ?[\w: ]*x|.*ab.*cd.*",
    ".*(?:foo|bar).*(?:foo|bar).*", ".*(?:foo)?.*(?:bar)?.*", ".*fo{2}.*[a-z]ar.*",
    ".{0,90}foo.{0,90}bar.{0,90}", "(?=.*foo.*bar.*baz)x",
]  # fmt: skip
QUICK_WITH_TEXT_BETWEEN = [
    "[a-z]+-[a-z]+-[a-z]+", r"\w+ is \w+ because \w+", r"\d+\.\d+\.\d+\.\d+",
    "[a-z]+(?: and |, )[a-z]+(?: and |, )[a-z]+", ".*foo.*bar", "[^,]*,[^,]*,[^,]*,[^,]*",
    r'\"[^\"]*\" \"[^\"]*\" \"[^\"]*\"', r"\w+@\w+\.\w+", "[a-m]*xy[a-m]*xy[a-m]*", r"\s*foo\s*bar\s*baz\s*",
    "a*foo a*foo a*foo", r"\w{0,20}foo\w{0,20}foo\w{0,20}", "(?>.*foo)x", ".*+foo",
    "(?:ab)*xy(?:ab)*xy(?:ab)*", "[a-z]*1[a-z0-9]*-[a-z]*2[a-z]*", r"[a-z]+ \d+ [a-z]+ \d+ [a-z]+",
]  # fmt: skip

FIRST = Path("rubric/versions/first_versions/discussion-1.2.json").read_bytes()


def version_with(pattern):
    document = json.loads(FIRST)
    document["lists"]["patterns"]["reason"].append(pattern)
    return json.dumps(document).encode()


@pytest.mark.parametrize("pattern", RUNAWAY)
def test_patterns_that_can_run_away_are_refused_with_what_to_write(pattern):
    problems = read_version(version_with(pattern))
    assert [problem.code for problem in problems] == ["bad_pattern"]
    assert "Write a number of times such as {0,10} instead of * or +" in problems[0].message


@pytest.mark.parametrize("pattern", HARMLESS)
def test_patterns_that_cannot_run_away_are_read(pattern):
    version = read_version(version_with(pattern))
    assert pattern in version.lists["patterns"]["reason"]
    assert publishing_problems(version) == []


@pytest.mark.parametrize("pattern", SLOW + SLOW_WITH_TEXT_BETWEEN)
def test_long_repetitions_beside_each_other_are_refused_with_what_to_write(pattern):
    problems = read_version(version_with(pattern))
    assert [problem.code for problem in problems] == ["bad_pattern"]
    assert "Join them into one" in problems[0].message
    assert pattern in read_version(version_with(pattern), is_stored=True).lists["patterns"]["reason"]


@pytest.mark.parametrize("pattern", QUICK + QUICK_WITH_TEXT_BETWEEN)
def test_repetitions_that_share_no_letter_or_are_few_are_read(pattern):
    assert pattern in read_version(version_with(pattern)).lists["patterns"]["reason"]


@pytest.mark.parametrize(
    "pattern", ["(?:a|bc)*+d", "(?:ab?+c)++", "(?>(?:a(?>b|cd))?+c)", "(?:{mafia_word})++"]
)
def test_what_python_before_3_11_5_reads_wrongly_is_read_but_not_published(pattern):
    problems = publishing_problems(read_version(version_with(pattern)))
    assert [problem.code for problem in problems] == ["bad_pattern"]
    assert problems[0].pointer.startswith("/lists/patterns/reason/")
    assert "Write an atomic group instead" in problems[0].message


def test_every_pattern_of_the_shipped_versions_is_read():
    paths = list(Path("rubric/versions/first_versions").glob("discussion-*.json"))
    assert len(paths) == len(DISCUSSION_NUMBERS)
    for path in paths:
        version = read_version(path.read_bytes())
        assert version.lists["patterns"], path.name
        assert publishing_problems(version) == [], path.name


def test_what_is_no_regular_expression_raises():
    with pytest.raises(re.error):
        repeats_choice("(a")
