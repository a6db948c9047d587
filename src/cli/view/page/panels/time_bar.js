// Start, stop, steps, speed, backwards, and the slider over the past.

import { showNumber } from './fields.js';
import { Past } from '../data/history.js';
import { si, sliderToSpeed, speedLabel, speedToSlider } from '../data/units.js';

const CONTROLS = ['run', 'event', 'frame', 'frame-back', 'restart', 'backwards', 'speed', 'past'];

/** Simulated time of a step to the next and back, in seconds. */
export function frameTime(scene, speed) {
  return (scene.dt ?? scene.step) * (scene.dt === null && Number.isFinite(speed) ? speed : 1);
}

/** Where running backwards has come to, so many milliseconds after it began. */
export function timeBackwards(from, milliseconds, speed, past) {
  // As fast as it can is the whole past in three seconds.
  const rate = Number.isFinite(speed) ? speed : (past.end - past.start) / 3;
  return Math.max(past.start, from - (rate * milliseconds) / 1000);
}

export class TimeBar {
  constructor(app) {
    this.app = app;
    this.past = new Past();
    this.running = false;
    this.speed = 1;
    this.reverse = null;
    this.sliding = false;
    this.at = (id) => document.getElementById(id);
    this.#buttons();
    this.#sliders();
    app.on('stats', (stats) => this.#stats(stats));
    app.on('frame', (frame) => showNumber(this.at('time'), frame.time, si(frame.time, 's', 6)));
    app.on('scene', () => this.stopReverse());
    app.on('control', () => this.#enable());
  }

  #buttons() {
    const actions = {
      run: () => this.toggle(),
      event: () => this.event(),
      frame: () => this.frame(),
      'frame-back': () => this.frameBack(),
      restart: () => this.restart(),
      backwards: () => this.backwards(),
    };
    for (const [id, action] of Object.entries(actions)) this.at(id).addEventListener('click', action);
  }

  #sliders() {
    const [speed, past] = [this.at('speed'), this.at('past')];
    speed.addEventListener('input', () => this.setSpeed(sliderToSpeed(Number(speed.value))));
    past.addEventListener('input', () => this.#slide(this.past.timeAt(Number(past.value))));
    past.addEventListener('pointerdown', () => { this.sliding = true; });
    for (const end of ['change', 'pointerup', 'pointercancel']) {
      past.addEventListener(end, () => { this.sliding = false; });
    }
  }

  #stats({ running, speed, time, history }) {
    this.running = running;
    this.speed = speed === 'max' ? Infinity : speed;
    this.past.set({ start: history.from, end: history.to, now: time });
    const label = running ? 'Stop' : 'Start';
    if (this.at('run-text').textContent !== label) {
      this.at('run-text').textContent = label;
      this.at('run-icon').setAttribute('href', running ? '#i-stop' : '#i-start');
    }
    showNumber(this.at('speed-text'), this.speed, speedLabel(this.speed));
    if (!this.at('speed').matches(':active')) this.at('speed').value = speedToSlider(this.speed);
    if (!this.sliding) this.at('past').value = this.past.position;
    this.at('past').setAttribute('aria-valuetext', si(time, 's', 4));
    showNumber(this.at('past-end'), this.past.end, si(this.past.end, 's', 4));
  }

  #enable() {
    const off = !this.app.control || this.app.state !== 'open';
    for (const id of CONTROLS) this.at(id).disabled = off;
  }

  toggle() {
    if (this.reverse) {
      this.stopReverse();
      return Promise.resolve();
    }
    return this.app.order({ do: this.running ? 'stop' : 'start' });
  }

  event() {
    this.stopReverse();
    return this.app.order({ do: 'event' });
  }

  frame() {
    this.stopReverse();
    return this.app.order({ do: 'frame' });
  }

  frameBack() {
    this.stopReverse();
    const step = frameTime(this.app.scene, this.speed);
    return this.app.order({ do: 'seek', time: Math.max(this.past.start, this.past.now - step) });
  }

  restart() {
    this.stopReverse();
    return this.app.order({ do: 'restart' });
  }

  setSpeed(speed) {
    const kept = Math.min(1000, Math.max(0.001, speed));
    const wanted = speed === Infinity ? 'max' : Number(kept.toPrecision(3));
    // Kept at once, so that keys pressed quickly go on from it.
    this.speed = speed === Infinity ? Infinity : wanted;
    showNumber(this.at('speed-text'), wanted, speedLabel(speed === Infinity ? speed : kept));
    return this.app.order({ do: 'speed', speed: wanted });
  }

  /** Slower and faster by the keys: a factor of about 1.6, through round numbers. */
  faster(up) {
    if (this.speed === Infinity) return this.setSpeed(up ? Infinity : 1000);
    const exponent = Math.round(Math.log10(this.speed) * 5) + (up ? 1 : -1);
    return this.setSpeed(exponent > 15 ? Infinity : 10 ** (exponent / 5));
  }

  /** Goes to a time of the past; while one request is under way only the newest wish is kept. */
  async #slide(time) {
    this.stopReverse();
    this.wish = time;
    if (this.seeking) return;
    this.seeking = true;
    while (this.wish !== null) {
      const wish = this.wish;
      this.wish = null;
      await this.app.order({ do: 'seek', time: wish });
    }
    this.seeking = false;
  }

  backwards() {
    if (this.reverse) this.stopReverse();
    else this.#runBackwards();
  }

  stopReverse() {
    this.reverse = null;
    this.at('backwards').setAttribute('aria-pressed', 'false');
  }

  async #runBackwards() {
    const mine = {};
    this.reverse = mine;
    this.at('backwards').setAttribute('aria-pressed', 'true');
    await this.app.order({ do: 'stop' });
    let [from, began, pace] = [this.past.now, performance.now(), this.speed];
    while (this.reverse === mine) {
      const time = timeBackwards(from, performance.now() - began, pace, this.past);
      const answer = await this.app.order({ do: 'seek', time });
      if (!answer.ok || time <= this.past.start) break;
      if (this.speed !== pace) [from, began, pace] = [time, performance.now(), this.speed];
      await new Promise((next) => requestAnimationFrame(next));
    }
    if (this.reverse === mine) this.stopReverse();
  }
}
