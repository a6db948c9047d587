// The stage: three canvases on each other (ground, balls by WebGL2, what is drawn over them) and one scene.

import { LineScene } from './line_scene.js';
import { PlaneScene } from './plane_scene.js';
import { SpaceScene } from './space_scene.js';
import { SvgContext } from './svg.js';
import { context as webgl } from './webgl.js';

const SCENES = { 1: LineScene, 2: PlaneScene, 3: SpaceScene };

function canvas(parent, name) {
  const made = document.createElement('canvas');
  made.className = name;
  made.setAttribute('aria-hidden', 'true');
  parent.append(made);
  return made;
}

export class Stage {
  constructor(element, onResize) {
    this.element = element;
    this.ground = canvas(element, 'ground');
    this.balls = canvas(element, 'balls');
    this.over = canvas(element, 'over');
    this.scene = null;
    this.dim = 0;
    this.bounds = null;
    this.moved = false;
    this.balls.addEventListener('webglcontextlost', (event) => event.preventDefault());
    this.balls.addEventListener('webglcontextrestored', () => this.#restore(onResize));
    new ResizeObserver(() => {
      this.#resize();
      onResize();
    }).observe(element);
    this.#resize();
  }

  get contexts() {
    return [this.ground.getContext('2d'), this.over.getContext('2d')];
  }

  #restore(onResize) {
    this.#make();
    onResize();
  }

  #webgl() {
    if (this.gl === undefined) this.gl = webgl(this.balls);
    return this.gl;
  }

  #make() {
    const view = this.scene?.view;
    this.scene = new SCENES[this.dim](() => this.#webgl());
    if (view) this.scene.view = view;
    this.scene.resize(this.width, this.height);
  }

  #resize() {
    this.width = Math.max(this.element.clientWidth, 1);
    this.height = Math.max(this.element.clientHeight, 1);
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    for (const each of [this.ground, this.balls, this.over]) {
      each.width = Math.round(this.width * this.ratio);
      each.height = Math.round(this.height * this.ratio);
    }
    this.scene?.resize(this.width, this.height);
    if (this.scene && !this.moved) this.fit(this.bounds);
  }

  /** A scene of so many dimensions that is shown from here to there; a view that was moved by hand is kept. */
  show(dim, bounds, again) {
    if (dim !== this.dim) {
      this.dim = dim;
      this.scene = null;
      this.#make();
      this.moved = false;
    }
    this.bounds = bounds;
    if (again || !this.moved) this.fit(bounds);
  }

  fit(bounds) {
    this.bounds = bounds;
    this.moved = false;
    this.scene.fit(bounds);
  }

  draw(picture) {
    if (!this.scene) return;
    const [ground, over] = this.contexts;
    for (const context of [ground, over]) {
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
    }
    this.scene.back(ground, picture);
    const drawn = this.scene.middle(picture, this.ratio);
    this.balls.hidden = !drawn;
    if (!drawn) this.scene.balls(over, picture, this.ratio);
    this.scene.front(over, picture);
  }

  /** All canvases as one, drawn anew: a canvas of WebGL is empty once it has been shown. */
  flat(picture, target) {
    this.draw(picture);
    const whole = target ?? document.createElement('canvas');
    if (whole.width !== this.ground.width) whole.width = this.ground.width;
    if (whole.height !== this.ground.height) whole.height = this.ground.height;
    const context = whole.getContext('2d');
    context.drawImage(this.ground, 0, 0);
    if (!this.balls.hidden) context.drawImage(this.balls, 0, 0);
    context.drawImage(this.over, 0, 0);
    return whole;
  }

  /** The same picture as text of an SVG file. */
  svg(picture, title) {
    const context = new SvgContext(this.width, this.height, title);
    this.scene.back(context, picture);
    this.scene.balls(context, picture);
    this.scene.front(context, picture);
    return context.text();
  }
}
