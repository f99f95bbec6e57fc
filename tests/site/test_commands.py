"""What every command of the site has: help with an example that it would take, JSON where programs read, exit codes."""

import json
import re
import shlex

import pytest
from django.core.management import load_command_class
from django.db import OperationalError

from workspace.management.command import SiteCommand

# Each with words that it refuses, and whether programs read what it says.
COMMANDS = {
    "backup": ("workspace", "no-such-folder", True),
    "create_account": ("workspace", "ada@example.org --name Ada --project no-such-project", False),
    "export": (
        "discussions",
        "--project no-such-project --format jsonl --by ada@example.org --out -",
        True,
    ),
    "import_comparisons": (
        "rubric",
        "no-such-file --project no-such-project --new Soup --by ada@example.org",
        True,
    ),
    "import_transcripts": (
        "discussions",
        "no-such-file --project no-such-project --by ada@example.org",
        True,
    ),
    "measure_file": ("discussions", "no-such-file", True),
    "erase": ("discussions", "--project no-such --game 1", True),
    "change_email": ("workspace", "ada@example.org ada@example.net --reason New", False),
    "reset_second_factor": ("workspace", "ada@example.org --reason Lost", False),
    "restore": ("workspace", "no-such-file", True),
    "rubric_file": ("discussions", "no-such-file --rubric response", True),
    "score_reviews": ("rubric", "no-such-file", True),
    "seed_demo": ("discussions", "", False),
    "sweep": ("workspace", "--every 10", False),
    "verify": ("discussions", "--only I99", True),
}


def make_command(name):
    """The command, and a parser of its words that raises instead of ending the process."""
    command = load_command_class(COMMANDS[name][0], name)
    return command, command.create_parser("manage.py", name)


@pytest.fixture
def end(capsys, monkeypatch):
    """`end(name, words)`: exit code and standard error of `manage.py NAME WORDS`, as the shell sees them."""
    # A command closes its connections in the end; here the test's own would be among them.
    monkeypatch.setattr("django.core.management.base.connections.close_all", lambda: None)

    def run(name, words):
        command, _ = make_command(name)
        with pytest.raises(SystemExit) as ended:
            command.run_from_argv(["manage.py", name, *shlex.split(words)])
        return ended.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_exit_codes_and_an_example_that_the_command_takes(name):
    command, parser = make_command(name)
    assert "Exit codes: 0 " in command.help
    examples = re.findall(rf"manage\.py {name}(.*)", command.help)
    assert examples
    for example in examples:
        parser.parse_args(shlex.split(example))


@pytest.mark.parametrize("name", COMMANDS)
def test_programs_can_ask_for_json(name):
    _, parser = make_command(name)
    assert ("--json" in parser.format_help()) is COMMANDS[name][2]


@pytest.mark.django_db
@pytest.mark.parametrize("name", COMMANDS)
def test_bad_input_ends_with_2_and_a_sentence(name, end):
    _, words, has_json = COMMANDS[name]
    code, said = end(name, words)
    assert code == 2 and said.strip()
    if has_json and name != "verify":  # a word that is no choice is refused before --json is known
        code, said = end(name, f"{words} --json")
        (fault,) = json.loads(said)["faults"]
        assert code == 2 and set(fault) == {"place", "code", "message"}
        assert fault["message"].endswith(".")


def test_a_database_that_does_not_answer_is_a_sentence(capsys):
    class Asking(SiteCommand):
        requires_system_checks = []

        def handle(self, **_options):
            raise OperationalError("no such table: workspace_person\n")

    with pytest.raises(SystemExit) as ended:
        Asking().run_from_argv(["manage.py", "ask"])
    assert ended.value.code == 1
    assert "cannot be used: no such table: workspace_person. Name the right one" in capsys.readouterr().err
