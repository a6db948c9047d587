// Replays for the tests: made here by hand, so that the answers are known.

/** Typed arrays one after the other as base64. */
export function encode(...arrays) {
  return Buffer.concat(arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength))).toString('base64');
}

/** The binary message of what does not change (one species, no shapes). */
export function statics({ dim, count, radius = 0.1, mass = 2, flags = [] }) {
  const head = new DataView(new ArrayBuffer(16));
  head.setUint8(0, 2);
  head.setUint16(2, dim, true);
  head.setUint32(4, 1, true);
  head.setUint32(8, count, true);
  const padded = (size) => Math.ceil(size / 4) * 4;
  const numbers = (value) => new Float32Array(count).fill(value);
  const flag = new Uint8Array(padded(count));
  flag.set(flags);
  return encode(new Uint8Array(head.buffer), numbers(radius), numbers(mass), new Uint16Array(padded(2 * count) / 2), flag);
}

/**
 * Two equal balls of radius 0.1 m on a line from 0 to 2 m. Ball 0 flies with 1 m/s from 0.4 m, ball 1 rests at 1.2 m: they
 * collide at 0.6 s and exchange their velocities, ball 1 hits the upper wall at 1.3 s and comes back to ball 0 at 2 s.
 */
export function lineReplay() {
  const event = {
    times: Float64Array.of(0.6, 1.3, 2.0),
    first: Uint32Array.of(0, 1, 0),
    second: Uint32Array.of(1, 0x80000001, 1),
    ofFirst: Float64Array.of(0, -1, -1),
    ofSecond: Float64Array.of(1, 0, 0),
  };
  return {
    format: 'carom-replay', version: 1, name: 'line', description: 'two balls', kind: 'balls', dim: 1, count: 2,
    box: [{ boundary: 'reflecting', lower: 0, upper: 2 }], view: { lower: [0], upper: [2] }, gravity: 0, species: [], forms: [], fastest: 1, dt: null,
    start: 0, end: 3, static: statics({ dim: 1, count: 2 }),
    series: { time: [0, 3], kinetic: [1, 1], potential: null, collisions: [0, 2], wall_collisions: [0, 1] }, error: 0, angle_error: 0,
    events: {
      count: 3,
      start: encode(Float64Array.of(0.4, 1.2), Float64Array.of(1, 0)),
      data: encode(event.times, event.first, event.second, event.ofFirst, event.ofSecond),
    },
    states: null,
  };
}

/** A body that moves from (0, 0) to (1, 2) m and turns by a quarter within 1 s, then rests. */
export function bodyReplay() {
  return {
    format: 'carom-replay', version: 1, name: 'body', description: '', kind: 'bodies', dim: 2, count: 1,
    box: [{ boundary: 'open', lower: null, upper: null }, { boundary: 'open', lower: null, upper: null }],
    view: { lower: [-1, -1], upper: [3, 3] }, gravity: 0, species: [], forms: [], fastest: 1, dt: 0.5,
    start: 0, end: 2, static: statics({ dim: 2, count: 1 }),
    series: { time: [0, 1, 2], kinetic: [4, 4, 0], potential: [0, 2, 2], collisions: [0, 0, 3], wall_collisions: [0, 0, 0],
      contacts: [0, 0, 1], max_penetration: [0, 0, 0.002], asleep: [0, 0, 1], steps: [0, 2, 4], angular_momentum: [1, 1, 0] },
    error: 0.0005, angle_error: 5e-5, events: null,
    states: {
      count: 3, times: encode(Float64Array.of(0, 1, 2)), origin: [-1, -1], scale: [0.001, 0.001],
      positions: encode(Uint16Array.of(1000, 1000, 2000, 3000, 2000, 3000)), angles: encode(Uint16Array.of(65000, 15848, 15848)),
      contacts: {
        counts: encode(Uint32Array.of(0, 1, 2)), origin: [0, 1, 0], scale: [0.5, 0.25, 0.1],
        data: encode(Uint16Array.of(2, 4, 16384, 10, 2, 4, 0, 20, 4, 8, 32768, 30)),
      },
    },
  };
}
