"""Links between the documents of the repository lead to files and headings that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")])
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
ELSEWHERE = ("http://", "https://", "mailto:")


def prose(document: Path) -> str:
    """The text without blocks of code, which hold no links."""
    return FENCE.sub("", document.read_text(encoding="utf-8"))


@cache
def anchors(document: Path) -> frozenset[str]:
    """The fragments of the headings as GitHub makes them; a repeated one gets a number."""
    found: list[str] = []
    for heading in HEADING.findall(prose(document)):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset(found)


def why_dead(document: Path, link: str) -> str:
    """What is wrong with a link; "" when it leads somewhere."""
    name, _hash, fragment = link.partition("#")
    target = (document.parent / name).resolve() if name else document
    if not target.exists():
        return "no such file"
    if fragment and target.suffix == ".md" and fragment not in anchors(target):
        return "no such heading"
    return ""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    links = LINK.findall(CODE.sub("", prose(document)))
    dead = {link: why_dead(document, link) for link in links if not link.startswith(ELSEWHERE)}
    assert not {link: why for link, why in dead.items() if why}


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One heading\n\n## One heading\n\n```\n# no heading\n```\n", encoding="utf-8")
    assert why_dead(page, "#one-heading-1") == ""
    assert why_dead(page, "#no-heading") == "no such heading"
    assert why_dead(page, "other.md") == "no such file"
