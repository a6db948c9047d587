// Discs in the plane: a point or a square per ball, cut to a disc with a smooth rim by the fragment shader.

import { Column, program } from './webgl.js';

// Points need one vertex per ball, squares four, which software draws one by one; but points have a largest size, and
// vanish with their centre at the edge of the picture.
const VERTEX = `
layout(location = 0) in vec2 place;
layout(location = 1) in float radius;
layout(location = 2) in vec4 colour;
uniform vec2 centre, halfSize;
uniform float scale, ratio;
out vec2 local;
out vec4 shade;
flat out float pixels;
void main() {
  // A ball smaller than a pixel is drawn as one, fainter.
  float size = radius * scale;
  pixels = max(size, 0.75);
  float reach = pixels + 1.0;
  shade = vec4(colour.rgb, min(1.0, 0.35 + 0.65 * size / pixels));
  vec2 at = (place - centre) * scale;
#ifdef POINTS
  local = vec2(reach);
  gl_PointSize = 2.0 * reach * ratio;
#else
  local = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * reach;
  at += local;
#endif
  gl_Position = vec4(at / halfSize, 0.0, 1.0);
}`;

const FRAGMENT = `
in vec2 local;
in vec4 shade;
flat in float pixels;
uniform float ratio;
out vec4 result;
void main() {
#ifdef POINTS
  float away = length((gl_PointCoord * 2.0 - 1.0) * local);
#else
  float away = length(local);
#endif
  float inside = clamp((pixels - away) * ratio + 0.5, 0.0, 1.0);
  if (inside <= 0.0) discard;
  // A darker rim tells touching balls apart.
  float rim = smoothstep(0.0, 1.0, (away - pixels + 1.6) * ratio) * smoothstep(3.0, 6.0, pixels) * 0.45;
  float alpha = inside * shade.a;
  result = vec4(mix(shade.rgb, vec3(0.0), rim) * alpha, alpha);
}`;

const UNIFORMS = ['centre', 'halfSize', 'scale', 'ratio'];

/** Radius of the largest disc that is drawn as a point, in pixels. */
const LARGEST_POINT = 24;

/** The rows of the discs of which a part can be seen. */
export function visibleRows(count, places, radii, view, origin) {
  const [halfWidth, halfHeight] = [view.width / 2 / view.scale, view.height / 2 / view.scale];
  const rows = [];
  for (let row = 0; row < count; row += 1) {
    const dx = Math.abs(places[2 * row] + origin[0] - view.x);
    const dy = Math.abs(places[2 * row + 1] + origin[1] - view.y);
    if (dx < halfWidth + radii[row] && dy < halfHeight + radii[row]) rows.push(row);
  }
  return rows;
}

export class Discs {
  constructor(gl) {
    this.gl = gl;
    this.points = program(gl, VERTEX, FRAGMENT, UNIFORMS, 'POINTS');
    this.squares = program(gl, VERTEX, FRAGMENT, UNIFORMS);
    this.places = new Column(gl);
    this.radii = new Column(gl);
    this.colours = new Column(gl);
    this.array = gl.createVertexArray();
    this.largestOf = null;
  }

  /** Draws the balls into a view; places are in metres from the origin of the picture. */
  draw({ count, places, radii, colours, view, origin, ratio }) {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (count === 0) return;
    gl.enable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindVertexArray(this.array);
    if (this.#largest(radii, count) * view.scale <= LARGEST_POINT) {
      this.#columns(count, places, radii, colours, 0);
      this.#use(this.points, view, origin, ratio);
      gl.drawArrays(gl.POINTS, 0, count);
    } else {
      this.#seen(count, places, radii, colours, view, origin);
      this.#use(this.squares, view, origin, ratio);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.shown);
    }
  }

  #largest(radii, count) {
    if (this.largestOf !== radii) {
      this.largestOf = radii;
      this.largest = 0;
      for (let row = 0; row < count; row += 1) this.largest = Math.max(this.largest, radii[row]);
    }
    return this.largest;
  }

  // Large discs are few, so that only those are sent which can be seen.
  #seen(count, places, radii, colours, view, origin) {
    const rows = visibleRows(count, places, radii, view, origin);
    this.shown = rows.length;
    const near = Float32Array.from(rows.flatMap((row) => [places[2 * row], places[2 * row + 1]]));
    const sizes = Float32Array.from(rows, (row) => radii[row]);
    this.#columns(rows.length, near, sizes, Uint32Array.from(rows, (row) => colours[row]), 1);
  }

  #columns(count, places, radii, colours, divisor) {
    const { gl } = this;
    this.places.write(places, count * 2);
    this.places.give(0, 2, gl.FLOAT, false, divisor);
    this.radii.write(radii, count);
    this.radii.give(1, 1, gl.FLOAT, false, divisor);
    this.colours.write(new Uint8Array(colours.buffer), count * 4);
    this.colours.give(2, 4, gl.UNSIGNED_BYTE, true, divisor);
  }

  #use({ made, at }, view, origin, ratio) {
    const { gl } = this;
    gl.useProgram(made);
    gl.uniform2f(at.centre, view.x - origin[0], view.y - origin[1]);
    gl.uniform2f(at.halfSize, view.width / 2, view.height / 2);
    gl.uniform1f(at.scale, view.scale);
    gl.uniform1f(at.ratio, ratio);
  }
}
