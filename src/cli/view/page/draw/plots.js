// Plots with axes and units, as SVG elements.

import { axisUnit, count, niceStep, tickLabel, ticks } from '../data/units.js';

const SPACE = 'http://www.w3.org/2000/svg';
const HEIGHT = 150;
const MARGIN = { left: 44, right: 8, top: 20, bottom: 32 };

function element(tag, attributes, text) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const near = (x) => Math.round(x * 10) / 10;

/** A linear scale from numbers to pixels. */
export function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

class Plot {
  constructor(parent, name) {
    this.parent = parent;
    this.width = Math.max(parent.clientWidth, 200);
    this.svg = element('svg', { viewBox: `0 0 ${this.width} ${HEIGHT}`, role: 'img', 'aria-label': name });
    this.right = this.width - MARGIN.right;
    this.bottom = HEIGHT - MARGIN.bottom;
  }

  /** Axes with ticks, labels and units; `x` and `y` are { low, high, unit, name }. */
  axes(x, y) {
    this.x = scale(x.low, x.high, MARGIN.left, this.right);
    this.y = scale(y.low, y.high, this.bottom, MARGIN.top);
    const xUnit = axisUnit(Math.max(Math.abs(x.low), Math.abs(x.high)), x.unit);
    const yUnit = axisUnit(Math.max(Math.abs(y.low), Math.abs(y.high)), y.unit);
    this.#horizontal(x, xUnit);
    this.#vertical(y, yUnit);
    const label = (name, symbol) => (symbol ? `${name} / ${symbol}` : name);
    this.text((MARGIN.left + this.right) / 2, HEIGHT - 4, 'middle', label(x.name, xUnit.symbol));
    this.text(0, 10, 'start', label(y.name, yUnit.symbol));
  }

  #horizontal({ low, high }, { factor }) {
    const intervals = Math.max(2, Math.floor((this.right - MARGIN.left) / 56));
    const step = niceStep(high - low, intervals) * factor;
    const marks = ticks(low, high, intervals);
    const strokes = marks.map((mark) => `M${near(this.x(mark))} ${this.bottom}v4`);
    this.path('axis', `M${MARGIN.left} ${this.bottom + 0.5}H${this.right}${strokes.join('')}`);
    for (const mark of marks) this.text(near(this.x(mark)), this.bottom + 15, 'middle', tickLabel(mark * factor, step));
  }

  #vertical({ low, high }, { factor }) {
    const step = niceStep(high - low, 4) * factor;
    const marks = ticks(low, high, 4);
    this.path('grid', marks.map((mark) => `M${MARGIN.left} ${near(this.y(mark))}H${this.right}`).join(''));
    for (const mark of marks) {
      this.text(MARGIN.left - 6, near(this.y(mark)) + 3.5, 'end', tickLabel(mark * factor, step));
    }
  }

  path(name, d) {
    if (d !== '') this.svg.append(element('path', { class: name, d }));
  }

  text(x, y, anchor, text) {
    this.svg.append(element('text', { x, y, 'text-anchor': anchor }, text));
  }

  line(name, xs, ys) {
    this.path(name, polyline(xs, ys, this.x, this.y));
  }

  /** Names of the lines, right above the plot. */
  keys(names) {
    let right = this.right;
    for (const [name, text] of [...names].reverse()) {
      this.text(right, 10, 'end', text);
      right -= 6.2 * text.length + 4;
      this.path(name, `M${near(right - 16)} 6.5h14`);
      right -= 26;
    }
  }

  finish() {
    this.parent.replaceChildren(this.svg);
  }
}

/** A line through points as the text of a path. */
export function polyline(xs, ys, x, y) {
  return xs.map((value, index) => `${index === 0 ? 'M' : 'L'}${near(x(value))} ${near(y(ys[index]))}`).join('');
}

/** How many balls have which speed, over what Maxwell's distribution expects. */
export function plotSpeeds(parent, speeds, noun) {
  if (!speeds || !(speeds.width > 0)) {
    parent.replaceChildren(note('No speeds yet: nothing moves.'));
    return;
  }
  const { width, counts, maxwell } = speeds;
  const plot = new Plot(parent, `Histogram of ${count(counts.reduce((a, b) => a + b, 0))} speeds`);
  const most = Math.max(...counts, ...(maxwell ?? []), 1);
  const x = { low: 0, high: width * counts.length, unit: 'm/s', name: 'speed' };
  plot.axes(x, { low: 0, high: most * 1.05, unit: '', name: noun });
  const bars = counts.map((value, bin) => {
    const [left, right] = [near(plot.x(bin * width) + 0.5), near(plot.x((bin + 1) * width) - 0.5)];
    return value > 0 ? `M${left} ${plot.bottom}V${near(plot.y(value))}H${right}V${plot.bottom}Z` : '';
  });
  plot.path('bars', bars.join(''));
  if (maxwell) {
    plot.line('theory', maxwell.map((_, bin) => (bin + 0.5) * width), maxwell);
    plot.keys([['theory', 'Maxwell']]);
  }
  plot.finish();
}

function note(text) {
  const made = document.createElement('p');
  made.className = 'note';
  made.textContent = text;
  return made;
}

/** Quantities over time: [{ name of the line, text, series }]. */
export function plotOverTime(parent, lines, unit, name, now) {
  const all = lines.flatMap(({ series }) => series.values);
  const times = lines.flatMap(({ series }) => series.times);
  if (all.length < 2) {
    parent.replaceChildren(note('Start the run to see energy over time.'));
    return;
  }
  const plot = new Plot(parent, `${name} over time`);
  plot.axes({ ...ends(times, 0), unit: 's', name: 'time' }, { ...ends(all, 0.08), unit, name });
  for (const { line, series } of lines) plot.line(line, series.times, series.values);
  if (now !== undefined) plot.path('now', `M${near(plot.x(now))} ${MARGIN.top}V${plot.bottom}`);
  if (lines.length > 1) plot.keys(lines.map(({ line, text }) => [line, text]));
  plot.finish();
}

/**
 * The ends of an axis. Values from near zero start at zero; values that hardly differ get a tenth of their size, so
 * that rounding errors do not look like a change.
 */
export function ends(values, room) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (high - low < 0.02 * size && room > 0) return { low: low - 0.1 * size, high: high + 0.1 * size };
  if (low >= 0 && low < 0.4 * high) low = 0;
  return { low, high: high + room * (high - low) || low + 1e-12 };
}
