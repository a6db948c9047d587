// A run that is kept as states with quantised coordinates, for simulations in time steps.

import { columnsOf } from './base64.js';
import { angleBetween } from './motion.js';

const TURN = (2 * Math.PI) / 65536;

/** The contacts of all states: place, direction of the normal and impulse, 16 bits each. */
class KeptContacts {
  constructor({ counts, origin, scale, data }, states) {
    Object.assign(this, { origin, scale });
    const [numbers] = columnsOf(counts, [[Uint32Array, states]]);
    this.ends = new Uint32Array(states + 1);
    numbers.forEach((number, state) => { this.ends[state + 1] = this.ends[state] + number; });
    [this.words] = columnsOf(data, [[Uint16Array, 4 * this.ends[states]]]);
  }

  of(state) {
    const [from, to] = [this.ends[state], this.ends[state + 1]];
    return Array.from({ length: to - from }, (_, index) => this.#contact(from + index));
  }

  #contact(index) {
    const [x, y, turn, impulse] = this.words.subarray(4 * index, 4 * index + 4);
    const value = (word, part) => this.origin[part] + word * this.scale[part];
    return {
      x: value(x, 0), y: value(y, 1), nx: Math.cos(turn * TURN), ny: Math.sin(turn * TURN), impulse: value(impulse, 2),
    };
  }
}

export class StateRun {
  constructor({ dim, count, states }) {
    Object.assign(this, { dim, count, origin: states.origin, scale: states.scale });
    [this.times] = columnsOf(states.times, [[Float64Array, states.count]]);
    [this.steps] = columnsOf(states.positions, [[Uint16Array, dim * count * states.count]]);
    this.turns = states.angles ? columnsOf(states.angles, [[Uint16Array, count * states.count]])[0] : null;
    this.places = new Float32Array(dim * count);
    this.velocities = new Float32Array(dim * count);
    this.angles = this.turns ? new Float32Array(count) : null;
    this.contacts = states.contacts ? new KeptContacts(states.contacts, states.count) : null;
  }

  /** The state at or before a time. */
  stateAt(time) {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Goes to a time: between two states everything moves evenly. */
  seek(time) {
    const from = this.stateAt(time);
    const to = Math.min(from + 1, this.times.length - 1);
    const span = this.times[to] - this.times[from];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - this.times[from]) / span)) : 0;
    this.time = time;
    this.state = from;
    this.#places(from, to, part, span);
    if (this.turns) this.#angles(from, to, part);
  }

  #places(from, to, part, span) {
    const width = this.dim * this.count;
    for (let at = 0; at < width; at += 1) {
      const scale = this.scale[at % this.dim];
      const a = this.steps[from * width + at] * scale;
      const b = this.steps[to * width + at] * scale;
      this.places[at] = a + (b - a) * part;
      this.velocities[at] = span > 0 ? (b - a) / span : 0;
    }
  }

  #angles(from, to, part) {
    for (let row = 0; row < this.count; row += 1) {
      const a = this.turns[from * this.count + row] * TURN;
      const b = this.turns[to * this.count + row] * TURN;
      this.angles[row] = angleBetween(a, b, part);
    }
  }

  /** The next state, which a step goes to; its time, or null after the last. */
  nextTime() {
    return this.state + 1 < this.times.length ? this.times[this.state + 1] : null;
  }

  frame() {
    const [places, velocities] = [this.places.slice(), this.velocities.slice()];
    const contacts = this.contacts?.of(this.state) ?? null;
    return { places, origin: this.origin, velocities, angles: this.angles?.slice() ?? null, collisions: null, contacts };
  }

  ball(row) {
    const part = (array) => Array.from(array.subarray(row * this.dim, row * this.dim + this.dim));
    const position = part(this.places).map((x, axis) => x + this.origin[axis]);
    const told = { position, velocity: part(this.velocities) };
    return this.angles ? { ...told, angle: this.angles[row], angular_velocity: null } : told;
  }
}
