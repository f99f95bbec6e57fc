"""One HTML page of all pictures that PICTURES=1 leaves: by role, one row for each page, one column for each look."""

from collections import defaultdict
from html import escape
from pathlib import Path

LOOKS = ("wide-light", "wide-dark", "phone-light", "phone-dark")
NAME = "contact-sheet.html"
STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; background: #eee; color: #222; }
table { border-collapse: collapse; margin-bottom: 32px; }
th, td { text-align: left; vertical-align: top; padding: 6px; border-bottom: 1px solid #bbb; }
.box { display: block; width: 340px; max-height: 260px; overflow: hidden; border: 1px solid #999; }
.phone .box { width: 150px; }
img { display: block; width: 100%; }
"""


def write_contact_sheet(folder: Path) -> Path:
    """Write the page into `folder`, whose folders `<role>-<look>` hold a picture of each page; gives its path."""
    roles: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for look in LOOKS:
        for place in sorted(folder.glob(f"*-{look}")):
            for file in sorted(place.glob("*.png")):
                roles[place.name.removesuffix(f"-{look}")][file.stem][look] = f"{place.name}/{file.name}"
    links = " ".join(f'<a href="#{escape(role)}">{escape(role)}</a> ({len(roles[role])})' for role in roles)
    tables = "".join(_table(role, pages) for role, pages in roles.items())
    sheet = folder / NAME
    sheet.write_text(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>All pages</title><style>{STYLE}</style>'
        f"<h1>All pages</h1><p>{links}</p>{tables}</html>\n"
    )
    return sheet


def _table(role: str, pages: dict[str, dict[str, str]]) -> str:
    head = "".join(f"<th>{look.replace('-', ', ')}</th>" for look in LOOKS)
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(_cell(found, look, name) for look in LOOKS)}</tr>"
        for name, found in sorted(pages.items())
    )
    return f'<h2 id="{escape(role)}">{escape(role)}</h2><table><tr><th>page</th>{head}</tr>{rows}</table>'


def _cell(found: dict[str, str], look: str, name: str) -> str:
    if look not in found:
        return "<td>–</td>"
    address, kind = escape(found[look]), look.partition("-")[0]
    alt = f"{escape(name)}, {look}"
    image = f'<img loading="lazy" src="{address}" alt="{alt}">'
    return f'<td class="{kind}"><a class="box" href="{address}">{image}</a></td>'
