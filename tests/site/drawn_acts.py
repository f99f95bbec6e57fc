"""What a page offers to do: links, forms that can be sent, and what is greyed without a reason."""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

VOID = {"input", "link", "meta", "br", "img", "hr", "area", "col", "wbr", "source", "track", "base"}


class Offer(Struct, frozen=True):
    """Something that a page lets one do: a verb and an address of the site."""

    verb: str
    address: str


class Node(Struct):
    """One element, with its attributes and what is in it."""

    tag: str
    given: dict[str, str]
    above: "Node | None" = None
    inside: list["Node"] = []
    said: str = ""

    @property
    def parts(self) -> list["Node"]:
        """This element and all within it."""
        return [self, *(part for child in self.inside for part in child.parts)]

    @property
    def around(self) -> list["Node"]:
        """The elements around it, the nearest first."""
        return [self.above, *self.above.around] if self.above else []

    def find_around(self, *tags: str) -> "Node | None":
        """The nearest element around it with one of these tags."""
        return next((node for node in self.around if node.tag in tags), None)

    @property
    def is_greyed(self) -> bool:
        """Whether it, or a fieldset around it, is disabled."""
        fieldsets = [node for node in self.around if node.tag == "fieldset"]
        return "disabled" in self.given or any("disabled" in node.given for node in fieldsets)

    @property
    def text(self) -> str:
        """The words in it."""
        return " ".join(" ".join(part.said for part in self.parts).split())


class _Reader(HTMLParser):
    """Reads a page into elements."""

    def __init__(self) -> None:
        super().__init__()
        self.at = Node("", {})
        self.nodes: list[Node] = []

    def handle_starttag(self, tag, attrs):
        node = Node(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.inside.append(node)
        self.nodes.append(node)
        if tag not in VOID:
            self.at = node

    def handle_endtag(self, tag):
        chain = [self.at, *self.at.around]
        found = next((node for node in chain if node.tag == tag), None)
        if found is not None and found.above is not None:
            self.at = found.above

    def handle_data(self, data):
        self.at.said += data


def read_page(html: str) -> list[Node]:
    """All elements of a page."""
    reader = _Reader()
    reader.feed(html)
    return reader.nodes


def list_offers(nodes: list[Node], page: str) -> set[Offer]:
    """Every link, and every form whose button can be pressed; addresses are those of the site, `page` is its own."""
    forms = {node.given["id"]: node for node in nodes if node.tag == "form" and node.given.get("id")}
    found = {Offer("GET", node.given["href"]) for node in nodes if node.tag == "a" and "href" in node.given}
    for node in nodes:
        if node.is_greyed:
            continue
        if node.tag != "form":
            verbs = [verb for verb in ("get", "post") if f"hx-{verb}" in node.given]
            found |= {Offer(verb.upper(), node.given[f"hx-{verb}"]) for verb in verbs}
        if node.given.get("type", "submit" if node.tag == "button" else "") == "submit":
            form = forms.get(node.given.get("form", "")) or node.find_around("form")
            if form is not None and form.given.get("method") != "dialog":
                verb = node.given.get("formmethod", form.given.get("method", "get"))
                address = node.given.get("formaction", form.given.get("action", ""))
                found.add(Offer(verb.upper(), address))
    joined = [(offer.verb, urlsplit(urljoin(page, offer.address))) for offer in found]
    return {Offer(verb, parts.path) for verb, parts in joined if not parts.netloc and not parts.scheme}


def list_unexplained(nodes: list[Node]) -> list[str]:
    """The names of what is greyed and says nowhere why.

    A reason is a title, what `aria-describedby` names, or words of class `because` in the same form, row or paragraph.
    """
    by_id = {node.given["id"]: node for node in nodes if node.given.get("id")}
    found = []
    for node in nodes:
        is_greyed = "disabled" in node.given or node.given.get("aria-disabled") == "true"
        if not is_greyed or "hidden" in node.given or node.tag == "option":
            continue
        near = node.find_around("form", "li", "tr", "p") or node
        described = [by_id.get(name) for name in node.given.get("aria-describedby", "").split()]
        reasons = [part for part in near.parts if "because" in part.given.get("class", "").split()]
        texts = [part.text for part in (*described, *reasons) if part is not None]
        if not node.given.get("title") and not any(texts):
            found.append(node.text or node.given.get("name", node.tag))
    return found
