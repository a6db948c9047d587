// Many small discs pixel by pixel, where there is no graphics processor: faster than WebGL in software.

/** Radius of the largest disc that is drawn so, in pixels of the screen. */
export const LARGEST_SPLAT = 3;

/**
 * Writes discs into the pixels of a picture: four bytes each, of which the last says how much of the pixel is covered.
 * Where discs meet in a pixel, that one shows which covers more of it. `at` gives pixels from metres:
 * x = (place - at.left) * at.scale, y = (at.top - place) * at.scale.
 */
export function splat(pixels, width, height, { count, places, radii, colours }, at) {
  pixels.fill(0);
  for (let row = 0; row < count; row += 1) {
    const x = (places[2 * row] - at.left) * at.scale;
    const y = (at.top - places[2 * row + 1]) * at.scale;
    const r = Math.max(radii[row] * at.scale, 0.5);
    const [left, right] = [Math.max(0, Math.floor(x - r)), Math.min(width - 1, Math.floor(x + r))];
    const [top, bottom] = [Math.max(0, Math.floor(y - r)), Math.min(height - 1, Math.floor(y + r))];
    const colour = colours[row] & 0xffffff;
    for (let py = top; py <= bottom; py += 1) {
      for (let px = left; px <= right; px += 1) {
        const [dx, dy] = [px + 0.5 - x, py + 0.5 - y];
        const cover = r - Math.sqrt(dx * dx + dy * dy) + 0.5;
        if (cover <= 0) continue;
        const alpha = cover >= 1 ? 255 : (cover * 255) | 0;
        const index = py * width + px;
        if (alpha > pixels[index] >>> 24) pixels[index] = (alpha << 24 | colour) >>> 0;
      }
    }
  }
}

/** A picture of discs on a canvas of its own, to be drawn onto another one. */
export class Splats {
  constructor() {
    this.canvas = document.createElement('canvas');
  }

  draw(context, view, picture, ratio) {
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    this.#resize(width, height);
    const at = {
      left: view.x - view.width / 2 / view.scale - picture.origin[0],
      top: view.y + view.height / 2 / view.scale - picture.origin[1],
      scale: view.scale * ratio,
    };
    splat(this.pixels, width, height, picture, at);
    this.canvas.getContext('2d').putImageData(this.image, 0, 0);
    context.drawImage(this.canvas, 0, 0, view.width, view.height);
  }

  #resize(width, height) {
    if (this.image && this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }
}
