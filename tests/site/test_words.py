"""Screens and docs use the words of the field; the words that they replaced are in no text that is shown."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest
from django.template import engines

from evalsite.api import api
from tests.guards.layout import APPS, ROOT
from workspace.management.commands.makemessages import KEYWORDS, Command

FUNCTIONS = {"_", "gettext", "gettext_lazy", "gettext_noop"}
FUNCTIONS_OF_TWO = {"ngettext", "ngettext_lazy"}
# What is found, and what to say instead.
REPLACED = {
    r"hidden repeats?\b": "hidden duplicates",
    r"audit sample": "accuracy of automatic metrics; accuracy sample",
    r"second look(?!s)": "diagnostics",
    r"rules of rating": "project settings",
    r"\bwaits? for you\b|\bwaiting for you\b": "your work; you have ... to do",
    r"\bsettl(e|es|ed|ing)\b": "resolve",
    r"\bset aside\b": "paused, returned",
    r"\bsen[dt] (it )?back to you\b|^sen[dt] (it |an evaluation )?back\b": "return, returned",
    r"\bthe machine(?! )|\bthe machine('s| says| is| was| found| called)|by the machine": "automatic score",
    r"\bby rule\b": "not applicable",
    r"\bcannot say\b|^cannot tell\b": "can't tell",
    r"\bwho holds what\b": "assignments",
    r"\bpace and load\b": "workload",
    r"\bdealt\b|\bdealing\b|\bdeals\b": "queue order, up next, given out",
    r"\bhand(s|ed|ing)? in\b": "submit",
    r"\b(came|comes|come) in\b": "imported, submitted",
    r"\bbegun\b|\bbegan\b": "started",
    r"\b(take|takes|took|taken|taking) (it |them |this |these )?(out|back)\b": "remove, unassign, undo",
    r"\bswitch(es|ed|ing)? (it |them |this |that |(the )?\w+ )?(off|on)\b": "deactivate, active",
    r"\bas the system\b": "system",
    r"\bsomebody elsewhere\b": "external reviewer",
    r"\bkeep and read\b": "save and parse",
    r"\bthe door\b|\bdoor is shut\b": "gate closed, blockers",
    r"\banew\b": "again; edit plan",
    r"\bamber\b": "over target",
    r"\blucky\b": "false positive",
    r"\bsealed line\b": "tamper-evident",
    r"\bnobody is working\b": "no worker is running",
    r"\bfor good\b": "permanent",
    r"\bas a whole\b": "overall (holistic)",
    r"\bone impression over\b": "halo effect",
    r"\bthe same score throughout\b": "straight-lining",
    r"\bharsh\w*|\bgenerous\b": "severe, lenient; severity",
    r"\bmean place\b": "mean rank",
    r"\bcomes? (back )?by itself\b": "regression to the mean",
    r"\bstill to come\b": "pending",
    r"\brenews itself\b": "updates every 5 s",
    r"\blook again now\b": "refresh",
    r"\bto turn\b|\bclosest to turning\b": "judgements to flip",
    r"\btake (it|this|the game) up\b": "continue, resume",
    r"\b(go|goes|went) on\b": "continue, resume",
    r"\bneeds you\b": "to do",
    r"\bkept for\b": "reserved for",
    r"^own responses$": "self-preference",
    r"\bsingle keys?\b": "keyboard shortcuts",
    r"\bshut\b": "closed",
    r"\bwho said it:": "the metric's name",
    r"^(watching|depth|roles|phrases|who said it)$": "the metric's name",
    r"\bopen (a|the first|the next|another) (project|set|comparison set|stage|baseline|change)\b": "create",
    r"\bopen the baseline\b": "create",
    r"\bmean places?\b|\bchanges? places?\b": "rank",
    r"\bif (needed|wanted)\b": "optional, after reveal",
    r"\(s\)": "plural forms",
    r"(?<![\d.,])\b1 (games|reviewers|evaluators|messages|comparisons|responses|reviews|people)\b": "plural forms",
}


class Allowed(NamedTuple):
    """A use of a replaced word in its ordinary sense."""

    text: str
    why: str


ALLOWED = (
    Allowed("kept for 90 days", "how long something is stored"),
    Allowed("kept for 3 days", "how long something is stored"),
    Allowed("come in pairs", "two things belong together"),
    Allowed("come in parts", "a list has parts"),
    Allowed("change of the machine", "a computer, not a program that judges"),
)
# Names of values within a text are nobody's words.
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+[^{}]*\}")
# A name of the API within a sentence.
CODE = re.compile(r"`[^`]*`")
# A tag of a template.
TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
# The column of words to avoid, in the glossary.
AVOIDED = re.compile(r"\|[^|]*\|$")


class Shown(NamedTuple):
    """A text that somebody reads, and the file that it is in."""

    where: str
    text: str


# How many of its arguments each function that translates takes as texts.
COUNTS = {keyword.partition(":")[0]: keyword.count(",") + 1 for keyword in KEYWORDS}
COUNTS |= dict.fromkeys(FUNCTIONS, 1) | dict.fromkeys(FUNCTIONS_OF_TWO, 2)
ANY_CALL = re.compile(rf"\b({'|'.join(COUNTS)})\s*\(")


def list_calls(source: str) -> Iterator[str]:
    """The texts that a Python file gives to a function that translates."""
    if not ANY_CALL.search(source):  # most files: their trees need not be made
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        for argument in node.args[: COUNTS.get(name, 0)]:
            for part in ast.walk(argument):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@cache
def catalogue() -> list[Shown]:
    """Every text for translators, of Python and of templates."""
    found = []
    for app in (*APPS, "evalsite"):
        for path in sorted((ROOT / app).rglob("*.py")):
            found += [Shown(str(path.relative_to(ROOT)), text) for text in list_calls(path.read_text())]
    for path in sorted((ROOT / "templates").rglob("*.*")):
        where = str(path.relative_to(ROOT))
        for _line, _name, said in engines["jinja2"].env.extract_translations(path.read_text()):
            texts = [said] if isinstance(said, str) else filter(None, said)
            found += [Shown(where, text) for text in texts]
    return found


def docs() -> list[Shown]:
    """The lines of what people read beside the site; records of decisions keep the words of their time."""
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = []
    for path in paths:
        for line in path.read_text().splitlines():
            said = AVOIDED.sub("|", line) if path.name == "words.md" else line
            found.append(Shown(str(path.relative_to(ROOT)), said))
    return found


def programs() -> list[Shown]:
    """What is said to those who write programs or use the command line: API operations, help of commands."""
    found = [
        Shown("openapi", CODE.sub("…", text))
        for text in described(api.get_openapi_schema(path_prefix="/api/v1/"))
    ]
    for app in APPS:
        for path in sorted((ROOT / app / "management" / "commands").glob("*.py")):
            where = str(path.relative_to(ROOT))
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.keyword) and node.arg == "help":
                    parts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
                    found.append(Shown(where, " ".join(str(part) for part in parts)))
    return found


def described(part: object) -> Iterator[str]:
    """The summaries and descriptions within an OpenAPI document."""
    if isinstance(part, dict):
        yield from (part[key] for key in ("summary", "description") if isinstance(part.get(key), str))
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for one in inner:
        yield from described(one)


def files() -> list[Shown]:
    """The lines of templates of files and e-mails, without their tags."""
    found = []
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix in (".md", ".txt"):
            where = str(path.relative_to(ROOT))
            found += [Shown(where, line) for line in TAG.sub("…", path.read_text()).splitlines()]
    return found


ANY_REPLACED = re.compile("|".join(f"(?:{pattern})" for pattern in REPLACED), re.IGNORECASE)


def find_replaced(text: str) -> dict[str, str]:
    """The words of a text that were replaced, with what to say instead."""
    for allowed in ALLOWED:
        text = text.replace(allowed.text, "")
    text = " ".join(PLACEHOLDER.sub("…", text).split())
    if not ANY_REPLACED.search(text):
        return {}
    found = ((re.search(pattern, text, re.IGNORECASE), instead) for pattern, instead in REPLACED.items())
    return {match.group(): instead for match, instead in found if match}


def list_replaced(texts: list[Shown]) -> list[str]:
    return sorted(
        f"{where}: {text[:110]!r}: instead of {said!r}: {instead}"
        for where, text in set(texts)
        for said, instead in find_replaced(text).items()
    )


def test_no_text_for_the_screen_has_a_replaced_word():
    faults = list_replaced(catalogue())
    assert not faults, "\n".join(faults)


def test_no_text_of_the_docs_has_a_replaced_word():
    faults = list_replaced(docs())
    assert not faults, "\n".join(faults)


def test_no_text_for_programs_or_of_files_has_a_replaced_word():
    assert len(programs()) > 300 and len(files()) > 100
    faults = list_replaced([*programs(), *files()])
    assert not faults, "\n".join(faults)


def test_every_allowed_text_is_in_use():
    everything = " ".join(text for _, text in [*catalogue(), *docs()])
    assert [allowed.text for allowed in ALLOWED if allowed.text not in everything] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Settle", ["Settle"]),
        ("3 of 5 game(s)", ["(s)"]),
        ("A hidden\n   repeat", ["hidden repeat"]),
        ("It is kept for 90 days", []),
        ("Kept for Ann", ["Kept for"]),
        ("Resolve disagreements", []),
    ],
)
def test_a_replaced_word_is_found(text, found):
    assert list(find_replaced(text)) == found


def test_the_catalogue_has_texts_of_pages_labels_and_cores():
    texts = {text for _, text in catalogue()}
    assert {"Settings", "Revert the change.", "{count} of {needed} successes in a row."} <= texts
    says = "Games under one prompt differ by a standard deviation of {sd} ({df} df from {n} groups of games)."
    assert says in texts


def test_translators_are_given_what_every_name_for_gettext_says():
    """Whatever name a file gives to a function of gettext, makemessages looks for it."""
    known = {keyword.partition(":")[0] for keyword in KEYWORDS} | FUNCTIONS | FUNCTIONS_OF_TWO
    names = set()
    for app in (*APPS, "evalsite"):
        for path in (ROOT / app).rglob("*.py"):
            source = path.read_text()
            nodes = ast.walk(ast.parse(source)) if "utils.translation" in source else ()
            for node in nodes:
                if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("utils.translation"):
                    names |= {name.asname or name.name for name in node.names if "gettext" in name.name}
    assert names <= known
    assert {f"--keyword={keyword}" for keyword in KEYWORDS} <= set(Command.xgettext_options)
