// Mouse and touch on the stage: select, drag a ball or the tip of its velocity, move, turn and zoom the view.

/** Balls of a scene that are dragged without being selected before, at most. */
const MOST_LOOSE = 500;

/** A drag starts when the pointer has moved so far, in pixels. */
const THRESHOLD = 4;

/** Sends changes one at a time: while one is under way only the newest is kept. */
export class Latest {
  constructor(send) {
    this.send = send;
    this.busy = false;
    this.wish = null;
    this.done = Promise.resolve();
  }

  push(wish) {
    this.wish = wish;
    if (!this.busy) this.done = this.#run();
    return this.done;
  }

  async #run() {
    this.busy = true;
    while (this.wish !== null) {
      const wish = this.wish;
      this.wish = null;
      await this.send(wish);
    }
    this.busy = false;
  }
}

export class Pointer {
  constructor(app, panel) {
    this.app = app;
    this.panel = panel;
    this.pointers = new Map();
    this.mode = null;
    const { element } = app.stage;
    element.addEventListener('pointerdown', (event) => this.#down(event));
    element.addEventListener('pointermove', (event) => this.#move(event));
    element.addEventListener('pointerup', (event) => this.#up(event));
    element.addEventListener('pointercancel', (event) => this.#up(event));
    element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    element.addEventListener('dblclick', (event) => this.#double(event));
    element.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  #at(event) {
    const box = this.app.stage.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  get #scene() {
    return this.app.stage.scene;
  }

  #down(event) {
    const picture = this.app.drawn;
    if (!picture) return;
    const { element } = this.app.stage;
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    const [x, y] = this.#at(event);
    this.pointers.set(event.pointerId, [x, y]);
    if (this.pointers.size > 1) {
      this.#finish();
      this.mode = { name: 'pinch' };
      return;
    }
    this.mode = this.#modeAt(picture, x, y, event);
  }

  #modeAt(picture, x, y, event) {
    const start = { x, y, moved: false, shift: event.shiftKey || event.button > 0 };
    const { canEdit } = this.app;
    if (canEdit && picture.chosen && this.#scene.atTip(picture.chosen, x, y)) {
      return { name: 'velocity', ...start, chosen: picture.chosen };
    }
    const row = this.#scene.ballAt(picture, x, y);
    if (row < 0 || !canEdit || !this.#takesHold(row)) return { name: 'view', ...start, row };
    this.app.select(row);
    return { name: 'ball', ...start, chosen: this.app.picture()?.chosen };
  }

  // Where balls are dense a drag must be able to move the view: then only the selected ball is dragged.
  #takesHold(row) {
    const { app } = this;
    return row === app.selected || (app.dim < 3 && app.scene.count <= MOST_LOOSE);
  }

  #move(event) {
    const before = this.pointers.get(event.pointerId);
    const [x, y] = this.#at(event);
    if (!before) {
      this.#hover(x, y);
      return;
    }
    const old = new Map(this.pointers);
    this.pointers.set(event.pointerId, [x, y]);
    if (this.mode?.name === 'pinch') this.#pinch(old);
    else this.#drag(x, y, x - before[0], y - before[1]);
  }

  #hover(x, y) {
    const picture = this.app.drawn;
    if (!picture || picture.count > 20000) return;
    const tip = this.app.canEdit && picture.chosen && this.#scene.atTip(picture.chosen, x, y);
    const over = tip || this.#scene.ballAt(picture, x, y) >= 0;
    this.app.stage.element.style.cursor = over ? 'pointer' : 'default';
  }

  #drag(x, y, dx, dy) {
    const { mode } = this;
    if (!mode) return;
    if (!mode.moved && Math.hypot(x - mode.x, y - mode.y) < THRESHOLD) return;
    if (!mode.moved) this.#begin(mode);
    mode.moved = true;
    if (mode.name === 'view') this.#moveView(mode, dx, dy);
    if (mode.name === 'ball') {
      this.#change({ position: this.#scene.placeFor(mode.chosen.position, x - mode.x, y - mode.y) });
    }
    if (mode.name === 'velocity') this.#change({ velocity: this.#scene.velocityFor(mode.chosen, x, y) });
  }

  #moveView(mode, dx, dy) {
    if (mode.shift) this.#scene.pan(dx, dy);
    else this.#scene.drag(dx, dy);
    this.app.stage.moved = true;
    this.app.redraw();
  }

  // A ball that is dragged does not fly on; the run goes on when it is let go.
  #begin(mode) {
    if (mode.name !== 'ball' && mode.name !== 'velocity') return;
    mode.running = this.app.stats?.running ?? false;
    if (mode.running) this.app.tell({ do: 'stop' });
    mode.first = true;
    mode.latest = new Latest((change) => this.#send(mode, change));
  }

  async #send(mode, change) {
    const merge = mode.first ? {} : { merge: true };
    const answer = await this.panel.set({ ...change, ...merge });
    if (answer.ok) mode.first = false;
    this.app.hint(answer.ok ? '' : answer.error ?? '', true);
  }

  #change(change) {
    const { mode, app } = this;
    const digits = (value) => Number(value.toPrecision(6));
    const rounded = Object.fromEntries(Object.entries(change).map(([key, values]) => [key, values.map(digits)]));
    app.ghost = { ...mode.chosen, ...rounded };
    app.redraw();
    mode.latest.push(rounded);
  }

  #up(event) {
    this.pointers.delete(event.pointerId);
    if (this.mode?.name === 'pinch') {
      if (this.pointers.size === 0) this.mode = null;
      return;
    }
    this.#finish();
  }

  async #finish() {
    const { mode, app } = this;
    this.mode = null;
    if (mode?.name === 'view' && !mode.moved && mode.row >= 0) app.select(mode.row);
    if (mode?.latest) {
      await mode.latest.done;
      if (mode.running) app.tell({ do: 'start' });
    }
    app.ghost = null;
    app.redraw();
  }

  #pinch(old) {
    const ids = [...this.pointers.keys()].slice(0, 2);
    if (ids.length < 2) return;
    const [a, b] = ids.map((id) => this.pointers.get(id));
    const [c, d] = ids.map((id) => old.get(id));
    const { factor, middle, shift } = pinchOf(c, d, a, b);
    this.#scene.pan(shift[0], shift[1]);
    this.#scene.zoom(factor, middle[0], middle[1]);
    this.app.stage.moved = true;
    this.app.redraw();
  }

  #wheel(event) {
    event.preventDefault();
    const [x, y] = this.#at(event);
    this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), x, y);
  }

  /** Enlarges about a point, the middle if none is given. */
  zoom(factor, x = this.app.stage.width / 2, y = this.app.stage.height / 2) {
    if (!this.#scene) return;
    this.#scene.zoom(factor, x, y);
    this.app.stage.moved = true;
    this.app.redraw();
  }

  // A double click where nothing is adds a ball there.
  #double(event) {
    const [x, y] = this.#at(event);
    const picture = this.app.drawn;
    if (!picture || !this.app.canEdit || this.app.dim !== 2 || this.app.scene.kind === 'bodies') return;
    if (this.#scene.ballAt(picture, x, y) >= 0) return;
    this.panel.add(this.#scene.view.toWorld(x, y).map((value) => Number(value.toPrecision(4))));
  }
}

/** How two fingers have moved: the factor of their distance, and the way of the point between them. */
export function pinchOf(fromA, fromB, toA, toB) {
  const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
  const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const [before, after] = [middle(fromA, fromB), middle(toA, toB)];
  return {
    factor: distance(toA, toB) / distance(fromA, fromB),
    middle: after,
    shift: [after[0] - before[0], after[1] - before[1]],
  };
}
