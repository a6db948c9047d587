// What the page remembers of a run: series of numbers over time, and the trails of balls.

/**
 * A quantity over time, in bounded memory: when it is full every other sample is dropped and from then on only every
 * second one is taken.
 */
export class Series {
  constructor(most = 1024) {
    this.most = most;
    this.clear();
  }

  clear() {
    this.times = [];
    this.values = [];
    this.gap = 0;
  }

  get length() {
    return this.times.length;
  }

  /** Adds a sample; going back in time forgets what came later. */
  add(time, value) {
    if (!Number.isFinite(time) || !Number.isFinite(value)) return;
    const last = this.times[this.length - 1];
    if (time < last) this.cut(time);
    if (this.length > 1 && time - this.times[this.length - 2] < this.gap) this.#drop();
    if (this.times[this.length - 1] === time) this.#drop();
    this.times.push(time);
    this.values.push(value);
    if (this.length >= this.most) this.#thin();
  }

  /** Forgets what came after a time. */
  cut(time) {
    while (this.length > 0 && this.times[this.length - 1] > time) this.#drop();
  }

  #drop() {
    this.times.pop();
    this.values.pop();
  }

  #thin() {
    const keep = (_, index) => index % 2 === 0;
    this.times = this.times.filter(keep);
    this.values = this.values.filter(keep);
    this.gap = (this.times[this.length - 1] - this.times[0]) / (this.most / 2);
  }
}

/** The last places of some balls, in a ring of samples that all have the same balls. */
export class Trails {
  constructor(samples = 600) {
    this.samples = samples;
    this.clear();
  }

  clear() {
    this.rows = [];
    this.dim = 0;
    this.length = 0;
    this.next = 0;
    this.times = new Float64Array(this.samples);
    this.data = new Float64Array(0);
  }

  /** Chooses the balls; what was remembered of others is forgotten. */
  follow(rows, dim) {
    const same = dim === this.dim && rows.length === this.rows.length && rows.every((row, i) => row === this.rows[i]);
    if (same) return;
    this.clear();
    this.rows = rows.slice();
    this.dim = dim;
    this.data = new Float64Array(rows.length * dim * this.samples);
  }

  /** Remembers where the balls are; a time at or before the last one forgets what came later. */
  add(time, places, origin) {
    const { dim } = this;
    const own = new Float64Array(this.rows.length * dim);
    this.rows.forEach((row, ball) => {
      for (let axis = 0; axis < dim; axis += 1) own[ball * dim + axis] = places[row * dim + axis] + origin[axis];
    });
    this.addOwn(time, own);
  }

  /** The same with the places of the chosen balls only. */
  addOwn(time, places) {
    while (this.length > 0 && this.timeOf(this.length - 1) >= time) this.#drop();
    this.data.set(places, this.next * places.length);
    this.times[this.next] = time;
    this.next = (this.next + 1) % this.samples;
    this.length = Math.min(this.length + 1, this.samples);
  }

  #drop() {
    this.next = (this.next + this.samples - 1) % this.samples;
    this.length -= 1;
  }

  #slot(index) {
    return (this.next - this.length + index + 2 * this.samples) % this.samples;
  }

  get lastTime() {
    return this.length > 0 ? this.timeOf(this.length - 1) : NaN;
  }

  /** The time of a sample; sample 0 is the oldest. */
  timeOf(index) {
    return this.times[this.#slot(index)];
  }

  /** A coordinate of the n-th followed ball in a sample. */
  coordinate(index, ball, axis) {
    return this.data[(this.#slot(index) * this.rows.length + ball) * this.dim + axis];
  }
}

/** The part of the past that can be shown again, and where in it the page is. */
export class Past {
  constructor() {
    this.start = 0;
    this.end = 0;
    this.now = 0;
  }

  set({ start, end, now }) {
    this.start = start;
    this.end = Math.max(end, now);
    this.now = now;
  }

  /** Where on a slider from 0 to 1 the current time is. */
  get position() {
    const span = this.end - this.start;
    return span > 0 ? (this.now - this.start) / span : 1;
  }

  /** The time at a position of the slider. */
  timeAt(position) {
    return this.start + Math.min(1, Math.max(0, position)) * (this.end - this.start);
  }
}
