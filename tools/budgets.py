"""The budgets of tests/guards/budgets.txt: a kind, a name and the most that may be there, one in each line.

A budget never rises by itself. `# +40 lines discussions.games: the second reader of costs went` above the budgets lets
one rise, and says what was deleted for it. What is gone (a package, a module) leaves its budget to what grew.
"""

import re
from collections import Counter
from collections.abc import Mapping

Key = tuple[str, str]
RISE = re.compile(r"# \+(\d+) (lines|records) (\S+): \S")
BUDGET = re.compile(r"(\w+) (\S+) (\d+)")
# How far below its budget something may be before the budget has to be lowered; others only go when nothing is left.
SLACK = {"lines": 20, "records": 1}
INHERITED = ("lines", "records", "prepared")
PAID = "Delete as much in the package, or write above the budgets what went elsewhere: `# +{more} {kind} {name}: what`."
WHY = {
    "lines": PAID,
    "records": PAID,
    "needless": "It is built at one place, hides nothing, is not stored and feeds one output: give the template a "
    "row or a presenter. One that hides says what in a line of its docstring that begins with `Hides`.",
    "prepared": "Prepared queries are for pages where a measurement asks for them (docs/adr/0024): use a queryset.",
    "private": "Too many modules have a private name like this. Say what it holds.",
}
HEAD = """\
# What each package may have at most, and what is left of habits that end. `python -m tools.figures --write-budgets`
# lowers these numbers; it never raises one. A line here, `# +N lines package: what was deleted for it` (or `records`),
# raises one; see CONTRIBUTING.md.
"""


def read(text: str) -> tuple[dict[Key, int], Counter[Key]]:
    """The budgets, and by how much lines raise them."""
    rises: Counter[Key] = Counter()
    for number, kind, name in RISE.findall(text):
        rises[kind, name] += int(number)
    found = [match.groups() for line in text.splitlines() if (match := BUDGET.fullmatch(line))]
    return {(kind, name): int(number) for kind, name, number in found}, rises


def faults(text: str, now: Mapping[Key, int]) -> list[str]:
    """What is above its budget, and budgets that are to be lowered."""
    budgets, rises = read(text)
    found = []
    for kind, name in sorted({*budgets, *now}):
        count, most = now.get((kind, name), 0), budgets.get((kind, name), 0) + rises[kind, name]
        if count > most:
            why = WHY[kind].format(more=count - most, kind=kind, name=name)
            found.append(f"{kind} {name}: {count}, may be {most}. {why}")
        elif not count or most - count > SLACK.get(kind, most):
            found.append(
                f"{kind} {name}: lower the budget to {count}: python -m tools.figures --write-budgets"
            )
    return found


def rewrite(text: str, now: Mapping[Key, int]) -> str:
    """The file with each budget lowered to what is there now; without any budget in it, all as they are now."""
    budgets, rises = read(text)
    most = {key: budgets.get(key, 0) + rises[key] for key in {*budgets, *rises, *now}}
    gone, grown = Counter[str](), Counter[str]()
    for (kind, name), number in most.items():
        is_gone = (kind, name) not in now and (kind == "prepared" or ("lines", name) not in now)
        gone[kind] += number if is_gone else 0
        grown[kind] += max(0, now.get((kind, name), 0) - number)
    covered = {kind for kind in WHY if not budgets or (kind in INHERITED and grown[kind] <= gone[kind])}
    kept: list[str] = []
    lines = []
    for key, count in sorted(now.items()):
        number = count if key[0] in covered else min(count, most[key])
        if rises[key] and number > rises[key]:
            kept += [
                line for line in text.splitlines() if (rise := RISE.match(line)) and rise.groups()[1:] == key
            ]
            number -= rises[key]
        lines += [f"{key[0]} {key[1]} {number}"] if number else []
    return "\n".join([HEAD, *kept, *lines, ""])
