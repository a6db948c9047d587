// The keyboard: those keys that the document has, and more. `?` shows this table.

import { make } from './fields.js';
import { roundDown } from '../data/units.js';

/** What the help shows: keys and what they do; those marked with true change the scene. */
export const HELP = [
  ['Space', 'start and stop'],
  ['E', 'to the next event'],
  [', .', 'one frame back, one frame on'],
  ['R', 'run backwards'],
  ['Home', 'to the start'],
  ['[ ]', 'slower, faster'],
  ['Page Down, Page Up', 'next scene, previous scene', true],
  ['Tab, Shift+Tab', 'next ball, previous ball'],
  ['B', 'add a ball', true],
  ['Arrows', 'move the ball (Shift: ten times as far)', true],
  ['M and + −', 'mass, and radius with it', true],
  ['X, Y, Z and + −', 'components of the velocity', true],
  ['D', 'duplicate the ball', true],
  ['Delete', 'delete the ball', true],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo', true],
  ['C', 'colours by the next quantity'],
  ['V, T, G, I', 'velocities, trails, grid, contacts and impulses'],
  ['F', 'show everything'],
  ['+ −', 'zoom, if neither M, X, Y nor Z was pressed'],
  ['S, P', 'save the scene, a picture'],
  ['L', 'light or dark'],
  ['Esc', 'select nothing; again: leave the picture, so that Tab goes to the controls'],
  ['?', 'these keys'],
  ['Double click', 'add a ball there', true],
  ['Drag', 'a ball, the tip of its arrow, or the view'],
  ['Wheel, two fingers', 'zoom'],
];

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] };
const PLUS = new Set(['+', '=', 'Add']);
const MINUS = new Set(['-', '_', '−', 'Subtract']);

/** A step for a quantity of some size: a tenth of it, as a round number. */
export function stepOf(size) {
  return size > 0 && Number.isFinite(size) ? roundDown(size / 10) : 0.1;
}

/** A number without the digits that rounding added. */
export function tidy(value) {
  return Number(value.toPrecision(12));
}

/** The mass after a step up or down; it stays above zero. */
export function massAfter(mass, up) {
  const step = stepOf(mass);
  if (up) return tidy(mass + step);
  return tidy(mass - (mass - step > 0 ? step : mass / 2));
}

/** How far an arrow key moves a ball: a hundredth of the shortest side of what is shown, as a round number. */
export function moveStep({ lower, upper }, shift) {
  const sides = lower.map((low, axis) => upper[axis] - low).filter((side) => side > 0 && Number.isFinite(side));
  const step = roundDown((sides.length > 0 ? Math.min(...sides) : 1) / 100);
  return shift ? 10 * step : step;
}

export class Keys {
  constructor(app, { time, ball, scene, view, pointer, save }, replay) {
    Object.assign(this, { app, time, ball, scene, view, pointer, save });
    this.armed = null;
    this.plain = this.#table();
    document.addEventListener('keydown', (event) => this.#down(event));
    this.#help(replay);
  }

  #table() {
    const { time, ball, view, save, app } = this;
    return {
      ' ': () => time.toggle(),
      e: () => time.event(),
      '.': () => time.frame(),
      ',': () => time.frameBack(),
      r: () => time.backwards(),
      home: () => time.restart(),
      '[': () => time.faster(false),
      ']': () => time.faster(true),
      pagedown: () => app.order({ do: 'next_scene' }),
      pageup: () => app.order({ do: 'previous_scene' }),
      b: () => ball.add(),
      d: () => ball.duplicate(),
      delete: () => ball.remove(),
      c: () => view.nextColour(),
      v: () => view.toggle('velocities'),
      t: () => view.toggle('trails'),
      g: () => view.toggle('grid'),
      i: () => view.toggle('contacts'),
      f: () => app.fit(),
      l: () => view.otherTheme(),
      s: () => save.scene(),
      p: () => save.png(),
      '?': () => this.showHelp(),
      m: () => this.#arm('m'),
      x: () => this.#arm('x'),
      y: () => this.#arm('y'),
      z: () => this.#arm('z'),
    };
  }

  #down(event) {
    if (document.querySelector('dialog[open]') || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    const typing = target.matches?.('input[type="text"], select, textarea');
    if (typing) return;
    if (event.ctrlKey || event.metaKey) {
      this.#withControl(event);
      return;
    }
    if (this.#onControl(event)) return;
    if (this.#special(event)) event.preventDefault();
  }

  // Space, Enter, arrows and Tab on a button or slider do what they always do.
  #onControl({ key, target }) {
    const control = target.matches?.('button, input, summary, a');
    if (!control) return false;
    const moves = key in ARROWS || key === 'Home' || key.startsWith('Page');
    return key === 'Tab' || key === 'Enter' || key === ' ' || (moves && target.type === 'range');
  }

  #withControl(event) {
    const key = event.key.toLowerCase();
    if (key === 'z') (event.shiftKey ? this.scene?.redo() : this.scene?.undo());
    else if (key === 'y') this.scene?.redo();
    else return;
    event.preventDefault();
  }

  #special(event) {
    const { key, shiftKey } = event;
    if (key === 'Tab') return this.#tab(shiftKey);
    if (key === 'Escape') return this.#escape();
    if (key in ARROWS) return this.#arrow(key, shiftKey);
    if (PLUS.has(key) || MINUS.has(key)) return this.#sign(PLUS.has(key));
    const action = this.plain[key.toLowerCase()];
    if (!action) return false;
    if (!'mxyz'.includes(key.toLowerCase())) this.#arm(null);
    action();
    return true;
  }

  #tab(back) {
    if (!this.app.scene || this.app.scene.count === 0) return false;
    this.app.selectNext(back ? -1 : 1);
    this.app.stage.element.focus({ preventScroll: true });
    return true;
  }

  #escape() {
    if (this.armed) this.#arm(null);
    else if (this.app.selected >= 0) this.app.select(-1);
    else document.getElementById('run').focus();
    return true;
  }

  #arrow(key, shift) {
    const [axis, sign] = ARROWS[key];
    const { app } = this;
    const told = app.told;
    if (!told || !app.canEdit) {
      if (!app.stage.scene) return false;
      const [dx, dy] = axis === 0 ? [-40 * sign, 0] : [0, 40 * sign];
      app.stage.scene.drag(dx, dy);
      app.stage.moved = true;
      app.redraw();
      return true;
    }
    if (axis >= app.dim) return true;
    const position = told.position.slice();
    position[axis] = tidy(position[axis] + sign * moveStep(app.scene.view, shift));
    this.#set({ position });
    return true;
  }

  async #set(change) {
    const answer = await this.ball.set(change);
    this.app.hint(answer.ok ? '' : answer.error ?? '', true);
  }

  #arm(key) {
    this.armed = key;
    const fields = { m: 'ball-mass', x: 'ball-vx', y: 'ball-vy', z: 'ball-vz' };
    for (const [name, id] of Object.entries(fields)) {
      document.getElementById(id)?.classList.toggle('armed', name === key);
    }
  }

  #sign(up) {
    const { app, armed } = this;
    if (!armed) {
      this.pointer.zoom(up ? 1.25 : 0.8);
      return true;
    }
    const { told } = app;
    if (!told || !app.canEdit) return true;
    if (armed === 'm') {
      this.#set({ mass: massAfter(told.mass, up), with_radius: true });
      return true;
    }
    const axis = 'xyz'.indexOf(armed);
    if (axis >= app.dim) return true;
    const velocity = told.velocity.slice();
    velocity[axis] = tidy(velocity[axis] + (up ? 1 : -1) * this.#velocityStep());
    this.#set({ velocity });
    return true;
  }

  // A tenth of the fastest speed; where all is at rest, a tenth of the shortest side a second.
  #velocityStep() {
    const { scene } = this.app;
    if (scene.fastest > 0) return stepOf(scene.fastest);
    return 10 * moveStep(scene.view, false);
  }

  #help(replay) {
    const row = ([keys, text]) => make('div', {}, make('kbd', {}, keys), make('span', {}, text));
    const rows = HELP.filter(([, , edits]) => !(replay && edits)).map(row);
    document.getElementById('keys-list').replaceChildren(...rows);
    document.getElementById('help').addEventListener('click', () => this.showHelp());
  }

  showHelp() {
    document.getElementById('keys').showModal();
  }
}
