"""The processes of the web server."""

import multiprocessing
import os
import signal
import sys
import time
from types import SimpleNamespace

from evalsite.server import _load
from tools.processes import PATIENCE


def test_a_web_process_that_is_told_to_end_while_it_loads_ends(monkeypatch):
    monkeypatch.setitem(sys.modules, "evalsite.rsgi", SimpleNamespace(application=None))
    pipe = os.pipe()

    def load():
        signal.signal(signal.SIGTERM, lambda *_: None)  # granian's main process only notes it
        _load(pipe)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)

    process = multiprocessing.get_context("fork").Process(target=load)
    process.start()
    process.join(PATIENCE)
    for end in pipe:
        os.close(end)
    assert process.exitcode == -signal.SIGTERM
