"""Which pin does what. Written by `konakis firmware` from the configuration; change it there."""

ROWS = (0, 1, 2, 3, 4, 5, 6, 7, 8)  # the pins that power the rows of sensors, row 0 first
COLUMNS = (9, 10, 11, 12, 13, 14, 15, 16, 17)  # the pins that read the columns
ROW_ON = 1  # the level that powers a row
COLUMN_MAGNET = 0  # the level at which a column reads a magnet
LIGHTS_PIN = 22  # None: no lights hang on the chip
LIGHTS = 81  # how many
LIGHTS_ORDER = "GRB"  # the order in which they take their colours
SUPPLY_LOW_MV = 4300  # 0: the supply is not measured
SETTLE_US = 300  # from power to a valid output of the sensors
DEBOUNCE_MS = 8  # how long a cell must read the same
WATCHDOG_MS = 5000  # 0: no watchdog
