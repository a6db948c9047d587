import assert from 'node:assert/strict';
import { test } from 'node:test';
import { angleBetween, between, coordinateAfter, Flight, wrap } from '../../src/cli/view/page/data/motion.js';

test('a coordinate is brought back into a periodic box', () => {
  assert.equal(wrap(1.25, 0, 1), 0.25);
  assert.equal(wrap(-0.25, 0, 1), 0.75);
  assert.equal(wrap(7.5, 2, 4), 3.5);
  assert.equal(wrap(1, 0, 1), 0);
  // The difference to the face is lost in rounding.
  assert.equal(wrap(-1e-20, 0, 1), 0);
});

test('free fall is exact', () => {
  assert.equal(coordinateAfter(10, 3, -2, 4), 10 + 12 - 16);
});

test('between two places and angles the shorter way is taken', () => {
  assert.equal(between(0, 10, 0.25, 0), 2.5);
  assert.ok(Math.abs(between(0.9, 0.1, 0.5, 1) - 1) < 1e-15);
  assert.ok(Math.abs(angleBetween(3, -3, 0.5) - Math.PI) < 1e-15);
});

test('particles fly on straight lines, fall if they may and keep their own times', () => {
  const flight = new Flight({ dim: 2, positions: [0, 10, 5, 5], velocities: [1, 0, 0, 0], gravity: 2, fixed: [false, true] });
  const [positions, velocities] = [new Float64Array(4), new Float64Array(4)];
  flight.at(3, positions, velocities);
  assert.deepEqual([...positions], [3, 1, 5, 5]);
  assert.deepEqual([...velocities], [1, -6, 0, 0]);
  flight.turn(0, 3, [9, 9, -1, 6], 2);
  flight.at(4, positions, velocities);
  assert.deepEqual([...positions], [2, 6, 5, 5]);
  assert.deepEqual([...velocities], [-1, 4, 0, 0]);
});

test('a copy does not change with its original', () => {
  const flight = new Flight({ dim: 1, positions: [0], velocities: [2] });
  const copy = flight.copy();
  flight.turn(0, 1, [-2], 0);
  const [positions, velocities] = [new Float64Array(1), new Float64Array(1)];
  copy.at(2, positions, velocities);
  assert.deepEqual([positions[0], velocities[0]], [4, 2]);
  flight.at(2, positions, velocities);
  assert.deepEqual([positions[0], velocities[0]], [0, -2]);
});
