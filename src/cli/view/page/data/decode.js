// Binary messages of the tool, and the scene as the pictures want it.

import { reachOf } from '../draw/bodies.js';

/** Reads typed arrays one after the other, each from a multiple of four bytes on. */
class Reader {
  constructor(buffer, offset) {
    this.buffer = buffer;
    this.offset = offset;
  }

  take(Type, length) {
    const array = new Type(this.buffer, this.offset, length);
    this.offset += Math.ceil((length * Type.BYTES_PER_ELEMENT) / 4) * 4;
    return array;
  }
}

export const STATIC = 2;
export const FIXED = 1;
export const KINEMATIC = 4;

/** What does not change within a revision. */
export function decodeStatic(buffer) {
  const view = new DataView(buffer);
  const count = view.getUint32(8, true);
  const shapes = view.getUint32(12, true);
  const reader = new Reader(buffer, 16);
  return {
    dim: view.getUint16(2, true),
    revision: view.getUint32(4, true),
    count,
    radii: reader.take(Float32Array, count),
    masses: reader.take(Float32Array, count),
    species: reader.take(Uint16Array, count),
    flags: reader.take(Uint8Array, count),
    bodyOfShape: reader.take(Uint32Array, shapes),
    formOfShape: reader.take(Uint32Array, shapes),
  };
}

const VELOCITIES = 1;
const SPEEDS = 2;
const COLLISIONS = 4;
const CONTACTS = 8;

/** Where everything is at one time: places are single precision numbers from the origin, one per axis and ball. */
export function decodeFrame(buffer, kind) {
  const view = new DataView(buffer);
  const sections = view.getUint8(1);
  const dim = view.getUint16(2, true);
  const count = view.getUint32(12, true);
  const three = (offset) => [0, 8, 16].slice(0, dim).map((step) => view.getFloat64(offset + step, true));
  const reader = new Reader(buffer, 80);
  const frame = {
    revision: view.getUint32(4, true),
    number: view.getUint32(8, true),
    count,
    time: view.getFloat64(16, true),
    origin: three(24),
    places: places(reader, dim, count, three(48)),
    angles: kind === 'bodies' ? reader.take(Float32Array, count) : null,
    velocities: sections & VELOCITIES ? reader.take(Float32Array, dim * count) : null,
    speeds: null,
    collisions: null,
    contacts: null,
  };
  if (sections & SPEEDS) frame.speeds = widen(reader.take(Uint16Array, count), view.getFloat64(72, true) / 65535);
  if (sections & COLLISIONS) frame.collisions = reader.take(Uint32Array, count);
  if (sections & CONTACTS) frame.contacts = contacts(reader);
  return frame;
}

function places(reader, dim, count, scale) {
  if (dim < 3) return reader.take(Float32Array, dim * count);
  const steps = reader.take(Uint16Array, 3 * count);
  const out = new Float32Array(3 * count);
  for (let at = 0; at < out.length; at += 3) {
    out[at] = steps[at] * scale[0];
    out[at + 1] = steps[at + 1] * scale[1];
    out[at + 2] = steps[at + 2] * scale[2];
  }
  return out;
}

function widen(steps, factor) {
  const out = new Float32Array(steps.length);
  for (let row = 0; row < out.length; row += 1) out[row] = steps[row] * factor;
  return out;
}

function contacts(reader) {
  const [count] = reader.take(Uint32Array, 1);
  const numbers = reader.take(Float32Array, 5 * count);
  return Array.from({ length: count }, (_, index) => {
    const [x, y, nx, ny, impulse] = numbers.subarray(5 * index, 5 * index + 5);
    return { x, y, nx, ny, impulse };
  });
}

/**
 * The shape that a form of the scene describes: one vertex is a disc or a sphere, two are a capsule, more a polygon or,
 * with faces, a solid.
 */
export function shapeOf({ vertices, radius, faces }) {
  if (vertices.length === 1) return { kind: 'circle', centre: vertices[0], radius };
  if (vertices.length === 2) return { kind: 'segment', a: vertices[0], b: vertices[1], radius };
  if (faces?.length > 0) return { kind: 'solid', points: vertices, faces, radius };
  return { kind: 'polygon', points: vertices, radius };
}

/** The shapes of each row, and how far they reach; null if all are balls. */
export function bodiesOf(scene, statics) {
  if (scene.kind !== 'bodies' && !(scene.forms?.length > 0)) return null;
  const shapes = scene.forms.map(shapeOf);
  const bodies = Array.from({ length: statics.count }, () => ({ shapes: [], reach: 0 }));
  statics.bodyOfShape.forEach((body, index) => bodies[body].shapes.push(shapes[statics.formOfShape[index]]));
  for (const body of bodies) body.reach = reachOf(body.shapes);
  return bodies;
}

/** The faces of the box; an open side has none. */
export function extentsOf(scene) {
  return scene.box.map(({ boundary, lower, upper }) => ({
    kind: boundary,
    lower: lower === null || boundary === 'open' ? -Infinity : lower,
    upper: upper === null || boundary === 'open' ? Infinity : upper,
  }));
}
