"""The table of the site's costs: its measures, their targets, and its format.

Pure: `benchmarks.performance` measures and prints.
"""

from typing import NamedTuple

START, END = "<!-- measured by make bench -->", "<!-- end of what make bench measured -->"


class Measure(NamedTuple):
    """One row. `target` is None where there is none; a `rate` is good when it is high, all others when they are low."""

    key: str
    name: str
    unit: str
    target: float | None
    rate: bool = False
    scaled: bool = True

    def on_quiet_core(self, measured: float, slowness: float) -> float:
        """The figure of a core without other processes; `slowness` is how much slower the calibration loop was."""
        if not self.scaled:
            return measured
        return measured * slowness if self.rate else measured / slowness

    def is_met(self, quiet: float) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return quiet >= self.target if self.rate else quiet <= self.target


MEASURES = (
    Measure("import", "import until listed and measured, SQLite", "games/s", 900, rate=True),
    Measure("import_cpu", "the same, CPU of all server processes", "ms a game", None),
    Measure("metrics", "five token metrics", "µs a message", 12),
    Measure("save_handler", "save one judgement, CPU of the handler", "ms", 3.5),
    Measure("save", "save one judgement, CPU of all server processes", "ms", 4.5),
    Measure("saves", "8 clients saving", "saves/s", 300, rate=True),
    Measure("longest", "longest of these saves", "ms", 500),
    Measure("evaluator", "evaluator's page, 50 messages, CPU", "ms", 8),
    Measure("first_visit", "the same, with the scripts and styles that it names", "KB", None, scaled=False),
    Measure("next", "next game and its page, CPU", "ms", 12),
    Measure("list", "list of games, 30 rows, CPU", "ms", 5),
    Measure("home_evaluator", "home of an evaluator, CPU", "ms", 8),
    Measure("home_lead", "home of a lead, CPU", "ms", 8),
    Measure("game", "game for leads, CPU", "ms", 10),
    Measure("verdict", "verdict, CPU", "ms", 8),
    Measure("idle", "idle memory (PSS), all processes", "MB", 210, scaled=False),
    Measure("idle_cpu", "CPU of all processes when idle", "ms a second", None, scaled=False),
    Measure("after_import", "memory (PSS) after the import", "MB", 330, scaled=False),
    Measure("start_existing", "start (`make run`), existing data", "s", 4),
    Measure("start_empty", "first start (`make run` in a fresh clone)", "s", 15),
    Measure("stored", "database and uploads for each game of 50 messages", "KB", None, scaled=False),
    Measure("install", "installing, every package fetched", "s", None, scaled=False),
    Measure("installed", "installed size", "MB", 300, scaled=False),
    Measure("packages", "installed packages", "", None, scaled=False),
)


class Figure(NamedTuple):
    """The measured value, and that of a core without other processes."""

    measured: float
    quiet: float


def figures_of(measured: dict[str, tuple[float, float]]) -> dict[str, Figure]:
    """Figures of (measured value, slowness) by key of their measure."""
    return {
        measure.key: Figure(value, measure.on_quiet_core(value, slowness))
        for measure in MEASURES
        if measure.key in measured
        for value, slowness in [measured[measure.key]]
    }


def table(site: dict[str, Figure], others: dict[str, dict[str, Figure]]) -> str:
    """The table as Markdown, with a column for each of the others by name; missing figures are a dash."""
    head = ["measure", "unit", "target", "measured", "on a quiet core", "target met"]
    head += [f"{name}, on a quiet core" for name in others]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for measure in MEASURES:
        figure = site.get(measure.key)
        cells = [
            measure.name,
            measure.unit,
            number(measure.target),
            number(figure and figure.measured),
            number(figure and figure.quiet),
            "-"
            if figure is None
            else {True: "yes", False: "**no**", None: "-"}[measure.is_met(figure.quiet)],
            *(
                number(figure and figure.quiet)
                for figure in (other.get(measure.key) for other in others.values())
            ),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def number(value: float | None) -> str:
    """The figure with three digits; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def between_markers(page: str, text: str, markers: tuple[str, str] = (START, END)) -> str:
    """The page with the text inserted between its two markers. Raises ValueError when a marker is missing."""
    first, last = markers
    before, start, rest = page.partition(first)
    _old, end, after = rest.partition(last)
    if not start or not end:
        raise ValueError(
            f'The page lacks the line "{last if start else first}". Put it back, then run this again.'
        )
    return f"{before}{first}\n\n{text.strip()}\n\n{last}{after}"
