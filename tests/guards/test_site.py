"""The site agrees with its papers: environment, migrations, routes and rights, requirements, decision records."""

import re
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.urls import URLPattern, URLResolver, get_resolver

from tests.guards.layout import ROOT, short

LAUNCHER = {"HOST", "PORT"}  # read by make run, not by the site
ADR_WORDS = 250


def names_in_example(text: str) -> set[str]:
    """Variables that an .env.example lists, commented out or not."""
    return set(re.findall(r"^#?\s?([A-Z][A-Z0-9_]+)=", text, flags=re.MULTILINE))


def routes(patterns, prefix: str = "", namespace: str = "") -> Iterator[tuple[str, str]]:
    """Address and name of every route, namespaces included; the name is empty where there is none."""
    for entry in patterns:
        address = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from routes(entry.url_patterns, address, inner)
        elif isinstance(entry, URLPattern):
            yield address, f"{namespace}{entry.name}" if entry.name else ""


def bad_requirements(text: str) -> list[str]:
    """Lines that are not pinned or do not say what they are for."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [line for line in lines if not re.match(r"\S+==\S+.*\s#\s\S", line)]


def test_settings_and_env_example_list_the_same_variables():
    listed = names_in_example((ROOT / ".env.example").read_text()) - LAUNCHER
    used = re.findall(r"environment\.\w+\(\s*\"([A-Z_]+)\"", (ROOT / "evalsite" / "settings.py").read_text())
    assert not listed ^ set(used), "evalsite/settings.py reads each variable of .env.example, and no other"


def test_models_equal_migrations():
    loader = MigrationLoader(None)
    detector = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps))
    changes = detector.changes(graph=loader.graph)
    missing = [
        f"{app}: {step.describe()}"
        for app in changes
        for change in changes[app]
        for step in change.operations
    ]
    assert not missing, "\n".join(missing)


def test_every_route_has_a_name():
    nameless = [address for address, name in routes(get_resolver().url_patterns) if not name]
    assert not nameless, f"{nameless}: every route has a name"


def test_every_route_is_in_the_rights_matrix():
    from tests.site.rights_matrix import MATRIX

    named = {name for _, name in routes(get_resolver().url_patterns) if name}
    assert named - set(MATRIX) == set(), "add rows for these routes to tests/site/rights_matrix.py"
    assert set(MATRIX) - named == set(), "no routes: remove their rows from tests/site/rights_matrix.py"


@pytest.mark.parametrize(
    "name",
    [
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-fuzz.txt",
        "requirements-redis.txt",
        "requirements-parquet.txt",
        "requirements-mcp.txt",
    ],
)
def test_requirements_are_pinned_and_say_what_they_are_for(name):
    assert bad_requirements((ROOT / name).read_text()) == []


@pytest.mark.parametrize("name", [*sorted(path.name for path in ROOT.glob("*.lock")), "tools/uv.lock"])
def test_locks_have_hashes_and_name_no_registry(name):
    text = (ROOT / name).read_text()
    assert text.count("--hash=sha256:") > text.count("==")
    assert not re.search(r"https?:|file:|--index|--extra-index|--find-links", text)


def test_locks_hold_what_the_requirements_pin():
    for source, lock in (
        ("requirements.txt", "requirements.lock"),
        ("requirements-dev.txt", "requirements-dev.lock"),
        ("requirements-redis.txt", "requirements-redis.lock"),
        ("requirements-redis.txt", "requirements-dev.lock"),
        ("requirements-mcp.txt", "requirements-mcp.lock"),
        ("requirements-mcp.txt", "requirements-dev.lock"),
        ("requirements-fuzz.txt", "requirements-fuzz.lock"),
    ):
        pins = re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", (ROOT / source).read_text(), flags=re.MULTILINE)
        locked = (ROOT / lock).read_text()
        behind = [
            f"{name}=={version}"
            for name, version in pins
            if f"\n{name.lower()}=={version} " not in f"\n{locked}"
        ]
        assert not behind, f"{lock} does not have {behind}: make lock"


def test_decision_records_are_short_and_numbered():
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    numbers = [path.name[:4] for path in records if re.match(r"\d{4}-[a-z0-9-]+\.md$", path.name)]
    assert len(numbers) == len(records) == len(set(numbers)), (
        "decision records are NNNN-what.md, each number once"
    )
    long = [short(path) for path in records if len(path.read_text().split()) > ADR_WORDS]
    assert not long, f"{long}: a decision record has at most {ADR_WORDS} words"


def test_the_site_guards_can_fail():
    assert names_in_example("# A word\nDEMO=true\n# PORT=8000\n#HOST=\n") == {"DEMO", "PORT", "HOST"}
    assert bad_requirements("Django==5.2  # the framework\ncelery>=5  # work\nnumpy==2.0\n") == [
        "celery>=5  # work",
        "numpy==2.0",
    ]
    nameless = URLPattern(get_resolver().pattern, print)
    assert [name for _, name in routes([nameless])] == [""]
