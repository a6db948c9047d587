// The live page: its source is the tool behind a WebSocket.

import { Connection } from './data/connection.js';
import { assemble } from './parts.js';

const { app } = assemble();
const address = new URL('socket', window.location.href);
address.protocol = 'ws:';

app.source = new Connection(address, {
  message: (message) => app.message(message),
  statics: (statics) => app.takeStatics(statics),
  frame: (frame) => app.takeFrame(frame),
  state: (state, reason) => app.sourceState(state, reason),
});
