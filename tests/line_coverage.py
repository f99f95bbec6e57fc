"""A plugin of pytest, for `make test ALL=1 COVERAGE=1`: notes which lines of the product the tests of a process run."""

from coverage import Coverage

_coverage = Coverage(config_file="pyproject.toml", data_suffix=True)
_coverage.start()


def pytest_sessionfinish() -> None:
    """What a process saw is in a file of its own; the runner puts them together."""
    _coverage.stop()
    _coverage.save()
