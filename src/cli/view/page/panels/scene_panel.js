// The scene: which one, its walls, forces and rules, units, undo and redo.

import { ChoiceGroup, FieldGroup, make, NumberField, UNITS, unitOf } from './fields.js';

const AXES = ['x', 'y', 'z'];
const BOUNDARIES = ['reflecting', 'periodic', 'open'];

const number = (key, name, quantity = 'number') => ({ key, name, quantity });

// A rule and the duration in seconds that follows from it: a duration that is chosen stays what it was at first.
const CONTACT_RULES = [['auto', 'by gravity'], ['given', 'as given']];

const LAWS = [['newton', 'Newton'], ['as-printed', 'force as acceleration'], ['barnes-hut', 'Newton, by a tree']];

const INTEGRATORS = [['euler', 'Euler, as PBPhys'], ['velocity-verlet', 'velocity Verlet'], ['fourth-order', 'fourth order']];

const OF_BALLS = [
  number('wall_restitution', 'Restitution, walls'),
  { key: 'contact_rule', name: 'Contacts last', choices: CONTACT_RULES },
  number('contact_duration', 'Duration of a contact', 'time'),
];

const OF_WORLDS = [
  number('max_collisions', 'Most collisions'),
  { key: 'integrator', name: 'Integrator', choices: INTEGRATORS, wide: true },
  { key: 'law', name: 'Law of attraction', choices: LAWS, wide: true },
  number('attraction', 'Attraction', 'attraction'),
  number('softening', 'Softening', 'length'),
  number('opening', 'Opening of the tree'),
];

/** The quantities and choices of a scene that a field changes. */
export function physicsList({ kind }) {
  const gravity = number('gravity', 'Gravity', 'acceleration');
  if (kind === 'bodies') return [gravity];
  return [gravity, number('restitution', 'Restitution'), ...(kind === 'balls' ? OF_BALLS : OF_WORLDS)];
}

/** The command that sets a quantity or choice of a scene. */
export function physicsCommand(scene, key, value) {
  if (key !== 'contact_rule') return { do: 'physics', [key]: value };
  return { do: 'physics', contact_duration: value === 'auto' ? 'auto' : scene.contact_duration };
}

function options(values) {
  return values.map((value) => make('option', { value }, value));
}

export class ScenePanel {
  #units;

  constructor(app) {
    this.app = app;
    this.at = (id) => document.getElementById(id);
    this.walls = [];
    this.physics = new Map();
    this.shape = '';
    this.#controls();
    app.on('hello', (hello) => this.#scenes(hello.scenes));
    app.on('scene', (scene) => this.#show(scene));
    app.on('control', () => this.#enable());
  }

  #controls() {
    const { app } = this;
    this.at('scene').addEventListener('change', () => app.order({ do: 'scene', name: this.at('scene').value }));
    this.at('undo').addEventListener('click', () => this.undo());
    this.at('redo').addEventListener('click', () => this.redo());
    this.at('empty').addEventListener('click', () => app.order({ do: 'empty' }));
    this.#unitsField();
  }

  #unitsField() {
    const { app } = this;
    const select = make('select', { id: 'units', class: 'whole' }, ...options(Object.keys(UNITS)));
    select.addEventListener('change', () => {
      app.units = select.value;
      this.#show(app.scene);
      if (app.stats) app.emit('stats', app.stats);
    });
    this.#units = make('label', { class: 'group' }, make('span', { class: 'name' }, 'Units of fields'), select);
  }

  undo() {
    return this.app.order({ do: 'undo' });
  }

  redo() {
    return this.app.order({ do: 'redo' });
  }

  #scenes(scenes) {
    const group = (kind, label) => {
      const entry = ({ name, description }) => make('option', { value: name, title: description }, name);
      return make('optgroup', { label }, ...scenes.filter((scene) => scene.kind === kind).map(entry));
    };
    this.at('scene').replaceChildren(group('balls', 'Balls'), group('bodies', 'Rigid bodies'));
  }

  #show(scene) {
    if (!scene) return;
    const shape = `${scene.kind} ${scene.dim}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.#build(scene);
    }
    document.title = `${scene.name}: carom`;
    this.#choose(scene.name);
    this.at('scene-description').textContent = scene.description ?? '';
    this.walls.forEach((wall, axis) => this.#showWall(wall, scene.box[axis]));
    for (const [key, group] of this.physics) {
      group.error('');
      const value = scene[key] ?? null;
      if (group instanceof ChoiceGroup) group.set(value);
      else group.set([value], this.app.units);
    }
    this.#enable();
  }

  // A scene from a file is no ready-made one and gets an entry of its own.
  #choose(name) {
    const select = this.at('scene');
    select.querySelector('option[data-own]')?.remove();
    if (![...select.options].some(({ value }) => value === name)) {
      select.prepend(make('option', { value: name, 'data-own': '' }, name));
    }
    select.value = name;
  }

  #build(scene) {
    this.walls = scene.kind === 'balls' ? AXES.slice(0, scene.dim).map((name, axis) => this.#wall(name, axis)) : [];
    const title = make('span', { class: 'name', id: 'walls-name' });
    this.wallsTitle = title;
    const attributes = { class: 'group', role: 'group', 'aria-labelledby': 'walls-name' };
    const group = make('div', attributes, title, ...this.walls.map(({ element }) => element));
    this.at('walls').replaceChildren(...(this.walls.length > 0 ? [group] : []));
    this.physics.clear();
    const groups = physicsList(scene).map((entry) => {
      const made = this.#group(entry);
      this.physics.set(entry.key, made);
      return made.element;
    });
    this.at('physics').replaceChildren(make('div', { class: 'pair' }, groups[0], this.#units, ...groups.slice(1)));
  }

  #group({ key, name, quantity, choices, wide }) {
    const id = `scene-${key.replaceAll('_', '-')}`;
    if (choices) return new ChoiceGroup({ id, name, choices, wide, commit: (value) => this.#set(key, value) });
    return new FieldGroup({ id, name, quantity, parts: [{ id, label: name }], commit: ([value]) => this.#set(key, value) });
  }

  #wall(name, axis) {
    const error = make('p', { class: 'error', role: 'alert', id: `wall-${name}-error` });
    const attributes = { id: `wall-${name}`, 'aria-label': `Walls across ${name}` };
    const boundary = make('select', attributes, ...options(BOUNDARIES));
    boundary.addEventListener('change', () => this.#setWall(axis, { boundary: boundary.value }));
    const field = (side, what) => new NumberField({
      id: `wall-${name}-${side}`,
      quantity: 'length',
      label: `${what} wall across ${name}`,
      commit: (value) => this.#setWall(axis, { [side]: value }),
      refuse: (text) => this.#wallError(axis, text, side),
      digits: 5,
    });
    const lower = field('lower', 'Lower');
    const upper = field('upper', 'Upper');
    const label = make('span', { 'aria-hidden': 'true' }, name);
    const element = make('div', { class: 'wall' }, label, boundary, lower.input, upper.input, error);
    return { element, boundary, lower, upper, error };
  }

  #showWall(wall, { boundary, lower, upper }) {
    const { symbol } = unitOf(this.app.units, 'length');
    this.wallsTitle.textContent = `Walls: kind, from, to (${symbol})`;
    wall.error.textContent = '';
    wall.lower.mark(false);
    wall.upper.mark(false);
    wall.boundary.value = boundary;
    wall.lower.set(boundary === 'open' ? null : lower, this.app.units);
    wall.upper.set(boundary === 'open' ? null : upper, this.app.units);
  }

  #wallError(axis, text, side) {
    const wall = this.walls[axis];
    wall.error.textContent = text;
    wall.lower.mark(text !== '' && side === 'lower');
    wall.upper.mark(text !== '' && side === 'upper');
  }

  async #setWall(axis, change) {
    const answer = await this.app.ask({ do: 'walls', axis, ...change });
    if (answer.ok) return;
    this.#wallError(axis, answer.error, answer.field ?? Object.keys(change)[0]);
    if (change.boundary) this.walls[axis].boundary.value = this.app.scene.box[axis].boundary;
  }

  async #set(key, value) {
    const answer = await this.app.ask(physicsCommand(this.app.scene, key, value));
    if (answer.ok) return;
    const group = this.physics.get(answer.field) ?? this.physics.get(key);
    group?.error(answer.error);
  }

  #enable() {
    const { app } = this;
    const { scene } = app;
    const on = app.control && app.state === 'open' && scene;
    this.at('scene').disabled = !on;
    this.at('undo').disabled = !on || scene.undo === 0;
    this.at('redo').disabled = !on || scene.redo === 0;
    this.at('empty').disabled = !app.canEdit || scene.count === 0;
    const walls = on && scene.editable.walls;
    this.walls.forEach((wall, axis) => {
      wall.boundary.disabled = !walls;
      const open = scene?.box[axis].boundary === 'open';
      wall.lower.input.disabled = !walls || open;
      wall.upper.input.disabled = !walls || open;
    });
    for (const group of this.physics.values()) group.enable(on && scene.editable.physics);
  }
}
