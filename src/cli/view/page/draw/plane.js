// What is drawn in the plane around and over the balls: walls, trails, velocities, contacts and marks. Every function
// takes a context with the methods of a canvas, so that the same code draws on the screen and into an SVG file.

import { css, unpack } from './colours.js';

/** The rectangle of the walls on the screen; an open side ends at the edge of the picture. */
function rectangle(view, extents) {
  const finite = (x, otherwise) => (Number.isFinite(x) ? x : otherwise);
  const [left, bottom] = view.toScreen(finite(extents[0].lower, -1e30), finite(extents[1].lower, -1e30));
  const [right, top] = view.toScreen(finite(extents[0].upper, 1e30), finite(extents[1].upper, 1e30));
  const clamp = (x, most) => Math.min(Math.max(x, -4), most + 4);
  return {
    left: clamp(left, view.width),
    right: clamp(right, view.width),
    top: clamp(top, view.height),
    bottom: clamp(bottom, view.height),
  };
}

/** The inside of the box. */
export function drawInside(context, view, extents, palette) {
  const { left, right, top, bottom } = rectangle(view, extents);
  context.fillStyle = palette.fill;
  context.fillRect(left, top, right - left, bottom - top);
}

/** Faces: solid where they reflect, dashed where they are periodic, none where the box is open. */
export function drawWalls(context, view, extents, palette) {
  const { left, right, top, bottom } = rectangle(view, extents);
  const faces = [
    [left, bottom, left, top], [right, bottom, right, top], [left, bottom, right, bottom], [left, top, right, top],
  ];
  faces.forEach(([x1, y1, x2, y2], face) => {
    const extent = extents[face >> 1];
    if (extent.kind === 'open' || !Number.isFinite(face & 1 ? extent.upper : extent.lower)) return;
    context.strokeStyle = palette.wall;
    context.lineWidth = extent.kind === 'periodic' ? 1.5 : 2.5;
    context.setLineDash(extent.kind === 'periodic' ? [7, 5] : []);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  });
  context.setLineDash([]);
}

/** The balls, where WebGL does not draw them. */
export function drawDiscs(context, view, picture) {
  const { count, places, radii, colours, origin, palette } = picture;
  context.strokeStyle = palette.rim;
  context.lineWidth = 1;
  for (let row = 0; row < count; row += 1) {
    const [x, y] = view.toScreen(places[2 * row] + origin[0], places[2 * row + 1] + origin[1]);
    const r = Math.max(radii[row] * view.scale, 0.75);
    if (x < -r || y < -r || x > view.width + r || y > view.height + r) continue;
    context.fillStyle = css(unpack(colours[row]));
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    context.fill();
    if (r > 4) {
      context.beginPath();
      context.arc(x, y, r - 0.5, 0, 2 * Math.PI);
      context.stroke();
    }
  }
}

/** Where the balls have been: the older, the fainter. A jump to the other side of a periodic box is not drawn. */
export function drawTrails(context, view, trails, extents, palette) {
  const steps = trails.length;
  if (steps < 2) return;
  context.strokeStyle = palette.trail;
  context.lineWidth = 1.25;
  const pieces = 4;
  for (let piece = 0; piece < pieces; piece += 1) {
    const from = Math.floor((piece * (steps - 1)) / pieces);
    const to = Math.floor(((piece + 1) * (steps - 1)) / pieces);
    context.globalAlpha = 0.2 + (0.6 * (piece + 1)) / pieces;
    context.beginPath();
    for (let ball = 0; ball < trails.rows.length; ball += 1) trail(context, view, trails, ball, from, to, extents);
    context.stroke();
  }
  context.globalAlpha = 1;
}

function trail(context, view, trails, ball, from, to, extents) {
  let before = null;
  for (let index = from; index <= to; index += 1) {
    const at = [trails.coordinate(index, ball, 0), trails.coordinate(index, ball, 1)];
    const [x, y] = view.toScreen(at[0], at[1]);
    if (before === null || jumped(before, at, extents)) context.moveTo(x, y);
    else context.lineTo(x, y);
    before = at;
  }
}

/** Whether a ball went round a periodic box between two places. */
export function jumped(from, to, extents) {
  return extents.some(({ kind, lower, upper }, axis) => (
    kind === 'periodic' && Math.abs(to[axis] - from[axis]) > 0.5 * (upper - lower)
  ));
}

/** The tip of a velocity's arrow: it starts at the rim of the ball, and its length is the way in `tau` seconds. */
export function arrowTip(x, y, vx, vy, radius, tau, scale) {
  const speed = Math.hypot(vx, vy);
  const direction = speed > 0 ? [vx / speed, vy / speed] : [1, 0];
  const rim = radius * scale;
  const length = speed * tau * scale;
  return {
    from: [x + direction[0] * rim, y - direction[1] * rim],
    tip: [x + direction[0] * (rim + length), y - direction[1] * (rim + length)],
    length,
  };
}

/** The velocity whose arrow has its tip at a way (in pixels, second axis up) from the ball's centre. */
export function velocityAtTip(dx, dy, radius, tau, scale) {
  const away = Math.hypot(dx, dy);
  const length = Math.max(0, away - radius * scale);
  if (away === 0 || length === 0) return [0, 0];
  const speed = length / (tau * scale);
  return [(dx / away) * speed, (dy / away) * speed];
}

/** An arrow from one point to another. */
export function drawArrow(context, from, tip, head = 6) {
  const angle = Math.atan2(tip[1] - from[1], tip[0] - from[0]);
  const length = Math.hypot(tip[0] - from[0], tip[1] - from[1]);
  const size = Math.min(head, length);
  context.moveTo(from[0], from[1]);
  context.lineTo(tip[0], tip[1]);
  for (const turn of [2.6, -2.6]) {
    context.moveTo(tip[0], tip[1]);
    context.lineTo(tip[0] + size * Math.cos(angle + turn), tip[1] + size * Math.sin(angle + turn));
  }
}

/** The velocities of all balls that can be seen. */
export function drawVelocities(context, view, picture, tau) {
  const { count, places, radii, velocities, origin, palette } = picture;
  if (!velocities) return;
  context.strokeStyle = palette.arrow;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let row = 0; row < count; row += 1) {
    const [x, y] = view.toScreen(places[2 * row] + origin[0], places[2 * row + 1] + origin[1]);
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const arrow = arrowTip(x, y, velocities[2 * row], velocities[2 * row + 1], radii[row], tau, view.scale);
    if (arrow.length > 1) drawArrow(context, arrow.from, arrow.tip);
  }
  context.stroke();
}

/** Contacts of rigid bodies: the point, and a line along the normal as long as the impulse is large. */
export function drawContacts(context, view, contacts, palette) {
  const most = contacts.reduce((largest, { impulse }) => Math.max(largest, impulse), 0);
  context.strokeStyle = palette.contact;
  context.fillStyle = palette.contact;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const { x, y, nx, ny, impulse } of contacts) {
    const [px, py] = view.toScreen(x, y);
    const length = most > 0 ? (40 * impulse) / most : 0;
    if (length > 1) drawArrow(context, [px, py], [px + nx * length, py - ny * length], 5);
  }
  context.stroke();
  for (const { x, y } of contacts) {
    const [px, py] = view.toScreen(x, y);
    context.beginPath();
    context.arc(px, py, 2.2, 0, 2 * Math.PI);
    context.fill();
  }
}

/** A ring around the selected ball, and the handle at the tip of its velocity. */
export function drawSelection(context, view, { x, y, radius, vx, vy }, tau, palette, canEdit) {
  const [px, py] = view.toScreen(x, y);
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.arc(px, py, Math.max(radius * view.scale, 1) + 4, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  const handle = handleOf(px, py, vx, vy, radius, tau, view.scale);
  context.strokeStyle = palette.arrow;
  context.lineWidth = 2;
  context.beginPath();
  drawArrow(context, handle.from, handle.tip, canEdit ? 0 : 8);
  context.stroke();
  if (!canEdit) return;
  context.fillStyle = palette.paper;
  context.beginPath();
  context.arc(handle.tip[0], handle.tip[1], 5, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}

/** The arrow of the selected ball, whose tip is never so near that it could not be taken. */
export function handleOf(px, py, vx, vy, radius, tau, scale) {
  return arrowTip(px, py, vx, vy, Math.max(radius, 8 / scale), tau, scale);
}
