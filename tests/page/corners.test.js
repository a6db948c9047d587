import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cornersBetween, turnBetween } from '../../src/cli/view/page/data/corners.js';

const close = (value, expected, within = 1e-6) => assert.ok(Math.abs(value - expected) <= within, `${value} is not ${expected}`);
const OPEN = { kind: 'open', lower: -Infinity, upper: Infinity };

test('a ball turns where its two ways meet', () => {
  close(turnBetween([0, 0], [1, 0], [0.7, 0.3], [0, 1], [0, 0], 1), 0.7);
  assert.equal(turnBetween([0, 0], [1, 0], [1, 0], [1, 0], [0, 0], 1), null);
  // It has turned more than once: no time fits.
  assert.equal(turnBetween([0, 0], [1, 0], [0.2, 0.9], [0, 1], [0, 0], 1), null);
  assert.equal(turnBetween([0], [1], [5], [-1], [0], 1), null);
});

test('a ball that falls and bounces turns at the floor', () => {
  // From 1 m at rest with g = 8 m/s²: at the floor after 0.5 s with 4 m/s, back up with 4 m/s.
  const dt = 0.75;
  close(turnBetween([0, 1], [0, 0], [0, 4 * 0.25 - 0.5 * 8 * 0.0625], [0, 4 - 8 * 0.25], [0, -8], dt), 0.5);
  assert.equal(turnBetween([0, 1], [0, 0], [0, 1 - 0.25], [0, -2], [0, -8], 0.25), null);
});

function state(time, places, velocities, origin = [0, 0]) {
  return { time, places: Float32Array.from(places), velocities: Float32Array.from(velocities), origin };
}

test('all balls are where they are when one of them turns', () => {
  const scene = { dim: 2, gravity: 0, extents: [OPEN, OPEN], fixed: [0, 0, 0] };
  const before = state(2, [0, 0, 5, 5, 9, 9], [1, 0, 0, 2, 0, 0]);
  const after = state(3, [0.5, 0.5, 5, 7, 9, 9], [0, 1, 0, 2, 0, 0]);
  const corners = cornersBetween(before, after, [0, 1], scene);
  assert.equal(corners.length, 1);
  close(corners[0].time, 2.5);
  [0.5, 0, 5, 6].forEach((x, index) => close(corners[0].places[index], x));
});

test('a turn near a periodic face is on the side where the ball was', () => {
  const scene = { dim: 1, gravity: 0, extents: [{ kind: 'periodic', lower: 0, upper: 10 }], fixed: [0] };
  // From 9.5 with 1 m/s over the face to 0.3, and back with -1 m/s.
  const corners = cornersBetween(state(0, [9.5], [1], [0]), state(1, [0.1], [-1], [0]), [0], scene);
  close(corners[0].time, 0.8);
  close(corners[0].places[0], 0.3);
});

test('without velocities, or back in time, there are no corners', () => {
  const scene = { dim: 1, gravity: 0, extents: [OPEN], fixed: [0] };
  const there = state(1, [0], [1], [0]);
  assert.deepEqual(cornersBetween(null, there, [0], scene), []);
  assert.deepEqual(cornersBetween({ ...there, velocities: null }, state(2, [0], [-1], [0]), [0], scene), []);
  assert.deepEqual(cornersBetween(state(2, [0], [-1], [0]), there, [0], scene), []);
});

test('a fixed ball does not fall', () => {
  const scene = { dim: 2, gravity: 10, extents: [OPEN, OPEN], fixed: [1, 0] };
  const before = state(0, [0, 1, 3, 0], [0, 0, 1, 0]);
  const after = state(0.1, [0, 1, 3, -0.05], [0, 0, -1, -1]);
  const [corner] = cornersBetween(before, after, [0, 1], scene);
  close(corner.time, 0.05);
  [0, 1, 3.05, -0.0125].forEach((x, index) => close(corner.places[index], x));
});
