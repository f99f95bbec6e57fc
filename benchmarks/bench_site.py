"""Prints how long the site takes to start, what it holds in memory, and what saves cost, all over HTTP.

    python -m benchmarks.bench_site [SAVES]

Starts the site as `make run` does on an empty folder, so that the demo is loaded; stops it, starts it again, and lets
one client and then eight save judgements, SAVES of them in each case. CPU is that of all server processes; the
calibration loop runs before and after each load.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

from benchmarks.calibration import QUIET_MS, loop_ms
from benchmarks.driver import Load, LocalSite, in_parallel, quantile
from tools.redis_server import free_port

CLIENTS = 8


def main(saves: int) -> int:
    """Run and print; 1 when a client met an error."""
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder:
        site = LocalSite(Path(folder), int(os.environ.get("PORT") or free_port()))
        print(f"start, empty database: {site.start():.1f} s", flush=True)
        team = site.make_team(CLIENTS + 1, CLIENTS + 1)
        site.stop()
        print(f"start, existing data: {site.start():.1f} s", flush=True)
        try:
            time.sleep(15)  # the first sweep is done
            show_memory(site, "idle")
            first, *others = [judge.save for judge in team.judges(site.address)]
            faults = show_load(site, [first], saves) + show_load(site, others, saves)
            show_memory(site, "after the saves")
        finally:
            site.stop()
    return 1 if faults else 0


def show_load(site: LocalSite, acts: list, saves: int) -> int:
    """Let the clients save and print what it took; the number of errors."""
    ahead = in_parallel(acts, times=5)
    loops, cpu = [loop_ms()], site.tree.cpu()
    load: Load = in_parallel(acts, times=saves // len(acts))
    errors = ahead.errors + load.errors
    for error in errors:
        print(f"  {error!r}")
    if not load.seconds:
        return len(errors)
    cpu = 1000 * (site.tree.cpu() - cpu) / len(load.seconds)
    quiet = QUIET_MS / mean([*loops, loop_ms()])
    p50, p95, longest = (1000 * quantile(load.seconds, share) for share in (0.5, 0.95, 1))
    print(
        f"{len(load.seconds)} saves by {len(acts)}: {load.per_second:.0f}/s, CPU {cpu:.1f} ms "
        f"({cpu * quiet:.1f} on a quiet core), p50 {p50:.1f}, p95 {p95:.1f}, longest {longest:.0f} ms, "
        f"{len(errors)} errors",
        flush=True,
    )
    return len(errors)


def show_memory(site: LocalSite, when: str) -> None:
    """The proportional set size of every process."""
    processes = site.tree.processes()
    print(f"memory {when}: {sum(process.pss for process in processes):.0f} MB")
    for process in processes:
        print(f"  {process.pss:6.1f} MB  {process.command[-90:]}")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1800))
