// Own the connection to the daemon: keeps it, tries again with growing pauses, says how it stands, shows the token.

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const JITTER = 0.2; // so that many pages do not come back in one instant

const TOKEN = "konakis-token";

// The token comes behind the # of the address, which no server is told; from there it goes out of sight and is kept, so
// that the plain address serves the next time.
const TOKEN_PART = /^#token=([\w-]+)$/;
const given = TOKEN_PART.exec(location.hash)?.[1] ?? null;
if (given) {
  history.replaceState(null, "", location.pathname + location.search);
  try {
    localStorage.setItem(TOKEN, given);
  } catch {
    // storage may be forbidden; then the token serves until the page is closed
  }
}
addEventListener("hashchange", () => TOKEN_PART.test(location.hash) && location.reload()); // scanned once more

function ownToken() {
  try {
    return given ?? localStorage.getItem(TOKEN);
  } catch {
    return given;
  }
}

/** How the connection stands: "connecting", "open", or "waiting" until the next try. */
export class Link {
  #wanted = false;
  #socket = null;
  #pause = FIRST_PAUSE_MS;
  #timer = 0;
  #hear;

  /** `hear` has `message(object)` and `standing(word, retryAt)`; `retryAt` in ms since the epoch. */
  constructor(hear) {
    this.#hear = hear;
    addEventListener("online", () => this.#now());
    addEventListener("pageshow", () => this.#now());
    document.addEventListener("visibilitychange", () => document.hidden || this.#now());
  }

  /** Connect, and keep connected from now on. One socket at a time: two would tell old news after new. */
  open() {
    this.#wanted = true;
    clearTimeout(this.#timer);
    if (this.#socket !== null) return;
    this.#hear.standing("connecting");
    const socket = new WebSocket(new URL("ws", location.href.replace(/^http/, "ws")));
    this.#socket = socket;
    socket.onopen = () => {
      const token = ownToken();
      if (token) socket.send(JSON.stringify({ type: "token", token }));
      this.#hear.standing("open");
    };
    socket.onmessage = (event) => {
      this.#pause = FIRST_PAUSE_MS; // not on opening: what opens and breaks at once must not be tried ever faster
      this.#hear.message(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#later();
    };
  }

  /** Send a message; false when there is no connection (nothing is kept for later: hands act now or not at all). */
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #later() {
    const pause = this.#pause * (1 + JITTER * (2 * Math.random() - 1));
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
    this.#socket = null;
    this.#timer = setTimeout(() => this.open(), pause);
    this.#hear.standing("waiting", Date.now() + pause);
  }

  #now() {
    if (this.#wanted) this.open();
  }
}
