/** A connected process may send anything: nothing of it is held without a limit. */

/** The longest message to the owner. The longest prompt of a context is shorter. */
export const LONGEST_REQUEST_BYTES = 4 * 2 ** 20;

/** The longest message to a guest: an answer has several numbers for each of its tokens. */
export const LONGEST_ANSWER_BYTES = 16 * 2 ** 20;

/** Bytes that wait for a reader. A slower one is disconnected. */
export const MOST_WAITING_BYTES = 32 * 2 ** 20;

/** The most guests of one owner. The next window loads the model itself. */
export const MOST_GUESTS = 16;

/** Connections, those that have not said hello among them. */
export const MOST_CONNECTIONS = 2 * MOST_GUESTS;

/** The most requests of one guest at a time. A window has a suggestion, a chat, and work ahead. */
export const MOST_REQUESTS = 64;

/** Milliseconds in which a connection must say hello, and an owner must answer. */
export const HELLO_MS = 5_000;

/** An owner that leaves so many pings unanswered hangs. */
export const PING_EVERY_MS = 5_000;
export const MOST_SILENT_PINGS = 4;

/** How long a window waits for an owner that it cannot reach, before it loads the model itself. */
export const REACH_MS = 10_000;
export const LOOK_AGAIN_MS = 50;
