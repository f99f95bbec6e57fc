"""The one check of weights, in exact arithmetic: shares from 0 to 1 that sum to 1, rounded to 4 places.

Files and the API hold shares (0.35); people read and type percent (35 %).
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from workspace.core.json_faults import Problem
from workspace.core.words import say, say_many

PLACES = 4
PERCENT_PLACES = 4
# Of these a whole consists: so many decimals of a percentage are shown.
_UNITS = 100 * 10**PERCENT_PLACES
_MOST_SHOWN = 8
_LARGEST_EXPONENT = 400
Number = int | float | Decimal | Fraction | str


def exact(number: Number) -> Fraction:
    """The number as written in decimals: 0.35 is 35/100 and not the float nearest to it.

    Raises ValueError for NaN, infinities, texts that are not numbers, and exponents beyond 400.
    """
    if isinstance(number, Fraction | int):
        return Fraction(number)
    try:
        written = Decimal(repr(number) if isinstance(number, float) else number)
    except InvalidOperation as error:
        raise ValueError(say('"{number}" is no number.', number=number)) from error
    # A few characters can write a number of a billion digits.
    if not written.is_finite() or abs(written.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError(say('"{number}" is no number that can be worked with.', number=number))
    return Fraction(written)


def weight_problems(weights: Mapping[str, Number], labels: Mapping[str, str] = {}) -> list[Problem]:
    """Everything that is wrong with the weights of a rubric's criteria; [] when they are valid.

    The `pointer` of a problem is its criterion's key, \"\" about the sum; its sentence names the label, if any.

    The sum must be 1 when it is rounded to 4 places, so that weights written with more places are valid too. The order
    of the weights does not change the figures in the sentences.
    """
    shares: dict[str, Fraction] = {}
    problems = []
    for key, weight in weights.items():
        try:
            shares[key] = exact(weight)
        except ValueError:
            message = say(
                'The weight of {key} is "{weight}", which is no number. Write one from 0 to 1, such as 0.25.',
                key=labels.get(key) or key,
                weight=weight,
            )
            problems.append(Problem("not_a_number", message, pointer=key))
    for key, share in shares.items():
        if not 0 <= share <= 1:
            message = say(
                "The weight of {key} is {percent}\u00a0%; it must lie between 0 and 100\u00a0%. Change it.",
                key=labels.get(key) or key,
                percent=percent_text(share),
            )
            problems.append(Problem("out_of_range", message, pointer=key))
    total = sum(shares.values(), Fraction())
    if len(shares) == len(weights) and not is_whole(total):
        listed = [f"{labels.get(key) or key} {percent_text(share)}\u00a0%" for key, share in shares.items()]
        problems.append(Problem("weights", _sum_sentence(listed, total)))
    return problems


def is_whole(total: Fraction) -> bool:
    """Whether weights with this sum are valid: rounded to 4 places, it is exactly 1."""
    return round(total, PLACES) == 1


def scale_others(
    weights: Mapping[str, Number], key: str, value: Number, label: str = ""
) -> dict[str, Decimal]:
    """The weights with `key` set to `value` and the others scaled so that all sum to exactly 1.

    The others keep their proportions, rounded as people read them, so that equal ones stay equal; the largest, by name
    the last, takes what remains. If they were all 0, they share equally. Raises KeyError for an unknown key, and
    ValueError if the value is not a share or no other weight can take the rest.
    """
    if key not in weights:
        raise KeyError(key)
    fixed = round(exact(value) * _UNITS)
    if not 0 <= exact(value) <= 1:
        says = say(
            "{key} cannot be {percent}\u00a0%; a weight lies between 0 and 100\u00a0%.",
            key=label or key,
            percent=percent_text(exact(value)),
        )
        raise ValueError(says)
    others = {other: exact(weight) for other, weight in weights.items() if other != key}
    left = _UNITS - fixed
    if not others and left:
        raise ValueError(say("{key} is the only weight, so it is 100\u00a0%.", key=label or key))
    whole = sum(others.values(), Fraction())
    parts = {
        other: left * (weight / whole if whole else Fraction(1, len(others)))
        for other, weight in others.items()
    }
    units = {other: round(part) for other, part in parts.items()}
    if parts:
        units[max(parts, key=lambda name: (parts[name], name))] += left - sum(units.values())
    units[key] = fixed
    return {name: Decimal(units[name]) / _UNITS for name in weights}


def decimal_text(number: Fraction) -> str:
    """The number in decimals: all of them when there are at most 17, else 17 significant ones."""
    places = next((count for count in range(18) if (number * 10**count).denominator == 1), None)
    if places is None:
        return f"{float(number):.17g}"
    return f"{Decimal(int(number * 10**places)).scaleb(-places):f}"


def percent_text(share: Number) -> str:
    """The share in percent, "35" or "14.2857": rounded to 4 decimals, without trailing zeros."""
    rounded = round(exact(share) * 100, PERCENT_PLACES)
    return decimal_text(rounded)


def _sum_sentence(listed: list[str], total: Fraction) -> str:
    left = len(listed) - _MOST_SHOWN
    more = [say_many("{n} more", "{n} more", left)] if left > 0 else []
    by = percent_text(abs(total - 1))
    off = say("{by}\u00a0% too much", by=by) if total > 1 else say("{by}\u00a0% too little", by=by)
    return say(
        "The weights sum to {sum}\u00a0%, {off} ({listed}); they must sum to 100\u00a0%. "
        "Change one of them, and let the others give way in proportion.",
        sum=percent_text(total),
        off=off,
        listed=", ".join(listed[:_MOST_SHOWN] + more),
    )
