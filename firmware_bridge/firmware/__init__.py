"""The firmware of the microcontroller: MicroPython, copied to the chip as the package `konakis`.

    pins.py      which pin does what: one table, written anew by `firmware_bridge.firmware_files`
    wire.py      packets and the numbers of the messages          pure
    scanner.py   from readings of the matrix to settled changes   pure, allocates nothing while it scans
    station.py   the board's end of the conversation              pure: time and hardware are handed in
    run.py       the loop that joins them
    hal.py       the only file that touches the chip
    hal_model.py what takes its place in tests: a modelled matrix driven by the test
    main.py      what the chip starts

It runs under CPython 3.11 too, but for `hal.py` and `main.py`, which only do something on a chip; importing any of them
opens nothing. MicroPython has no `typing`, no `dataclasses` and no `__future__`, hence the quoted annotations.
"""
