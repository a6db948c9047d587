// Rigid bodies in the plane: circles, capsules and polygons, each with its rounding radius, turned with the body.

import { css, unpack } from './colours.js';

/** A point of a body in the picture: turned by the body's angle, moved to its place. */
export function placed(view, pose, point) {
  return view.toScreen(
    pose.x + pose.cos * point[0] - pose.sin * point[1],
    pose.y + pose.sin * point[0] + pose.cos * point[1],
  );
}

function circlePath(context, view, pose, shape) {
  const [x, y] = placed(view, pose, shape.centre);
  context.arc(x, y, Math.max(shape.radius * view.scale, 0.75), 0, 2 * Math.PI);
}

function capsulePath(context, view, pose, shape) {
  const a = placed(view, pose, shape.a);
  const b = placed(view, pose, shape.b);
  const r = Math.max(shape.radius * view.scale, 0.75);
  const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
  context.arc(a[0], a[1], r, angle + Math.PI / 2, angle - Math.PI / 2);
  context.arc(b[0], b[1], r, angle - Math.PI / 2, angle + Math.PI / 2);
  context.closePath();
}

function polygonPath(context, view, pose, shape) {
  const points = shape.points.map((point) => placed(view, pose, point));
  const r = shape.radius * view.scale;
  if (r < 0.5) {
    points.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  } else {
    // Around the body against the clock is, with the second axis down, with it: normals lie to the left on the screen.
    const normal = (from, to) => Math.atan2(to[1] - from[1], to[0] - from[0]) + Math.PI / 2;
    points.forEach((point, index) => {
      const before = points[(index + points.length - 1) % points.length];
      const after = points[(index + 1) % points.length];
      context.arc(point[0], point[1], r, normal(before, point), normal(point, after), true);
    });
  }
  context.closePath();
}

const PATHS = { circle: circlePath, segment: capsulePath, polygon: polygonPath };

/** The outline of one shape. */
export function shapePath(context, view, pose, shape) {
  PATHS[shape.kind](context, view, pose, shape);
}

/** The farthest that any shape of a body reaches from the body's place, in metres. */
export function reachOf(shapes) {
  const far = (shape) => {
    const points = shape.kind === 'circle' ? [shape.centre] : shape.points ?? [shape.a, shape.b];
    return Math.max(...points.map((point) => Math.hypot(...point))) + shape.radius;
  };
  return shapes.length === 0 ? 0 : Math.max(...shapes.map(far));
}

/**
 * All bodies; a line from the centre of a circle shows its angle, if it has one. A ring around what collides as its
 * bounding circle shows that circle.
 */
export function drawBodies(context, view, picture) {
  const { bodies, places, angles, origin, colours, palette, radii, bounded } = picture;
  context.lineWidth = 1;
  for (let row = 0; row < bodies.length; row += 1) {
    const angle = angles ? angles[row] : 0;
    const pose = {
      x: places[2 * row] + origin[0], y: places[2 * row + 1] + origin[1], cos: Math.cos(angle), sin: Math.sin(angle),
    };
    if (outside(view, pose, bodies[row].reach)) continue;
    drawBody(context, view, pose, bodies[row].shapes, css(unpack(colours[row])), palette.rim, angles !== null);
    if (bounded && bodies[row].shapes.some(({ kind }) => kind !== 'circle')) {
      drawBound(context, view, pose, radii[row], palette.rim);
    }
  }
}

function outside(view, pose, reach) {
  const [x, y] = view.toScreen(pose.x, pose.y);
  const r = reach * view.scale;
  return x < -r || y < -r || x > view.width + r || y > view.height + r;
}

function drawBound(context, view, pose, radius, rim) {
  const [x, y] = view.toScreen(pose.x, pose.y);
  context.strokeStyle = rim;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.arc(x, y, radius * view.scale, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
}

function drawBody(context, view, pose, shapes, colour, rim, turns) {
  context.fillStyle = colour;
  context.strokeStyle = rim;
  for (const shape of shapes) {
    context.beginPath();
    shapePath(context, view, pose, shape);
    context.fill();
    context.stroke();
    if (turns && shape.kind === 'circle' && shape.radius * view.scale > 4) spoke(context, view, pose, shape);
  }
}

function spoke(context, view, pose, shape) {
  const [x1, y1] = placed(view, pose, shape.centre);
  const [x2, y2] = placed(view, pose, [shape.centre[0] + shape.radius, shape.centre[1]]);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** Whether a point of the plane is in a shape of a body (in metres, in the body's coordinates). */
export function contains(shape, [x, y]) {
  if (shape.kind === 'circle') return Math.hypot(x - shape.centre[0], y - shape.centre[1]) <= shape.radius;
  const points = shape.kind === 'segment' ? [shape.a, shape.b] : shape.points;
  const inside = shape.kind === 'polygon' && points.every((from, index) => {
    const to = points[(index + 1) % points.length];
    return (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]) >= 0;
  });
  return inside || points.some((from, index) => (
    distanceToSegment([x, y], from, points[(index + 1) % points.length]) <= shape.radius
  ));
}

function distanceToSegment([x, y], a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const square = dx * dx + dy * dy;
  const part = square > 0 ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / square)) : 0;
  return Math.hypot(x - a[0] - part * dx, y - a[1] - part * dy);
}
