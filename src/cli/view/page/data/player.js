// The player of a replay: it takes the commands and gives the messages of the tool, from a run that is kept.

import { decodeStatic, FIXED } from './decode.js';
import { bytesOf } from './base64.js';
import { EventRun } from './event_run.js';
import { histogram, maxwellCounts, temperatureOf } from './speeds.js';
import { StateRun } from './state_run.js';

/** Seconds that a whole run takes at the speed "max". */
const FASTEST = 5;

/** Balls of which numbers are shown with every frame, at most. */
const MANY = 1000;

/** Events between two frames whose corners are kept, at most. */
const MOST_CORNERS = 32;

/** Bins of the histogram of speeds. */
const BINS = 32;

/** Masses of which Maxwell's distributions are added up, at most. */
const MOST_MASSES = 64;

/** Simulated time of a frame at the speed of life. */
const STEP = 1 / 60;

/** The value of a quantity at a time, on the straight line between samples. */
export function interpolate(times, values, time) {
  if (!times || times.length === 0 || !values) return null;
  let right = times.findIndex((sample) => sample >= time);
  if (right < 0) right = times.length - 1;
  const left = Math.max(0, right - 1);
  const span = times[right] - times[left];
  const part = span > 0 ? (time - times[left]) / span : 1;
  return values[left] + (values[right] - values[left]) * Math.min(1, Math.max(0, part));
}

export class Player {
  constructor(data, handlers) {
    if (data.format !== 'carom-replay' || data.version !== 1) throw new Error('this is not a replay of version 1');
    this.data = data;
    this.handlers = handlers;
    this.statics = decodeStatic(bytesOf(data.static).buffer);
    this.run = data.events ? new EventRun(data, this.statics.flags) : new StateRun(data);
    Object.assign(this, { time: data.start, running: false, speed: 1, balls: [], number: 0, told: 0 });
  }

  /** Sends what a page gets when it connects. */
  begin() {
    const { data, handlers } = this;
    handlers.state('open');
    handlers.message({ type: 'hello', protocol: 1, control: true, free: false, scenes: [] });
    const editable = { balls: false, walls: false, physics: false };
    const { revision } = this.statics;
    handlers.message({ ...data, type: 'scene', revision, step: STEP, editable, undo: 0, redo: 0 });
    handlers.statics(this.statics);
    this.#go(data.start);
  }

  #go(time) {
    this.time = Math.min(this.data.end, Math.max(this.data.start, time));
    this.run.seek(this.time);
    this.#frame();
    this.#stats();
  }

  #frame() {
    this.number += 1;
    const { number, time } = this;
    const { revision, count } = this.statics;
    this.handlers.frame({ revision, number, count, time, speeds: null, contacts: null, ...this.run.frame() });
  }

  #stats() {
    const { data, run } = this;
    this.told = performance.now();
    const isEvents = run instanceof EventRun;
    const series = data.series ?? {};
    const count = (name) => Math.floor(interpolate(series.time, series[name], this.time) ?? 0);
    this.handlers.message({
      type: 'stats',
      revision: this.statics.revision,
      time: this.time,
      running: this.running,
      speed: this.speed === Infinity ? 'max' : this.speed,
      collisions: isEvents ? run.done - run.walls : count('collisions'),
      wall_collisions: isEvents ? run.walls : count('wall_collisions'),
      next: isEvents ? run.next() : null,
      energy: this.#energy(),
      bodies: this.#bodies(),
      speeds: this.#speeds(),
      history: { from: data.start, to: data.end },
      selected: this.balls.filter((ball) => ball < data.count).map((ball) => this.#ball(ball)),
      ended: null,
    });
  }

  // The histogram of what moves and, of balls of a few masses that run from event to event, what Maxwell expects.
  #speeds() {
    const { data, statics } = this;
    const { dim, count, box } = data;
    const { velocities } = this.run;
    const balls = [];
    for (let row = 0; row < count; row += 1) {
      if (statics.flags[row] & FIXED) continue;
      balls.push({ mass: statics.masses[row], velocity: velocities.subarray(row * dim, row * dim + dim) });
    }
    const found = histogram(balls.map(({ velocity }) => Math.hypot(...velocity)), BINS);
    const heavy = balls.filter(({ mass }) => mass > 0);
    const masses = new Map();
    for (const { mass } of heavy) masses.set(mass, (masses.get(mass) ?? 0) + 1);
    if (!data.events || masses.size > MOST_MASSES) return found;
    const temperature = temperatureOf(heavy, box, balls.length < count);
    return { ...found, maxwell: maxwellCounts(found, [...masses], temperature, dim) };
  }

  // Contacts and penetration of rigid bodies; counts are whole.
  #bodies() {
    const { series } = this.data;
    if (!series?.contacts) return null;
    const at = (name) => interpolate(series.time, series[name], this.time) ?? 0;
    const whole = (name) => Math.round(at(name));
    return {
      contacts: whole('contacts'), max_penetration: at('max_penetration'), asleep: whole('asleep'),
      steps: whole('steps'), angular_momentum: at('angular_momentum'),
    };
  }

  #energy() {
    const { data, time } = this;
    const { series } = data;
    const kinetic = data.events ? this.#kinetic() : interpolate(series?.time, series?.kinetic, time) ?? 0;
    const potential = interpolate(series?.time, series?.potential, time);
    return { kinetic, potential, total: potential === null ? null : kinetic + potential };
  }

  #kinetic() {
    const { dim, count } = this.data;
    const { velocities } = this.run;
    let sum = 0;
    for (let row = 0; row < count; row += 1) {
      if (this.statics.flags[row] & FIXED) continue;
      const half = 0.5 * this.statics.masses[row];
      for (let axis = 0; axis < dim; axis += 1) sum += half * velocities[row * dim + axis] ** 2;
    }
    return sum;
  }

  #ball(ball) {
    const told = this.run.ball(ball);
    const { masses, radii, flags } = this.statics;
    const speed = Math.hypot(...told.velocity);
    const mass = masses[ball];
    const fixed = (flags[ball] & FIXED) !== 0;
    return { ball, ...told, mass, radius: radii[ball], fixed, speed, energy: 0.5 * mass * speed * speed };
  }

  // Commands, as the tool takes them.

  tell(command) {
    this.#obey(command);
  }

  ask(command) {
    return Promise.resolve({ type: 'answer', field: null, ...this.#obey(command) });
  }

  sendFile() {
    return Promise.resolve({ ok: false, error: 'a replay does not open files', field: null });
  }

  #obey(command) {
    const action = this.#actions()[command.do];
    if (!action) return { ok: false, error: 'a replay shows a run and does not change it' };
    const error = action(command);
    return error ? { ok: false, error } : { ok: true, time: this.time };
  }

  #actions() {
    return {
      got: () => {},
      want: () => {},
      select: ({ balls }) => {
        this.balls = balls;
        this.#stats();
      },
      start: () => this.#start(),
      stop: () => this.#stop(),
      speed: ({ speed }) => {
        this.speed = speed === 'max' ? Infinity : speed;
        this.#stats();
      },
      seek: ({ time }) => this.#still(time),
      frame: () => this.#still(this.time + (this.data.dt ?? STEP * (Number.isFinite(this.speed) ? this.speed : 1))),
      event: () => this.#event(),
      restart: () => this.#go(this.data.start),
    };
  }

  #still(time) {
    this.running = false;
    this.#go(time);
  }

  #event() {
    const time = this.run.next ? this.run.next()?.time : this.run.nextTime();
    if (time === null || time === undefined || time > this.data.end) return 'there are no more events in this replay';
    return this.#still(time);
  }

  #stop() {
    this.running = false;
    this.#stats();
  }

  #start() {
    if (this.running) return;
    if (this.time >= this.data.end) this.#go(this.data.start);
    this.running = true;
    this.last = performance.now();
    this.#stats();
    this.#tick();
  }

  // Trails have their corners at events, not where the screen happened to be drawn.
  #pass(time) {
    const { run, handlers } = this;
    if (!handlers.passing || !run.times || !run.next || run.eventsUntil(time) - run.done > MOST_CORNERS) return;
    for (let next = run.next(); next && next.time <= time; next = run.next()) {
      run.seek(next.time);
      handlers.passing(next.time, run.frame());
    }
  }

  // States are shown with the screen, and so are numbers unless there are many; those then come ten times a second.
  #tick() {
    requestAnimationFrame(() => {
      if (!this.running) return;
      const now = performance.now();
      const rate = Number.isFinite(this.speed) ? this.speed : (this.data.end - this.data.start) / FASTEST;
      const time = Math.min(this.data.end, this.time + (rate * Math.min(now - this.last, 250)) / 1000);
      this.last = now;
      this.#pass(time);
      this.time = time;
      this.run.seek(time);
      this.#frame();
      if (time >= this.data.end) this.running = false;
      if (!this.running || this.data.count <= MANY || now - this.told > 100) this.#stats();
      this.#tick();
    });
  }
}
