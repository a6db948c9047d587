import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualOf } from '../../src/cli/view/page/app.js';
import { contains, placed, reachOf, shapePath } from '../../src/cli/view/page/draw/bodies.js';
import { boxEdges } from '../../src/cli/view/page/draw/box_edges.js';
import { mark, packed, paint, PALETTES, ramp, unpack, upperEnd } from '../../src/cli/view/page/draw/colours.js';
import { visibleRows } from '../../src/cli/view/page/draw/discs.js';
import { Orbit } from '../../src/cli/view/page/draw/orbit.js';
import { boundsOf, chosenBall, Painter, speedsOf, trailRows } from '../../src/cli/view/page/draw/picture.js';
import { arrowTip, jumped, velocityAtTip } from '../../src/cli/view/page/draw/plane.js';
import { farFirst, over, shaded } from '../../src/cli/view/page/draw/sphere_pixels.js';
import { faceShade, seenFaces } from '../../src/cli/view/page/draw/solids.js';
import { splat } from '../../src/cli/view/page/draw/splats.js';
import { SvgContext } from '../../src/cli/view/page/draw/svg.js';
import { isSoftware } from '../../src/cli/view/page/draw/webgl.js';
import { View2 } from '../../src/cli/view/page/draw/view2.js';

const close = (value, expected, within = 1e-9) => assert.ok(Math.abs(value - expected) <= within, `${value} is not ${expected}`);

function view(width = 400, height = 300) {
  const made = new View2();
  made.resize(width, height);
  made.fit({ lower: [0, 0], upper: [2, 1] }, { left: 40, right: 20, top: 10, bottom: 30 });
  return made;
}

test('a rectangle is shown to scale within its margins', () => {
  const shown = view();
  const [left, bottom] = shown.toScreen(0, 0);
  const [right, top] = shown.toScreen(2, 1);
  close(left, 40);
  close(right, 380);
  close(right - left, 2 * (bottom - top));
  assert.ok(top >= 10 && bottom <= 270);
  const [x, y] = shown.toWorld(...shown.toScreen(0.3, 0.7));
  close(x, 0.3);
  close(y, 0.7);
});

test('zooming keeps the point under the pointer, moving moves it', () => {
  const shown = view();
  const [x, y] = shown.toWorld(100, 80);
  shown.zoom(3, 100, 80);
  const [px, py] = shown.toScreen(x, y);
  close(px, 100);
  close(py, 80);
  shown.pan(10, -5);
  close(shown.toScreen(x, y)[0], 110);
  close(shown.toScreen(x, y)[1], 75);
});

test('the axes of the camera are right-handed and of unit length, from every side', () => {
  for (const [turn, tilt] of [[0, 0], [1, 0.5], [-2.5, 1.5], [4, -1]]) {
    const camera = new Orbit();
    Object.assign(camera, { turn, tilt });
    const { right, up, back } = camera.axes();
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (const axis of [right, up, back]) close(dot(axis, axis), 1);
    close(dot(right, up), 0);
    close(dot(right, back), 0);
    close(dot(up, back), 0);
    close(right[0] * (up[1] * back[2] - up[2] * back[1]) + right[1] * (up[2] * back[0] - up[0] * back[2]) + right[2] * (up[0] * back[1] - up[1] * back[0]), 1);
    assert.ok(up[2] > 0);
  }
});

test('the camera sees the whole box, and its matrices agree with its points', () => {
  const camera = new Orbit();
  camera.resize(600, 400);
  camera.fit({ lower: [1, 1, 1], upper: [3, 2, 2] });
  const [v, p] = [camera.viewMatrix(), camera.projectionMatrix()];
  const times = (m, [x, y, z, w]) => [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] * w);
  for (const corner of boxEdges([1, 1, 1], [3, 2, 2], [0, 0, 0]).map(({ from }) => from)) {
    const at = camera.toScreen(...corner);
    assert.ok(at.x > 0 && at.x < 600 && at.y > 0 && at.y < 400 && at.depth > 0);
    const clip = times(p, times(v, [...corner, 1]));
    close((clip[0] / clip[3] + 1) * 300, at.x, 1e-6);
    close((1 - clip[1] / clip[3]) * 200, at.y, 1e-6);
    assert.ok(Math.abs(clip[2] / clip[3]) < 1);
  }
  const moved = camera.toSpace(5, -3, camera.toScreen(2, 1.5, 1.5).scale);
  const to = camera.toScreen(2 + moved[0], 1.5 + moved[1], 1.5 + moved[2]);
  close(to.x, 305, 1e-6);
  close(to.y, 197, 1e-6);
});

test('a box has twelve edges, of which those at the far corner are hidden', () => {
  const edges = boxEdges([0, 0, 0], [1, 2, 3], [9, 9, 9]);
  const lengths = edges.map(({ from, to }) => Math.hypot(...from.map((x, axis) => to[axis] - x))).sort();
  assert.deepEqual(lengths, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
  const hidden = edges.filter((edge) => edge.hidden);
  assert.equal(hidden.length, 3);
  for (const { from } of hidden) assert.deepEqual(from, [0, 0, 0]);
  assert.equal(boxEdges([0, 0, 0], [1, 2, 3], [0.5, -9, 1]).filter((edge) => edge.hidden).length, 8);
});

test('the tip of an arrow says the velocity', () => {
  const { from, tip, length } = arrowTip(100, 100, 3, 4, 0.1, 0.5, 20);
  close(length, 50);
  close(Math.hypot(from[0] - 100, from[1] - 100), 2);
  const [vx, vy] = velocityAtTip(tip[0] - 100, 100 - tip[1], 0.1, 0.5, 20);
  close(vx, 3);
  close(vy, 4);
  assert.deepEqual(velocityAtTip(1, 0, 0.1, 0.5, 20), [0, 0]);
  assert.deepEqual(arrowTip(0, 0, 0, 0, 1, 1, 10).tip, [10, 0]);
});

test('a jump around a periodic box is no way', () => {
  const extents = [{ kind: 'periodic', lower: 0, upper: 1 }, { kind: 'reflecting', lower: 0, upper: 1 }];
  assert.equal(jumped([0.95, 0], [0.05, 0], extents), true);
  assert.equal(jumped([0.5, 0.95], [0.6, 0.05], extents), false);
});

test('marks: the next two are red, the selected one is yellow', () => {
  const out = new Uint32Array(4);
  const palette = PALETTES.light;
  paint(out, 4, { mode: 'plain', palette });
  mark(out, 4, palette, 2, [0, 2, 9]);
  assert.deepEqual([...out].map(unpack), [palette.next, palette.ball, palette.selected, palette.ball]);
  mark(out, 4, palette, -1, []);
  assert.deepEqual(unpack(out[1]), palette.ball);
});

test('colours by a quantity go along the map and stop at its ends', () => {
  const out = new Uint32Array(3);
  paint(out, 3, { mode: 'speed', values: [0, 5, 50], end: 10, palette: PALETTES.dark });
  assert.deepEqual(unpack(out[0]), ramp(0));
  assert.deepEqual(unpack(out[2]), ramp(1));
  assert.deepEqual(unpack(out[1]), ramp(127 / 255));
  assert.deepEqual(ramp(NaN), ramp(0));
  assert.equal(unpack(packed([1, 2, 3])).join(), '1,2,3');
});

test('one fast ball does not make the others look alike, and the scale does not flicker', () => {
  const values = [...new Array(999).fill(1), 100];
  const end = upperEnd(values, 1000);
  assert.ok(end > 1 && end < 10);
  assert.equal(upperEnd(new Array(10).fill(1.1), 10, 1), 1);
  assert.equal(upperEnd(new Array(10).fill(3), 10, 1), 3);
  assert.equal(upperEnd([], 0, undefined), 1);
});

test('static bodies are grey, sleeping ones too, the selected one is yellow', () => {
  const painter = new Painter();
  const statics = { flags: [1, 0, 4, 0], masses: [1, 1, 1, 1], species: [0, 0, 0, 0] };
  const frame = { count: 4, origin: [0, 0], collisions: [0, 1, 0, 1] };
  const palette = PALETTES.dark;
  const colours = painter.paint({ statics, frame, mode: 'plain', palette, selected: 3, next: [], rigid: true });
  assert.deepEqual([...colours.subarray(0, 4)].map(unpack), [palette.fixed, palette.asleep, palette.fixed, palette.selected]);
});

test('bounds, speeds, trails and the chosen ball come from the frame', () => {
  const frame = { count: 2, origin: [10, 20], places: Float32Array.of(0, 0, 1, 2), velocities: Float32Array.of(3, 4, 0, 1) };
  assert.deepEqual(boundsOf(frame, [0.5, 0.25], 2), { lower: [9.5, 19.5], upper: [11.25, 22.25] });
  assert.deepEqual([...speedsOf(frame.velocities, 2, 2)], [5, 1]);
  assert.deepEqual(chosenBall(frame, { radii: [0.5, 0.25] }, 1, null), { position: [11, 22], velocity: [0, 1], radius: 0.25 });
  assert.equal(chosenBall(frame, { radii: [] }, 2, null), null);
  assert.deepEqual(trailRows(3, -1), [0, 1, 2]);
  assert.deepEqual(trailRows(100000, 7), [7]);
  assert.deepEqual(trailRows(100000, -1), []);
});

const square = { kind: 'polygon', radius: 0.1, points: [[-1, -1], [1, -1], [1, 1], [-1, 1]] };

test('points are in shapes with their rounding, and shapes reach as far as they do', () => {
  assert.equal(contains(square, [0, 0]), true);
  assert.equal(contains(square, [1.05, 0]), true);
  assert.equal(contains(square, [1.09, 1.09]), false);
  assert.equal(contains({ kind: 'segment', a: [0, 0], b: [2, 0], radius: 0.5 }, [2.4, 0]), true);
  assert.equal(contains({ kind: 'segment', a: [0, 0], b: [2, 0], radius: 0.5 }, [1, 0.6]), false);
  assert.equal(contains({ kind: 'circle', centre: [1, 0], radius: 1 }, [1.9, 0]), true);
  close(reachOf([square]), Math.SQRT2 + 0.1);
  close(reachOf([{ kind: 'circle', centre: [3, 4], radius: 1 }]), 6);
  assert.equal(reachOf([]), 0);
});

test('a body is turned and moved to its place', () => {
  const shown = view();
  const pose = { x: 1, y: 0.5, cos: 0, sin: 1 };
  assert.deepEqual(placed(shown, pose, [0.2, 0]), shown.toScreen(1, 0.7));
});

test('an SVG file has the shapes with their rounding as arcs', () => {
  const context = new SvgContext(400, 300, 'a < b');
  context.beginPath();
  shapePath(context, view(), { x: 1, y: 0.5, cos: 1, sin: 0 }, { ...square, points: square.points.map(([x, y]) => [x / 10, y / 10]) });
  context.fill();
  context.globalAlpha = 0.5;
  context.textAlign = 'center';
  context.fillText('1 & 2', 3, 4);
  const text = context.text();
  assert.equal(text.match(/A17 17 0 0 0 /g).length, 4);
  assert.match(text, /<title>a &lt; b<\/title>/);
  assert.match(text, /text-anchor="middle".*opacity="0.5">1 &amp; 2</);
  assert.ok(!text.includes('NaN'));
});

test('a whole circle of an SVG file is two arcs', () => {
  const context = new SvgContext(10, 10, '');
  context.beginPath();
  context.arc(5, 5, 2, 0, 2 * Math.PI);
  context.stroke();
  assert.match(context.text(), /M7 5A2 2 0 1 1 3 5A2 2 0 1 1 7 5Z/);
});

test('an arrow of the usual length belongs to a usual speed, and the fastest is not far longer', () => {
  close(usualOf(1, [0, 10]), 1.5);
  close(usualOf(1, [100, 0, 0, 0, 1]), 0.4 * 4.5);
  assert.equal(usualOf(1, [0, 0]), 0);
});

test('only discs that can be seen are sent', () => {
  const shown = view();
  const [left, top] = shown.toWorld(0, 0);
  const places = Float32Array.of(1, 0.5, left - 0.2, 0.5, left - 0.05, 0.5, 1, top + 0.05, 1, top + 0.2);
  const radii = new Float32Array(5).fill(0.1);
  assert.deepEqual(visibleRows(5, places, radii, shown, [0, 0]), [0, 2, 3]);
  assert.deepEqual(visibleRows(5, places, radii, shown, [100, 0]), []);
});

test('small discs cover the pixels that they cover', () => {
  const pixels = new Uint32Array(64).fill(7);
  const picture = { count: 2, places: [2, 6, 100, 100], radii: [1.5, 1], colours: Uint32Array.of(0xff332211, 0xffffffff) };
  splat(pixels, 8, 8, picture, { left: 0, top: 8, scale: 1 });
  const alpha = (x, y) => pixels[y * 8 + x] >>> 24;
  assert.equal(pixels[1 * 8 + 1], 0xff332211);
  assert.deepEqual([alpha(1, 1), alpha(2, 2), alpha(1, 2)], [255, 255, 255]);
  assert.ok(alpha(0, 1) > 0 && alpha(0, 1) === alpha(3, 2) && alpha(0, 1) < 255);
  assert.equal(alpha(4, 2), 0);
  const covered = pixels.reduce((sum, pixel) => sum + (pixel >>> 24), 0) / 255;
  close(covered, Math.PI * 1.5 ** 2, 0.8);
});

test('a renderer in software is known by its name', () => {
  assert.equal(isSoftware('ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)'), true);
  assert.equal(isSoftware('llvmpipe (LLVM 17.0.6, 256 bits)'), true);
  assert.equal(isSoftware('ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)'), false);
});

test('many points are projected as one is', () => {
  const camera = new Orbit();
  camera.resize(600, 400);
  camera.fit({ lower: [1, 1, 1], upper: [3, 2, 2] });
  const out = {};
  camera.projector([10, 20, 30])(2.5 - 10, 1.25 - 20, 1.75 - 30, out);
  const one = camera.toScreen(2.5, 1.25, 1.75);
  for (const part of ['x', 'y', 'scale', 'depth']) close(out[part], one[part], 1e-9);
});

test('a sphere is bright towards the light and fades with its depth', () => {
  const grey = 0x808080;
  const paper = [255, 255, 255];
  const red = (colour) => colour & 255;
  assert.ok(red(shaded(grey, -0.3, 0.5, 0.8, 0, paper)) > red(shaded(grey, 0.6, -0.7, 0.3, 0, paper)));
  assert.ok(red(shaded(grey, 0, 0, 1, 1, paper)) > red(shaded(grey, 0, 0, 1, 0, paper)));
});

test('a pixel that is half covered shows half of what lies below', () => {
  assert.equal(over(0x0000ff, 1, 0xff00ff00), 0xff0000ff);
  assert.equal(over(0x0000ff, 0.5, 0) >>> 24, 127);
  assert.deepEqual(unpack(over(0x0000ff, 0.5, 0xff00ff00)), [127, 127, 0]);
});

test('spheres are drawn from the farthest to the nearest', () => {
  assert.deepEqual([...farFirst([1, 5, 3, 4, 2], 5)], [1, 3, 2, 4, 0]);
  assert.deepEqual([...farFirst([2, 2], 2)], [0, 1]);
  const depths = Float32Array.from({ length: 5000 }, (_, row) => Math.abs(Math.sin(row)));
  const order = farFirst(depths, 5000);
  assert.equal(new Set(order).size, 5000);
  for (let index = 1; index < 5000; index += 1) assert.ok(depths[order[index]] < depths[order[index - 1]] + 1e-3);
});

test('a solid shows its faces towards the eye, and normals point outwards', () => {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [0, 1, 2].map((axis) => (bits >> axis & 1 ? 0.5 : -0.5)));
  const faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
  const seen = seenFaces({ points, faces }, [10, 0, 0], [20, 5, 7]);
  assert.deepEqual(seen.map(({ normal }) => normal.join()).sort(), ['0,0,1', '0,1,0', '1,0,0']);
  assert.ok(seen.every(({ corners }) => corners.every(([x]) => x === 9.5 || x === 10.5)));
  assert.equal(seenFaces({ points, faces }, [0, 0, 0], [0, 0, 9]).length, 1);
  const axes = { right: [1, 0, 0], up: [0, 0, 1], back: [0, -1, 0] };
  assert.deepEqual(faceShade([0, 1, 0], axes), [0, 0, 0]);
  assert.deepEqual(faceShade([0, -1, 0], axes), [0, 0, 1]);
});
