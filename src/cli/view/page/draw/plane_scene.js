// The picture of a scene in the plane.

import { drawBodies, contains } from './bodies.js';
import { Discs } from './discs.js';
import {
  drawContacts, drawDiscs, drawInside, drawSelection, drawTrails, drawVelocities, drawWalls, handleOf, velocityAtTip,
} from './plane.js';
import { drawGrid, drawRulers, drawScaleBar, rulerMargin } from './rulers.js';
import { roundDown } from '../data/units.js';
import { LARGEST_SPLAT, Splats } from './splats.js';
import { View2 } from './view2.js';
import { hasGraphicsProcessor } from './webgl.js';

/** From this number of balls on they are not drawn one by one. */
const MANY = 1500;

export class PlaneScene {
  /** `gl` gives the context of WebGL2, or null where there is none. */
  constructor(gl) {
    this.view = new View2();
    this.gl = gl;
    this.splats = new Splats();
    this.tau = 1;
  }

  #discs() {
    if (this.discs === undefined) this.discs = hasGraphicsProcessor() ? new Discs(this.gl()) : null;
    return this.discs;
  }

  resize(width, height) {
    this.view.resize(width, height);
  }

  fit(bounds) {
    const { left, bottom } = rulerMargin(this.view);
    this.view.fit(bounds, { left: left + 16, right: 16, top: 16, bottom: bottom + 46 });
  }

  /** The time whose way is an arrow: with it the usual arrow is about 50 pixels long. */
  chooseArrow(speed) {
    const wanted = speed > 0 ? 50 / (speed * this.view.scale) : 1;
    if (this.tau < wanted * 0.4 || this.tau > wanted * 1.8) this.tau = roundDown(wanted);
  }

  back(context, picture) {
    const { view } = this;
    context.fillStyle = picture.palette.paper;
    context.fillRect(0, 0, view.width, view.height);
    drawInside(context, view, picture.extents, picture.palette);
    if (picture.show.grid) drawGrid(context, view, picture.palette);
    if (picture.show.trails) drawTrails(context, view, picture.trails, picture.extents, picture.palette);
  }

  /** Draws the balls with WebGL if it can; says whether it did. */
  middle(picture, ratio) {
    if (picture.bodies || picture.count < MANY || !this.#discs()) return false;
    this.discs.draw({ ...picture, view: this.view, ratio });
    return true;
  }

  /** Draws the balls on a context; an SVG file takes no pixels. */
  balls(context, picture, ratio = 0) {
    const small = largest(picture) * this.view.scale * ratio <= LARGEST_SPLAT;
    if (picture.bodies) drawBodies(context, this.view, picture);
    else if (ratio > 0 && picture.count >= MANY && small) this.splats.draw(context, this.view, picture, ratio);
    else drawDiscs(context, this.view, picture);
  }

  front(context, picture) {
    const { view } = this;
    const { show, palette, contacts, chosen } = picture;
    drawWalls(context, view, picture.extents, palette);
    this.chooseArrow(picture.usualSpeed);
    if (show.velocities) drawVelocities(context, view, picture, this.tau);
    if (show.contacts && contacts) drawContacts(context, view, contacts, palette);
    if (chosen) drawSelection(context, view, this.#flat(chosen), this.tau, palette, picture.canEdit);
    drawRulers(context, view, palette);
    drawScaleBar(context, view, palette);
  }

  #flat({ position, velocity, radius }) {
    return { x: position[0], y: position[1], vx: velocity[0], vy: velocity[1], radius };
  }

  /** The row of the ball at a point of the screen, or -1. */
  ballAt(picture, px, py) {
    const [x, y] = this.view.toWorld(px, py);
    const { count, places, radii, origin, bodies, angles } = picture;
    // A finger or a mouse may miss a small ball by some pixels.
    const slack = 6 / this.view.scale;
    let best = -1;
    let least = Infinity;
    for (let row = 0; row < count; row += 1) {
      const dx = x - origin[0] - places[2 * row];
      const dy = y - origin[1] - places[2 * row + 1];
      const away = Math.hypot(dx, dy) - radii[row];
      if (away > slack || away >= least) continue;
      if (bodies && !bodyContains(bodies[row], angles?.[row] ?? 0, dx, dy)) continue;
      [best, least] = [row, away];
    }
    return best;
  }

  /** Whether a point of the screen is at the tip of the selected ball's velocity. */
  atTip(chosen, px, py) {
    const { x, y, vx, vy, radius } = this.#flat(chosen);
    const [cx, cy] = this.view.toScreen(x, y);
    const { tip } = handleOf(cx, cy, vx, vy, radius, this.tau, this.view.scale);
    return Math.hypot(px - tip[0], py - tip[1]) < 12;
  }

  /** The velocity if the tip of the arrow were at a point of the screen. */
  velocityFor(chosen, px, py) {
    const [cx, cy] = this.view.toScreen(chosen.position[0], chosen.position[1]);
    const radius = Math.max(chosen.radius, 8 / this.view.scale);
    return velocityAtTip(px - cx, cy - py, radius, this.tau, this.view.scale);
  }

  /** The place of a ball that was moved by some pixels. */
  placeFor(position, dx, dy) {
    return [position[0] + dx / this.view.scale, position[1] - dy / this.view.scale];
  }

  drag(dx, dy) {
    this.view.pan(dx, dy);
  }

  pan(dx, dy) {
    this.view.pan(dx, dy);
  }

  zoom(factor, px, py) {
    this.view.zoom(factor, px, py);
  }
}

function largest({ radii, count }) {
  let most = 0;
  for (let row = 0; row < count; row += 1) if (radii[row] > most) most = radii[row];
  return most;
}

function bodyContains(body, angle, dx, dy) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const point = [cos * dx + sin * dy, cos * dy - sin * dx];
  return body.shapes.some((shape) => contains(shape, point));
}
