// What the run tells: counters, energies, pressure, contacts, and the plots.

import { make, showNumber } from './fields.js';
import { plotOverTime, plotSpeeds } from '../draw/plots.js';
import { count, plain, si } from '../data/units.js';

const there = (value) => value !== null && value !== undefined;

const drift = (value) => (there(value) ? plain(value, 2) : '–');

function beside(measured, theory, unit) {
  if (!there(measured)) return '–';
  const text = si(measured, unit, 3);
  return there(theory) ? `${text}, theory ${si(theory, unit, 3)}` : text;
}

function vector(values, unit) {
  return values ? values.map((value) => si(value, unit, 3)).join(', ') : '–';
}

/** The lines of the table: id, name, number and text. */
export function readingsOf(stats, scene) {
  const { energy } = stats;
  const happenings = scene.kind === 'bodies' ? 'Steps' : 'Collisions';
  const lines = scene.kind === 'bodies' ? [] : [
    ['collisions', 'Collisions', stats.collisions, count(stats.collisions)],
    ['wall-collisions', 'Collisions with walls', stats.wall_collisions, count(stats.wall_collisions)],
  ];
  lines.push(
    ['events-per-second', `${happenings} a second`, stats.events_per_second, plain(stats.events_per_second ?? NaN, 3)],
    ['rate', 'Simulated time a second', stats.rate, si(stats.rate, 's', 3)],
    ['kinetic', 'Kinetic energy', energy.kinetic, si(energy.kinetic, 'J', 5)],
  );
  if (energy.potential) {
    lines.push(
      ['potential', 'Potential energy', energy.potential, si(energy.potential, 'J', 5)],
      ['total', 'Total energy', energy.total, si(energy.total, 'J', 5)],
    );
  }
  lines.push(
    ['drift', 'Drift of energy', energy.drift, drift(energy.drift)],
    ['momentum', 'Momentum', stats.momentum && Math.hypot(...stats.momentum), vector(stats.momentum, 'N s')],
  );
  if (there(stats.momentum_drift)) {
    lines.push(['momentum-drift', 'Drift of momentum', stats.momentum_drift, drift(stats.momentum_drift)]);
  }
  const more = stats.bodies ? bodyLines(stats.bodies) : gasLines(stats);
  const all = [...lines, ...more, ['hash', 'State hash', stats.hash, stats.hash ?? 'while stopped']];
  // A replay does not tell everything.
  return all.filter(([, , value]) => value !== undefined);
}

function gasLines(stats) {
  const { temperature, pressure, mean_free_path: path, mean_free_time: time } = stats;
  const spread = stats.mean_square_displacement;
  const lines = [];
  if (there(temperature)) lines.push(['temperature', 'Temperature k T', temperature, si(temperature, 'J')]);
  if (pressure) {
    const equation = pressure.equation ? ` (${pressure.equation})` : '';
    lines.push(
      ['pressure-wall', 'Pressure on walls', pressure.wall, si(pressure.wall, pressure.unit)],
      ['pressure', 'Pressure, virial', pressure.virial, si(pressure.virial, pressure.unit)],
      ['pressure-theory', `Pressure, theory${equation}`, pressure.theory, si(pressure.theory, pressure.unit)],
    );
  }
  if (path) lines.push(['mean-free-path', 'Mean free path', path.measured, beside(path.measured, path.theory, 'm')]);
  if (there(time)) lines.push(['mean-free-time', 'Mean free time', time, si(time, 's')]);
  if (there(spread)) lines.push(['displacement', 'Mean square displacement', spread, si(spread, 'm²')]);
  return lines;
}

function bodyLines({ contacts, max_penetration: depth, asleep, steps, angular_momentum: spin }) {
  return [
    ['angular-momentum', 'Angular momentum', spin, si(spin, 'kg m²/s')],
    ['contacts', 'Contacts', contacts, count(contacts)],
    ['penetration', 'Deepest penetration', depth, si(depth, 'm')],
    ['asleep', 'Bodies asleep', asleep, count(asleep)],
    ['steps', 'Steps', steps, count(steps)],
  ];
}

/** When the next collision is and whose, as text. */
export function nextText(stats) {
  const { next } = stats;
  if (!next) return stats.ended ?? 'none';
  const who = next.kind === 'ball'
    ? `${next.first} and ${next.second}`
    : `${next.first}, ${next.side} ${'xyz'[next.axis]} wall`;
  return `${si(next.time, 's', 5)}: ${who}`;
}

function stripOf(stats, scene) {
  return stats.bodies ? contactStrip(stats.bodies) : collisionStrip(stats, scene);
}

function collisionStrip(stats, scene) {
  const { collisions, wall_collisions: walls } = stats;
  const text = walls > 0 ? `${count(collisions)} + ${count(walls)} walls` : count(collisions);
  const when = scene.kind === 'balls' ? nextText(stats) : stats.ended ?? 'found step by step';
  const next = { name: 'Next collision', value: stats.next?.time ?? null, text: when };
  return [{ name: 'Collisions', value: collisions + walls, text }, next];
}

function contactStrip({ contacts, max_penetration: depth }) {
  return [
    { name: 'Contacts', value: contacts, text: count(contacts) },
    { name: 'Deepest penetration', value: depth, text: si(depth, 'm') },
  ];
}

export class Readings {
  constructor(app) {
    this.app = app;
    this.at = (id) => document.getElementById(id);
    this.ids = '';
    this.plotted = 0;
    app.on('stats', (stats) => this.#show(stats));
  }

  #show(stats) {
    const { app } = this;
    const lines = readingsOf(stats, app.scene);
    this.#lines(lines);
    for (const [id, , value, text] of lines) showNumber(this.at(id), value, text);
    this.#strip(stats, app.scene);
    if (!stats.running || performance.now() - this.plotted > 90) this.#plots(stats);
  }

  #plots(stats) {
    const { app } = this;
    this.plotted = performance.now();
    plotSpeeds(this.at('plot-speeds'), stats.speeds, app.scene.kind === 'bodies' ? 'bodies' : 'balls');
    const now = app.seriesGiven ? stats.time : undefined;
    plotOverTime(this.at('plot-energy'), this.#energies(stats), 'J', 'energy', now);
  }

  // What the document shows all the time; of rigid bodies contacts say more than collisions.
  #strip(stats, scene) {
    const { energy } = stats;
    const [many, when] = stripOf(stats, scene);
    this.at('many-name').textContent = many.name;
    showNumber(this.at('collisions-all'), many.value, many.text);
    this.at('next-name').textContent = when.name;
    showNumber(this.at('next'), when.value, when.text);
    this.at('next').title = when.text;
    showNumber(this.at('kinetic-strip'), energy.kinetic, si(energy.kinetic, 'J', 5));
  }

  #energies(stats) {
    const { kinetic, potential, total } = this.app.series;
    const lines = [{ line: 'line', text: 'kinetic', series: kinetic }];
    if (!stats.energy.potential && !potential.values.some((value) => value !== 0)) return lines;
    return [
      ...lines,
      { line: 'second', text: 'potential', series: potential },
      { line: 'third', text: 'total', series: total },
    ];
  }

  // The table is made anew only when it has other lines.
  #lines(lines) {
    const ids = lines.map(([id, name]) => id + name).join();
    if (ids === this.ids) return;
    this.ids = ids;
    this.at('readings').replaceChildren(...lines.map(([id, name]) => (
      make('div', {}, make('dt', {}, name), make('dd', {}, make('output', { id })))
    )));
  }
}
