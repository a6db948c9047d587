// The page of a replay: its source is the run that the page itself holds.

import { assemble } from './parts.js';
import { Player } from './data/player.js';
import { si } from './data/units.js';

/** What the page says about how exact it is. */
export function exactness({ error, angle_error: turn, events }) {
  if (events) return 'Between events the motion is exact.';
  const angles = turn > 0 ? ` and of an angle ${si(turn, 'rad', 2)}` : '';
  return `Coordinates are rounded: the error is at most ${si(error, 'm', 2)}${angles}.`;
}

function begin() {
  const data = JSON.parse(document.getElementById('carom-replay').textContent);
  const { app } = assemble({ replay: true });
  document.title = `${data.name}: a replay`;
  document.getElementById('name').textContent = data.name;
  document.getElementById('scene-description').textContent = data.description ?? '';
  document.getElementById('exactness').textContent = exactness(data);
  const player = new Player(data, {
    message: (message) => app.message(message),
    statics: (statics) => app.takeStatics(statics),
    frame: (frame) => app.takeFrame(frame),
    passing: (time, frame) => app.passThrough(time, frame),
    state: (state) => app.sourceState(state),
  });
  app.source = player;
  app.keepSeries(data.series);
  player.begin();
}

begin();
