// The edges of a box in space: which of them lie behind everything that is in it.

/**
 * The twelve edges: { from, to, hidden }. An edge is hidden if the eye sees neither of its two faces; then it is drawn
 * before what is in the box, all others after it.
 */
export function boxEdges(lower, upper, eye) {
  const corner = (bits) => [0, 1, 2].map((axis) => (bits >> axis & 1 ? upper[axis] : lower[axis]));
  const seen = (axis, bits) => (bits >> axis & 1 ? eye[axis] > upper[axis] : eye[axis] < lower[axis]);
  const edges = [];
  for (let bits = 0; bits < 8; bits += 1) {
    for (let axis = 0; axis < 3; axis += 1) {
      if (bits >> axis & 1) continue;
      const hidden = [0, 1, 2].every((other) => other === axis || !seen(other, bits));
      edges.push({ from: corner(bits), to: corner(bits | 1 << axis), hidden });
    }
  }
  return edges;
}
