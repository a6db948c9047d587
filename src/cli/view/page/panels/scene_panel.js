// The scene: which one, its walls, gravity, restitution, units, undo and redo.

import { FieldGroup, make, NumberField, UNITS, unitOf } from './fields.js';

const AXES = ['x', 'y', 'z'];
const BOUNDARIES = ['reflecting', 'periodic', 'open'];

/** The quantities of a scene that a field changes. */
export function physicsList(scene) {
  const list = [{ key: 'gravity', name: 'Gravity', quantity: 'acceleration', id: 'gravity' }];
  if (scene.kind !== 'balls') return list;
  return [
    ...list,
    { key: 'restitution', name: 'Restitution', quantity: 'number', id: 'restitution' },
    { key: 'wall_restitution', name: 'Restitution, walls', quantity: 'number', id: 'wall-restitution' },
  ];
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
      group.set([scene[key]], this.app.units);
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
    const groups = physicsList(scene).map(({ key, name, quantity, id }) => {
      const made = new FieldGroup({
        id: `scene-${id}`,
        name,
        quantity,
        parts: [{ id: `scene-${id}`, label: name }],
        commit: ([value]) => this.#set(key, value),
      });
      this.physics.set(key, made);
      return made.element;
    });
    this.at('physics').replaceChildren(make('div', { class: 'pair' }, groups[0], this.#units, ...groups.slice(1)));
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
    const answer = await this.app.ask({ do: 'physics', [key]: value });
    if (!answer.ok) this.physics.get(answer.field ?? key)?.error(answer.error);
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
    for (const group of this.physics.values()) group.fields[0].input.disabled = !(on && scene.editable.physics);
  }
}
