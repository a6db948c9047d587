// Speeds of many balls: how often each occurs, and what Maxwell's distribution expects.

/** How many values are in which of so many bins from 0 to the largest. */
export function histogram(values, bins) {
  const most = values.reduce((largest, value) => Math.max(largest, value), 0);
  const counts = new Array(bins).fill(0);
  if (!(most > 0)) return { width: 0, counts, maxwell: null };
  // A little more than the largest, so that it falls into the last bin.
  const width = (most * (1 + 1e-9)) / bins;
  for (const value of values) counts[Math.floor(value / width)] += 1;
  return { width, counts, maxwell: null };
}

/** Maxwell's density of speeds in s/m; `stiffness` is m / kT. */
export function maxwellDensity(speed, stiffness, dim) {
  const factor = [
    Math.sqrt((2 * stiffness) / Math.PI),
    stiffness * speed,
    Math.sqrt(2 / Math.PI) * stiffness ** 1.5 * speed * speed,
  ][dim - 1];
  return factor * Math.exp(-0.5 * stiffness * speed * speed);
}

/** The counts that Maxwell's distribution expects of so many balls of each mass: [[mass, number], ...]. */
export function maxwellCounts({ width, counts }, masses, temperature, dim) {
  if (!(temperature > 0) || !(width > 0)) return null;
  return counts.map((_, bin) => {
    const speed = (bin + 0.5) * width;
    const expected = ([mass, number]) => number * maxwellDensity(speed, mass / temperature, dim) * width;
    return masses.map(expected).reduce((sum, value) => sum + value, 0);
  });
}

/**
 * The temperature as an energy: 2/D of the mean kinetic energy, without that of a common motion along axes on which the
 * box is periodic, where nothing can stop it. `balls` are those that move: { mass, velocity }.
 */
export function temperatureOf(balls, box, holdsStill) {
  const dim = box.length;
  const momentum = new Array(dim).fill(0);
  let [kinetic, all] = [0, 0];
  for (const { mass, velocity } of balls) {
    all += mass;
    for (let axis = 0; axis < dim; axis += 1) {
      momentum[axis] += mass * velocity[axis];
      kinetic += 0.5 * mass * velocity[axis] ** 2;
    }
  }
  const drifts = !holdsStill && all > 0;
  const common = momentum.reduce((sum, p, axis) => (box[axis].boundary === 'periodic' ? sum + p * p : sum), 0);
  const thermal = drifts ? Math.max(0, kinetic - (0.5 * common) / all) : kinetic;
  return balls.length > 0 ? (2 * thermal) / (dim * balls.length) : 0;
}
