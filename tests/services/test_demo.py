"""`make demo` destroys nothing, and listening to others names this machine."""

from tools.demo import put_aside
from tools.launch import names_of_this_machine


def test_what_was_there_is_moved_not_deleted(tmp_path):
    (tmp_path / "evalsite.sqlite3").write_text("rows")
    (tmp_path / "uploads").mkdir()
    (tmp_path / "static").mkdir()
    aside = put_aside(tmp_path)
    assert (aside / "evalsite.sqlite3").read_text() == "rows"
    assert (aside / "uploads").is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([aside.name, "static"])


def test_an_empty_folder_stays_empty(tmp_path):
    assert put_aside(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_site_open_to_others_answers_to_its_own_names():
    names = names_of_this_machine("192.0.2.7")
    assert "192.0.2.7" in names
    assert "127.0.0.1" in names
