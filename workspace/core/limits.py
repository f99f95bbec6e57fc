"""Limits of lengths and counts that several modules share."""

# Characters.
LONGEST_NAME = 200
LONGEST_REASON = 2000
LONGEST_COMMENT = 4000

# Rows of a list.
PAGE_SIZE = 50
DAY_MS = 24 * 60 * 60 * 1000
