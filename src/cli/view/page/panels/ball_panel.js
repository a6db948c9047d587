// The selected ball: its numbers in fields, and what can be done with it.

import { FieldGroup, make, showNumber } from './fields.js';
import { si } from '../data/units.js';

const AXES = ['x', 'y', 'z'];
const NONE = 'None is selected. Click one, or press Tab.';

/** The fields of a ball or body in so many dimensions: id, name, quantity and the names of the parts. */
export function fieldList(dim, isBody) {
  const vector = (name, prefix) => AXES.slice(0, dim).map((axis) => (
    { id: `ball-${prefix}${axis}`, short: axis, label: `${name} ${axis}` }
  ));
  const single = (id, label) => [{ id: `ball-${id}`, label }];
  const list = [
    { key: 'position', name: 'Position', quantity: 'length', parts: vector('Position', '') },
    { key: 'velocity', name: 'Velocity', quantity: 'velocity', parts: vector('Velocity', 'v') },
    { key: 'mass', name: 'Mass', quantity: 'mass', parts: single('mass', 'Mass') },
  ];
  const radius = { key: 'radius', name: 'Radius', quantity: 'length', parts: single('radius', 'Radius') };
  if (!isBody) return [...list, radius];
  const spin = single('angular-velocity', 'Angular velocity');
  return [
    ...list,
    { key: 'angle', name: 'Angle', quantity: 'angle', parts: single('angle', 'Angle') },
    { key: 'angular_velocity', name: 'Angular velocity', quantity: 'angular', parts: spin },
  ];
}

export class BallPanel {
  constructor(app) {
    this.app = app;
    this.at = (id) => document.getElementById(id);
    this.groups = new Map();
    this.shape = '';
    const actions = {
      'ball-previous': () => app.selectNext(-1), 'ball-next': () => app.selectNext(1), 'ball-add': () => this.add(),
      'ball-duplicate': () => this.duplicate(), 'ball-delete': () => this.remove(),
    };
    for (const [id, action] of Object.entries(actions)) this.at(id)?.addEventListener('click', action);
    app.on('scene', () => this.#build());
    app.on('select', () => this.#selected());
    app.on('stats', () => this.#show());
    app.on('control', () => this.#enable());
  }

  #build() {
    const isBody = this.app.scene.kind === 'bodies';
    this.at('ball-title').textContent = isBody ? 'Body' : 'Ball';
    const shape = `${this.app.dim} ${isBody}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.#fields(fieldList(this.app.dim, isBody));
    }
    this.#enable();
  }

  #fields(list) {
    this.groups.clear();
    const all = list.map(({ key, name, quantity, parts }) => {
      const isVector = key === 'position' || key === 'velocity';
      const commit = (values) => this.set({ [key]: isVector ? values : values[0] });
      const group = new FieldGroup({ id: `ball-${key.replace('_', '-')}`, name, quantity, parts, commit });
      this.groups.set(key, group);
      return group.element;
    });
    this.fixed = make('input', { id: 'ball-fixed', type: 'checkbox' });
    this.fixed.addEventListener('change', () => this.set({ fixed: this.fixed.checked }));
    const pair = make('div', { class: 'pair' }, ...all.slice(2));
    const check = make('label', { class: 'check' }, this.fixed, 'Fixed: does not move');
    this.at('ball-vectors').replaceChildren(...all.slice(0, 2), pair, check);
  }

  #enable() {
    const { app } = this;
    const none = app.selected < 0;
    for (const id of ['ball-previous', 'ball-next']) this.at(id).disabled = !app.scene || app.scene.count === 0;
    for (const id of ['ball-add', 'ball-duplicate', 'ball-delete']) {
      const button = this.at(id);
      if (button) button.disabled = !app.canEdit || (none && id !== 'ball-add');
    }
    for (const input of this.at('ball-vectors').querySelectorAll('input[type="text"]')) input.readOnly = !app.canEdit;
    if (this.fixed) this.fixed.disabled = !app.canEdit;
    this.at('ball-none').hidden = !none;
    const empty = app.scene?.count === 0;
    this.at('ball-none').textContent = empty ? 'There is none. Press B, or click twice where one shall be.' : NONE;
    this.at('ball-fields').hidden = none;
  }

  #selected() {
    const { selected, scene } = this.app;
    this.clearErrors();
    this.#enable();
    this.at('ball-name').textContent = selected >= 0 && scene ? `${selected} (of 0 to ${scene.count - 1})` : '';
    this.at('ball-name').dataset.value = String(selected);
    // The numbers of another ball must not be taken for those of this one.
    if (!this.app.told) this.#blank();
    this.#show();
  }

  #blank() {
    for (const group of this.groups.values()) group.set(group.values.map(() => null), this.app.units);
  }

  #show() {
    const { told, units } = this.app;
    if (!told) return;
    for (const [key, group] of this.groups) group.set([told[key] ?? null].flat(), units);
    if (this.fixed !== document.activeElement) this.fixed.checked = told.fixed;
    showNumber(this.at('ball-speed'), told.speed, si(told.speed, 'm/s'));
    showNumber(this.at('ball-energy'), told.energy, si(told.energy, 'J'));
    const asleep = told.asleep ? ' (asleep)' : '';
    showNumber(this.at('ball-collisions'), told.collisions ?? null, `${told.collisions ?? '–'}${asleep}`);
  }

  clearErrors() {
    for (const group of this.groups.values()) group.error('');
    this.at('ball-error').textContent = '';
  }

  /** Shows what was refused at the field that it is about. */
  refused({ error, field }) {
    this.clearErrors();
    const group = this.groups.get(field);
    if (group) group.error(error);
    else this.at('ball-error').textContent = error;
  }

  #answered(answer) {
    if (answer.ok) this.clearErrors();
    else this.refused(answer);
    return answer;
  }

  /** Changes the selected ball. */
  async set(change) {
    if (!this.app.canEdit || this.app.selected < 0) return { ok: false };
    return this.#answered(await this.app.ask({ do: 'set', ball: this.app.selected, ...change }));
  }

  async add(position) {
    if (!this.app.canEdit) return;
    const answer = this.#answered(await this.app.ask(position ? { do: 'add', position } : { do: 'add' }));
    if (answer.ok) this.app.select(answer.ball);
  }

  async duplicate() {
    if (!this.app.canEdit || this.app.selected < 0) return;
    const answer = this.#answered(await this.app.ask({ do: 'duplicate', ball: this.app.selected }));
    if (answer.ok) this.app.select(answer.ball);
  }

  async remove() {
    if (!this.app.canEdit || this.app.selected < 0) return;
    this.#answered(await this.app.ask({ do: 'delete', ball: this.app.selected }));
  }
}
