"""What the chip starts: the firmware, unless it was told to stay away once."""


def main() -> None:
    """Run until the power goes."""
    from konakis import hal, pins  # type: ignore[import-not-found]  # the package's name on the chip
    from konakis.run import Loop  # type: ignore[import-not-found]

    if not hal.may_start():
        return
    board = hal.Board(pins)
    try:
        Loop(board, len(pins.ROWS), pins.DEBOUNCE_MS, pins.SUPPLY_LOW_MV).forever()
    except Exception as error:
        board.give_up(error)


if __name__ == "__main__":
    main()
