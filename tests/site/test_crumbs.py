"""Every page of a project says where one is: its tab in the frame, then section / thing, by the one macro."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.routes import named_routes
from tests.factories.world import ARGUMENTS, make_world
from tests.site.rights_matrix import COLUMNS, MATRIX

ROOT = Path(__file__).parents[2]


def test_crumbs_are_written_by_the_macro_alone():
    found = [
        path.name
        for path in sorted((ROOT / "templates").rglob("*.html"))
        if 'class="crumbs' in path.read_text() and path.name != "crumbs.html"
    ]
    assert found == []


@pytest.mark.django_db
def test_each_page_of_a_project_is_in_one_tab_and_has_at_most_one_line_of_crumbs():
    world = make_world()
    client = Client()
    client.force_login(world["people"]["lead"])
    project = reverse("project", args=[world["slug"]])
    wrong, seen = [], 0
    for name, route in named_routes().items():
        statuses = [row.statuses.split()[COLUMNS.index("lead")] for row in MATRIX[name] if row.verb == "GET"]
        if statuses != ["200"] or "slug" not in route.pattern.converters:
            continue
        converters, other = route.pattern.converters, ARGUMENTS.get(name, {})
        address = reverse(name, kwargs={each: world[other.get(each, each)] for each in converters})
        if not address.startswith(project):
            continue
        answer = client.get(address)
        if answer.status_code != 200 or not answer.get("Content-Type", "").startswith("text/html"):
            continue
        page = answer.content.decode()
        tabs = page.partition('<nav aria-label="Project">')[2].partition("</nav>")[0]
        crumbs = re.findall(r'<nav class="crumbs.*?</nav>', page, re.DOTALL)
        seen += 1
        is_said = all(each.count('aria-current="page"') == 1 and "href" in each for each in crumbs)
        if tabs.count('aria-current="page"') != 1 or len(crumbs) > 1 or not is_said:
            wrong.append(f"{name}: {tabs.count('current')} {crumbs}")
    assert (wrong, seen > 30) == ([], True)
