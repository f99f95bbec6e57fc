"""The table of faults that `make faults` prints: each test that survived one adds a line."""

import pytest

TABLE = pytest.StashKey[list[tuple[str, str, str]]]()


@pytest.fixture
def fault_table(request):
    """`fault_table(moment, fault, what_held)` adds a line."""
    lines = request.config.stash.setdefault(TABLE, [])

    def add(moment: str, fault: str, held: str) -> None:
        lines.append((moment, fault, held))

    return add


def pytest_terminal_summary(terminalreporter, config):
    """Print the lines in columns."""
    lines = config.stash.get(TABLE, [])
    if not lines:
        return
    rows = [("moment", "fault", "what held"), *lines]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    terminalreporter.section("faults survived")
    for moment, fault, held in rows:
        terminalreporter.write_line(f"{moment:<{widths[0]}}  {fault:<{widths[1]}}  {held}")
