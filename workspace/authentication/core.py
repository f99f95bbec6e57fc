"""A browser in two words, so that people recognise where they are signed in."""

# The first match counts: most browsers also claim to be several others.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def describe_browser(user_agent: str) -> str:
    """Such as "Firefox, Linux"; only fixed words, "" for what is not known."""
    found = [next((word for mark, word in marks if mark in user_agent), "") for marks in (BROWSERS, SYSTEMS)]
    return ", ".join(word for word in found if word)
