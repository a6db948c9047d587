// Solids in space that are convex and contain their place: parallelepipeds, tetrahedra, ellipsoids.

function minus(a, b) {
  return a.map((x, axis) => x - b[axis]);
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** The unit normal of a face that points away from the place of the solid. */
export function outwards(corners) {
  const normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
  const length = Math.hypot(...normal) || 1;
  const sign = dot(normal, corners[0]) < 0 ? -1 : 1;
  return normal.map((x) => (sign * x) / length);
}

/** The faces of a solid that the eye sees: { corners, normal }, in space. None of them covers another one. */
export function seenFaces({ points, faces }, place, eye) {
  const seen = [];
  for (const face of faces) {
    const corners = face.map((index) => points[index]);
    const normal = outwards(corners);
    const moved = corners.map((corner) => corner.map((x, axis) => x + place[axis]));
    if (dot(normal, minus(eye, moved[0])) > 0) seen.push({ corners: moved, normal });
  }
  return seen;
}

/** A normal as shades are computed from: to the right, up and towards the eye. */
export function faceShade(normal, { right, up, back }) {
  return [dot(normal, right), dot(normal, up), Math.max(dot(normal, back), 0)];
}
