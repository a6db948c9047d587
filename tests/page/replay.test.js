import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, columnsOf } from '../../src/cli/view/page/data/base64.js';
import { EventRun } from '../../src/cli/view/page/data/event_run.js';
import { interpolate, Player } from '../../src/cli/view/page/data/player.js';
import { StateRun } from '../../src/cli/view/page/data/state_run.js';
import { bodyReplay, encode, lineReplay } from './replay_data.js';

const close = (value, expected, within = 1e-12) => assert.ok(Math.abs(value - expected) <= within, `${value} is not ${expected}`);

test('columns come back from base64, and a wrong length is an error', () => {
  const text = encode(Float64Array.of(1.5, -2), Uint32Array.of(7));
  const [numbers, counts] = columnsOf(text, [[Float64Array, 2], [Uint32Array, 1]]);
  assert.deepEqual([[...numbers], [...counts]], [[1.5, -2], [7]]);
  assert.equal(bytesOf(text).length, 20);
  assert.throws(() => columnsOf(text, [[Float64Array, 3]]), /too few/);
  assert.throws(() => columnsOf(text, [[Float64Array, 2]]), /too many/);
});

test('a run of events is exact at every time, in any order', () => {
  const run = new EventRun(lineReplay(), [0, 0]);
  const expected = [
    [0, [0.4, 1.2], 0], [0.3, [0.7, 1.2], 0], [0.6, [1.0, 1.2], 1], [1.0, [1.0, 1.6], 1], [1.3, [1.0, 1.9], 2], [1.9, [1.0, 1.3], 2], [2.5, [0.5, 1.2], 3],
  ];
  for (const [time, places, done] of [...expected, ...[...expected].reverse()]) {
    run.seek(time);
    assert.equal(run.done, done);
    places.forEach((place, row) => close(run.positions[row], place));
  }
});

test('events are counted, and the next one is told', () => {
  const run = new EventRun(lineReplay(), [0, 0]);
  run.seek(0);
  assert.deepEqual(run.next(), { time: 0.6, kind: 'ball', first: 0, second: 1 });
  run.seek(1);
  assert.deepEqual(run.next(), { time: 1.3, kind: 'wall', first: 1, axis: 0, side: 'upper' });
  run.seek(3);
  assert.equal(run.next(), null);
  assert.deepEqual([[...run.collisions], run.walls], [[2, 3], 1]);
  run.seek(0.5);
  assert.deepEqual([[...run.collisions], run.walls], [[0, 0], 0]);
});

test('going back over kept states gives the same bits as going forth', () => {
  const count = 3;
  const size = 1000;
  const random = (() => {
    let state = 1;
    return () => (state = (state * 48271) % 2147483647) / 2147483647;
  })();
  const column = (Type, make) => Type.from({ length: size }, (_, index) => make(index));
  const times = column(Float64Array, (index) => index * 0.01 + 0.005);
  const first = column(Uint32Array, () => Math.floor(random() * count));
  const second = column(Uint32Array, (index) => (index % 4 === 0 ? 0x80000000 : (first[index] + 1) % count));
  const velocities = () => Float64Array.from({ length: 2 * size }, () => random() - 0.5);
  const data = {
    dim: 2, count, start: 0, gravity: 9.81, box: [{ boundary: 'periodic', lower: 0, upper: 1 }, { boundary: 'open' }],
    events: {
      count: size,
      start: encode(Float64Array.from({ length: 6 }, random), velocities().subarray(0, 6)),
      data: encode(times, first, second, velocities(), velocities()),
    },
  };
  const run = new EventRun(data, [0, 0, 1]);
  const stops = [0, 1.234, 5, 9.99, 10.5];
  const states = stops.map((time) => {
    run.seek(time);
    return [...run.positions, ...run.velocities, ...run.collisions, run.walls];
  });
  assert.ok(run.kept.length > 10);
  for (const index of [3, 1, 4, 0, 2]) {
    run.seek(stops[index]);
    assert.deepEqual([...run.positions, ...run.velocities, ...run.collisions, run.walls], states[index]);
  }
  run.seek(9.99);
  const { places } = run.frame();
  for (let row = 0; row < count; row += 1) assert.ok(places[2 * row] >= 0 && places[2 * row] < 1);
});

test('states are interpolated, angles the shorter way', () => {
  const run = new StateRun(bodyReplay());
  run.seek(0.5);
  const { places, origin, angles, velocities } = run.frame();
  close(places[0] + origin[0], 0.5, 1e-6);
  close(places[1] + origin[1], 1, 1e-6);
  close(velocities[1], 2, 1e-6);
  const quarter = (Math.PI / 2) * (16384 / 16384);
  close(angles[0], (65000 / 65536) * 2 * Math.PI + quarter / 2, 1e-4);
  run.seek(1.5);
  close(run.frame().places[0] + origin[0], 1, 1e-6);
  assert.equal(run.nextTime(), 2);
  run.seek(2);
  assert.equal(run.nextTime(), null);
});

test('contacts are those of the state at or before the time', () => {
  const data = bodyReplay();
  const run = new StateRun(data);
  run.seek(0.9);
  assert.deepEqual(run.frame().contacts, []);
  run.seek(1.5);
  const [{ x, y, nx, ny, impulse }, ...rest] = run.frame().contacts;
  assert.deepEqual([x, y, impulse, rest.length], [1, 2, 1, 0]);
  close(nx, 0, 1e-12);
  close(ny, 1, 1e-12);
  run.seek(2);
  assert.deepEqual(run.frame().contacts.map((contact) => contact.impulse), [2, 3]);
  assert.equal(new StateRun({ ...data, states: { ...data.states, contacts: null } }).contacts, null);
});

test('a replay of bodies tells contacts and penetration', () => {
  const { player, last } = played(bodyReplay());
  player.tell({ do: 'seek', time: 2 });
  assert.deepEqual(last().bodies, { contacts: 1, max_penetration: 0.002, asleep: 1, steps: 4, angular_momentum: 0 });
});

test('quantities between samples', () => {
  assert.equal(interpolate([0, 2], [1, 5], 0.5), 2);
  assert.equal(interpolate([0, 2], [1, 5], 9), 5);
  assert.equal(interpolate([0, 2], [1, 5], -1), 1);
  assert.equal(interpolate([], [], 1), null);
  assert.equal(interpolate([0, 1], null, 1), null);
});

/** A player whose messages are kept. */
function played(data) {
  const seen = { stats: [], frames: [], scenes: [] };
  const player = new Player(data, {
    message: (message) => (message.type === 'stats' ? seen.stats : seen.scenes).push(message),
    statics: (statics) => { seen.statics = statics; },
    frame: (frame) => seen.frames.push(frame),
    state: (state) => { seen.state = state; },
  });
  player.begin();
  const last = () => seen.stats[seen.stats.length - 1];
  return { player, seen, last };
}

test('the player answers as the tool does', async () => {
  const { player, seen, last } = played(lineReplay());
  assert.equal(seen.state, 'open');
  assert.deepEqual(seen.scenes.map(({ type }) => type), ['hello', 'scene']);
  assert.equal(seen.frames.length, 1);
  close(last().energy.kinetic, 1);
  assert.equal((await player.ask({ do: 'event' })).time, 0.6);
  assert.deepEqual([last().collisions, last().wall_collisions, last().next.time], [1, 0, 1.3]);
  await player.ask({ do: 'event' });
  await player.ask({ do: 'event' });
  assert.deepEqual([last().time, last().collisions, last().wall_collisions, last().next], [2, 2, 1, null]);
  assert.match((await player.ask({ do: 'event' })).error, /no more events/);
  await player.ask({ do: 'seek', time: -5 });
  assert.equal(last().time, 0);
  const refused = await player.ask({ do: 'set', ball: 0, mass: 3 });
  assert.equal(refused.ok, false);
  assert.match(refused.error, /does not change it/);
});

test('the player tells of the selected ball and of the speed', async () => {
  const { player, last } = played(lineReplay());
  player.tell({ do: 'select', balls: [1, 99] });
  await player.ask({ do: 'seek', time: 1 });
  const [ball] = last().selected;
  assert.equal(last().selected.length, 1);
  close(ball.position[0], 1.6);
  assert.deepEqual([ball.velocity, ball.mass, ball.energy, ball.collisions], [[1], 2, 1, 1]);
  await player.ask({ do: 'speed', speed: 'max' });
  assert.equal(last().speed, 'max');
});

test('a replay of states tells energies and steps from state to state', async () => {
  const { player, seen, last } = played(bodyReplay());
  assert.equal((await player.ask({ do: 'event' })).time, 1);
  assert.deepEqual(last().energy, { kinetic: 4, potential: 2, total: 6 });
  assert.ok(seen.frames[1].angles instanceof Float32Array);
  assert.equal((await player.ask({ do: 'frame' })).time, 1.5);
});

test('a run that plays passes through the corners of its trails', async () => {
  const passed = [];
  const waiting = [];
  globalThis.requestAnimationFrame = (tick) => waiting.push(tick);
  const { player, last } = played(lineReplay());
  player.handlers.passing = (time, { places, origin }) => passed.push([time, places[0] + origin[0]]);
  await player.ask({ do: 'speed', speed: 1000 });
  await player.ask({ do: 'start' });
  await new Promise((later) => setTimeout(later, 20));
  while (waiting.length > 0) waiting.shift()();
  delete globalThis.requestAnimationFrame;
  assert.deepEqual(passed.map(([time]) => time), [0.6, 1.3, 2]);
  for (const [, place] of passed) close(place, 1, 1e-6);
  assert.deepEqual([last().time, last().running, last().collisions], [3, false, 2]);
});

test('what is no replay is refused', () => {
  assert.throws(() => new Player({ format: 'other', version: 1 }, {}), /not a replay/);
});
