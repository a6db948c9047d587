// Numbers and SI units as text, ticks of axes, and the scale bar.

const PREFIXES = new Map([
  [-15, 'f'], [-12, 'p'], [-9, 'n'], [-6, 'µ'], [-3, 'm'], [0, ''], [3, 'k'], [6, 'M'], [9, 'G'], [12, 'T'],
]);

// Units that take a prefix in front of their first symbol; a square or an inverse would take a power of it.
const PREFIXED = new Set(['m', 's', 'm/s', 'J', 'N', 'N s', 'Pa', 'Hz', 'N/m', 'm/s²', 'W', 'K']);

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return (exponent < 0 ? '⁻' : '') + digits;
}

function minus(text) {
  return text.replace('-', '−');
}

/** A number with this many significant digits, as a power of ten where it is very large or very small. */
export function plain(value, digits = 4) {
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const exponent = Number(value.toExponential(digits - 1).split('e')[1]);
  if (exponent >= -4 && exponent < Math.max(digits, 6)) {
    return minus(value.toFixed(Math.max(0, digits - 1 - exponent)));
  }
  const [mantissa] = value.toExponential(digits - 1).split('e');
  return `${minus(mantissa)}×10${superscript(exponent)}`;
}

/** A count, in groups of three digits with narrow spaces. */
export function count(value) {
  if (!Number.isFinite(value)) return '–';
  return minus(String(Math.round(value))).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}

/** A number in an SI unit, with a prefix where the unit takes one: 0.0123 m is 12.30 mm. */
export function si(value, unit, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (unit === '' || unit === '1') return plain(value, digits);
  if (unit === 'kg') return mass(value, digits);
  if (value === 0) return `0 ${unit}`;
  if (!Number.isFinite(value) || !PREFIXED.has(unit)) return `${plain(value, digits)} ${unit}`;
  return prefixed(value, unit, digits);
}

function prefixed(value, unit, digits) {
  // Rounded first: 0.99996 with four digits is 1.000, not 1000 m.
  const rounded = Number(value.toPrecision(digits));
  const exponent = Math.floor(Math.log10(Math.abs(rounded)) / 3 + 1e-9) * 3;
  const prefix = PREFIXES.get(exponent);
  if (prefix === undefined || (unit === 's' && exponent > 0)) return `${plain(value, digits)} ${unit}`;
  const scaled = rounded / 10 ** exponent;
  const whole = Math.max(1, Math.floor(Math.log10(Math.abs(scaled)) + 1e-9) + 1);
  return `${minus(scaled.toFixed(Math.max(0, digits - whole)))} ${prefix}${unit}`;
}

// Masses above a kilogram stay in kilograms.
function mass(value, digits) {
  if (value === 0) return '0 kg';
  if (!Number.isFinite(value) || Math.abs(value) >= 1) return `${plain(value, digits)} kg`;
  return prefixed(value * 1000, 'g', digits).replace('−0', '0');
}

PREFIXED.add('g');

/** The largest of 1, 2 and 5 times a power of ten that is not above the value. */
export function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-12);
  const digit = value / power;
  const step = [5, 2, 1].find((candidate) => candidate <= digit * (1 + 1e-9)) ?? 1;
  return step * power;
}

/** A step of 1, 2 or 5 times a power of ten with at most so many intervals in the range. */
export function niceStep(range, intervals) {
  if (!(range > 0) || !Number.isFinite(range)) return 1;
  const least = range / intervals;
  const power = 10 ** Math.floor(Math.log10(least) + 1e-12);
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** The multiples of a nice step between two numbers. */
export function ticks(low, high, intervals) {
  const step = niceStep(high - low, intervals);
  const first = Math.ceil(low / step - 1e-9) + 0;
  const last = Math.floor(high / step + 1e-9);
  const marks = [];
  for (let index = first; index <= last && marks.length < 1000; index += 1) marks.push(index * step);
  return marks;
}

/** The text of a tick: as many decimals as the step has. */
export function tickLabel(value, step) {
  if (Math.abs(value) < step * 1e-9) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || step < 1e-4) return plain(value, significant(value, step));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return minus(value.toFixed(decimals));
}

function significant(value, step) {
  const power = (number) => Math.floor(Math.log10(number) + 1e-9);
  return Math.min(15, Math.max(1, power(Math.abs(value)) - power(step) + 1));
}

/** A unit in which numbers of this size are read easily: factor to it and its symbol. */
export function axisUnit(size, unit) {
  if (!(size > 0) || !Number.isFinite(size) || !PREFIXED.has(unit)) return { factor: 1, symbol: unit };
  const exponent = Math.floor(Math.log10(size) / 3 + 1e-9) * 3;
  const prefix = PREFIXES.get(exponent);
  if (prefix === undefined || (unit === 's' && exponent > 0)) return { factor: 1, symbol: unit };
  return { factor: 10 ** -exponent, symbol: prefix + unit };
}

/** The scale bar: a round length in metres that is at most so many pixels long. */
export function scaleBar(pixelsPerMetre, mostPixels) {
  const length = roundDown(mostPixels / pixelsPerMetre);
  return { length, pixels: length * pixelsPerMetre, label: si(length, 'm', 1) };
}

/** How much faster or slower than life a run is shown; infinity is as fast as it can. */
export function speedLabel(factor) {
  if (factor === Infinity) return 'max';
  return `${Number(factor.toPrecision(2))}×`.replace('e-', '×10⁻');
}

/** Position of a speed on a slider from 0 to 1; the last hundredth is as fast as it can. */
export function speedToSlider(factor) {
  if (factor === Infinity) return 1;
  return 0.98 * (Math.log10(factor) + 3) / 6;
}

/** The speed at a position of the slider, from a thousandth to a thousand times life. */
export function sliderToSpeed(position) {
  if (position > 0.99) return Infinity;
  const exponent = (position / 0.98) * 6 - 3;
  return Number((10 ** Math.min(exponent, 3)).toPrecision(2));
}

/** The number that a text says, or null if it says none; "nan" and "inf" are numbers that the engine refuses. */
export function parseNumber(text) {
  const trimmed = text.trim().toLowerCase().replace('−', '-');
  if (trimmed === 'nan') return NaN;
  const infinite = trimmed.match(/^([+-]?)inf(inity)?$/);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(trimmed)) return null;
  return Number(trimmed);
}
