"""What an unforeseen error was, in one line for admins."""

from traceback import walk_tb

OUR_CODE = ("workspace", "rubric", "discussions", "evalsite")
LONGEST_CAUSE = 1_000


def describe_cause(fault: BaseException) -> str:
    """Class, message, and the innermost line of our code that it passed: "KeyError: 'x' (rubric/core/scores.py:37)".

    The message may hold secrets: never show it to others than admins. At most 1,000 characters, all printable.
    """
    place = ""
    for frame, line in walk_tb(fault.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in OUR_CODE:
            place = f" ({module.replace('.', '/')}.py:{line})"
    said = f"{type(fault).__name__}: {fault}"
    plain = " ".join("".join(char if char.isprintable() else " " for char in said).split())
    return plain[: LONGEST_CAUSE - len(place)] + place
