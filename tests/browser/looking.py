"""What axe-core has against a page, in light and in dark, and what of it sticks out of a narrow window.

Contrast is by far the dearest rule, so it is asked once of everything that looks alike. A page with fewer than three
shapes of elements that no other page had is fetched and not drawn; tests marked `long` draw these too. The page with
most new shapes is drawn first: half of the pages show 97 of 100 shapes.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.contact_sheet import write_contact_sheet
from tests.browser.driving import artefacts, tell
from tests.browser.gallery import Gallery

WIDE = {"width": 1366, "height": 820}
# 200 % zoom of a laptop, then a phone.
NARROW = ({"width": 683, "height": 384}, {"width": 360, "height": 740})
OPEN_ALL = (
    "document.querySelectorAll('main details:not([name], .pop)').forEach((one) => { one.open = true; })"
)
# Pixels. A page of hostile texts is ten times as high, and its whole picture takes longer than a test may wait.
MOST_PICTURED = 16_000
# Colours would take their time to change.
NO_TRANSITIONS = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
# Until the page has these colours: the news of another scheme takes a moment, and so does painting.
PAINTED_IN = """(scheme) => new Promise((done) => {
    const look = () => matchMedia(`(prefers-color-scheme: ${scheme})`).matches
        ? requestAnimationFrame(() => requestAnimationFrame(done)) : requestAnimationFrame(look);
    look();
})"""
TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > width + 1)
        .map((one) => one.outerHTML.slice(0, 90));
}"""
# Of a page, and of each of its parts, where it has parts.
PARTS_TOO_WIDE = f"""(name) => {{
    const look = (where) => ({TOO_WIDE})().map((what) => `${{where}}: ${{what}}`);
    const found = look(name);
    for (const part of document.querySelectorAll(".parts label")) {{
        part.click();
        found.push(...look(`${{name}}, ${{part.innerText}}`));
    }}
    return found;
}}"""
# A page is drawn for so many new shapes.
ENOUGH_NEW = 3
# What differs wherever a page is drawn: secrets of forms, hashes, numbers.
OWN = re.compile(r"<input[^>]*csrfmiddlewaretoken[^>]*>|[0-9a-f]{8,}|\d+")


# How each element with text is painted now: what decides its contrast, from itself up to the root. What looks alike has
# the same colours, sizes and backgrounds in both schemes; what is laid over something else also the same tags and
# classes.
PAINT = """() => {
    const seen = new Map();
    const walk = (element, above, isOver) => {
        if (!element.checkVisibility({ visibilityProperty: true })) return;
        const style = getComputedStyle(element);
        const over = isOver || ["absolute", "fixed", "sticky"].includes(style.position) || element.localName === "svg";
        const ground = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter].join();
        const isBare = ground === "rgba(0, 0, 0, 0),none,1,none";
        let own = isBare ? above : `${above}/${ground}`;
        if (over) own += ` ${element.localName}.${element.getAttribute("class") ?? ""}`;
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        const isField = "placeholder" in element || element.localName === "select";
        if (hasText || isField) {
            const text = [style.color, style.fill, style.fontSize, style.fontWeight, style.textShadow, isField];
            seen.set(element, `${own} ${text.join()} ${element.ariaDisabled ?? ""}${element.disabled ?? ""}`);
        }
        for (const child of element.children) walk(child, own, over);
    };
    walk(document.body, "", false);
    return seen;
}"""
KEEP_PAINT = f"window.paintBefore = ({PAINT})()"
# Marks the first element of each look that is not known, and gives these looks.
MARK_FRESH = f"""(known) => {{
    const seen = new Set(known), fresh = [];
    for (const element of document.querySelectorAll("[data-fresh]")) delete element.dataset.fresh;
    for (const [element, now] of ({PAINT})()) {{
        const look = `${{window.paintBefore.get(element)}} | ${{now}}`;
        if (seen.has(look)) continue;
        seen.add(look);
        fresh.push(look);
        element.dataset.fresh = "";
    }}
    return fresh;
}}"""


def violations(page: Page, within: str = "html", **options: Any) -> list[str]:
    """What axe has against the page, or against the parts that a selector names: rule, place and what to do."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # Only the violations travel: what passes is a hundred times as long.
    run = "([within, options]) => axe.run(within, options).then((all) => all.violations)"
    found = page.evaluate(run, [within, {"resultTypes": ["violations"]} | options])
    return [
        f"{page.url} {violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def paint(page: Page, scheme: str) -> None:
    """Show the page in light or dark colours."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(PAINTED_IN, scheme)


def mark_fresh(page: Page, known: set[str]) -> list[str]:
    """Mark what looks, in light and in dark, like nothing in `known`; the looks. Takes the page from light to dark."""
    page.evaluate(NO_TRANSITIONS)
    page.evaluate(KEEP_PAINT)
    paint(page, "dark")
    return page.evaluate(MARK_FRESH, list(known))


def too_pale(page: Page, known: set[str]) -> list[str]:
    """What has too little contrast, in dark or light, among that which looks like nothing in `known`; adds it there.

    The page is in light colours, before and after.
    """
    fresh = mark_fresh(page, known)
    known.update(fresh)

    def find(scheme: str) -> list[str]:
        found = violations(page, "[data-fresh]", runOnly=["color-contrast"]) if fresh else []
        return [f"{scheme}: {fault}" for fault in found]

    faults = find("dark")
    paint(page, "light")
    return faults + find("light")


def list_faults(page: Page, known: set[str]) -> list[str]:
    """What axe has against the open page, which is in light colours, in light and in dark; contrast as `too_pale`."""
    return violations(page, rules={"color-contrast": {"enabled": False}}) + too_pale(page, known)


def sideways(page: Page, name: str) -> list[str]:
    """What sticks out of the window on a phone and at 200 % zoom, in every part of a page that has parts."""
    faults = []
    for size in NARROW:
        page.set_viewport_size(size)
        faults += page.evaluate(PARTS_TOO_WIDE, name)
    return faults


def open_in_light(page: Page, address: str) -> None:
    """Open an address in light colours, on a wide window."""
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    answer = page.goto(address)
    assert answer is not None and answer.status < 500, f"{address}: {answer and answer.status}"


def get_main(address: str, html: str) -> str:
    """The main part of a page, without what differs each time."""
    main = html.partition("<main")[2].partition("</main")[0]
    assert main, f"{address} has no main part"
    return OWN.sub("0", main)


class Shapes(HTMLParser):
    """Collects the shapes of a page's elements: tag, classes, role, type, names of attributes that name them.

    Of headings also the level before, of fields whether a label names them, of links and buttons whether there is text.
    """

    NAMING = ("href", "alt", "title", "placeholder", "lang", "scope", "tabindex", "colspan")
    FIELDS = ("input", "select", "textarea")

    def __init__(self, labelled: set[str]) -> None:
        super().__init__()
        self.labelled = labelled
        self.found: set[str] = set()
        self.heading, self.label_depth, self.text = "", 0, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = " ".join(sorted((given.get("class") or "").split()))
        names = sorted(name for name in given if name.startswith("aria-") or name in self.NAMING)
        shape = f"{tag} .{classes} {given.get('role')} {given.get('type')} {','.join(names)}"
        if re.fullmatch("h[1-6]", tag):
            shape += f" after {self.heading}"
            self.heading = tag
        if tag in self.FIELDS:
            shape += f" {self.label_depth > 0 or given.get('id') in self.labelled}"
        self.label_depth += tag == "label"
        if tag in ("a", "button"):
            self.text = ""
        self.found.add(shape)

    def handle_data(self, data: str) -> None:
        self.text += data.strip()

    def handle_endtag(self, tag: str) -> None:
        self.label_depth -= tag == "label"
        if tag in ("a", "button") and not self.text:
            self.found.add(f"{tag} without text")


def list_shapes(html: str) -> set[str]:
    """The shapes of the elements of a page."""
    parser = Shapes(set(re.findall(r'<label[^>]*\bfor="([^"]+)"', html)))
    parser.feed(html)
    return parser.found


def picture(page: Page, folder: str, name: str) -> None:
    """Leave pictures of the page in dark and in light, where they are asked for. Takes the page to light."""
    if os.environ.get("PICTURES"):
        is_whole = not name.startswith("rate")
        for scheme in ("dark", "light"):
            paint(page, scheme)
            path = artefacts(f"screenshots/{folder}-{scheme}") / f"{name}.png"
            if is_whole:
                size = page.evaluate(
                    "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
                )
                top = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], MOST_PICTURED)}
                page.screenshot(path=path, full_page=True, clip=top)
            else:
                page.screenshot(path=path)


class Fetched(NamedTuple):
    """A page as the server sent it: its address, its main part, the shapes of its elements."""

    address: str
    main: str
    shapes: set[str]


def fetch(context: BrowserContext, address: str) -> Fetched:
    """The page as the server sends it, without being drawn; it has one main heading."""
    answer = context.request.get(address, headers={"Accept": "text/html"})
    html = answer.text()
    assert answer.status < 500, f"{address}: {answer.status}"
    assert html.count("<h1") == 1, f"{address}: {html.count('<h1')} main headings"
    return Fetched(address, get_main(address, html), list_shapes(html))


@dataclass
class Asked:
    """What was asked before: how text looked, shapes of elements, main parts of pages.

    What is around main parts is on other pages too.
    """

    looks: set[str] = field(default_factory=set)
    shapes: set[str] = field(default_factory=set)
    mains: set[str] = field(default_factory=set)

    def choose(self, pages: Mapping[str, Fetched], *, is_whole: bool) -> Iterator[str]:
        """The names of those to be drawn: the main part is new, and (unless all are wanted) enough of the shapes."""
        left = dict(pages)
        while left:
            name = max(left, key=lambda name: len(left[name].shapes - self.shapes))
            page = left.pop(name)
            if page.main not in self.mains and (is_whole or len(page.shapes - self.shapes) >= ENOUGH_NEW):
                self.mains.add(page.main)
                self.shapes |= page.shapes
                yield name


def crawl(
    gallery: Gallery,
    browser: Browser,
    arguments: dict[str, Any],
    role: str,
    asked: Asked,
    *,
    is_whole: bool = False,
) -> list[str]:
    """What is wrong on the pages of a role, each drawn in light and in dark, and made narrow.

    Pages with few new shapes are fetched alone, unless all are wanted.
    """
    faults: list[str] = []
    with gallery.context(browser, arguments, role, color_scheme="light") as context:
        context.add_init_script(AXE_SCRIPT)  # quicker than to send it to each page
        page = context.new_page()
        pages = {name: fetch(context, address) for name, address in gallery.pages(role).items()}
        drawn = list(asked.choose(pages, is_whole=is_whole))
        for name in pages if os.environ.get("PICTURES") else drawn:
            open_in_light(page, pages[name].address)
            expect(page.get_by_role("heading", level=1)).to_have_count(1)
            faults += check_page(page, role, name, asked.looks)
    if os.environ.get("PICTURES"):  # each process writes the sheet anew, the last one with all
        write_contact_sheet(artefacts("screenshots"))
    tell(f"{len(pages)} pages of {role}, {len(pages) - len(drawn)} like others: {len(faults)} faults")
    return faults


def check_page(page: Page, role: str, name: str, known: set[str]) -> list[str]:
    """What is wrong on the open page."""
    picture(page, f"{role}-wide", name)
    page.evaluate(OPEN_ALL)
    faults = list_faults(page, known)
    faults += sideways(page, name)
    picture(page, f"{role}-phone", name)
    return faults
