import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histogram, maxwellCounts, maxwellDensity, temperatureOf } from '../../src/cli/view/page/data/speeds.js';

const close = (value, expected, within) => assert.ok(Math.abs(value - expected) <= within, `${value} is not ${expected}`);

test('values are counted in bins up to the largest', () => {
  const { counts, width } = histogram([0, 0.1, 0.9, 1], 4);
  assert.deepEqual(counts, [2, 0, 0, 2]);
  close(width, 0.25, 1e-9);
  assert.equal(histogram([0, 0], 4).width, 0);
  assert.deepEqual(histogram([], 2).counts, [0, 0]);
});

test("Maxwell's densities have area 1 and the mean of v² is D kT / m", () => {
  for (const dim of [1, 2, 3]) {
    const [step, stiffness] = [1e-3, 2.5];
    let [area, square] = [0, 0];
    for (let n = 0; n < 20000; n += 1) {
      const speed = (n + 0.5) * step;
      const part = maxwellDensity(speed, stiffness, dim) * step;
      area += part;
      square += part * speed * speed;
    }
    close(area, 1, 1e-6);
    close(square, dim / stiffness, 1e-6);
  }
});

test('expected counts of two masses add up to all balls', () => {
  const found = maxwellCounts({ width: 0.3, counts: new Array(32).fill(0) }, [[1, 60], [2, 40]], 1, 2);
  close(found.reduce((sum, value) => sum + value, 0), 100, 1);
  assert.equal(maxwellCounts({ width: 0.3, counts: [0] }, [[1, 1]], 0, 2), null);
});

test('a common motion is heat only where walls stop it', () => {
  const balls = [{ mass: 1, velocity: [3, 0] }, { mass: 1, velocity: [1, 0] }];
  const box = (kind) => [{ boundary: kind }, { boundary: kind }];
  // Kinetic energy 5, of which 4 are those of the centre of mass.
  assert.equal(temperatureOf(balls, box('reflecting'), false), 2.5);
  assert.equal(temperatureOf(balls, box('periodic'), false), 0.5);
  assert.equal(temperatureOf(balls, box('periodic'), true), 2.5);
  assert.equal(temperatureOf([], box('open'), false), 0);
});
