// Rulers along the left and the lower edge, the grid, and the scale bar, on any context with the methods of a canvas.

import { axisUnit, niceStep, scaleBar, tickLabel, ticks } from '../data/units.js';

/** Room that the rulers take, in pixels. */
export function rulerMargin(view) {
  return view.width < 420 ? { left: 34, bottom: 22 } : { left: 46, bottom: 26 };
}

export const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

function scaleOf(view, low, high, pixels) {
  const step = niceStep(high - low, Math.max(2, pixels / 72));
  const { factor, symbol } = axisUnit(Math.max(Math.abs(low), Math.abs(high)), 'm');
  return { step, factor, symbol, marks: ticks(low, high, Math.max(2, pixels / 72)) };
}

function line(context, x1, y1, x2, y2) {
  context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
}

/** The scales of both axes as they are shown. */
export function scales(view) {
  const [left, top] = view.toWorld(0, 0);
  const [right, bottom] = view.toWorld(view.width, view.height);
  return { x: scaleOf(view, left, right, view.width), y: scaleOf(view, bottom, top, view.height) };
}

/** Faint lines at the ticks of the rulers. */
export function drawGrid(context, view, palette) {
  const { x, y } = scales(view);
  context.strokeStyle = palette.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const mark of x.marks) {
    const [px] = view.toScreen(mark, 0);
    line(context, px, 0, px, view.height);
  }
  for (const mark of y.marks) {
    const [, py] = view.toScreen(0, mark);
    line(context, 0, py, view.width, py);
  }
  context.stroke();
}

/** The rulers, over everything else. */
export function drawRulers(context, view, palette) {
  const { x, y } = scales(view);
  const margin = rulerMargin(view);
  const floor = view.height - margin.bottom;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, margin.left, view.height);
  context.fillRect(0, floor, view.width, margin.bottom);
  context.strokeStyle = palette.muted;
  context.lineWidth = 1;
  context.beginPath();
  line(context, margin.left, 0, margin.left, floor);
  line(context, margin.left, floor, view.width, floor);
  context.stroke();
  horizontal(context, view, palette, x, margin, floor);
  vertical(context, view, palette, y, margin, floor);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillStyle = palette.muted;
  context.fillText(x.symbol, margin.left - 8, floor + 14);
}

function horizontal(context, view, palette, scale, margin, floor) {
  context.font = FONT;
  context.fillStyle = palette.muted;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.beginPath();
  for (const mark of scale.marks) {
    const [px] = view.toScreen(mark, 0);
    if (px < margin.left + 4 || px > view.width - 10) continue;
    line(context, px, floor, px, floor + 5);
    context.fillText(tickLabel(mark * scale.factor, scale.step * scale.factor), px, floor + 14);
  }
  context.stroke();
}

function vertical(context, view, palette, scale, margin, floor) {
  // Both axes in the unit of the first, so that one symbol says it.
  const unit = scales(view).x;
  context.textAlign = 'right';
  context.beginPath();
  for (const mark of scale.marks) {
    const [, py] = view.toScreen(0, mark);
    if (py < 8 || py > floor - 6) continue;
    line(context, margin.left - 5, py, margin.left, py);
    context.fillText(tickLabel(mark * unit.factor, scale.step * unit.factor), margin.left - 8, py);
  }
  context.stroke();
}

/** A length to compare with, near the right lower corner. */
export function drawScaleBar(context, view, palette, scale = view.scale) {
  const margin = rulerMargin(view);
  const bar = scaleBar(scale, Math.min(160, view.width / 3));
  const right = view.width - 14;
  const y = view.height - margin.bottom - 14;
  context.fillStyle = palette.paper;
  context.globalAlpha = 0.8;
  context.fillRect(right - bar.pixels - 7, y - 20, bar.pixels + 14, 28);
  context.globalAlpha = 1;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(right - bar.pixels, y - 4);
  context.lineTo(right - bar.pixels, y + 2);
  context.lineTo(right, y + 2);
  context.lineTo(right, y - 4);
  context.stroke();
  context.font = FONT;
  context.fillStyle = palette.ink;
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.fillText(bar.label, right - bar.pixels / 2, y - 6);
}
