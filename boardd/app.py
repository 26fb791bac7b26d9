"""The daemon, where all parts are put together, and its event loop: touches the process (signals).

Owns the life of the daemon from the lock on its state directory to the
last, black picture, and the rule that what was accepted is on disk before it is shown, or shown as not stored.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import logging
import math
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime
from pathlib import Path

from boardd.access import qr_code
from boardd.clock import TICK_S, Clock, MachineClock
from boardd.computer.engine_command import OWN_ENGINE, engine_command
from boardd.computer.engine_process import EngineProcess
from boardd.computer.looking_back import LookingBack
from boardd.computer.opponent import Mind, Opponent
from boardd.face import Face
from boardd.finding import find
from boardd.house import configured_book
from boardd.lamps import Lamps
from boardd.logbook import logged_later
from boardd.notify import Supervisor
from boardd.saved import Saved
from boardd.service import unreachable
from boardd.serving import Page
from boardd.session import Session
from boardd.settings import Settings
from boardd.sound import Sound
from boardd.storage import state_directory
from boardd.storage.keeper import Keeper
from boardd.storage.recorder import Recorder
from boardd.storage.schema import StoreError
from boardd.storage.store import FILE_NAME, Database
from boardd.storage.trace_files import DIRECTORY_NAME
from boardd.table_top import TableTop
from boardd.version import program_version
from boardd.wiring.equipment import Assemble, equip
from boardd.wiring.sensor_health import FILE_NAME as HEALTH_FILE
from engine import Side
from hardware.boards import assemble
from hardware.current import Draw
from hardware.lights import Show
from hardware.pulse import turns
from hardware.theme_file import load_theme

log = logging.getLogger(__name__)

PATIENCE_S = 1.0
"""How long the lights wait for the disk before they show a move as not stored: longer than a slow card's worst."""

RETRY_S = 5.0
"""How often a disk that refused is tried again."""

CLOSE_S = 3.0
"""How long the end waits for the last save; less than systemd's patience by far."""

KB = 1024


def run(
    settings: Settings,
    directory: Path,
    announce: Callable[[str], None],
    browse: Callable[[str], None] | None = None,
) -> None:
    """Play until SIGTERM, SIGINT or SIGHUP (the terminal went away).

    Args:
        settings: checked.
        directory: the state directory, made if missing.
        announce: told what people should read first: the page's address, how to get to it.
        browse: opens an address in the browser; None opens none.

    Raises:
        BoarddError: the daemon cannot start.

    """
    state_directory.make(directory)
    with state_directory.Lock(directory):
        asyncio.run(_until_signal(settings, directory, announce, browse))


async def _until_signal(
    settings: Settings,
    directory: Path,
    announce: Callable[[str], None],
    browse: Callable[[str], None] | None,
) -> None:
    supervisor = Supervisor.of(os.environ, os.getpid())
    if supervisor.watches:
        faulthandler.enable()  # the watchdog's SIGABRT then leaves in the log where each thread hung
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    # a service plays without its page until the address can be had; whoever starts a board by hand is told at once
    with contextlib.closing(Page(settings.page, directory, waits=supervisor.listens)) as page:
        with logged_later():
            daemon = Daemon(settings, directory, MachineClock(), lambda: datetime.now(UTC))
            _invite(page, announce)
        if browse is not None:
            browse(page.invitation or page.address)
        cut_off = unreachable(settings, os.environ)
        if cut_off is not None:
            log.warning("%s", cut_off)
        # what is there by now lives as long as we do; to look through it for garbage held everything up for 30 ms
        gc.freeze()
        await daemon.run(stop, page, supervisor)


def _invite(page: Page, announce: Callable[[str], None]) -> None:
    """Tell where the page is, and on a network how a phone gets to it."""
    announce(f"konakis {program_version()}: {page.address}")
    if page.invitation is not None:
        announce(f"Whoever can reach it may watch. To play and to change anything: {page.invitation}")
        announce(qr_code(page.invitation))


class Daemon:
    """All parts of one daemon, put together.

    Args:
        settings: checked.
        directory: the state directory; exists, and is locked.
        clock: the time that play runs on.
        wall: the time of day, in UTC.
        pool: what writes games, one thread; made if not given.
        make: puts a board together from its wires.
        mind: plays the computer's side and gives hints; the configured engine if not given.

    Raises:
        BoarddError: what was stored cannot be used.
        SensorsError: the board's sensors cannot be had.

    """

    def __init__(
        self,
        settings: Settings,
        directory: Path,
        clock: Clock,
        wall: Callable[[], datetime],
        pool: Executor | None = None,
        make: Assemble = assemble,
        mind: Mind | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        database = Database(directory / FILE_NAME, wall)
        try:
            found = find(database, settings)
        except BaseException:
            database.close()
            raise
        self._stored = found.stored
        saved = found.game[0] if found.game is not None else Saved(configured_book(settings.game))
        self.equipment = equip(settings, saved, directory, clock.now, make)
        board, geometry = self.equipment.board, self.equipment.geometry
        board.open()
        lights = settings.lights
        self.lamps = Lamps(
            Show(board.lights, saved.book.size**2),
            load_theme(lights.theme),
            geometry,
            Draw(lights.channel_ma, lights.rest_ma),
            lights.budget_ma,
            lights.brightness,
        )
        self._keeper = Keeper(database, known=found.known, pool=pool)
        recorder = Recorder(
            directory / DIRECTORY_NAME,
            settings=settings.play,
            file_bytes=settings.storage.trace_file_kb * KB,
            files=settings.storage.trace_files,
            opponent=Side(settings.opponent.side) if settings.opponent.engine else None,
        )
        now = clock.now()
        self.lamps.open(now)
        self._sound = Sound(board.buzzer)
        self.session = Session(
            settings,
            self.equipment,
            self._keeper,
            recorder,
            wall,
            found.game,
            now,
            self._sound.hear,
            directory / HEALTH_FILE,
        )
        spare = EngineProcess(engine_command("", settings.opponent.level))
        engine = settings.opponent.engine
        foreign = EngineProcess(engine_command(engine, settings.opponent.level)) if engine not in OWN_ENGINE else None
        self.opponent = Opponent(
            settings.opponent, self.session, mind or foreign or spare, None if mind or not foreign else spare
        )
        judge = EngineProcess(engine_command("", settings.opponent.level))
        self.looking_back = LookingBack(self.session, judge)
        self.face = Face(
            self.session,
            self.lamps,
            self.equipment.hands,
            clock.now,
            program_version(),
            self.opponent.to_json,
            self.looking_back,
        )
        self.face.stored, self.face.damaged = self._stored, self._keeper.set_aside
        self._save_due = asyncio.Event()
        self._asked = 0  # the save that was asked for last
        self._done = 0  # the save that was done, or given up, last
        self._dark = False  # and it was told
        self._seen = -1  # the version that is shown
        self._waiting_since: float | None = None
        self._page: Page | None = None
        self._retry_at = now + RETRY_S

    @property
    def hands(self) -> TableTop:
        """The simulated board's hands; there are none elsewhere."""
        assert self.equipment.hands is not None, "real hands play on this board"
        return self.equipment.hands

    async def run(self, stop: asyncio.Event, page: Page | None = None, supervisor: Supervisor | None = None) -> None:
        """Play until told to stop; then put the lights out and the rest in order.

        Args:
            stop: set from outside.
            page: the page's port, open; None plays without a page.
            supervisor: wants to know how it goes; None if nobody does.

        """
        supervisor = supervisor or Supervisor()
        self._page = page
        self._note_lights()
        serving = None if page is None else asyncio.create_task(page.serve(self.face))
        playing = asyncio.create_task(self._play(supervisor))
        storing = asyncio.create_task(self._store())
        stopping = asyncio.create_task(stop.wait())
        supervisor.ready(self._condition())
        try:
            await asyncio.wait((playing, storing, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            supervisor.stopping()
            for task in (playing, storing, stopping):
                task.cancel()
            self.lamps.close()
            results = await asyncio.gather(playing, storing, stopping, return_exceptions=True)
            await self.opponent.close()
            await self.looking_back.close()
            await self._close()
            if page is not None and serving is not None:
                await page.end(serving)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _play(self, supervisor: Supervisor) -> None:
        """Read the sensors at the configured rate and let everything follow."""
        interval = 1 / self._settings.board.poll_hz
        due = self._clock.now()
        while True:
            now = self._clock.now()
            self.session.step(now)
            self._obey_buttons(now)
            self.opponent.step(now)
            self.looking_back.step()
            self._publish(now)
            self.lamps.advance(now)
            self._note_lights()
            self._sound.advance(now)
            supervisor.feed(now, turns(self.equipment.board.sensors))
            supervisor.status(self._condition())
            if now > due - TICK_S:
                due = max(due + interval, now)  # what was missed is not made up for
            await self._clock.sleep_until(min(due, self._timer(now)))

    def _timer(self, now: float) -> float:
        """Tell when something is decided or shown next if no sensor speaks; timers wait for no reading."""
        times = (self.session.deadline(), self.lamps.deadline)
        return min((time + TICK_S for time in times if time is not None and time >= now), default=math.inf)

    def _note_lights(self) -> None:
        """Tell once that the lights are dark, from the start or since they failed."""
        if self.lamps.dark_because is not None and not self._dark:
            self._dark = True
            log.warning("the lights stay dark: %s", self.lamps.dark_because)

    def _condition(self) -> str:
        """Tell on one line how it goes, for whoever looks after services."""
        if not self.session.connected:
            return f"the board cannot be read: {self.equipment.board.sensors.trouble or 'the log says why'}"
        playing = "playing" if self._stored else "playing, but what is played is not stored"
        return playing if self._page is None or self._page.trouble is None else f"{playing}; {self._page.trouble}"

    def _obey_buttons(self, now: float) -> None:
        """Do what buttons ask for, as if a page had asked."""
        buttons = self.equipment.board.buttons
        for word in () if buttons is None else buttons.poll(now):
            why = self.face.handle({"type": "command", "command": word})
            if why is not None:
                log.info("button %s: %s", word, why)

    def _publish(self, now: float) -> None:
        """Ask for what must be stored, and show what may be shown."""
        session = self.session
        if session.saves != self._asked or (not self._stored and now >= self._retry_at):
            self._asked = session.saves
            self._retry_at = now + RETRY_S
            self._save_due.set()
        if session.gate > self._done and not self._waited_enough(now):
            self.face.hold()
            return
        if session.version != self._seen or self.face.stored != self._stored:
            self._seen = session.version
            self.face.stored, self.face.damaged = self._stored, self._keeper.set_aside
            self.lamps.mean(now, session.tracker.roles, stored=self._stored)
            self.face.release()

    def _waited_enough(self, now: float) -> bool:
        """Tell whether the disk took so long that play goes on without it."""
        if self._waiting_since is None:
            self._waiting_since = now
        if now - self._waiting_since < PATIENCE_S:
            return False
        if self._stored:
            log.warning("the disk does not answer: what is played is not stored yet")
            self._stored = False
        return True

    async def _store(self) -> None:
        """Have everything written that is due, as often as it is."""
        while True:
            await self._save_due.wait()
            self._save_due.clear()
            number, game = self.session.saves, self.session.due
            try:
                await self._keeper.save(game)
            except StoreError as error:
                if self._stored:
                    log.warning("what is played is not stored: %s", error)
                self._stored = False
            else:
                if not self._stored:
                    log.warning("what is played is stored again")
                self._stored = True
            self._done = number
            self._waiting_since = None
            self._publish(self._clock.now())

    async def _close(self) -> None:
        """Write what is due and close what is open."""
        self.session.close()
        self.equipment.board.close()
        save = asyncio.ensure_future(self._keeper.save(self.session.due))
        done, _ = await asyncio.wait([save], timeout=CLOSE_S)
        if not done:
            log.error("the disk does not answer: the last changes may be lost")
            return
        with contextlib.suppress(StoreError):
            save.result()
        self._keeper.close()
