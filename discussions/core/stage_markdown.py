"""The summary of a stage as Markdown. Names, prompts and reasons are escaped or fenced, so none of them is markup."""

from discussions.core.report import fenced, plain, said
from discussions.core.stage_summary import DecisionShown, GateShown, IterationShown, StageSummary


def markdown_of(summary: StageSummary) -> str:
    """The summary as Markdown."""
    opened = f"Stage {summary.number}, opened {summary.opened_at:%Y-%m-%d} by {plain(summary.opened_by)}."
    parts = [
        f"# {plain(summary.project)}: {plain(summary.name)}",
        "",
        *([plain(summary.goal), ""] if summary.goal else []),
        f"{opened} {said(summary.counted)} As of {summary.made_at:%Y-%m-%d %H:%M} UTC.",
        "",
        *_gate(summary.gate),
        "## Iterations",
        "",
        *_table(summary),
        *[line for each in summary.iterations for line in _iteration(each)],
        *_next(summary),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _gate(gate: GateShown) -> list[str]:
    door = "open" if gate.is_open else "shut"
    found = ["## Gate", "", f"**The door to the next stage is {door}.** {said(gate.streak_says)}", ""]
    found += [f"- {said(each)}" for each in gate.missing if each != gate.streak_says]
    found += [f"- {said(gate.cache_says)}"] if gate.cache_says not in gate.missing else []
    if gate.statement:
        says = f"{plain(gate.statement.by)} signed on {gate.statement.on}: {plain(gate.statement.says)}"
        found.append(f"- {says}")
    if gate.closed_at:
        found.append(f"- The next stage was opened on {gate.closed_at:%Y-%m-%d} by {plain(gate.closed_by)}.")
    if gate.override_reason:
        found.append(f"- It was opened although the door was shut: {plain(gate.override_reason)}")
    return [*found, ""]


def _table(summary: StageSummary) -> list[str]:
    if not summary.iterations:
        return ["No iteration yet.", ""]
    labels = [said(line.label) for line in summary.iterations[-1].averages]
    head = ["Iteration", "Games", *labels, "Cost", "Cache", "Stands"]
    rows = [
        [
            f"{each.number} {plain(each.name)}",
            str(len(each.games)),
            *[f"{line.text or '-'} {line.word}".strip() for line in each.averages],
            each.cost or "-",
            each.cache or "-",
            each.stands or "-",
        ]
        for each in summary.iterations
    ]
    lines = [head, ["---"] * len(head), *rows]
    return [*[f"| {' | '.join(row)} |" for row in lines], ""]


def _iteration(each: IterationShown) -> list[str]:
    stands = f": {each.stands}" if each.stands else ""
    found = [f"### {each.number} {plain(each.name)}{stands}", ""]
    if each.change_note:
        target = f" Target: {said(each.target.lower())}." if each.target else ""
        found += [f"{plain(each.change_note)}{target}", ""]
    if each.diff:
        found += [fenced("\n".join(each.diff)), ""]
    if each.hunks_answer:
        found += [f"Why more than one place changed: {plain(each.hunks_answer)}", ""]
    found += [
        f"- {said(line.label)}: {line.text or '-'} {line.word}; {said(line.says)}" for line in each.averages
    ]
    found += [f"- Together: {said(each.headline)}", f"- Cost: {said(each.cost_says)}"]
    found += [f"- {said(each.cache_says)}"]
    found += [
        f"- Game {one.game.number} was withdrawn, and is in no average: {plain(one.reason)} "
        f"({plain(one.by)}, {one.at:%Y-%m-%d})"
        for one in each.withdrawn
    ]
    found.append("")
    if each.compared:
        compared = each.compared
        against = f"Against iteration {compared.number} ({plain(compared.name)})"
        found += [
            f"{against}: {said(compared.says)} {said(compared.action)}",
            "",
            *[f"- {said(check)}" for check in compared.checks],
            *([""] if compared.checks else []),
        ]
    return [*found, *[_decision(one) for one in each.decisions], *([""] if each.decisions else [])]


def _decision(one: DecisionShown) -> str:
    return (
        f"- Decision {one.number}, look {one.look}: **{one.choice}**, {one.at:%Y-%m-%d %H:%M} UTC, "
        f"{plain(one.by)}: {plain(one.reason)}"
    )


def _next(summary: StageSummary) -> list[str]:
    if summary.next is None:
        return []
    advice = [f"- {said(line)}" for line in summary.next.advice]
    return ["## What to work on next", "", said(summary.next.says), "", *advice, ""]
