// From a scene, a frame and the choices of the page to what is drawn.

import { mark, packed, paint, PALETTES, upperEnd } from './colours.js';
import { FIXED, KINEMATIC } from '../data/decode.js';

/** Balls whose trails are kept all; of more only the selected one has a trail. */
const MOST_TRAILS = 400;

/** What the numbers of a mode of colours are, with their unit; null where there is none. */
export const QUANTITIES = {
  speed: { name: 'speed', unit: 'm/s' },
  mass: { name: 'mass', unit: 'kg' },
  collisions: { name: 'collisions', unit: '' },
};

/** Speeds from velocities. */
export function speedsOf(velocities, dim, count) {
  const out = new Float32Array(count);
  for (let row = 0; row < count; row += 1) {
    let square = 0;
    for (let axis = 0; axis < dim; axis += 1) square += velocities[row * dim + axis] ** 2;
    out[row] = Math.sqrt(square);
  }
  return out;
}

/** The smallest box around all balls. */
export function boundsOf(frame, radii, dim) {
  const lower = new Array(dim).fill(Infinity);
  const upper = new Array(dim).fill(-Infinity);
  for (let row = 0; row < frame.count; row += 1) {
    for (let axis = 0; axis < dim; axis += 1) {
      const x = frame.places[row * dim + axis] + frame.origin[axis];
      lower[axis] = Math.min(lower[axis], x - radii[row]);
      upper[axis] = Math.max(upper[axis], x + radii[row]);
    }
  }
  return { lower, upper };
}

/** Colours of the balls, and the end of the colour scale, which is kept from frame to frame. */
export class Painter {
  constructor() {
    this.colours = new Uint32Array(0);
    this.ends = {};
  }

  reset() {
    this.ends = {};
  }

  paint({ statics, frame, mode, palette, selected, next, rigid = false }) {
    if (this.colours.length < frame.count) this.colours = new Uint32Array(Math.ceil(frame.count * 1.25));
    const values = this.#values(mode, statics, frame);
    if (values && QUANTITIES[mode]) this.ends[mode] = this.#end(mode, values, frame.count);
    const colour = rigid && mode === 'plain' ? { ...palette, ball: palette.body } : palette;
    paint(this.colours, frame.count, { mode, values, end: this.ends[mode], species: statics.species, palette: colour });
    if (rigid) this.#still(statics, frame, palette, mode);
    mark(this.colours, frame.count, palette, selected, next);
    return this.colours;
  }

  #end(mode, values, count) {
    if (mode === 'speed') return upperEnd(values, count, this.ends.speed);
    let most = 0;
    for (let row = 0; row < count; row += 1) if (values[row] < Infinity) most = Math.max(most, values[row]);
    return most || 1;
  }

  #values(mode, statics, frame) {
    const { speeds, velocities, origin, count } = frame;
    if (mode === 'speed') return speeds ?? (velocities && speedsOf(velocities, origin.length, count));
    if (mode === 'mass') return statics.masses;
    return mode === 'collisions' ? frame.collisions : null;
  }

  // What nothing can move is grey, and so is what sleeps; for bodies the section of collisions says which do.
  #still(statics, frame, palette, mode) {
    const [fixed, asleep] = [packed(palette.fixed), packed(palette.asleep)];
    for (let row = 0; row < frame.count; row += 1) {
      if (statics.flags[row] & (FIXED | KINEMATIC)) this.colours[row] = fixed;
      else if (frame.collisions?.[row] === 1 && mode === 'plain') this.colours[row] = asleep;
    }
  }
}

/** The balls that have trails. */
export function trailRows(count, selected) {
  if (count <= MOST_TRAILS) return Array.from({ length: count }, (_, row) => row);
  return selected >= 0 ? [selected] : [];
}

/** The selected ball as it is drawn: from the frame, with what the tool has told of it. */
export function chosenBall(frame, statics, selected, told) {
  if (selected < 0 || selected >= frame.count) return null;
  const dim = frame.origin.length;
  const row = (array) => Array.from(array.subarray(selected * dim, selected * dim + dim));
  const velocity = frame.velocities ? row(frame.velocities) : told?.velocity ?? new Array(dim).fill(0);
  return {
    position: row(frame.places).map((x, axis) => x + frame.origin[axis]),
    velocity,
    radius: statics.radii[selected],
  };
}

export function paletteOf(theme) {
  return PALETTES[theme];
}
