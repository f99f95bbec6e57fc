"""Every page of a project says where one is: project / section / thing, by the one macro."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.routes import named_routes
from tests.factories.world import ARGUMENTS, make_world
from tests.site.rights_matrix import COLUMNS, MATRIX

ROOT = Path(__file__).parents[2]
# The dashboard is the project; the others are prints and sheets of their own.
WITHOUT = {"project"}


def test_crumbs_are_written_by_the_macro_alone():
    found = [
        path.name
        for path in sorted((ROOT / "templates").rglob("*.html"))
        if 'class="crumbs' in path.read_text() and path.name != "crumbs.html"
    ]
    assert found == []


@pytest.mark.django_db
def test_crumbs_of_a_projects_pages_begin_with_the_project():
    world = make_world()
    client = Client()
    client.force_login(world["people"]["lead"])
    project = reverse("project", args=[world["slug"]])
    wrong, seen = [], 0
    for name, route in named_routes().items():
        statuses = [row.statuses.split()[COLUMNS.index("lead")] for row in MATRIX[name] if row.verb == "GET"]
        if statuses != ["200"] or name in WITHOUT or "slug" not in route.pattern.converters:
            continue
        converters, other = route.pattern.converters, ARGUMENTS.get(name, {})
        address = reverse(name, kwargs={each: world[other.get(each, each)] for each in converters})
        if not address.startswith(project):
            continue
        answer = client.get(address)
        if answer.status_code != 200 or not answer.get("Content-Type", "").startswith("text/html"):
            continue
        crumbs = re.findall(r'<nav class="crumbs.*?</nav>', answer.content.decode(), re.DOTALL)
        seen += 1
        is_right = len(crumbs) == 1 and crumbs[0].count('aria-current="page"') == 1
        if not is_right or re.findall(r'href="([^"]*)"', crumbs[0])[0] != project:
            wrong.append(f"{name}: {crumbs}")
    assert (wrong, seen > 30) == ([], True)
