"""`make fuzz` around the fuzzer: what it reads from the log, what it prints, and how it ends."""

import os
import subprocess
import sys

import pytest

from tests.fuzz.targets import TARGETS
from tools import fuzz, setup
from tools.processes import PATIENCE

LOG = """#46\tINITED cov: 350 ft: 900 corp: 26/20Kb exec/s: 0 rss: 50Mb
#12734\tNEW    cov: 381 ft: 1475 corp: 144/57Kb lim: 16384 exec/s: 636 rss: 60Mb L: 348/4456 MS: 3 CMP-Custom-
#13337\tDONE   cov: 382 ft: 1475 corp: 144/57Kb lim: 16384 exec/s: 635 rss: 60Mb
Done 13337 runs in 21 second(s)
stat::number_of_executed_units: 13337
"""
CRASH = f"""#46\tINITED cov: 350 ft: 900 corp: 26/20Kb exec/s: 0 rss: 50Mb

 === Uncaught Python exception: ===
AssertionError: a number that nobody wrote
Traceback (most recent call last):
==7== ERROR: libFuzzer: fuzz target exited
Test unit written to {fuzz.ROOT}/var/fuzz/review/findings/crash-0a1b
stat::number_of_executed_units: 99
"""


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """No fuzzer is started: the log given last is what it says."""
    logs = []
    monkeypatch.setattr(fuzz, "HOME", tmp_path)
    monkeypatch.setattr(setup, "add", lambda kind: kind == "fuzz")
    monkeypatch.setattr(
        fuzz.subprocess, "run", lambda command, stdout, **given: stdout.write(logs[-1].encode())
    )
    return logs


def test_a_run_without_a_finding_is_one_line(runs, capsys):
    runs.append(LOG)
    assert fuzz.main(["review"]) == 0
    said = capsys.readouterr().out
    assert said == "  review       13,337 runs in 21 s, coverage 350 -> 382, no finding\n"
    assert len(list((fuzz.HOME / "review" / "seeds").iterdir())) > 10


def test_a_finding_names_its_file_and_how_to_repeat_it(runs, capsys):
    runs.append(CRASH)
    assert fuzz.main([]) == 1
    said = capsys.readouterr().out
    assert said.count("FINDING: var/fuzz/review/findings/crash-0a1b") == len(TARGETS)
    assert "AssertionError: a number that nobody wrote" in said
    assert "repeat it: .venv/bin/python -m tools.fuzz review var/fuzz/review/findings/crash-0a1b" in said


def test_a_fuzzer_that_did_not_run_is_no_success(runs, capsys):
    runs.append("Traceback\nImportError: libstdc++.so.6\n")
    assert fuzz.main(["version"]) == 1
    assert (
        "did not run: Traceback ImportError: libstdc++.so.6 (var/fuzz/version/log.txt)"
        in capsys.readouterr().out
    )


def test_an_input_is_repeated_without_the_fuzzer(tmp_path, capsys):
    (tmp_path / "x").write_bytes(b"0I cannot rank these responses.")
    assert fuzz.main(["review", str(tmp_path / "x")]) == 0
    assert "breaks nothing" in capsys.readouterr().out


@pytest.mark.parametrize(("allowed", "code"), [("", 1), ("1", 0)])
def test_without_the_fuzzer_one_sentence_says_so(monkeypatch, capsys, allowed, code):
    monkeypatch.setattr(setup, "add", lambda _kind: False)
    monkeypatch.setenv("ALLOW_MISSING", allowed)
    assert fuzz.main([]) == code
    assert capsys.readouterr().out == f"MISSING: {fuzz.NO_FUZZER}\n"


def test_what_cannot_be_meant_is_said(monkeypatch, capsys):
    assert fuzz.main(["reviews"]) == 1
    said = capsys.readouterr().out
    assert 'There is no target "reviews"; there are ' in said and "review, strict_json" in said
    monkeypatch.setenv("FUZZ_SECONDS", "a minute")
    assert fuzz.main([]) == 1
    assert 'FUZZ_SECONDS is "a minute"' in capsys.readouterr().out


def test_the_targets_are_there_without_settings():
    # The fuzzer's process has none, so a factory of rows that is imported on the way ends it.
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-c", "from tests.fuzz.targets import TARGETS"]
    subprocess.run(command, cwd=fuzz.ROOT, env=environment, check=True, timeout=PATIENCE)
