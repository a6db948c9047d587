import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldList } from '../../src/cli/view/page/panels/ball_panel.js';
import { fromSi, toSi, unitOf, UNITS } from '../../src/cli/view/page/panels/fields.js';
import { HELP, massAfter, moveStep, stepOf, tidy } from '../../src/cli/view/page/panels/keys.js';
import { noticeText, statusText } from '../../src/cli/view/page/panels/notices.js';
import { ends, polyline, scale } from '../../src/cli/view/page/draw/plots.js';
import { Latest, pinchOf } from '../../src/cli/view/page/panels/pointer.js';
import { nextText, readingsOf } from '../../src/cli/view/page/panels/readings.js';
import { physicsCommand, physicsList } from '../../src/cli/view/page/panels/scene_panel.js';
import { fileName } from '../../src/cli/view/page/panels/take_away.js';
import { frameTime, timeBackwards } from '../../src/cli/view/page/panels/time_bar.js';

test('units of fields go to SI units and back', () => {
  assert.equal(toSi(7, unitOf('cm, g, s', 'length')), 0.07);
  assert.equal(fromSi(0.07, unitOf('cm, g, s', 'length')), 7);
  assert.equal(toSi(3, unitOf('µm, mg, ms', 'velocity')), 3 / 1e3);
  assert.equal(toSi(2, unitOf('mm, g, s', 'acceleration')), 0.002);
  assert.equal(unitOf('µm, mg, ms', 'acceleration').symbol, 'µm/ms²');
  assert.equal(unitOf('nm, mg, ns', 'angular').symbol, 'rad/ns');
  assert.equal(unitOf('cm, g, s', 'attraction').symbol, 'cm³/(g s²)');
  // 1 cm³/(g s²) is 1e-6 m³ over 1e-3 kg s²; 1 nm³/(mg ns²) is 1e-27 m³ over 1e-6 kg 1e-18 s².
  assert.equal(toSi(1, unitOf('cm, g, s', 'attraction')), 0.001);
  assert.ok(Math.abs(toSi(1, unitOf('nm, mg, ns', 'attraction')) - 0.001) < 1e-18);
  for (const system of Object.keys(UNITS)) {
    for (const quantity of ['length', 'mass', 'velocity', 'acceleration', 'attraction', 'time', 'number', 'angle']) {
      const unit = unitOf(system, quantity);
      assert.equal(fromSi(toSi(12.5, unit), unit), 12.5);
    }
  }
});

test('SI units keep every bit', () => {
  assert.equal(fromSi(0.1 + 0.2, unitOf('m, kg, s', 'length')), 0.1 + 0.2);
  assert.equal(toSi(-1 / 30, unitOf('m, kg, s', 'velocity')), -1 / 30);
});

test('a step of the mass is a tenth, and the mass stays above zero', () => {
  assert.equal(massAfter(0.01, true), 0.011);
  assert.equal(massAfter(0.011, false), 0.01);
  let mass = 0.01;
  for (let step = 0; step < 100; step += 1) {
    mass = massAfter(mass, false);
    assert.ok(mass > 0);
  }
  assert.equal(stepOf(0), 0.1);
  assert.equal(stepOf(7), 0.5);
  assert.equal(tidy(0.1 + 0.2), 0.3);
});

test('an arrow key moves by a hundredth of the box', () => {
  assert.equal(moveStep({ lower: [0, 0], upper: [0.5, 0.3] }, false), 0.002);
  assert.equal(moveStep({ lower: [0, 0], upper: [0.5, 0.3] }, true), 0.02);
  assert.equal(moveStep({ lower: [0], upper: [0] }, false), 0.01);
});

test('the help has every key of the document', () => {
  const keys = HELP.map(([key]) => key).join(' ');
  for (const key of ['Page Down', 'Tab', 'Space', 'B', 'Arrows', 'M and + −', 'X, Y', '?']) assert.ok(keys.includes(key), key);
});

test('only the newest of the wishes is sent', async () => {
  const sent = [];
  const gates = [];
  const latest = new Latest((wish) => {
    sent.push(wish);
    return new Promise((open) => gates.push(open));
  });
  const done = latest.push(1);
  latest.push(2);
  latest.push(3);
  assert.deepEqual(sent, [1]);
  gates[0]();
  await new Promise(setImmediate);
  assert.deepEqual(sent, [1, 3]);
  gates[1]();
  await done;
  assert.equal(latest.busy, false);
});

test('two fingers zoom and move', () => {
  const { factor, middle, shift } = pinchOf([0, 0], [10, 0], [10, 0], [30, 0]);
  assert.deepEqual([factor, middle, shift], [2, [20, 0], [15, 0]]);
});

test('steps of time', () => {
  assert.equal(frameTime({ dt: null, step: 0.02 }, 0.5), 0.01);
  assert.equal(frameTime({ dt: null, step: 0.02 }, Infinity), 0.02);
  assert.equal(frameTime({ dt: 0.1, step: 0.02 }, 3), 0.1);
  const past = { start: 1, end: 7 };
  assert.equal(timeBackwards(5, 500, 2, past), 4);
  assert.equal(timeBackwards(5, 60000, 1, past), 1);
  assert.equal(timeBackwards(7, 1500, Infinity, past), 4);
});

test('the ends of an axis: from zero where that is near, and rounding does not look like a change', () => {
  assert.deepEqual(ends([1, 10], 0), { low: 0, high: 10 });
  const flat = ends([5, 5 + 1e-12], 0.1);
  assert.ok(flat.low < 4.6 && flat.high > 5.4);
  assert.deepEqual(ends([8, 10], 0), { low: 8, high: 10 });
  assert.equal(polyline([0, 1], [0, 2], scale(0, 1, 10, 20), scale(0, 2, 100, 0)), 'M10 100L20 0');
});

test('the next collision is told in words', () => {
  assert.equal(nextText({ next: { time: 0.25, kind: 'ball', first: 3, second: 7 } }), '250.00 ms: 3 and 7');
  assert.equal(nextText({ next: { time: 2, kind: 'wall', first: 3, axis: 1, side: 'upper' } }), '2.0000 s: 3, upper y wall');
  assert.equal(nextText({ next: null, ended: null }), 'none');
  assert.equal(nextText({ next: null, ended: 'nothing will ever happen again' }), 'nothing will ever happen again');
});

const STATS = {
  collisions: 12, wall_collisions: 3, events_per_second: 100, rate: 1, energy: { kinetic: 2, potential: 0, total: 2, drift: 0 }, momentum: [3, 4], hash: 'ab',
};

test('readings of balls and of bodies', () => {
  const ids = (stats, kind) => readingsOf(stats, { kind }).map(([id]) => id);
  const pressure = { virial: null, wall: 1, theory: 1.1, equation: 'Henderson', unit: 'N/m' };
  const gas = { ...STATS, temperature: 1, pressure, mean_free_path: { measured: 0.1, theory: 0.2 }, mean_free_time: 1, mean_square_displacement: 1 };
  assert.deepEqual(ids(gas, 'balls').slice(-8), ['temperature', 'pressure-wall', 'pressure', 'pressure-theory', 'mean-free-path', 'mean-free-time', 'displacement', 'hash']);
  const bodies = { ...STATS, bodies: { contacts: 1, max_penetration: 1e-4, asleep: 0, steps: 2, angular_momentum: 0 } };
  assert.ok(ids(bodies, 'bodies').includes('penetration'));
  assert.equal(readingsOf(STATS, { kind: 'balls' }).find(([id]) => id === 'momentum')[2], 5);
  const replay = { collisions: 1, wall_collisions: 0, energy: { kinetic: 1, potential: null, total: null } };
  assert.deepEqual(ids(replay, 'balls'), ['collisions', 'wall-collisions', 'kinetic']);
});

test('potential and total energy are shown where there is a potential', () => {
  const lines = readingsOf({ ...STATS, energy: { kinetic: 2, potential: 3, total: 5, drift: 1e-16 } }, { kind: 'balls' });
  assert.deepEqual(lines.filter(([id]) => ['potential', 'total'].includes(id)).map(([, , value]) => value), [3, 5]);
});

test('fields depend on the dimension and the kind', () => {
  assert.deepEqual(fieldList(3, false)[0].parts.map(({ id }) => id), ['ball-x', 'ball-y', 'ball-z']);
  assert.deepEqual(fieldList(1, false)[1].parts.map(({ id }) => id), ['ball-vx']);
  assert.deepEqual(fieldList(2, true).map(({ key }) => key), ['position', 'velocity', 'mass', 'angle', 'angular_velocity']);
  const keys = (kind) => physicsList({ kind }).map(({ key }) => key);
  assert.deepEqual(keys('bodies'), ['gravity']);
  assert.deepEqual(keys('balls'), ['gravity', 'restitution', 'wall_restitution', 'contact_rule', 'contact_duration']);
  assert.deepEqual(keys('world'), [
    'gravity', 'restitution', 'max_collisions', 'integrator', 'law', 'attraction', 'softening', 'opening',
  ]);
});

test('a duration of contacts that is chosen is at first that of the rule', () => {
  const scene = { contact_duration: 0.0025 };
  assert.deepEqual(physicsCommand(scene, 'contact_rule', 'given'), { do: 'physics', contact_duration: 0.0025 });
  assert.deepEqual(physicsCommand(scene, 'contact_rule', 'auto'), { do: 'physics', contact_duration: 'auto' });
  assert.deepEqual(physicsCommand(scene, 'law', 'newton'), { do: 'physics', law: 'newton' });
});

test('which page controls and what became of the connection is shown', () => {
  assert.equal(noticeText({ state: 'open', control: true }), '');
  assert.match(noticeText({ state: 'open', control: false, free: false }), /another page controls/);
  assert.match(noticeText({ state: 'open', control: false, free: true }), /Nobody controls/);
  assert.match(noticeText({ state: 'lost' }), /Trying again/);
  assert.match(noticeText({ state: 'foreign' }), /started anew/);
  assert.match(noticeText({ state: 'refused' }, 'too many messages'), /too many messages/);
  assert.equal(statusText({ state: 'open', stats: { running: true }, control: false, pages: 2 }), 'running, watching, 2 pages');
  assert.equal(statusText({ state: 'ended' }), 'the tool has ended');
});

test('files have plain names', () => {
  assert.equal(fileName('Billiard break!', 1.25, 'png'), 'billiard-break-1.25s.png');
  assert.equal(fileName('///', 0, 'svg'), 'scene-0s.svg');
});
