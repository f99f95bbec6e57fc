"""How long and how many: limits that several packages share."""

LONGEST_REASON = 2000  # characters
DAY_MS = 24 * 60 * 60 * 1000
