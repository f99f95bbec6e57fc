"""The rule by which a calibration round is passed."""


def agrees_enough(alike: int, count: int, percent: int) -> bool:
    """Whether at least `percent` % of the answers are as agreed; true when there are no answers.

    Percent agreement with an expert key is the rule of screening rounds in the literature (Mitra, Hutto and Gilbert,
    CHI 2015); all answers weigh the same.
    """
    return count == 0 or 100 * alike >= percent * count
