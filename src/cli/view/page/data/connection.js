// The WebSocket to the tool: commands with answers, messages as they come, and trying again after a loss.

import { decodeFrame, decodeStatic, STATIC } from './decode.js';

const GOING_AWAY = 1001;
const POLICY = 1008;
const TOO_LARGE = 1009;

/** How long to wait before trying again, in milliseconds: a quarter of a second, doubling to four. */
export function delayAfter(attempt) {
  return Math.min(4000, 250 * 2 ** attempt);
}

/** A number as JSON can say it; what it cannot say is a word, which the engine then refuses in its own words. */
export function jsonNumber(_, value) {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  return String(value);
}

/** The message that carries a file: kind, length of the name, id, name, content. */
export function fileMessage(id, name, content) {
  const title = new TextEncoder().encode(name).subarray(0, 255);
  const message = new Uint8Array(8 + title.length + content.length);
  const view = new DataView(message.buffer);
  view.setUint8(0, 1);
  view.setUint16(2, title.length, true);
  view.setUint32(4, id, true);
  message.set(title, 8);
  message.set(content, 8 + title.length);
  return message;
}

const CONTROLLED = 'carom-controlled';

// A tab that controlled before it was loaded anew controls again; another tab does not.
function controlled() {
  try {
    return window.sessionStorage.getItem(CONTROLLED) !== null;
  } catch {
    return false;
  }
}

function keepControlled() {
  try {
    window.sessionStorage.setItem(CONTROLLED, '');
  } catch {
    // A browser that stores nothing asks for control after a reload.
  }
}

function failed(error) {
  return { ok: false, error, field: null };
}

export class Connection {
  constructor(address, { message, statics, frame, state }) {
    this.address = address;
    this.handlers = { message, statics, frame, state };
    this.waiting = new Map();
    this.last = 0;
    this.attempt = 0;
    this.kind = 'balls';
    this.revision = -1;
    this.controlled = controlled();
    this.#open();
  }

  #open() {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => (typeof data === 'string' ? this.#text(JSON.parse(data)) : this.#binary(data));
    socket.onclose = (event) => this.#closed(event);
    this.socket = socket;
  }

  #text(message) {
    if (message.type === 'answer') {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
      return;
    }
    if (message.type === 'hello') {
      this.attempt = 0;
      this.handlers.state('open');
    }
    if (message.type === 'scene') this.kind = message.kind;
    this.handlers.message(message);
    if (message.type === 'hello' || message.type === 'role') this.#keepControl(message);
  }

  // The tool may notice the end of the old connection only after this one has begun.
  #keepControl({ control, free }) {
    if (control && !this.controlled) keepControlled();
    this.controlled ||= control;
    if (free && this.controlled) this.tell({ do: 'control' });
  }

  #binary(buffer) {
    if (new DataView(buffer).getUint8(0) === STATIC) {
      const statics = decodeStatic(buffer);
      this.revision = statics.revision;
      this.handlers.statics(statics);
      return;
    }
    const frame = decodeFrame(buffer, this.kind);
    // Every frame is acknowledged, also one that is not shown because its scene has just been replaced.
    if (frame.revision === this.revision) this.handlers.frame(frame);
    else this.tell({ do: 'got', frame: frame.number });
  }

  #closed({ code, reason }) {
    for (const answer of this.waiting.values()) answer(failed('the connection was lost'));
    this.waiting.clear();
    if (code === GOING_AWAY) {
      this.handlers.state('ended');
    } else if (code === POLICY || code === TOO_LARGE) {
      this.handlers.state('refused', reason);
    } else {
      this.handlers.state('lost');
      this.#later();
    }
  }

  #later() {
    setTimeout(() => this.#again(), delayAfter(this.attempt));
    this.attempt += 1;
  }

  // A WebSocket does not say why it was refused, but a file of the page does: a tool that was started anew has another address.
  async #again() {
    const answer = await fetch(new URL('icon.svg', window.location.href), { cache: 'no-store' }).catch(() => null);
    if (answer === null) this.#later();
    else if (answer.ok) this.#open();
    else this.handlers.state('foreign');
  }

  get open() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends a command that needs no answer. */
  tell(command) {
    if (this.open) this.socket.send(JSON.stringify(command, jsonNumber));
  }

  /** Sends a command; the promise is its answer, which is never an exception. */
  ask(command) {
    return this.#waitFor((id) => JSON.stringify({ id, ...command }, jsonNumber));
  }

  /** Sends a file. */
  sendFile(name, content) {
    return this.#waitFor((id) => fileMessage(id, name, content));
  }

  #waitFor(message) {
    if (!this.open) return Promise.resolve(failed('there is no connection to the tool'));
    this.last += 1;
    return new Promise((resolve) => {
      this.waiting.set(this.last, resolve);
      this.socket.send(message(this.last));
    });
  }
}
