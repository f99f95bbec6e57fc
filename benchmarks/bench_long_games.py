"""Prints what games of 60, 600 and 5,000 messages cost their evaluator, in a real browser.

    python benchmarks/bench_long_games.py [MESSAGES ...]

For each game: bytes and processor time of its page, the seconds until it can be used, and the longest task of the
browser's main thread while the page loads, and while 40 keys judge and move through it. People notice tasks of more
than 50 ms. The longest tasks are measured in wall time: run it on an otherwise idle machine.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import BrowserContext, sync_playwright

from benchmarks import bench_import
from benchmarks.driver import Browser, LocalSite, Team
from benchmarks.performance import is_imported
from tools import chromium
from tools.redis_server import free_port

LENGTHS = (60, 600, 5_000)
KEYS = "yjnjyjnjjkjyjnjyjnjjkjyjnjyjnjjkjyjnjyjn"
VISITS = 10
OBSERVE = """
window.longest = 0;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) { window.longest = Math.max(window.longest, entry.duration); }
}).observe({ type: "longtask", buffered: true });
"""
USABLE = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd / 1000"
LONGEST = "window.longest"
NODES = "document.getElementsByTagName('*').length"


def main(lengths: list[int]) -> None:
    """Start a site, import one game of each length, and look at each as its evaluator."""
    with (
        tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder,
        LocalSite(Path(folder) / "var", free_port()) as site,
    ):
        print("messages     bytes   CPU ms  usable s  elements  longest task ms: at load  in use", flush=True)
        with sync_playwright() as playwright:
            chosen = {"executable_path": chromium.ensure(), "args": ["--no-sandbox"]}
            with playwright.chromium.launch(**chosen) as browser:
                for length in lengths:
                    team = site.make_team(1, 0)
                    import_game(site, team, made_game(length))
                    with browser.new_context() as context:
                        print(f"{length:8}", report(site, team, context), flush=True)


def made_game(length: int) -> dict[str, object]:
    """A game with that many messages, in rounds of fifty."""
    bench_import.MESSAGES = length
    game = bench_import.native(length)
    for message in game["messages"]:
        message["roundNumber"] = message["turn"] // 50 + 1
        message["timestamp"] = None
    return game


def import_game(site: LocalSite, team: Team, game: dict[str, object]) -> None:
    """Upload it, and wait until it is measured."""
    program, signed = Browser(site.address), {"Authorization": f"Bearer {team.token}"}
    imports, body = f"/api/v1{team.project}imports/", json.dumps([game]).encode()
    key = {"Idempotency-Key": "1"}
    answer = program.send(f"{imports}?name=game.json", body, "application/octet-stream", **signed, **key)
    if answer.status != 202:
        raise RuntimeError(f"the upload was answered by {answer.status}: {answer.text[:300]}")
    while not is_imported(json.loads(program.get(imports, **signed).text)["items"][:1], 1):
        time.sleep(0.2)


def report(site: LocalSite, team: Team, context: BrowserContext) -> str:
    """The figures of the game that the team's evaluator gets."""
    judge = team.judge(Browser(site.address), team.evaluators[0])
    answer = judge.browser.get(judge.page)
    began = site.tree.cpu()
    for _visit in range(VISITS):
        judge.browser.get(judge.page)
    cpu = 1000 * (site.tree.cpu() - began) / VISITS
    for name, value in judge.browser.cookies.items():
        context.add_cookies([{"name": name, "value": value, "url": site.address}])
    page = context.new_page()
    page.add_init_script(OBSERVE)
    page.goto(site.address + urlsplit(judge.page).path, wait_until="networkidle")
    at_load, usable, nodes = (page.evaluate(script) for script in (LONGEST, USABLE, NODES))
    page.evaluate(f"{LONGEST} = 0")
    saved: list[str] = []
    page.on(
        "response", lambda got: saved.append(got.url) if got.request.method == "POST" and got.ok else None
    )
    page.keyboard.press("t")  # the game is read
    for key in KEYS:
        page.keyboard.press(key)
        page.wait_for_timeout(120)
    page.wait_for_load_state("networkidle")
    in_use = page.evaluate(LONGEST)
    if not saved:
        raise RuntimeError("no key judged anything")
    return f"{answer.wire:9} {cpu:8.1f} {usable:9.2f} {nodes:9} {at_load:25.0f} {in_use:7.0f}"


if __name__ == "__main__":
    os.environ.setdefault("DEMO", "false")
    main([int(given) for given in sys.argv[1:]] or list(LENGTHS))
