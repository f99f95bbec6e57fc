"""The table of `make bench`: figures as on a quiet core, targets, markers; and the driver that measures them."""

import json
import socket
import threading

import pytest

from benchmarks.calibration import fits
from benchmarks.driver import Browser
from benchmarks.performance import is_imported
from benchmarks.table import END, MEASURES, START, Figure, between_markers, figures_of, number, table
from tests.factories.effort import count_calls, count_lines
from tools.processes import PATIENCE


def test_slow_machine_is_taken_out_of_costs_and_rates_not_of_memory():
    figures = figures_of({"save": (9.0, 2.0), "saves": (150.0, 2.0), "idle": (200.0, 2.0)})
    assert figures == {"save": Figure(9, 4.5), "saves": Figure(150, 300), "idle": Figure(200, 200)}


def test_a_row_says_whether_its_target_is_met():
    site = {"save": Figure(4.6, 4.6), "saves": Figure(400, 400), "import_cpu": Figure(1, 1)}
    rows = {
        line.split(" | ")[0]: line
        for line in table(site, {"bare Django": {"save": Figure(2, 1.75)}}).splitlines()
    }
    assert rows["| save one judgement, CPU of all server processes"].endswith(
        "| 4.5 | 4.6 | 4.6 | **no** | 1.75 |"
    )
    assert rows["| 8 clients saving"].endswith("| 300 | 400 | 400 | yes | - |")
    assert rows["| the same, CPU of all server processes"].endswith("| ms a game | - | 1 | 1 | - | - |")
    assert rows["| verdict, CPU"].endswith("| 8 | - | - | - | - |")


def test_a_target_is_met_at_its_bound():
    for measure in MEASURES:
        if measure.target is not None:
            worse = measure.target * (0.99 if measure.rate else 1.01)
            assert (measure.is_met(measure.target), measure.is_met(worse)) == (True, False), measure.key


def test_rows_have_as_many_cells_as_the_head():
    lines = table({}, {"bare Django": {}}).splitlines()
    assert len(lines) == len(MEASURES) + 2
    assert {line.count("|") for line in lines} == {8}


def test_numbers_are_short():
    assert [number(value) for value in (None, 0.0, 4.516, 12.34, 1234.5)] == [
        "-",
        "0",
        "4.52",
        "12.3",
        "1,234",
    ]


def test_only_what_is_between_the_markers_changes():
    page = f"before\n{START}\nold\n{END}\nafter\n"
    written = between_markers(page, "new")
    assert written == f"before\n{START}\n\nnew\n\n{END}\nafter\n"
    assert between_markers(written, "new") == written


@pytest.mark.parametrize(("page", "missing"), [("", START), (START, END), (END + START, END)])
def test_a_page_without_a_marker_is_refused(page, missing):
    with pytest.raises(ValueError, match=missing):
        between_markers(page, "new")


def test_a_connection_that_the_server_ended_while_idle_is_opened_again():
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def answer_twice() -> None:
            for _ in range(2):
                connection, _from = server.accept()
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                connection.close()
                ended.set()

        thread = threading.Thread(target=answer_twice, daemon=True)
        thread.start()
        browser = Browser(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=PATIENCE)
        assert browser.get("/").text == "ok"
        assert ended.wait(PATIENCE)
        assert browser.get("/").text == "ok"
        browser.close()
        thread.join(PATIENCE)


def test_a_failed_request_does_not_spoil_the_next():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def fall_then_answer() -> None:
            for answer in (b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"):
                connection, _from = server.accept()
                connection.recv(65536)
                connection.sendall(answer)
                connection.close()

        thread = threading.Thread(target=fall_then_answer, daemon=True)
        thread.start()
        browser = Browser(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=PATIENCE)
        with pytest.raises(Exception, match="nonsense"):
            browser.get("/")
        assert browser.get("/").text == "ok"
        browser.close()
        thread.join(PATIENCE)


def test_imports_are_over_when_all_games_are_measured():
    done, reading = {"state": "done", "measured_count": 5}, {"state": "reading", "measured_count": 5}
    assert is_imported([done, done], 10)
    assert not is_imported([done, done], 11)
    assert not is_imported([done, reading], 10)
    with pytest.raises(RuntimeError, match="failed"):
        is_imported([done, {"state": "failed", "measured_count": 0}], 10)


def test_effort_is_counted_and_what_takes_longer_than_its_budget_does_not_fit():
    def work(turns):
        return lambda: [abs(turn) for turn in range(turns)]

    assert count_calls(work(200)) - count_calls(work(100)) == 100
    assert count_lines(lambda: json.dumps([])) > count_lines(lambda: None) == 1
    assert fits(work(10), 100)
    assert not fits(work(100_000), 0.001)
