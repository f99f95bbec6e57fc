"""How much data a chart needs before it is drawn; below that the page says how much there is."""

# Values in a chart of an iteration history: the least games of one iteration.
HISTORY_VALUES = 3
# Dots behind one of the means of a chart.
DOTS = 3
# Points of a scatter plot, and of the correlations beside it.
SCATTER_POINTS = 10
# Reviewers needed to say what would change a winner.
REVIEWERS = 2
