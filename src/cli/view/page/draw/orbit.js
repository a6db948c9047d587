// A camera that turns about a point in space. Matrices are 16 numbers in columns, as WebGL takes them.

const FIELD_OF_VIEW = 0.6;

export class Orbit {
  constructor() {
    this.target = [0, 0, 0];
    this.distance = 1;
    this.reach = 1;
    this.reset();
    this.width = 1;
    this.height = 1;
  }

  /** The first look: from the front, a little from the right and from above. */
  reset() {
    this.turn = -0.6;
    this.tilt = 0.42;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  /** Looks at a box from far enough to see all of it. */
  fit({ lower, upper }) {
    this.target = lower.map((low, axis) => (low + upper[axis]) / 2);
    this.reach = Math.max(0.5 * Math.hypot(...lower.map((low, axis) => upper[axis] - low)), 1e-12);
    const narrow = Math.min(1, this.width / this.height);
    this.distance = (1.06 * this.reach) / Math.sin(FIELD_OF_VIEW / 2) / narrow;
  }

  rotate(dx, dy) {
    this.turn -= dx * 0.008;
    this.tilt = Math.min(1.55, Math.max(-1.55, this.tilt + dy * 0.008));
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance / factor, this.reach * 0.02), this.reach * 100);
  }

  /** Moves the point that is looked at, by pixels. */
  pan(dx, dy) {
    const step = (2 * this.distance * Math.tan(FIELD_OF_VIEW / 2)) / this.height;
    const { right, up } = this.axes();
    for (let axis = 0; axis < 3; axis += 1) {
      this.target[axis] += (-right[axis] * dx + up[axis] * dy) * step;
    }
  }

  /** Unit vectors of the picture: to the right, up, and towards the eye. The third axis of space points up. */
  axes() {
    const [st, ct, sp, cp] = [Math.sin(this.turn), Math.cos(this.turn), Math.sin(this.tilt), Math.cos(this.tilt)];
    return { right: [ct, st, 0], up: [-sp * st, sp * ct, cp], back: [cp * st, -cp * ct, sp] };
  }

  /** Where the eye is. */
  eye() {
    const { back } = this.axes();
    return this.target.map((x, axis) => x + back[axis] * this.distance);
  }

  /** From space to the eye: rotation, then the distance along the line of sight. */
  viewMatrix() {
    const { right, up, back } = this.axes();
    const dot = (a) => a[0] * this.target[0] + a[1] * this.target[1] + a[2] * this.target[2];
    return [
      right[0], up[0], back[0], 0,
      right[1], up[1], back[1], 0,
      right[2], up[2], back[2], 0,
      -dot(right), -dot(up), -dot(back) - this.distance, 1,
    ];
  }

  projectionMatrix() {
    const f = 1 / Math.tan(FIELD_OF_VIEW / 2);
    const near = Math.max(this.distance - 2.5 * this.reach, this.distance * 0.01);
    const far = this.distance + 2.5 * this.reach;
    const aspect = this.width / this.height;
    return [
      f / aspect, 0, 0, 0,
      0, f, 0, 0,
      0, 0, (far + near) / (near - far), -1,
      0, 0, (2 * far * near) / (near - far), 0,
    ];
  }

  /** Where a point is on the screen: pixels, pixels per metre there, and the distance from the eye's plane. */
  toScreen(x, y, z) {
    const { right, up, back } = this.axes();
    const d = [x - this.target[0], y - this.target[1], z - this.target[2]];
    const along = (a) => a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    const depth = this.distance - along(back);
    const scale = this.height / 2 / Math.tan(FIELD_OF_VIEW / 2) / depth;
    return { x: this.width / 2 + along(right) * scale, y: this.height / 2 - along(up) * scale, scale, depth };
  }

  /** The same for many points from an origin, into an object that is given. */
  projector(origin) {
    const { right, up, back } = this.axes();
    const [ox, oy, oz] = this.target.map((x, axis) => x - origin[axis]);
    const { width, height, distance } = this;
    const focus = height / 2 / Math.tan(FIELD_OF_VIEW / 2);
    return (x, y, z, out) => {
      const [dx, dy, dz] = [x - ox, y - oy, z - oz];
      out.depth = distance - (back[0] * dx + back[1] * dy + back[2] * dz);
      out.scale = focus / out.depth;
      out.x = width / 2 + (right[0] * dx + right[1] * dy + right[2] * dz) * out.scale;
      out.y = height / 2 - (up[0] * dx + up[1] * dy + up[2] * dz) * out.scale;
    };
  }

  /** The displacement in space that belongs to a way on the screen at some scale. */
  toSpace(dx, dy, scale) {
    const { right, up } = this.axes();
    return [0, 1, 2].map((axis) => (right[axis] * dx - up[axis] * dy) / scale);
  }
}
