// Spheres in space pixel by pixel, with a buffer of depths, where there is no graphics processor.

/** Where the light comes from, to the right, up and towards the eye; of length 1. */
const LIGHT = [-0.4, 0.65, 0.65].map((x) => x / Math.hypot(0.4, 0.65, 0.65));

/** How far the farthest spheres fade into the paper. */
const FADE = 0.55;

/** Shades a colour by the normal of the sphere, and fades it by its depth from 0 to 1; three parts as one number. */
export function shaded(colour, nx, ny, nz, depth, paper) {
  const light = 0.34 + 0.66 * Math.max(0, nx * LIGHT[0] + ny * LIGHT[1] + nz * LIGHT[2]);
  const rim = Math.min(1, nz / 0.45);
  const bright = light * (0.72 + 0.28 * rim * rim * (3 - 2 * rim));
  const fade = FADE * Math.min(1, Math.max(0, depth));
  const red = (colour & 255) * bright * (1 - fade) + paper[0] * fade;
  const green = (colour >>> 8 & 255) * bright * (1 - fade) + paper[1] * fade;
  const blue = (colour >>> 16 & 255) * bright * (1 - fade) + paper[2] * fade;
  return blue << 16 | green << 8 | red;
}

/** One colour over another, by the part of the pixel that it covers; alpha is the highest byte. */
export function over(colour, cover, below) {
  const under = below >>> 24;
  if (cover >= 1 || under === 0) return (Math.min(255, cover * 255) << 24 | colour) >>> 0;
  const mix = (shift) => (colour >>> shift & 255) * cover + (below >>> shift & 255) * (1 - cover);
  return (Math.max(under, cover * 255) << 24 | mix(16) << 16 | mix(8) << 8 | mix(0)) >>> 0;
}

/** Up to this number rims are smooth and the far ones are drawn first; more are drawn from the nearest on, faster. */
const SMOOTH = 5000;

/** Parts of the depth among which spheres are sorted; within one the buffer of depths decides. */
const PARTS = 2048;

/** The rows from the farthest to the nearest, by counting how many are in each part of the depth. */
export function farFirst(depths, count) {
  let [least, most] = [Infinity, -Infinity];
  for (let row = 0; row < count; row += 1) {
    if (depths[row] < least) least = depths[row];
    if (depths[row] > most) most = depths[row];
  }
  const factor = most > least ? (PARTS - 1) / (most - least) : 0;
  const starts = new Uint32Array(PARTS + 1);
  const part = (row) => ((most - depths[row]) * factor) | 0;
  for (let row = 0; row < count; row += 1) starts[part(row) + 1] += 1;
  for (let index = 1; index <= PARTS; index += 1) starts[index] += starts[index - 1];
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row += 1) {
    const index = part(row);
    rows[starts[index]] = row;
    starts[index] += 1;
  }
  return rows;
}

/** A picture of spheres on a canvas of its own, to be drawn onto another one. */
export class SpherePixels {
  constructor() {
    this.canvas = document.createElement('canvas');
    this.far = new Float32Array(0);
  }

  draw(context, camera, picture, ratio, paper) {
    const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
    this.#resize(width, height);
    this.pixels.fill(0);
    this.depths.fill(Infinity);
    this.#spheres(camera, picture, ratio, paper);
    this.canvas.getContext('2d').putImageData(this.image, 0, 0);
    context.drawImage(this.canvas, 0, 0, camera.width, camera.height);
  }

  #resize(width, height) {
    if (this.image && this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.depths = new Float32Array(width * height);
  }

  #spheres(camera, { count, places, radii, colours, origin }, ratio, paper) {
    const [from, span] = [camera.distance - camera.reach * 0.6, camera.reach * 1.8];
    const project = camera.projector(origin);
    const at = { x: 0, y: 0, scale: 0, depth: 0 };
    if (this.far.length < count) this.far = new Float32Array(count);
    for (let row = 0; row < count; row += 1) {
      project(places[3 * row], places[3 * row + 1], places[3 * row + 2], at);
      this.far[row] = at.depth;
    }
    const rows = farFirst(this.far, count);
    this.smooth = count <= SMOOTH;
    if (!this.smooth) rows.reverse();
    for (const row of rows) {
      project(places[3 * row], places[3 * row + 1], places[3 * row + 2], at);
      if (at.depth <= radii[row]) continue;
      const r = Math.max(radii[row] * at.scale * ratio, 0.6);
      const fade = (at.depth - from) / span;
      this.#sphere(at.x * ratio, at.y * ratio, r, at.depth, radii[row], colours[row], fade, paper);
    }
  }

  #sphere(x, y, r, depth, radius, colour, fade, paper) {
    const { pixels, depths, smooth } = this;
    const { width, height } = this.canvas;
    const [left, right] = [Math.max(0, Math.floor(x - r)), Math.min(width - 1, Math.floor(x + r))];
    const [top, bottom] = [Math.max(0, Math.floor(y - r)), Math.min(height - 1, Math.floor(y + r))];
    for (let py = top; py <= bottom; py += 1) {
      const ny = (y - py - 0.5) / r;
      for (let px = left; px <= right; px += 1) {
        const nx = (px + 0.5 - x) / r;
        const square = nx * nx + ny * ny;
        if (!smooth && square > 1) continue;
        const cover = smooth ? (1 - Math.sqrt(square)) * r + 0.5 : 1;
        if (cover <= 0) continue;
        const nz = square < 1 ? Math.sqrt(1 - square) : 0;
        const index = py * width + px;
        const near = depth - radius * nz;
        if (near >= depths[index]) continue;
        if (cover >= 0.5) depths[index] = near;
        pixels[index] = over(shaded(colour, nx, ny, nz, fade, paper), cover, pixels[index]);
      }
    }
  }
}
