"""Every page of a project says where one is: its tab in the frame, then section / thing, by the one macro."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_crumbs_are_written_by_the_macro_alone():
    found = [
        path.name
        for path in sorted((ROOT / "templates").rglob("*.html"))
        if 'class="crumbs' in path.read_text() and path.name != "crumbs.html"
    ]
    assert found == []
