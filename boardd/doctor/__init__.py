"""The doctor: examines the computer, the configuration and the wiring, and says of each finding what to do.

Every check is a function of what there is to look at (`situation`), and stands in one table (`table.CHECKS`). Nothing
here changes anything; the checks of `board` open the board, which a running daemon holds.
"""
