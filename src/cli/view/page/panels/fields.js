// Fields for numbers: units, text to number and back, and the error of the engine below the field.

import { parseNumber, plain } from '../data/units.js';

const unit = (symbol, times, over = 1) => ({ symbol, times, over });

// Units are ratios of whole numbers: 7 cm is 7 / 100 m, rounded once.
export const UNITS = {
  'm, kg, s': { length: unit('m', 1), mass: unit('kg', 1), time: unit('s', 1) },
  'cm, g, s': { length: unit('cm', 1, 1e2), mass: unit('g', 1, 1e3), time: unit('s', 1) },
  'mm, g, s': { length: unit('mm', 1, 1e3), mass: unit('g', 1, 1e3), time: unit('s', 1) },
  'µm, mg, ms': { length: unit('µm', 1, 1e6), mass: unit('mg', 1, 1e6), time: unit('ms', 1, 1e3) },
  'nm, mg, ns': { length: unit('nm', 1, 1e9), mass: unit('mg', 1, 1e6), time: unit('ns', 1, 1e9) },
  'km, t, s': { length: unit('km', 1e3), mass: unit('t', 1e3), time: unit('s', 1) },
};

const per = (a, b) => unit(`${a.symbol}/${b.symbol}`, a.times * b.over, a.over * b.times);

/** The unit of a quantity in a system of units; angles and pure numbers have the same in all. */
export function unitOf(system, quantity) {
  const { length, mass, time } = UNITS[system];
  const velocity = per(length, time);
  const acceleration = { ...per(velocity, time), symbol: `${length.symbol}/${time.symbol}²` };
  const angular = { ...per(unit('rad', 1), time), symbol: `rad/${time.symbol}` };
  const pull = per(per(acceleration, mass), { ...length, times: length.over ** 2, over: length.times ** 2 });
  const attraction = { ...pull, symbol: `${length.symbol}³/(${mass.symbol} ${time.symbol}²)` };
  const pure = { angle: unit('rad', 1), angular, number: unit('', 1) };
  return { length, mass, time, velocity, acceleration, attraction, ...pure }[quantity];
}

export function toSi(value, { times, over }) {
  return (value * times) / over;
}

/** A value in SI units as a number of the unit, with all its digits and without those that rounding added. */
export function fromSi(value, { times, over }) {
  if (times === over) return value;
  return Number(((value * over) / times).toPrecision(15));
}

/** An element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'class') element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/**
 * A field for a number. Some digits are shown, all of them when it is edited; `data-value` has the number in SI units.
 * `commit(value)` gets what was typed, in SI units.
 */
export class NumberField {
  constructor({ id, quantity, label, commit, refuse, digits = 7 }) {
    this.quantity = quantity;
    this.digits = digits;
    this.system = 'm, kg, s';
    this.value = null;
    this.commit = commit;
    this.refuse = refuse;
    this.input = make('input', {
      id, type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false', 'aria-label': label,
    });
    this.label = label;
    this.input.addEventListener('focus', () => this.#show(true));
    this.input.addEventListener('blur', () => this.#show(false));
    this.input.addEventListener('change', () => this.#changed());
    this.input.addEventListener('keydown', (event) => this.#key(event));
  }

  #key(event) {
    if (event.key === 'Escape') {
      this.refuse('');
      this.#show(true);
      this.input.blur();
    }
    if (event.key === 'Enter') this.#changed();
  }

  #changed() {
    if (this.value === null || this.input.value === this.shown) return;
    const typed = parseNumber(this.input.value);
    this.shown = this.input.value;
    if (typed === null) this.refuse(`${this.input.value.trim() || 'nothing'} is not a number`);
    else this.commit(toSi(typed, unitOf(this.system, this.quantity)));
  }

  #show(whole) {
    if (this.input.getAttribute('aria-invalid') === 'true') return;
    if (this.value === null) this.shown = '';
    else {
      const number = fromSi(this.value, unitOf(this.system, this.quantity));
      this.shown = whole ? String(number) : String(Number(number.toPrecision(this.digits)));
    }
    this.input.value = this.shown;
  }

  /** Shows a value in SI units, unless something else has been typed. */
  set(value, system) {
    this.value = value;
    this.system = system;
    this.input.dataset.value = value === null ? '' : String(value);
    const { symbol } = unitOf(system, this.quantity);
    const label = symbol ? `${this.label} in ${symbol}` : this.label;
    if (this.input.title !== label) {
      this.input.title = label;
      this.input.setAttribute('aria-label', label);
    }
    const active = document.activeElement === this.input;
    if (!active || this.input.value === this.shown) this.#show(active);
  }

  /** Marks what was typed as refused; without the mark the value in force is shown again. */
  mark(bad) {
    if (bad) this.input.setAttribute('aria-invalid', 'true');
    else if (this.input.hasAttribute('aria-invalid')) {
      this.input.removeAttribute('aria-invalid');
      if (document.activeElement !== this.input) this.#show(false);
    }
  }
}

/** Several fields with one name, one unit and one place for an error. */
export class FieldGroup {
  constructor({ id, name, quantity, parts, commit }) {
    this.name = name;
    this.quantity = quantity;
    this.values = parts.map(() => null);
    this.errorText = make('p', { id: `${id}-error`, class: 'error', role: 'alert' });
    this.title = make('span', { class: 'name', id: `${id}-name` });
    this.fields = parts.map((part, index) => new NumberField({
      id: part.id,
      quantity,
      label: part.label,
      commit: (value) => commit(this.values.map((old, other) => (other === index ? value : old))),
      refuse: (text) => this.error(text),
      digits: parts.length > 2 ? 4 : 7,
    }));
    for (const field of this.fields) field.input.setAttribute('aria-describedby', this.errorText.id);
    const row = make('div', { class: parts.length > 2 ? 'parts three' : 'parts' });
    parts.forEach((part, index) => {
      const cell = make('label', { class: 'part' });
      if (part.short) cell.append(make('span', {}, part.short));
      cell.append(this.fields[index].input);
      row.append(cell);
    });
    const attributes = { class: 'group', role: 'group', 'aria-labelledby': this.title.id };
    this.element = make('div', attributes, this.title, row, this.errorText);
  }

  set(values, system) {
    this.values = values;
    const { symbol } = unitOf(system, this.quantity);
    this.title.textContent = symbol ? `${this.name} (${symbol})` : this.name;
    values.forEach((value, index) => this.fields[index].set(value, system));
  }

  /** Fields without a value cannot be changed. */
  enable(on) {
    this.fields.forEach((field, index) => { field.input.disabled = !on || this.values[index] === null; });
  }

  /** Shows what was refused at the fields; an empty text takes it away. */
  error(text) {
    this.errorText.textContent = text;
    for (const field of this.fields) field.mark(text !== '');
  }
}

/** A list to choose from, with a name and a place for an error, as a group of fields has them. */
export class ChoiceGroup {
  constructor({ id, name, choices, wide, commit }) {
    this.value = null;
    this.errorText = make('p', { id: `${id}-error`, class: 'error', role: 'alert' });
    const list = choices.map(([value, text]) => make('option', { value }, text));
    this.select = make('select', { id, class: 'whole', 'aria-describedby': this.errorText.id }, ...list);
    this.select.addEventListener('change', () => commit(this.select.value));
    const title = make('span', { class: 'name' }, name);
    this.element = make('label', { class: wide ? 'group across' : 'group' }, title, this.select, this.errorText);
  }

  set(value) {
    this.value = value;
    this.select.value = value;
  }

  /** Shows what was refused, and what holds; an empty text takes it away. */
  error(text) {
    this.errorText.textContent = text;
    if (text !== '') this.select.value = this.value;
  }

  enable(on) {
    this.select.disabled = !on;
  }
}

/** Shows a number in an output, with the whole number for whoever reads the page by program. */
export function showNumber(output, value, text = plain(value)) {
  if (output.textContent !== text) output.textContent = text;
  const whole = value === null || value === undefined ? '' : String(value);
  if (output.dataset.value !== whole) output.dataset.value = whole;
}
