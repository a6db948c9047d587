import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Past, Series, Trails } from '../../src/cli/view/page/data/history.js';

test('a series keeps its ends and stays within its memory', () => {
  const series = new Series(64);
  for (let step = 0; step <= 10000; step += 1) series.add(step, 2 * step);
  assert.ok(series.length < 64 && series.length > 16);
  assert.equal(series.times[0], 0);
  assert.equal(series.times[series.length - 1], 10000);
  series.times.forEach((time, index) => {
    assert.equal(series.values[index], 2 * time);
    assert.ok(index === 0 || time > series.times[index - 1]);
  });
});

test('going back in time forgets what came later', () => {
  const series = new Series();
  [0, 1, 2, 3].forEach((time) => series.add(time, time));
  series.add(1.5, 9);
  assert.deepEqual(series.times, [0, 1, 1.5]);
  assert.deepEqual(series.values, [0, 1, 9]);
  series.add(1.5, 8);
  assert.deepEqual(series.values, [0, 1, 8]);
  series.add(NaN, 1);
  series.add(2, NaN);
  assert.equal(series.length, 3);
});

test('trails are a ring of the last places of the chosen balls', () => {
  const trails = new Trails(3);
  trails.follow([0, 2], 1);
  for (let time = 0; time < 5; time += 1) trails.add(time, [time, 100, 10 * time], [0.5]);
  assert.equal(trails.length, 3);
  assert.deepEqual([0, 1, 2].map((index) => trails.timeOf(index)), [2, 3, 4]);
  assert.deepEqual([0, 1, 2].map((index) => trails.coordinate(index, 1, 0)), [20.5, 30.5, 40.5]);
  trails.add(3, [7, 7, 7], [0]);
  assert.deepEqual([trails.length, trails.timeOf(1), trails.coordinate(1, 0, 0)], [2, 3, 7]);
});

test('other balls have other trails, the same ones keep theirs', () => {
  const trails = new Trails(4);
  trails.follow([1], 2);
  trails.add(0, [0, 0, 1, 2], [0, 0]);
  trails.follow([1], 2);
  assert.equal(trails.length, 1);
  trails.follow([0], 2);
  assert.equal(trails.length, 0);
});

test('the slider over the past', () => {
  const past = new Past();
  assert.equal(past.position, 1);
  past.set({ start: 2, end: 6, now: 3 });
  assert.equal(past.position, 0.25);
  assert.equal(past.timeAt(0.5), 4);
  assert.equal(past.timeAt(2), 6);
  assert.equal(past.timeAt(-1), 2);
  past.set({ start: 0, end: 1, now: 1.5 });
  assert.equal(past.position, 1);
});
