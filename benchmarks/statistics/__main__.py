"""Prints how right the site's statistics are, in drawn data whose truth is known, as tables in Markdown.

    python -m benchmarks.statistics [--runs FACTOR] [--write] [MODULE ...]

Each module of this package draws from fixed seeds and has `tables(runs_factor)`: title, header and rows of each table.
--runs 0.1 makes a tenth of the runs. --write puts the tables of a module between its markers in a page of docs.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from benchmarks.table import between_markers

PAGES = Path(__file__).resolve().parents[2] / "docs"
NAMES = sorted(
    module.name for module in iter_modules([str(Path(__file__).parent)]) if module.name != "__main__"
)


def make_markers(name: str) -> tuple[str, str]:
    """The lines of a page between which the tables of that module stand."""
    return (
        f"<!-- measured by make bench-statistics, {name} -->",
        f"<!-- end of what make bench-statistics measured, {name} -->",
    )


def format_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"|{'|'.join(cells)}|" for cells in (header, ["---"] * len(header), *rows)]
    return "\n".join([f"{title}:", "", *lines])


def write_tables(name: str, text: str, pages: Path = PAGES) -> Path | None:
    """Put the text between the module's markers in the page that has them; None where no page has."""
    markers = make_markers(name)
    for page in sorted(pages.glob("*.md")):
        if markers[0] in (before := page.read_text(encoding="utf-8")):
            page.write_text(between_markers(before, text, markers), encoding="utf-8")
            return page
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, print and write."""
    parser = argparse.ArgumentParser(
        prog="make bench-statistics", description="Measures how right statistics are."
    )
    parser.add_argument("--runs", type=float, default=1.0, help="the share of the full number of runs")
    parser.add_argument("--write", action="store_true", help="put the tables into docs")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"only these of {', '.join(NAMES)}")
    given = parser.parse_args(arguments)
    if unknown := set(given.modules) - set(NAMES):
        parser.error(f"there is no module {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    for name in given.modules or NAMES:
        module = import_module(f"benchmarks.statistics.{name}")
        text = "\n\n".join(format_table(*table) for table in module.tables(given.runs))
        print(text, end="\n\n", flush=True)
        if given.write and write_tables(name, text) is None:
            print(f'No page of docs has the line "{make_markers(name)[0]}".', file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
