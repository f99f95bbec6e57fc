"""Saves every page of a running site that a link leads to, for each demo account: two such folders can be compared.

    python -m tools.crawl ADDRESS DEMO_SIGN_INS FOLDER

Start the site on a copy of one `VAR_DIR` before and after a change of the code, crawl both, then run `diff -r`. Tokens,
moments and lengths of time are masked. Only GET is sent, but it marks notifications as read and signs in, so begin each
crawl with a fresh copy.
"""

import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from benchmarks.driver import Browser

ACCOUNT = re.compile(r"^\s+(\w+)\s+(\S+@\S+)\s+(\S+)$", re.MULTILINE)
LINK = re.compile(r'(?:href|hx-get|action)="([^"#]+)')
MASKED = (
    (re.compile(r'(csrfmiddlewaretoken" value="|"X-CSRFToken": ")\w+'), r"\1TOKEN"),
    (re.compile(r'(nonce="?|name="nonce" value="|value=")[\w-]{16,}(:[\w-]+)?'), r"\1NONCE"),
    (re.compile(r"\b\d\d:\d\d(:\d\d)?\b"), "TIME"),
    (re.compile(r"\b(\d+|an?) (second|minute|hour)s?\b( ago)?|just now"), "LENGTH"),
    (re.compile(r'datetime="[^"]+"'), 'datetime="MOMENT"'),
    (re.compile(r"(/static/[\w/.-]+?)\.[0-9a-f]{12}\."), r"\1."),
)
LEFT_OUT = re.compile(
    r"^/(sign-out|static|healthz|readyz|metrics|settings/second-factor/set-up|projects/[\w-]+/exports/\d+/file)"
)
MOST_ALIKE = 3  # pages of one kind, such as those of single games


def crawl(address: str, email: str, password: str, folder: Path) -> int:
    """Save the pages that this person reaches; return how many."""
    browser, waiting, seen, alike = Browser(address), ["/"], {"/"}, {}
    browser.sign_in(email, password)
    folder.mkdir(parents=True)
    while waiting:
        path = waiting.pop(0)
        answer = browser.get(path)
        is_page = "html" in answer.headers.get("content-type", "")
        text = answer.text if is_page else ""
        for pattern, mask in MASKED:
            text = pattern.sub(mask, text)
        (folder / (re.sub(r"[^\w=-]+", "_", path)[:200] + ".html")).write_text(
            f"{answer.status} {path}\n{text}"
        )
        for link in LINK.findall(answer.text) if is_page else ():
            target = urlsplit(urljoin(path, unescape(link)))
            further = target.path + (f"?{target.query}" if target.query else "")
            kind = re.sub(r"\d+", "N", further)
            if (
                target.netloc
                or further in seen
                or LEFT_OUT.match(further)
                or alike.get(kind, 0) >= MOST_ALIKE
            ):
                continue
            alike[kind] = alike.get(kind, 0) + 1
            seen.add(further)
            waiting.append(further)
    return len(seen)


def main(address: str, sign_ins: str, folder: str) -> None:
    """Crawl as each account of the demo."""
    for role, email, password in ACCOUNT.findall(Path(sign_ins).read_text()):
        name = f"{role}-{email.partition('@')[0]}"
        print(name, crawl(address, email, password, Path(folder) / name), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
