"""Memory that work needed goes back to the system, so that one large import does not stay for ever."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from evalsite.start import give_memory_back

def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 // 2**20

if sys.argv[1] == "given back":
    give_memory_back()
blocks = [b"x" * 2**20 for _ in range(100)]
blocks = None
before = held()
blocks = [b"x" * 2**20 for _ in range(100)]
last = blocks[-1]
blocks = None
print(held() - before)
"""


def grown(how):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], stdout=subprocess.PIPE, text=True, check=True
    )
    return int(ended.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_large_blocks_go_back_to_the_system_when_one_of_them_stays():
    assert grown("given back") <= 5
