"""The page of all components shows every component that the docs list and every class that the style sheet has."""

import re
from pathlib import Path

import pytest
from django.test import Client

from tests.factories.people import NOW, make_admin

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs/design-system.md").read_text()
SHEET = (ROOT / "static/css/components.css").read_text()
TEMPLATES = "".join(path.read_text() for path in sorted((ROOT / "templates/workspace/design").glob("*.html")))
# Drawn by the frame: in a project, and while there is something unread.
FRAME = {"count", "project", "sections-bar"}


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(make_admin(now=NOW))
    return client


def listed() -> list[tuple[str, str]]:
    """Name and markup of each component: the rows of the first table of the docs."""
    table = DOCS.partition("| part | markup |\n|---|---|\n")[2].partition("\n\n")[0]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ", 1)) for line in table.splitlines()]


def classes_in(markup: str) -> set[str]:
    return {name for value in re.findall(r'class="([^"]*)"', markup) for name in value.split()}


def classes_of_sheet() -> set[str]:
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", SHEET, flags=re.DOTALL))
    return set(re.findall(r"\.([a-zA-Z][\w-]*)", " ".join(selectors)))


def test_every_component_of_the_docs_is_shown_by_its_real_template(admin):
    markup = admin.get("/design/").content.decode()
    titles = set(re.findall(r'<h2 id="part-[^"]*">([^<]*)</h2>', markup))
    assert len(listed()) > 15
    missing = [name for name, _ in listed() if name not in titles]
    named = [
        name
        for _, how in listed()
        for name in re.findall(r"(?:components|errors)/\w+\.html|\w+(?=\(.*?}})", how)
    ]
    unused = [name for name in named if name not in TEMPLATES]
    assert (missing, unused) == ([], [])


def test_every_class_of_the_style_sheet_is_shown(admin):
    shown = classes_in(admin.get("/design/").content.decode())
    assert sorted(classes_of_sheet() - shown - FRAME) == []


@pytest.mark.parametrize(
    ("asked", "scheme"), [("?scheme=dark", "dark"), ("?scheme=light", "light"), ("", ""), ("?scheme=odd", "")]
)
def test_it_is_shown_in_light_and_in_dark(admin, asked, scheme):
    html = admin.get(f"/design/{asked}").content.decode()
    assert (f'data-theme="{scheme}"' in html) if scheme else ("data-theme" not in html)
    assert html.count('aria-current="page"') == 3  # of the bar, of the tabs, of the crumbs


def test_the_overview_links_to_it(admin):
    assert 'href="/design/"' in admin.get("/overview/").content.decode()
