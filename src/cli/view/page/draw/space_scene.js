// The picture of a scene in space.

import { boxEdges } from './box_edges.js';
import { css, unpack } from './colours.js';
import { Orbit } from './orbit.js';
import { faceShade, seenFaces } from './solids.js';
import { drawArrow, jumped } from './plane.js';
import { drawScaleBar } from './rulers.js';
import { shaded, SpherePixels } from './sphere_pixels.js';
import { Spheres } from './spheres.js';
import { hasGraphicsProcessor } from './webgl.js';
import { roundDown } from '../data/units.js';

/** Three parts of a colour such as #1b212b. */
export function hexColour(text) {
  return [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
}

/** Faces of a solid whose edges are drawn, at most. */
const MOST_EDGED = 12;

export class SpaceScene {
  constructor(gl) {
    this.view = new Orbit();
    this.spheres = hasGraphicsProcessor() ? new Spheres(gl()) : null;
    this.pixels = new SpherePixels();
    this.tau = 1;
  }

  resize(width, height) {
    this.view.resize(width, height);
  }

  fit(bounds) {
    this.view.fit(bounds);
  }

  #edges(picture) {
    const { extents, bounds } = picture;
    if (extents.every(({ kind }) => kind === 'open')) return [];
    const side = (name) => extents.map(({ [name]: face }, axis) => (Number.isFinite(face) ? face : bounds[name][axis]));
    return boxEdges(side('lower'), side('upper'), this.view.eye());
  }

  back(context, picture) {
    context.fillStyle = picture.palette.paper;
    context.fillRect(0, 0, this.view.width, this.view.height);
    this.#drawEdges(context, picture, true);
  }

  middle(picture) {
    if (!this.spheres || picture.bodies) return false;
    const { origin, palette } = picture;
    // Single precision suffices for what is given from the origin of the frame.
    const camera = Object.create(this.view);
    camera.target = this.view.target.map((x, axis) => x - origin[axis]);
    this.spheres.draw({ ...picture, camera, paper: hexColour(palette.paper) });
    return true;
  }

  /** Spheres as pixels or, in an SVG file and among solids, as discs, the far ones first. */
  balls(context, picture, ratio = 0) {
    if (ratio > 0 && !picture.bodies) {
      this.pixels.draw(context, this.view, picture, ratio, hexColour(picture.palette.paper));
      return;
    }
    const { count, places, radii, colours, origin, palette, bodies } = picture;
    const at = Array.from({ length: count }, (_, row) => ({ row, ...this.#screen(places, origin, row) }));
    at.sort((a, b) => b.depth - a.depth);
    const paper = hexColour(palette.paper);
    // A rim of paper tells spheres apart that have one colour.
    context.strokeStyle = palette.paper;
    context.lineWidth = 0.75;
    for (const { row, x, y, scale, depth } of at) {
      if (depth <= 0) continue;
      const fade = (depth - this.view.distance + this.view.reach * 0.6) / (this.view.reach * 1.8);
      const solid = bodies?.[row].shapes.find(({ kind }) => kind === 'solid');
      if (solid) {
        this.#solid(context, solid, [0, 1, 2].map((axis) => places[3 * row + axis] + origin[axis]), (normal) => (
          css(unpack(shaded(colours[row], ...normal, fade, paper)))
        ));
        continue;
      }
      context.fillStyle = css(unpack(shaded(colours[row], 0, 0.3, 0.95, fade, paper)));
      context.beginPath();
      context.arc(x, y, Math.max(radii[row] * scale, 0.5), 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }

  #solid(context, solid, place, colourOf) {
    const axes = this.view.axes();
    const edges = context.strokeStyle;
    for (const { corners, normal } of seenFaces(solid, place, this.view.eye())) {
      context.fillStyle = colourOf(faceShade(normal, axes));
      // Edges of paper tell faces apart, but not those that stand for a round surface.
      if (solid.faces.length > MOST_EDGED) context.strokeStyle = context.fillStyle;
      context.beginPath();
      corners.forEach((corner, index) => {
        const { x, y } = this.view.toScreen(...corner);
        if (index === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      });
      context.closePath();
      context.fill();
      context.stroke();
    }
    context.strokeStyle = edges;
  }

  #screen(places, origin, row) {
    return this.view.toScreen(
      places[3 * row] + origin[0], places[3 * row + 1] + origin[1], places[3 * row + 2] + origin[2],
    );
  }

  #drawEdges(context, picture, behind) {
    context.strokeStyle = picture.palette.wall;
    context.lineWidth = 1;
    context.beginPath();
    for (const { from, to, hidden } of this.#edges(picture)) {
      if (hidden !== behind) continue;
      const [a, b] = [this.view.toScreen(...from), this.view.toScreen(...to)];
      context.moveTo(a.x, a.y);
      context.lineTo(b.x, b.y);
    }
    context.stroke();
  }

  front(context, picture) {
    const { palette } = picture;
    const wanted = picture.usualSpeed > 0 ? 0.12 * this.view.reach / picture.usualSpeed : 1;
    if (this.tau < wanted * 0.4 || this.tau > wanted * 1.8) this.tau = roundDown(wanted);
    this.#drawEdges(context, picture, false);
    if (picture.show.trails) this.#trails(context, picture);
    if (picture.show.velocities && picture.velocities) this.#velocities(context, picture);
    if (picture.chosen) this.#selection(context, picture);
    this.#axes(context, palette);
    const middle = this.view.toScreen(...this.view.target);
    drawScaleBar(context, this.view, palette, middle.scale);
  }

  #trails(context, { trails, extents, palette }) {
    context.strokeStyle = palette.trail;
    context.globalAlpha = 0.7;
    context.lineWidth = 1.25;
    context.beginPath();
    for (let ball = 0; ball < trails.rows.length; ball += 1) {
      let before = null;
      for (let index = 0; index < trails.length; index += 1) {
        const at = [0, 1, 2].map((axis) => trails.coordinate(index, ball, axis));
        const { x, y } = this.view.toScreen(...at);
        if (before === null || jumped(before, at, extents)) context.moveTo(x, y);
        else context.lineTo(x, y);
        before = at;
      }
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  #velocities(context, { count, places, origin, velocities, palette }) {
    context.strokeStyle = palette.arrow;
    context.lineWidth = 1.25;
    context.beginPath();
    for (let row = 0; row < count; row += 1) {
      const from = [0, 1, 2].map((axis) => places[3 * row + axis] + origin[axis]);
      const tip = from.map((x, axis) => x + velocities[3 * row + axis] * this.tau);
      this.#arrow(context, from, tip);
    }
    context.stroke();
  }

  #arrow(context, from, tip) {
    const [a, b] = [this.view.toScreen(...from), this.view.toScreen(...tip)];
    if (a.depth > 0 && b.depth > 0) drawArrow(context, [a.x, a.y], [b.x, b.y]);
  }

  #selection(context, { chosen, palette }) {
    const { x, y, scale } = this.view.toScreen(...chosen.position);
    context.strokeStyle = palette.ink;
    context.lineWidth = 1.5;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.arc(x, y, chosen.radius * scale + 4, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
    context.strokeStyle = palette.arrow;
    context.beginPath();
    this.#arrow(context, chosen.position, chosen.position.map((p, axis) => p + chosen.velocity[axis] * this.tau));
    context.stroke();
  }

  /** Three arrows in a corner say where the axes point. */
  #axes(context, palette) {
    const { right, up } = this.view.axes();
    const [cx, cy] = [40, this.view.height - 44];
    context.strokeStyle = palette.muted;
    context.fillStyle = palette.ink;
    context.lineWidth = 1.25;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = '11px system-ui, sans-serif';
    context.beginPath();
    ['x', 'y', 'z'].forEach((name, axis) => {
      const [dx, dy] = [right[axis] * 24, -up[axis] * 24];
      drawArrow(context, [cx, cy], [cx + dx, cy + dy], 5);
      context.fillText(name, cx + dx * 1.4, cy + dy * 1.4);
    });
    context.stroke();
  }

  ballAt(picture, px, py) {
    const { count, places, radii, origin } = picture;
    let best = -1;
    let nearest = Infinity;
    for (let row = 0; row < count; row += 1) {
      const { x, y, scale, depth } = this.#screen(places, origin, row);
      const inside = Math.hypot(px - x, py - y) < Math.max(radii[row] * scale, 4);
      if (inside && depth > 0 && depth < nearest) [best, nearest] = [row, depth];
    }
    return best;
  }

  atTip(chosen, px, py) {
    const tip = this.view.toScreen(...chosen.position.map((p, axis) => p + chosen.velocity[axis] * this.tau));
    const centre = this.view.toScreen(...chosen.position);
    const apart = Math.hypot(tip.x - centre.x, tip.y - centre.y) > 6;
    return apart && Math.hypot(px - tip.x, py - tip.y) < 12;
  }

  /** The velocity if the tip were at a point of the screen; along the line of sight it stays as it is. */
  velocityFor(chosen, px, py) {
    const tip = this.view.toScreen(...chosen.position.map((p, axis) => p + chosen.velocity[axis] * this.tau));
    const change = this.view.toSpace(px - tip.x, py - tip.y, tip.scale);
    return chosen.velocity.map((v, axis) => v + change[axis] / this.tau);
  }

  placeFor(position, dx, dy) {
    const { scale } = this.view.toScreen(...position);
    const change = this.view.toSpace(dx, dy, scale);
    return position.map((p, axis) => p + change[axis]);
  }

  drag(dx, dy) {
    this.view.rotate(dx, dy);
  }

  pan(dx, dy) {
    this.view.pan(dx, dy);
  }

  zoom(factor) {
    this.view.zoom(factor);
  }
}
