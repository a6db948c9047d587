// The live page: its source is the tool behind a WebSocket.

import { Connection } from './data/connection.js';
import { assemble } from './parts.js';

/** The parts of the page, for whoever examines it by program. */
export const page = assemble();
const { app } = page;
const address = new URL('socket', window.location.href);
address.protocol = 'ws:';

app.source = new Connection(address, {
  message: (message) => app.message(message),
  statics: (statics) => app.takeStatics(statics),
  frame: (frame) => app.takeFrame(frame),
  state: (state, reason) => app.sourceState(state, reason),
});
