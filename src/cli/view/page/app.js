// The state of the page, what comes from the tool, and the loop that draws. A source is the tool behind a WebSocket,
// or the player of a replay: both take the same commands and give the same messages.

import { cornersBetween } from './data/corners.js';
import { bodiesOf, extentsOf, FIXED } from './data/decode.js';
import { Series, Trails } from './data/history.js';
import { boundsOf, chosenBall, Painter, paletteOf, trailRows } from './draw/picture.js';
import { Stage } from './draw/stage.js';

/** Balls whose velocities are asked for only because one is selected or trails are kept, at most. */
const MOST_VELOCITIES = 5000;

export class App {
  constructor(stageElement) {
    this.listeners = new Map();
    this.source = null;
    this.hello = null;
    this.scene = null;
    this.statics = null;
    this.frame = null;
    this.stats = null;
    this.arrived = [];
    this.drawn = null;
    this.state = 'opening';
    this.control = false;
    this.selected = -1;
    this.added = Infinity;
    this.ghost = null;
    this.theme = 'light';
    this.units = 'm, kg, s';
    this.colour = 'plain';
    this.show = { velocities: false, trails: false, contacts: false, grid: true };
    this.painter = new Painter();
    this.trails = new Trails();
    this.series = { kinetic: new Series(), potential: new Series(), total: new Series() };
    this.seriesGiven = false;
    this.wanted = '';
    this.stage = new Stage(stageElement, () => this.redraw());
  }

  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  emit(name, value) {
    for (const listener of this.listeners.get(name) ?? []) listener(value);
  }

  tell(command) {
    this.source.tell(command);
  }

  ask(command) {
    return this.source.ask(command);
  }

  /** Asks for something and shows what was refused as a hint over the picture. */
  async order(command) {
    const answer = await this.ask(command);
    if (!answer.ok) this.hint(answer.error, true);
    return answer;
  }

  hint(text, bad = false) {
    this.emit('hint', { text, bad });
  }

  /** Whether balls may be changed from this page. */
  get canEdit() {
    return this.control && this.scene?.editable?.balls === true && this.state === 'open';
  }

  get dim() {
    return this.scene?.dim ?? 0;
  }

  /** What the tool told of the selected ball. */
  get told() {
    return this.stats?.selected?.find(({ ball }) => ball === this.selected) ?? null;
  }

  // From the source.

  sourceState(state, reason) {
    this.state = state;
    if (state === 'open') this.wanted = '';
    this.emit('state', reason);
    this.emit('control');
  }

  message(message) {
    if (message.type === 'hello') {
      this.hello = message;
      this.control = message.control;
      this.free = message.free;
      this.pages = message.pages;
      this.emit('hello', message);
      this.emit('control');
    } else if (message.type === 'role') {
      this.control = message.control;
      this.free = message.free;
      this.pages = message.pages;
      this.emit('control');
    } else if (message.type === 'scene') {
      this.#scene(message);
    } else if (message.type === 'stats') {
      this.#stats(message);
    }
  }

  #scene(scene) {
    const before = this.scene;
    const other = !before || before.name !== scene.name || before.dim !== scene.dim || before.kind !== scene.kind;
    this.scene = scene;
    this.extents = extentsOf(scene);
    Object.assign(this, { statics: null, frame: null, stats: null, drawn: null });
    this.trails.clear();
    if (!this.seriesGiven) for (const series of Object.values(this.series)) series.clear();
    if (other) this.painter.reset();
    this.#reselect(scene.count, other);
    const boxes = JSON.stringify([scene.box, scene.dim]);
    this.stage.show(scene.dim, scene.view, other || boxes !== this.boxes);
    this.boxes = boxes;
    this.emit('scene', scene);
    this.#selectionChanged();
  }

  takeStatics(statics) {
    this.statics = statics;
    this.bodies = bodiesOf(this.scene, statics);
  }

  /** Keeps the newest frame until it can be drawn; a page that is not seen draws none and so gets no more. */
  takeFrame(frame) {
    this.coming = frame;
    this.arrived.push(frame.number);
    this.redraw();
  }

  #stats(stats) {
    if (stats.revision !== this.scene?.revision) return;
    this.stats = stats;
    if (!this.seriesGiven) this.#remember(stats.time, stats.energy);
    this.emit('stats', stats);
    this.redraw();
  }

  #remember(time, { kinetic, potential, total }) {
    this.series.kinetic.add(time, kinetic);
    if (potential !== null) this.series.potential.add(time, potential);
    if (total !== null) this.series.total.add(time, total);
  }

  /** Takes the energies of a whole run, which is known beforehand. */
  keepSeries(series) {
    this.seriesGiven = true;
    (series?.time ?? []).forEach((time, index) => {
      const [kinetic, potential] = [series.kinetic[index], series.potential?.[index] ?? null];
      this.#remember(time, { kinetic, potential, total: potential === null ? null : kinetic + potential });
    });
  }

  // Choices of the page.

  /** Selects a ball; one that has just been added is selected when the scene that has it is there. */
  select(row) {
    if (row >= (this.scene?.count ?? 0)) {
      this.added = row;
      return;
    }
    this.selected = row;
    this.#selectionChanged();
  }

  #reselect(count, other) {
    if (this.added < count) this.selected = this.added;
    else if (other) this.selected = -1;
    else this.selected = Math.min(this.selected, count - 1);
    this.added = Infinity;
  }

  /** The next ball, or the one before, all around. */
  selectNext(step) {
    const count = this.scene?.count ?? 0;
    if (count === 0) return;
    this.select(this.selected < 0 ? (step > 0 ? 0 : count - 1) : (this.selected + step + count) % count);
  }

  #selectionChanged() {
    this.tell({ do: 'select', balls: this.selected >= 0 ? [this.selected] : [] });
    this.want();
    this.emit('select');
    this.redraw();
  }

  /** Tells which numbers the pictures need. */
  want() {
    if (!this.scene) return;
    const bodies = this.scene.kind === 'bodies';
    const few = this.scene.count <= MOST_VELOCITIES;
    const velocities = this.show.velocities || (few && (this.selected >= 0 || this.follows));
    const wish = {
      velocities,
      speeds: this.colour === 'speed' && !velocities,
      collisions: this.colour === 'collisions' || bodies,
      contacts: this.show.contacts && bodies,
    };
    const text = JSON.stringify(wish);
    if (text === this.wanted) return;
    this.wanted = text;
    this.tell({ do: 'want', ...wish });
  }

  fit() {
    if (!this.scene) return;
    const closed = this.extents.every(({ lower, upper }) => Number.isFinite(lower) && Number.isFinite(upper));
    const leaves = !closed && this.frame?.count > 0;
    this.stage.fit(leaves ? boundsOf(this.frame, this.statics.radii, this.dim) : this.scene.view);
    this.redraw();
  }

  // Drawing.

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#draw();
    });
  }

  #draw() {
    this.#take();
    const picture = this.picture();
    if (!picture) return;
    this.drawn = picture;
    this.stage.draw(picture);
    this.emit('drawn', picture);
  }

  #take() {
    if (!this.coming) return;
    const frame = this.coming;
    this.coming = null;
    this.#turns(this.frame, frame);
    this.frame = frame;
    for (const number of this.arrived.splice(0)) this.tell({ do: 'got', frame: number });
    this.passThrough(frame.time, frame);
    this.emit('frame', frame);
  }

  // Between two states of an event-driven run trails have a corner where the ball has turned.
  #turns(before, after) {
    if (!this.follows || this.scene.kind !== 'balls' || before?.time !== this.trails.lastTime) return;
    const { dim, gravity } = this.scene;
    const fixed = this.statics.flags.map((flag) => flag & FIXED);
    const corners = cornersBetween(before, after, this.trails.rows, { dim, gravity, extents: this.extents, fixed });
    for (const { time, places } of corners) this.trails.addOwn(time, places);
  }

  /** Whether trails are kept: when they are shown, and on a line for the space-time diagram. */
  get follows() {
    return this.show.trails || this.dim === 1;
  }

  /** Remembers for the trails where the balls are. */
  passThrough(time, { places, origin }) {
    if (!this.follows) return;
    this.trails.follow(trailRows(this.scene.count, this.selected), this.dim);
    this.trails.add(time, places, origin);
  }

  /** The rows that collide next. */
  get next() {
    const next = this.stats?.next;
    if (!next) return [];
    return next.kind === 'ball' ? [next.first, next.second] : [next.first];
  }

  picture() {
    const { frame, statics, scene } = this;
    if (!frame || !statics || !scene) return null;
    const palette = paletteOf(this.theme);
    const chosen = this.ghost ?? chosenBall(frame, statics, this.selected, this.told);
    const { bodies, selected, next } = this;
    const rigid = scene.kind === 'bodies';
    const colours = this.painter.paint({ statics, frame, mode: this.colour, palette, selected, next, rigid });
    return {
      ...frame, colours, palette, chosen, bodies,
      radii: statics.radii,
      bounded: scene.bounded === true,
      extents: this.extents,
      bounds: scene.view,
      trails: this.trails,
      show: this.show,
      usualSpeed: this.usualSpeed,
      canEdit: this.canEdit,
    };
  }

  /**
   * The speed whose arrow has the usual length: root mean square, but at least 0.4 of the largest, so that no arrow
   * leaves the picture.
   */
  get usualSpeed() {
    const speeds = this.stats?.speeds;
    if (!speeds || !(speeds.width > 0)) return this.scene.fastest || 0;
    return usualOf(speeds.width, speeds.counts);
  }
}

/** That speed from a histogram. */
export function usualOf(width, counts) {
  let [sum, all, fastest] = [0, 0, 0];
  counts.forEach((number, bin) => {
    const speed = (bin + 0.5) * width;
    sum += number * speed ** 2;
    all += number;
    if (number > 0) fastest = speed;
  });
  return all > 0 ? Math.max(Math.sqrt(sum / all), 0.4 * fastest) : 0;
}
