// Where balls have turned between two states of an event-driven run. The motion before and after an event is known, so
// that its time is where the two curves meet.

import { coordinateAfter, wrap } from './motion.js';

/** Turns between two states that are drawn, at most: more cannot be told apart. */
const MOST_TURNS = 64;

/** A way may miss by this part of its length, because states come in single precision. */
const MISS = 1e-3;

/**
 * The time after the first state at which a ball turned, or null if it did not, or more than once. Places, velocities
 * and accelerations have one number per axis; the states are `dt` apart.
 */
export function turnBetween(x0, v0, x1, v1, acceleration, dt) {
  // Seen from a frame that falls with the ball both ways are straight: x1 - x0 = v0 s + v1 (dt - s).
  const way = x1.map((x, axis) => x - x0[axis] - 0.5 * acceleration[axis] * dt * dt);
  const after = v1.map((v, axis) => v - acceleration[axis] * dt);
  const change = v0.map((v, axis) => v - after[axis]);
  const rest = way.map((w, axis) => w - after[axis] * dt);
  const square = dot(change, change);
  const speed = Math.hypot(...v0, ...after);
  if (!(square > (MISS * speed) ** 2)) return null;
  const time = dot(rest, change) / square;
  if (!(time > 0 && time < dt)) return null;
  const miss = Math.hypot(...rest.map((r, axis) => r - change[axis] * time));
  return miss <= MISS * speed * dt ? time : null;
}

function dot(a, b) {
  return a.reduce((sum, value, axis) => sum + value * b[axis], 0);
}

/** One ball in two states: where it is at any time between them. */
class Passage {
  constructor(before, after, row, { dim, gravity, extents, fixed }) {
    const part = (state, name, axis) => state[name][row * dim + axis];
    const each = (make) => Array.from({ length: dim }, (_, axis) => make(axis));
    this.extents = extents;
    this.dt = after.time - before.time;
    this.a = each((axis) => (axis === 1 && !fixed[row] ? -gravity : 0));
    this.x0 = each((axis) => part(before, 'places', axis) + before.origin[axis]);
    this.v0 = each((axis) => part(before, 'velocities', axis));
    this.v1 = each((axis) => part(after, 'velocities', axis));
    this.x1 = each((axis) => this.#near(part(after, 'places', axis) + after.origin[axis], axis));
    this.turn = turnBetween(this.x0, this.v0, this.x1, this.v1, this.a, this.dt);
  }

  // Of all images of a place in a periodic box that one which the ball could reach.
  #near(x, axis) {
    const { kind, lower, upper } = this.extents[axis];
    if (kind !== 'periodic') return x;
    const guess = this.x0[axis] + 0.5 * (this.v0[axis] + this.v1[axis]) * this.dt;
    return x + (upper - lower) * Math.round((guess - x) / (upper - lower));
  }

  at(time, out, offset) {
    for (let axis = 0; axis < this.a.length; axis += 1) {
      const x = this.turn !== null && time > this.turn
        ? coordinateAfter(this.x1[axis], this.v1[axis], this.a[axis], time - this.dt)
        : this.#first(axis, time);
      const { kind, lower, upper } = this.extents[axis];
      out[offset + axis] = kind === 'periodic' ? wrap(x, lower, upper) : x;
    }
  }

  // Before its turn a ball flies; one whose turns are not known is taken along the straight way.
  #first(axis, time) {
    if (this.turn === null) return this.x0[axis] + ((this.x1[axis] - this.x0[axis]) * time) / this.dt;
    return coordinateAfter(this.x0[axis], this.v0[axis], this.a[axis], time);
  }
}

/**
 * The times between two states at which one of these balls turned, with the places of all of them then:
 * [{ time, places }], places in the order of the rows.
 */
export function cornersBetween(before, after, rows, scene) {
  if (!before?.velocities || !after.velocities || !(after.time > before.time)) return [];
  const passages = rows.map((row) => new Passage(before, after, row, scene));
  const times = [...new Set(passages.map(({ turn }) => turn).filter((turn) => turn !== null))].sort((a, b) => a - b);
  if (times.length > MOST_TURNS) return [];
  return times.map((time) => {
    const places = new Float64Array(rows.length * scene.dim);
    passages.forEach((passage, index) => passage.at(time, places, index * scene.dim));
    return { time: before.time + time, places };
  });
}
