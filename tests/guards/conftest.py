"""What guards share within a run."""

from tests.guards.layout import nodes_of
from tools.definitions import tree_of


def pytest_sessionfinish():
    """Let the trees go: at the end of a process the garbage collector looks three times through all that is left."""
    nodes_of.cache_clear()
    tree_of.cache_clear()
