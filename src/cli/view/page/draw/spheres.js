// Spheres in space: a point or a square per ball, on which the sphere is computed pixel by pixel.

import { Column, program } from './webgl.js';

const VERTEX = `
layout(location = 0) in vec3 place;
layout(location = 1) in float radius;
layout(location = 2) in vec4 colour;
uniform mat4 view, projection;
uniform vec2 size;
flat out vec3 centre;
flat out float reach;
flat out vec3 shade;
void main() {
  centre = (view * vec4(place, 1.0)).xyz;
  float away = length(centre);
  // At least a pixel wide, so that far balls do not vanish.
  reach = max(radius, 1.2 * away / (projection[1][1] * size.y));
  shade = colour.rgb;
  // The outline of a sphere is wider than its radius when seen from nearby.
  float wide = reach * away / sqrt(max(away * away - reach * reach, 1e-3 * away * away));
#ifdef POINTS
  gl_Position = projection * vec4(centre, 1.0);
  // At the edge of the picture a sphere looks longer.
  gl_PointSize = 1.0 + wide * projection[1][1] * size.y * away / (centre.z * centre.z);
#else
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  vec3 front = centre / away;
  vec3 right = normalize(cross(front, vec3(0.0, 1.0, 0.0)));
  vec3 up = cross(right, front);
  gl_Position = projection * vec4(centre + (right * corner.x + up * corner.y) * wide, 1.0);
#endif
}`;

const FRAGMENT = `
flat in vec3 centre;
flat in float reach;
flat in vec3 shade;
uniform mat4 projection;
uniform vec2 size, depths;
uniform vec4 fog;
out vec4 result;
void main() {
  // The line of sight through this pixel.
  vec2 at = gl_FragCoord.xy / size * 2.0 - 1.0;
  vec3 along = normalize(vec3(at.x / projection[0][0], at.y / projection[1][1], -1.0));
  float middle = dot(along, centre);
  float root = middle * middle - dot(centre, centre) + reach * reach;
  if (root < 0.0) discard;
  vec3 hit = along * (middle - sqrt(root));
  vec3 normal = (hit - centre) / reach;
  float light = 0.34 + 0.66 * max(0.0, dot(normal, normalize(vec3(-0.4, 0.65, 0.65))));
  float rim = smoothstep(0.0, 0.45, normal.z);
  vec3 colour = shade * light * mix(0.72, 1.0, rim);
  float gone = clamp((-hit.z - depths.x) / (depths.y - depths.x), 0.0, 1.0) * fog.a;
  result = vec4(mix(colour, fog.rgb, gone), 1.0);
  vec4 clip = projection * vec4(hit, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
}`;

const UNIFORMS = ['view', 'projection', 'size', 'fog', 'depths'];

/** From this number of balls on they are points, which software draws far faster than squares. */
const MANY = 2000;

export class Spheres {
  constructor(gl) {
    this.gl = gl;
    this.points = program(gl, VERTEX, FRAGMENT, UNIFORMS, 'POINTS');
    this.squares = program(gl, VERTEX, FRAGMENT, UNIFORMS);
    this.places = new Column(gl);
    this.radii = new Column(gl);
    this.colours = new Column(gl);
    this.array = gl.createVertexArray();
  }

  /** Draws the balls; places are in metres from the origin, and so is the camera. */
  draw({ count, places, radii, colours, camera, paper }) {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    if (count > 0) this.#spheres(count, places, radii, colours, camera, paper);
  }

  #spheres(count, places, radii, colours, camera, paper) {
    const { gl } = this;
    const asPoints = count >= MANY;
    const divisor = asPoints ? 0 : 1;
    gl.bindVertexArray(this.array);
    this.places.write(places, count * 3);
    this.places.give(0, 3, gl.FLOAT, false, divisor);
    this.radii.write(radii, count);
    this.radii.give(1, 1, gl.FLOAT, false, divisor);
    this.colours.write(new Uint8Array(colours.buffer), count * 4);
    this.colours.give(2, 4, gl.UNSIGNED_BYTE, true, divisor);
    this.#use(asPoints ? this.points : this.squares, camera, paper);
    if (asPoints) gl.drawArrays(gl.POINTS, 0, count);
    else gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }

  #use({ made, at }, camera, paper) {
    const { gl } = this;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, camera.viewMatrix());
    gl.uniformMatrix4fv(at.projection, false, camera.projectionMatrix());
    gl.uniform2f(at.size, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform4f(at.fog, paper[0] / 255, paper[1] / 255, paper[2] / 255, 0.55);
    gl.uniform2f(at.depths, camera.distance - camera.reach * 0.6, camera.distance + camera.reach * 1.2);
  }
}
