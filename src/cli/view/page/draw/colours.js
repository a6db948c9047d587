// Colours of balls: by a quantity, by species, and the two marks of the window (selected, and next to collide).

// Five points of a map from violet to pale green whose lightness grows evenly, without the yellow and red of the marks.
const RAMP = [[92, 62, 158], [56, 106, 196], [32, 150, 176], [88, 190, 124], [204, 236, 158]];

// Eight colours that people with any colour vision can tell apart (after Okabe and Ito).
const SPECIES = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167],
  [86, 180, 233], [213, 94, 0], [110, 110, 110], [170, 160, 40],
];

export const PALETTES = {
  light: {
    ball: [38, 44, 54], body: [122, 146, 178], selected: [255, 208, 0], next: [214, 30, 40],
    fixed: [150, 158, 170], asleep: [128, 140, 168],
    rim: 'rgba(0, 0, 0, 0.55)', ink: '#1b212b', muted: '#5b6573', grid: '#e3e7ed', wall: '#39424f', paper: '#ffffff',
    arrow: '#1560a8', contact: '#b3157a', trail: '#5b6573', fill: '#f7f8fa',
  },
  dark: {
    ball: [214, 219, 227], body: [110, 138, 176], selected: [255, 214, 10], next: [255, 69, 58],
    fixed: [94, 104, 118], asleep: [112, 126, 160],
    rim: 'rgba(0, 0, 0, 0.6)', ink: '#e6e9ee', muted: '#9aa4b2', grid: '#242b35', wall: '#aab4c3', paper: '#0e1116',
    arrow: '#6cb6ff', contact: '#ff7ac8', trail: '#9aa4b2', fill: '#14181f',
  },
};

/** The colour of a part from 0 to 1 of the map. */
export function ramp(part) {
  const clamped = Math.min(1, Math.max(0, part || 0));
  const at = clamped * (RAMP.length - 1);
  const index = Math.min(RAMP.length - 2, Math.floor(at));
  return RAMP[index].map((from, i) => Math.round(from + (RAMP[index + 1][i] - from) * (at - index)));
}

export function css([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

/** The colour of a species. */
export function speciesColour(species) {
  return SPECIES[species % SPECIES.length];
}

/** Four bytes as WebGL reads them, in the order of this machine. */
export function packed([red, green, blue]) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

const SPECIES_PACKED = SPECIES.map(packed);
const RAMP_PACKED = Uint32Array.from({ length: 256 }, (_, i) => packed(ramp(i / 255)));

/**
 * Range of values for the colour map: from 0 to what nearly all values are below, so that one fast ball does not make
 * all others look alike. It changes only when it has to, so that colours do not flicker.
 */
export function upperEnd(values, count, previous) {
  let sum = 0;
  let squares = 0;
  for (let row = 0; row < count; row += 1) {
    sum += values[row];
    squares += values[row] * values[row];
  }
  if (count === 0) return previous || 1;
  const mean = sum / count;
  const spread = Math.sqrt(Math.max(0, squares / count - mean * mean));
  const end = mean + 2 * spread;
  if (!(end > 0)) return previous || 1;
  return previous && end > previous * 0.7 && end < previous * 1.2 ? previous : end;
}

/** Fills the colours of all balls, four bytes each. */
export function paint(out, count, { mode, values, end, species, palette }) {
  if (mode === 'plain' || (mode !== 'species' && !values)) {
    out.fill(packed(palette.ball), 0, count);
  } else if (mode === 'species') {
    for (let row = 0; row < count; row += 1) out[row] = SPECIES_PACKED[(species[row] ?? 0) % SPECIES.length];
  } else {
    const factor = 255 / end;
    for (let row = 0; row < count; row += 1) out[row] = RAMP_PACKED[Math.min(255, values[row] * factor) | 0];
  }
}

/** The marks of the window: the two that collide next are red, the selected one is yellow. */
export function mark(out, count, palette, selected, next) {
  for (const row of next) if (row < count) out[row] = packed(palette.next);
  if (selected >= 0 && selected < count) out[selected] = packed(palette.selected);
}

/** The three parts of a colour that was packed. */
export function unpack(colour) {
  return [colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255];
}
