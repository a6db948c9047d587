// The part of the plane that is shown: metres to pixels and back. The second axis points up.

export class View2 {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.width = 1;
    this.height = 1;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  /** Shows a rectangle as large as the margins (left, right, top, bottom; in pixels) let it. */
  fit({ lower, upper }, margin) {
    const sides = [Math.max(upper[0] - lower[0], 1e-12), Math.max(upper[1] - lower[1], 1e-12)];
    const width = Math.max(this.width - margin.left - margin.right, 20);
    const height = Math.max(this.height - margin.top - margin.bottom, 20);
    this.scale = Math.min(width / sides[0], height / sides[1]);
    const shift = [(margin.left - margin.right) / 2, (margin.bottom - margin.top) / 2];
    this.x = (lower[0] + upper[0]) / 2 - shift[0] / this.scale;
    this.y = (lower[1] + upper[1]) / 2 - shift[1] / this.scale;
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, (this.y - y) * this.scale + this.height / 2];
  }

  toWorld(px, py) {
    return [(px - this.width / 2) / this.scale + this.x, this.y - (py - this.height / 2) / this.scale];
  }

  /** Moves the picture by some pixels. */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Enlarges about a point of the screen, which stays where it is. */
  zoom(factor, px, py) {
    const [x, y] = this.toWorld(px, py);
    this.scale = Math.min(Math.max(this.scale * factor, 1e-9), 1e12);
    const [nx, ny] = this.toWorld(px, py);
    this.x += x - nx;
    this.y += y - ny;
  }
}
