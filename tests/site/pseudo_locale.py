"""A made-up language: what gettext gives stands between two marks, so that whatever else a page says shows."""

import json
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from html.parser import HTMLParser
from zoneinfo import available_timezones

from django.apps import apps
from django.db.models import BinaryField, CharField, JSONField, TextField
from django.utils import translation
from django.utils.translation import trans_null

from workspace.core.words import say_stored

OPEN, CLOSE = "\u27e6", "\u27e7"
MARKS = re.compile(f"([{OPEN}{CLOSE}])")
PLACEHOLDER = re.compile(r"(%\(\w+\)[sd]|%[sd%]|\{\{|\}\}|\{\w*(?:![rsa])?(?::[^{}]*)?\})")
SHOWN_ATTRIBUTES = ("aria-label", "title", "placeholder", "alt", "aria-description")
# What stands in these is data, code or a moment: a name typed by a person, a key, a quoted text.
SILENT = ("script", "style", "code", "kbd", "pre", "textarea", "bdi", "time")
# What joins data to data: numbers, punctuation, signs.
BETWEEN = re.compile(
    r"[\s.,:;()\[\]|“”\"'…·/–—+\-−±=<>%$×≥≤→←↑↓#*]*(?:\d[\d.,]*[\s%:–−\-]*)+|[:;,()“”\"…·|]+|\s[–—\-+/→]\s"
)
# The name of a file, or a key within a document: "chat.json", "patterns.accuse", "recovery-code".
PROPER = re.compile(r"[\w-]+(?: [\w-]+)?\.[a-z][\w ]*|(?=\S*\d)\S+")


def mark_text(message: str) -> str:
    """The message with marks around its words; its values stand outside of them."""
    parts = PLACEHOLDER.split(message)
    return "".join(
        part if place % 2 or not part.strip() else f"{OPEN}{part}{CLOSE}" for place, part in enumerate(parts)
    )


def install(monkeypatch) -> None:
    """Let every function of gettext mark what it gives."""
    names = ("gettext", "ngettext", "pgettext", "npgettext")
    # Django looks each up at its first use and keeps it: what it would find is kept for the way back.
    for name in names:
        getattr(translation._trans, name)
    monkeypatch.setattr(trans_null, "gettext", mark_text)
    monkeypatch.setattr(trans_null, "ngettext", lambda one, many, n: mark_text(one if n == 1 else many))
    monkeypatch.setattr(trans_null, "pgettext", lambda _context, message: mark_text(message))
    monkeypatch.setattr(
        trans_null, "npgettext", lambda _context, one, many, n: mark_text(one if n == 1 else many)
    )
    for name in names:
        monkeypatch.setattr(translation._trans, name, getattr(trans_null, name))


class ShownTexts(HTMLParser):
    """The texts of a page that a person can read or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if not self.silent:
            is_button = tag == "input" and given.get("type") in ("submit", "reset", "button")
            names = (*SHOWN_ATTRIBUTES, "value") if is_button else SHOWN_ATTRIBUTES
            self.found += [given[name] for name in names if given.get(name)]
        self.silent += tag in SILENT

    def handle_endtag(self, tag):
        self.silent -= tag in SILENT

    def handle_data(self, data):
        if not self.silent:
            self.found.append(data)


def outside(text: str) -> Iterator[str]:
    """The pieces of a text that stand outside of all marks."""
    depth = 0
    for part in MARKS.split(text):
        if part in (OPEN, CLOSE):
            depth += 1 if part == OPEN else -1
        elif part and not depth:
            yield part


def plain_texts(value: object) -> Iterator[str]:
    """Every text within a stored value; one that is JSON is looked into."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, dict):
        for key, part in value.items():
            yield str(key)
            yield from plain_texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from plain_texts(part)
    elif isinstance(value, bytes):
        yield from plain_texts(value.decode(errors="replace"))
    elif value:
        # Of a stored sentence its values: its words are said in the language of whoever reads it.
        yield re.sub(f"{OPEN}[^{CLOSE}]*{CLOSE}", " ", say_stored(str(value)))


def normalized(text: str) -> str:
    """The text as it is compared."""
    return " ".join(text.replace("_", " ").split()).casefold()


def stored_texts() -> str:
    """Everything that the database holds in words; call it in the made-up language."""
    found = sorted(available_timezones())
    for model in apps.get_models():
        fields = [
            field.name
            for field in model._meta.concrete_fields
            if isinstance(field, BinaryField | CharField | TextField | JSONField)
        ]
        for row in model._default_manager.values_list(*fields) if fields else ():
            found += plain_texts(row)
    return normalized(" ".join(found))


def is_proper(part: str, exempt: Container[str]) -> bool:
    """Whether every language writes it alike."""
    return part in exempt or PROPER.fullmatch(part) is not None


def untranslated(
    html: str, known: str, exempt: Container[str] = (), seen: set[str] | None = None
) -> list[str]:
    """The pieces of a page's texts that are neither marked nor data; texts in `seen` are passed over, and added."""
    parser = ShownTexts()
    parser.feed(html)
    seen = set() if seen is None else seen
    found = []
    for text in parser.found:
        if text in seen:
            continue
        seen.add(text)
        for piece in outside(text):
            words = " ".join(piece.replace("_", " ").split()).strip(" .,:;()-–·/")
            if re.search(r"[A-Za-z]{3,}", words) and normalized(words) not in known:
                parts = (part.strip(" .,:;()-–·/'") for part in BETWEEN.split(words))
                if any(
                    re.search(r"[A-Za-z]{3,}", part)
                    and part.casefold() not in known
                    and not is_proper(part, exempt)
                    for part in parts
                ):
                    found.append(words)
    return found
