// The picture of a scene on a line: the balls, and below them where they have been (time runs upwards to now).

import { css, unpack } from './colours.js';
import { drawArrow, jumped } from './plane.js';
import { drawScaleBar, FONT, rulerMargin } from './rulers.js';
import { axisUnit, niceStep, roundDown, tickLabel, ticks } from '../data/units.js';
import { View2 } from './view2.js';

/** Height of the strip with the balls. */
const STRIP = 92;

export class LineScene {
  constructor() {
    this.view = new View2();
    this.tau = 1;
  }

  resize(width, height) {
    this.view.resize(width, height);
  }

  fit({ lower, upper }) {
    const { left } = rulerMargin(this.view);
    const middle = { lower: [lower[0], 0], upper: [upper[0], 0] };
    this.view.fit(middle, { left: left + 16, right: 16, top: 0, bottom: 0 });
  }

  #x(x) {
    return this.view.toScreen(x, 0)[0];
  }

  back(context, { palette }) {
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, this.view.width, this.view.height);
  }

  middle() {
    return false;
  }

  balls(context, picture) {
    const { count, places, radii, colours, origin, palette, extents } = picture;
    const y = STRIP / 2;
    context.strokeStyle = palette.grid;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, y + 0.5);
    context.lineTo(this.view.width, y + 0.5);
    context.stroke();
    this.#walls(context, extents, palette, 8, STRIP - 8);
    context.strokeStyle = palette.rim;
    for (let row = 0; row < count; row += 1) {
      const x = this.#x(places[row] + origin[0]);
      const r = Math.max(radii[row] * this.view.scale, 1);
      if (x < -r || x > this.view.width + r) continue;
      context.fillStyle = css(unpack(colours[row]));
      context.beginPath();
      context.arc(x, y, Math.min(r, 1e4), 0, 2 * Math.PI);
      context.fill();
      if (r > 3) context.stroke();
    }
  }

  #walls(context, extents, palette, top, bottom) {
    const { kind, lower, upper } = extents[0];
    if (kind === 'open') return;
    context.strokeStyle = palette.wall;
    context.lineWidth = 2.5;
    context.setLineDash(kind === 'periodic' ? [7, 5] : []);
    context.beginPath();
    for (const face of [lower, upper].filter(Number.isFinite)) {
      const x = this.#x(face);
      context.moveTo(x, top);
      context.lineTo(x, bottom);
    }
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
  }

  front(context, picture) {
    const { palette } = picture;
    this.chooseArrow(picture.usualSpeed);
    if (picture.show.velocities && picture.velocities) this.#velocities(context, picture);
    if (picture.chosen) this.#selection(context, picture);
    this.#diagram(context, picture);
    drawScaleBar(context, this.view, palette);
  }

  chooseArrow(speed) {
    const wanted = speed > 0 ? 50 / (speed * this.view.scale) : 1;
    if (this.tau < wanted * 0.4 || this.tau > wanted * 1.8) this.tau = roundDown(wanted);
  }

  #velocities(context, { count, places, origin, velocities, palette }) {
    context.strokeStyle = palette.arrow;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let row = 0; row < count; row += 1) {
      const x = this.#x(places[row] + origin[0]);
      const length = velocities[row] * this.tau * this.view.scale;
      if (Math.abs(length) > 1) drawArrow(context, [x, STRIP - 14], [x + length, STRIP - 14]);
    }
    context.stroke();
  }

  #selection(context, { chosen, palette, canEdit }) {
    const x = this.#x(chosen.position[0]);
    const r = Math.max(chosen.radius * this.view.scale, 1) + 4;
    context.strokeStyle = palette.ink;
    context.lineWidth = 1.5;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.arc(x, STRIP / 2, r, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
    context.strokeStyle = palette.arrow;
    context.lineWidth = 2;
    context.beginPath();
    drawArrow(context, [x, 12], [this.#tip(chosen), 12], 8);
    context.stroke();
    if (!canEdit) return;
    context.fillStyle = palette.paper;
    context.beginPath();
    context.arc(this.#tip(chosen), 12, 5, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  #tip(chosen) {
    return this.#x(chosen.position[0]) + chosen.velocity[0] * this.tau * this.view.scale;
  }

  #diagram(context, picture) {
    const { palette, trails, extents, time } = picture;
    const margin = rulerMargin(this.view);
    const { width, height } = this.view;
    const frame = { left: margin.left, right: width, top: STRIP + 8, bottom: height - margin.bottom };
    const span = trails.length > 1 ? Math.max(time - trails.timeOf(0), 1e-12) : 1;
    const y = (t) => frame.top + ((time - t) / span) * (frame.bottom - frame.top);
    context.fillStyle = palette.fill;
    context.fillRect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
    this.#grid(context, palette, frame, time - span, time, y);
    this.#walls(context, extents, palette, frame.top, frame.bottom);
    this.#worldLines(context, trails, extents, picture, y);
    this.#mask(context, palette, frame);
    this.#labels(context, palette, frame, time - span, time, y);
  }

  #grid(context, palette, frame, from, to, y) {
    context.strokeStyle = palette.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (const mark of this.#placeTicks(frame)) {
      const x = Math.round(this.#x(mark)) + 0.5;
      context.moveTo(x, frame.top);
      context.lineTo(x, frame.bottom);
    }
    for (const mark of ticks(from, to, Math.max(2, (frame.bottom - frame.top) / 60))) {
      context.moveTo(frame.left, Math.round(y(mark)) + 0.5);
      context.lineTo(frame.right, Math.round(y(mark)) + 0.5);
    }
    context.stroke();
  }

  #placeTicks(frame) {
    const [low] = this.view.toWorld(frame.left, 0);
    const [high] = this.view.toWorld(frame.right, 0);
    return ticks(low, high, Math.max(2, this.view.width / 80));
  }

  #worldLines(context, trails, extents, picture, y) {
    context.lineWidth = 1.5;
    for (let ball = 0; ball < trails.rows.length; ball += 1) {
      context.strokeStyle = css(unpack(picture.colours[trails.rows[ball]]));
      context.beginPath();
      let before = null;
      for (let index = 0; index < trails.length; index += 1) {
        const at = [trails.coordinate(index, ball, 0)];
        const x = this.#x(at[0]);
        if (before === null || jumped(before, at, extents)) context.moveTo(x, y(trails.timeOf(index)));
        else context.lineTo(x, y(trails.timeOf(index)));
        before = at;
      }
      context.stroke();
    }
  }

  #mask(context, palette, frame) {
    context.fillStyle = palette.paper;
    context.fillRect(0, frame.top, frame.left, this.view.height - frame.top);
    context.fillRect(0, frame.bottom, this.view.width, this.view.height - frame.bottom);
  }

  #labels(context, palette, frame, from, to, y) {
    const marks = ticks(from, to, Math.max(2, (frame.bottom - frame.top) / 60));
    const step = niceStep(to - from, Math.max(2, (frame.bottom - frame.top) / 60));
    context.font = FONT;
    context.fillStyle = palette.muted;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const unit = axisUnit(Math.abs(to), 's');
    for (const mark of marks) {
      if (y(mark) < frame.top + 18) continue;
      context.fillText(tickLabel(mark * unit.factor, step * unit.factor), frame.left - 6, y(mark));
    }
    context.fillText(`t/${unit.symbol}`, frame.left - 6, frame.top + 6);
    this.#placeLabels(context, frame);
  }

  #placeLabels(context, frame) {
    const marks = this.#placeTicks(frame);
    const [low] = this.view.toWorld(frame.left, 0);
    const [high] = this.view.toWorld(frame.right, 0);
    const step = niceStep(high - low, Math.max(2, this.view.width / 80));
    const unit = axisUnit(Math.max(Math.abs(low), Math.abs(high)), 'm');
    context.textAlign = 'center';
    for (const mark of marks) {
      const x = this.#x(mark);
      if (x < frame.left + 4 || x > frame.right - 10) continue;
      context.fillText(tickLabel(mark * unit.factor, step * unit.factor), x, frame.bottom + 13);
    }
    context.textAlign = 'right';
    context.fillText(`x/${unit.symbol}`, frame.left - 6, frame.bottom + 13);
  }

  ballAt({ count, places, radii, origin }, px, py) {
    if (py > STRIP) return -1;
    let best = -1;
    let least = 8;
    for (let row = 0; row < count; row += 1) {
      const away = Math.abs(px - this.#x(places[row] + origin[0])) - radii[row] * this.view.scale;
      if (away < least) [best, least] = [row, away];
    }
    return best;
  }

  atTip(chosen, px, py) {
    return Math.abs(py - 12) < 12 && Math.abs(px - this.#tip(chosen)) < 12;
  }

  velocityFor(chosen, px) {
    return [(px - this.#x(chosen.position[0])) / (this.tau * this.view.scale)];
  }

  placeFor(position, dx) {
    return [position[0] + dx / this.view.scale];
  }

  drag(dx) {
    this.view.pan(dx, 0);
  }

  pan(dx) {
    this.view.pan(dx, 0);
  }

  zoom(factor, px) {
    this.view.zoom(factor, px, this.view.height / 2);
  }
}
