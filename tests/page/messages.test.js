import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayAfter, fileMessage, jsonNumber } from '../../src/cli/view/page/data/connection.js';
import { bodiesOf, decodeFrame, decodeStatic, extentsOf, shapeOf } from '../../src/cli/view/page/data/decode.js';
import { statics } from './replay_data.js';

/** A frame: header and sections, each padded to four bytes. */
function frame({ dim, count, sections = 0, origin = [0, 0, 0], scale = [1, 1, 1], fastest = 0, time = 0 }, ...arrays) {
  const head = new DataView(new ArrayBuffer(80));
  head.setUint8(0, 1);
  head.setUint8(1, sections);
  head.setUint16(2, dim, true);
  head.setUint32(4, 3, true);
  head.setUint32(8, 17, true);
  head.setUint32(12, count, true);
  head.setFloat64(16, time, true);
  origin.forEach((x, axis) => head.setFloat64(24 + 8 * axis, x, true));
  scale.forEach((x, axis) => head.setFloat64(48 + 8 * axis, x, true));
  head.setFloat64(72, fastest, true);
  const parts = [new Uint8Array(head.buffer), ...arrays.map((array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    return padded;
  })];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((offset, part) => {
    whole.set(part, offset);
    return offset + part.length;
  }, 0);
  return whole.buffer;
}

test('what does not change', () => {
  const bytes = Buffer.from(statics({ dim: 2, count: 3, radius: 0.25, mass: 4, flags: [0, 1, 2] }), 'base64');
  const decoded = decodeStatic(new Uint8Array(bytes).buffer);
  assert.deepEqual([decoded.dim, decoded.count, decoded.revision], [2, 3, 1]);
  assert.deepEqual([...decoded.radii], [0.25, 0.25, 0.25]);
  assert.deepEqual([...decoded.masses], [4, 4, 4]);
  assert.deepEqual([...decoded.flags], [0, 1, 2]);
  assert.equal(decoded.bodyOfShape.length, 0);
});

test('a frame in the plane with all sections', () => {
  const buffer = frame(
    { dim: 2, count: 1, sections: 15, origin: [5, 6, 0], fastest: 10, time: 1.5 },
    Float32Array.of(1, 2), Float32Array.of(0.5), Float32Array.of(-1, 1), Uint16Array.of(65535), Uint32Array.of(9),
    Uint32Array.of(1), Float32Array.of(1, 2, 0, 1, 0.75),
  );
  const decoded = decodeFrame(buffer, 'bodies');
  assert.deepEqual([decoded.time, decoded.revision, decoded.number, decoded.origin], [1.5, 3, 17, [5, 6]]);
  assert.deepEqual([...decoded.places], [1, 2]);
  assert.deepEqual([...decoded.angles], [0.5]);
  assert.deepEqual([...decoded.velocities], [-1, 1]);
  assert.deepEqual([...decoded.speeds], [10]);
  assert.deepEqual([...decoded.collisions], [9]);
  assert.deepEqual(decoded.contacts, [{ x: 1, y: 2, nx: 0, ny: 1, impulse: 0.75 }]);
});

test('a frame in space is quantised and padded', () => {
  const buffer = frame({ dim: 3, count: 1, sections: 4, origin: [1, 2, 3], scale: [0.5, 0.25, 2] }, Uint16Array.of(2, 4, 10), Uint32Array.of(7));
  const decoded = decodeFrame(buffer, 'balls');
  assert.deepEqual([...decoded.places], [1, 1, 20]);
  assert.deepEqual(decoded.origin, [1, 2, 3]);
  assert.deepEqual([...decoded.collisions], [7]);
  assert.equal(decoded.velocities, null);
  assert.equal(decoded.angles, null);
});

test('forms are shapes by their number of vertices', () => {
  assert.equal(shapeOf({ vertices: [[0, 0]], radius: 1 }).kind, 'circle');
  assert.deepEqual(shapeOf({ vertices: [[0, 0], [1, 0]], radius: 1 }), { kind: 'segment', a: [0, 0], b: [1, 0], radius: 1 });
  assert.equal(shapeOf({ vertices: [[0, 0], [1, 0], [0, 1]], radius: 0 }).kind, 'polygon');
  const scene = { kind: 'bodies', forms: [{ vertices: [[0, 0]], radius: 1 }, { vertices: [[3, 0]], radius: 1 }] };
  const bodies = bodiesOf(scene, { count: 2, bodyOfShape: [1, 1], formOfShape: [0, 1] });
  assert.deepEqual(bodies.map(({ shapes, reach }) => [shapes.length, reach]), [[0, 0], [2, 4]]);
  assert.equal(bodiesOf({ kind: 'balls' }, {}), null);
  assert.equal(bodiesOf({ kind: 'world', forms: [] }, {}), null);
  const solid = { vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2]], faces: [[0, 1, 2]], radius: 0 };
  assert.equal(shapeOf(solid).kind, 'solid');
  assert.equal(bodiesOf({ kind: 'world', forms: [solid] }, { count: 1, bodyOfShape: [0], formOfShape: [0] })[0].reach, 2);
});

test('an open side has no wall', () => {
  const scene = { box: [{ boundary: 'open', lower: 0, upper: 1 }, { boundary: 'periodic', lower: 0, upper: 1 }, { boundary: 'open', lower: null, upper: null }] };
  assert.deepEqual(extentsOf(scene), [
    { kind: 'open', lower: -Infinity, upper: Infinity }, { kind: 'periodic', lower: 0, upper: 1 }, { kind: 'open', lower: -Infinity, upper: Infinity },
  ]);
});

test('numbers that JSON does not have are sent as words', () => {
  const text = JSON.stringify({ mass: NaN, position: [Infinity, 1.5], velocity: [-Infinity] }, jsonNumber);
  assert.equal(text, '{"mass":"NaN","position":["Infinity",1.5],"velocity":["-Infinity"]}');
});

test('a file is sent with its name and id', () => {
  const message = fileMessage(258, 'ä.toml', Uint8Array.of(1, 2, 3));
  assert.deepEqual([...message], [1, 0, 7, 0, 2, 1, 0, 0, 0xc3, 0xa4, 0x2e, 0x74, 0x6f, 0x6d, 0x6c, 1, 2, 3]);
});

test('after a loss it is tried again soon, then less often', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 10].map(delayAfter), [250, 500, 1000, 2000, 4000, 4000]);
});
