"""What `make run` starts as web server: the site, in workers that cannot outlive granian's main process.

Without this a kill -9 of the main process leaves its workers serving, and a second start shares the port with them.
"""

import os
import sys
from functools import partial

from evalsite import server
from tools.processes import die_with_parent


def main(arguments: list[str]) -> None:
    """Serve until told to stop."""
    server.main(arguments, in_worker=partial(die_with_parent, parent=os.getpid()))


if __name__ == "__main__":
    main(sys.argv[1:])
