// Motion between two events, which is exact: x(t) = x0 + v t + g t² / 2.

/** A coordinate brought back between two faces that are the same place. */
export function wrap(x, lower, upper) {
  const side = upper - lower;
  const turned = x - side * Math.floor((x - lower) / side);
  // Rounding can give the upper face itself, which is the lower one.
  return turned >= upper ? lower : turned;
}

/** The coordinate a time later. */
export function coordinateAfter(x, velocity, acceleration, dt) {
  return x + velocity * dt + 0.5 * acceleration * dt * dt;
}

/** The coordinate between two states that are given, the shorter way round where an axis is periodic. */
export function between(from, to, part, period) {
  let difference = to - from;
  if (period > 0) difference -= period * Math.round(difference / period);
  return from + difference * part;
}

/** The angle between two given ones, in radians, the shorter way round. */
export function angleBetween(from, to, part) {
  return between(from, to, part, 2 * Math.PI);
}

/**
 * Particles that fly freely between events. Rows of positions and velocities are one after the other, with one number
 * per axis; each particle has its own time, at which its row is right.
 */
export class Flight {
  constructor({ dim, positions, velocities, gravity = 0, fixed = null, time = 0 }) {
    this.dim = dim;
    this.positions = Float64Array.from(positions);
    this.velocities = Float64Array.from(velocities);
    this.times = new Float64Array(positions.length / dim).fill(time);
    this.gravity = gravity;
    this.fixed = fixed;
  }

  get count() {
    return this.times.length;
  }

  /** Acceleration of a particle along an axis: gravity points down the second axis, and what is fixed does not fall. */
  #acceleration(row, axis) {
    return axis === 1 && !this.fixed?.[row] ? -this.gravity : 0;
  }

  /** Brings one particle to a time. */
  bring(row, time) {
    const dt = time - this.times[row];
    for (let axis = 0; axis < this.dim; axis += 1) {
      const at = row * this.dim + axis;
      const a = this.#acceleration(row, axis);
      this.positions[at] = coordinateAfter(this.positions[at], this.velocities[at], a, dt);
      this.velocities[at] += a * dt;
    }
    this.times[row] = time;
  }

  /** An event of a particle: from this time on it has this velocity, which starts at an index of an array. */
  turn(row, time, velocities, from) {
    this.bring(row, time);
    for (let axis = 0; axis < this.dim; axis += 1) this.velocities[row * this.dim + axis] = velocities[from + axis];
  }

  /** Where everything is at a time, if nothing happens until then; the state does not change. */
  at(time, positions, velocities) {
    for (let row = 0; row < this.count; row += 1) {
      const dt = time - this.times[row];
      for (let axis = 0; axis < this.dim; axis += 1) {
        const at = row * this.dim + axis;
        const a = this.#acceleration(row, axis);
        positions[at] = coordinateAfter(this.positions[at], this.velocities[at], a, dt);
        velocities[at] = this.velocities[at] + a * dt;
      }
    }
  }

  copy() {
    const { dim, positions, velocities, gravity, fixed } = this;
    const other = new Flight({ dim, positions, velocities, gravity, fixed });
    other.times.set(this.times);
    return other;
  }
}
