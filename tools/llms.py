"""`make fix`: write docs/llms.txt, the index of the documentation for programs, from docs/README.md."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
TARGET = DOCS / "llms.txt"
LINE = re.compile(r"\* \[[^]]+\]\(([\w-]+\.md)\): (.+)")
HEADING = re.compile(r"\*\*(.+)\*\*")


def write_index() -> str:
    """The text as llmstxt.org describes it: each page by its title, with its line of the list."""
    said = (DOCS.parent / "pyproject.toml").read_text(encoding="utf-8")
    about = re.search(r'^description = "(.+)"$', said, re.MULTILINE)
    lines = ["# evalsite", "", f"> {about[1] if about else ''}."]
    for line in (DOCS / "README.md").read_text(encoding="utf-8").splitlines():
        if heading := HEADING.fullmatch(line):
            lines += ["", f"## {heading[1]}", ""]
        elif page := LINE.fullmatch(line):
            title = (DOCS / page[1]).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
            lines.append(f"- [{title}](/docs/{page[1]}): {page[2]}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    TARGET.write_text(write_index(), encoding="utf-8")
