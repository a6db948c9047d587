// The parts of the page, put together for any source.

import { App } from './app.js';
import { Keys } from './panels/keys.js';
import { Notices } from './panels/notices.js';
import { Pointer } from './panels/pointer.js';
import { Readings } from './panels/readings.js';
import { TakeAway } from './panels/take_away.js';
import { TimeBar } from './panels/time_bar.js';
import { ViewPanel } from './panels/view_panel.js';
import { BallPanel } from './panels/ball_panel.js';
import { ScenePanel } from './panels/scene_panel.js';

/** The page without a source; that of a replay has nothing to edit. */
export function assemble({ replay = false } = {}) {
  const app = new App(document.getElementById('stage'));
  const parts = {
    notices: new Notices(app),
    time: new TimeBar(app),
    ball: new BallPanel(app),
    scene: replay ? null : new ScenePanel(app),
    readings: new Readings(app),
    view: new ViewPanel(app),
    save: new TakeAway(app),
  };
  const pointer = new Pointer(app, parts.ball);
  const keys = new Keys(app, { ...parts, pointer }, replay);
  keepFocus();
  app.stage.element.focus({ preventScroll: true });
  return { app, ...parts, pointer, keys };
}

// A click on a button leaves the focus where it is, so that the keys of the picture go on working.
function keepFocus() {
  document.addEventListener('mousedown', (event) => {
    if (event.target.closest('button')) event.preventDefault();
  });
}
