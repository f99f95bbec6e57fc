"""What `make run` lets granian serve: the site, in a worker that cannot outlive granian's main process.

Without this a kill -9 of the main process leaves its worker serving, and a second start shares the port with it.
"""

import multiprocessing

from tools.processes import die_with_parent

_main = multiprocessing.parent_process()
die_with_parent(parent=_main.pid if _main else None)

from evalsite.rsgi import application  # noqa: E402  the signal is asked for before anything slow happens

__all__ = ["application"]
