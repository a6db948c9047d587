// The connection to the tool: control after a reload, and what follows a loss.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { Connection } from '../../src/cli/view/page/data/connection.js';

let sockets;
let stored;

class Socket {
  static OPEN = 1;

  readyState = Socket.OPEN;

  sent = [];

  constructor() {
    sockets.push(this);
  }

  send(message) {
    this.sent.push(JSON.parse(message));
  }

  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

beforeEach(() => {
  sockets = [];
  stored = new Map();
  globalThis.WebSocket = Socket;
  globalThis.window = {
    location: { href: 'http://127.0.0.1:8000/word/' },
    sessionStorage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) },
  };
});

function connect() {
  const states = [];
  const connection = new Connection('ws://127.0.0.1:8000/word/socket', {
    message: () => {}, statics: () => {}, frame: () => {}, state: (state) => states.push(state),
  });
  return { connection, states };
}

const role = (control, free) => ({ type: 'role', control, free, pages: 2 });

test('a page that controlled controls again after a reload, as soon as nobody else does', () => {
  connect();
  sockets[0].receive({ type: 'hello', control: true, free: false });
  connect();
  sockets[1].receive({ type: 'hello', control: false, free: false });
  assert.deepEqual(sockets[1].sent, []);
  sockets[1].receive(role(false, true));
  assert.deepEqual(sockets[1].sent, [{ do: 'control' }]);
  sockets[1].receive(role(true, false));
  assert.equal(sockets[1].sent.length, 1);
});

test('a page that only watched does not take control', () => {
  connect();
  sockets[0].receive({ type: 'hello', control: false, free: false });
  sockets[0].receive(role(false, true));
  assert.deepEqual(sockets[0].sent, []);
});

test('after a loss it tries again until a tool answers, and not when that refuses the address', async (context) => {
  const due = [];
  context.mock.method(globalThis, 'setTimeout', (action, delay) => due.push({ action, delay }));
  const answers = [
    () => Promise.reject(new Error('refused')), () => Promise.resolve({ ok: true }), () => Promise.resolve({ ok: false }),
  ];
  const asked = [];
  globalThis.fetch = (address) => {
    asked.push(String(address));
    return answers.shift()();
  };
  const after = async (time) => {
    const [{ action, delay }] = due.splice(0);
    assert.equal(delay, time);
    action();
    await new Promise((next) => { setImmediate(next); });
  };
  const { states } = connect();
  sockets[0].receive({ type: 'hello', control: true, free: false });
  sockets[0].onclose({ code: 1006 });
  await after(250);
  assert.deepEqual([states, sockets.length, asked], [['open', 'lost'], 1, ['http://127.0.0.1:8000/word/icon.svg']]);
  await after(500);
  assert.equal(sockets.length, 2);
  sockets[1].receive({ type: 'hello', control: true, free: false });
  sockets[1].onclose({ code: 1006 });
  await after(250);
  assert.deepEqual(states, ['open', 'lost', 'open', 'lost', 'foreign']);
  assert.deepEqual([sockets.length, asked.length, due], [2, 3, []]);
});
