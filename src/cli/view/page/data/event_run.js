// A run that is kept as its events: between them motion is exact, so that every time can be shown.

import { columnsOf } from './base64.js';
import { Flight, wrap } from './motion.js';

/** The bit that says that a ball has collided with a wall. */
export const WALL = 0x80000000;

/** States that are kept to go back from, in numbers of 8 bytes, at most. */
const MOST_KEPT = 4e6;

export class EventRun {
  constructor({ dim, count, start, gravity, box, events }, flags) {
    this.dim = dim;
    this.count = count;
    this.start = start;
    this.box = box;
    const [positions, velocities] = columnsOf(events.start, [[Float64Array, dim * count], [Float64Array, dim * count]]);
    const size = events.count;
    [this.times, this.first, this.second, this.velocityOfFirst, this.velocityOfSecond] = columnsOf(events.data, [
      [Float64Array, size], [Uint32Array, size], [Uint32Array, size],
      [Float64Array, dim * size], [Float64Array, dim * size],
    ]);
    const fixed = Array.from(flags, (flag) => (flag & 1) !== 0);
    this.flight = new Flight({ dim, positions, velocities, gravity, fixed, time: start });
    this.collisions = new Uint32Array(count);
    this.walls = 0;
    this.done = 0;
    this.positions = new Float64Array(dim * count);
    this.velocities = new Float64Array(dim * count);
    this.#prepareKept(size);
  }

  #prepareKept(size) {
    const most = Math.max(1, Math.floor(MOST_KEPT / Math.max(1, (2 * this.dim + 2) * this.count)));
    this.every = Math.max(64, Math.ceil(size / most));
    this.kept = [this.#copy()];
  }

  #copy() {
    return { done: this.done, walls: this.walls, flight: this.flight.copy(), collisions: this.collisions.slice() };
  }

  /** The number of events at or before a time. */
  eventsUntil(time) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Goes to a time, back or forth: what happens at this time has happened. */
  seek(time) {
    const target = this.eventsUntil(time);
    if (target < this.done) this.#back(target);
    while (this.done < target) this.#apply();
    this.time = time;
    this.flight.at(time, this.positions, this.velocities);
  }

  #back(target) {
    const from = this.kept[Math.min(this.kept.length - 1, Math.floor(target / this.every))];
    Object.assign(this, { ...from, flight: from.flight.copy(), collisions: from.collisions.slice() });
  }

  #apply() {
    const { done, dim, flight } = this;
    const time = this.times[done];
    const [first, second] = [this.first[done], this.second[done]];
    flight.turn(first, time, this.velocityOfFirst, done * dim);
    this.collisions[first] += 1;
    if (second >= WALL) {
      this.walls += 1;
    } else {
      flight.turn(second, time, this.velocityOfSecond, done * dim);
      this.collisions[second] += 1;
    }
    this.done += 1;
    if (this.done % this.every === 0 && this.kept.length === this.done / this.every) this.kept.push(this.#copy());
  }

  /** The next event, as the tool tells it; null after the last. */
  next() {
    if (this.done >= this.times.length) return null;
    const [time, first, second] = [this.times[this.done], this.first[this.done], this.second[this.done]];
    if (second < WALL) return { time, kind: 'ball', first, second };
    const face = second - WALL;
    return { time, kind: 'wall', first, axis: face >> 1, side: face & 1 ? 'upper' : 'lower' };
  }

  /** What is drawn: places from the origin in single precision, within the box where it is periodic. */
  frame() {
    const { dim, box } = this;
    const origin = box.map(({ boundary, lower }) => (boundary === 'open' ? 0 : lower));
    const places = new Float32Array(this.positions.length);
    for (let at = 0; at < places.length; at += 1) {
      const axis = at % dim;
      const { boundary, lower, upper } = box[axis];
      const x = boundary === 'periodic' ? wrap(this.positions[at], lower, upper) : this.positions[at];
      places[at] = x - origin[axis];
    }
    const velocities = Float32Array.from(this.velocities);
    return { places, origin, velocities, angles: null, collisions: this.collisions };
  }

  /** Exact place and velocity of one ball. */
  ball(row) {
    const part = (array) => Array.from(array.subarray(row * this.dim, row * this.dim + this.dim));
    const position = part(this.positions).map((x, axis) => {
      const { boundary, lower, upper } = this.box[axis];
      return boundary === 'periodic' ? wrap(x, lower, upper) : x;
    });
    return { position, velocity: part(this.velocities), collisions: this.collisions[row] };
  }
}
