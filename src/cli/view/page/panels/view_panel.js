// What is shown and how: colours with their legend, trails, velocities, contacts, light and dark.

import { css, ramp, speciesColour } from '../draw/colours.js';
import { QUANTITIES } from '../draw/picture.js';
import { make } from './fields.js';
import { count, plain, si } from '../data/units.js';

export const COLOURS = ['plain', 'speed', 'mass', 'species', 'collisions'];

function remembered(key) {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    window.localStorage.setItem(key, value);
  } catch {
    // A browser that stores nothing shows the page all the same.
  }
}

export class ViewPanel {
  constructor(app) {
    this.app = app;
    this.at = (id) => document.getElementById(id);
    this.#legendScale();
    this.at('colour').addEventListener('change', () => this.colourBy(this.at('colour').value));
    for (const name of Object.keys(app.show)) {
      this.at(`show-${name}`)?.addEventListener('change', (event) => this.toggle(name, event.target.checked));
    }
    this.at('fit').addEventListener('click', () => app.fit());
    this.at('theme').addEventListener('click', () => this.otherTheme());
    this.#themes();
    app.on('scene', (scene) => this.#scene(scene));
    app.on('drawn', (picture) => this.#drawn(picture));
  }

  #themes() {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const own = remembered('carom-theme');
    this.#setTheme(own ?? (dark.matches ? 'dark' : 'light'));
    dark.addEventListener('change', () => {
      if (!remembered('carom-theme')) this.#setTheme(dark.matches ? 'dark' : 'light');
    });
  }

  #setTheme(theme) {
    this.app.theme = theme === 'dark' ? 'dark' : 'light';
    document.documentElement.dataset.theme = this.app.theme;
    this.app.redraw();
  }

  otherTheme() {
    const theme = this.app.theme === 'dark' ? 'light' : 'dark';
    remember('carom-theme', theme);
    this.#setTheme(theme);
  }

  #scene({ kind, count: balls }) {
    const contacts = this.at('contacts-choice');
    contacts.hidden = kind !== 'bodies';
    // Many arrows hide what they belong to.
    this.at('show-velocities').disabled = balls > 20000;
  }

  colourBy(mode) {
    this.app.colour = mode;
    this.at('colour').value = mode;
    this.app.want();
    this.app.redraw();
  }

  nextColour() {
    this.colourBy(COLOURS[(COLOURS.indexOf(this.app.colour) + 1) % COLOURS.length]);
  }

  toggle(name, on = !this.app.show[name]) {
    const box = this.at(`show-${name}`);
    if (!box || box.disabled) return;
    this.app.show[name] = on;
    box.checked = on;
    if (name === 'trails' && !on && this.app.dim !== 1) this.app.trails.clear();
    this.app.want();
    this.app.redraw();
  }

  #legendScale() {
    const canvas = this.at('legend-scale');
    const context = canvas.getContext('2d');
    for (let x = 0; x < canvas.width; x += 1) {
      const [red, green, blue] = ramp(x / (canvas.width - 1));
      context.fillStyle = `rgb(${red}, ${green}, ${blue})`;
      context.fillRect(x, 0, 1, canvas.height);
    }
  }

  // Species have no scale but a mark each; of many only the first are named.
  #species() {
    const { app } = this;
    const list = this.at('legend-species');
    list.hidden = app.colour !== 'species' || !app.scene.species?.length;
    if (list.hidden || this.speciesShown === app.scene.species) return;
    this.speciesShown = app.scene.species;
    list.replaceChildren(...app.scene.species.slice(0, 6).map(({ radius, mass, count: number }, index) => {
      const mark = make('i');
      mark.style.background = css(speciesColour(index));
      return make('span', {}, mark, `${count(number)}: ${si(mass, 'kg', 3)}, ${si(radius, 'm', 3)}`);
    }));
  }

  #drawn(picture) {
    const { app } = this;
    const quantity = QUANTITIES[app.colour];
    const end = app.painter.ends[app.colour];
    const there = quantity !== undefined && end !== undefined && !(app.colour === 'collisions' && app.scene.kind === 'bodies');
    this.at('legend').hidden = !there;
    if (there) {
      this.at('legend-name').textContent = quantity.name;
      this.at('legend-low').textContent = '0';
      this.at('legend-high').textContent = quantity.unit ? si(end, quantity.unit, 3) : count(end);
    }
    this.#species();
    const { tau } = app.stage.scene;
    const arrows = app.show.velocities || picture.chosen;
    this.at('arrow-note').hidden = !arrows;
    if (arrows) this.at('arrow-note').textContent = `An arrow is as long as the way in ${plain(tau, 1)} s.`;
  }
}
