// What both pictures in WebGL2 need: programs and buffers.

function shader(gl, kind, source, define) {
  const made = gl.createShader(kind);
  const first = define ? `#define ${define}\n` : '';
  gl.shaderSource(made, `#version 300 es\n${first}precision highp float;\n${source}`);
  gl.compileShader(made);
  if (!gl.getShaderParameter(made, gl.COMPILE_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getShaderInfoLog(made));
  }
  return made;
}

/** A program with the places of its uniforms; one word may be defined in its texts. */
export function program(gl, vertex, fragment, uniforms, define = '') {
  const made = gl.createProgram();
  gl.attachShader(made, shader(gl, gl.VERTEX_SHADER, vertex, define));
  gl.attachShader(made, shader(gl, gl.FRAGMENT_SHADER, fragment, define));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(made));
  }
  return { made, at: Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(made, name)])) };
}

/** A buffer that grows when it has to and is written from its start otherwise. */
export class Column {
  constructor(gl) {
    this.gl = gl;
    this.buffer = gl.createBuffer();
    this.size = 0;
  }

  write(array, length) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    const bytes = length * array.BYTES_PER_ELEMENT;
    if (bytes > this.size) {
      this.size = Math.ceil(bytes * 1.25);
      gl.bufferData(gl.ARRAY_BUFFER, this.size, gl.DYNAMIC_DRAW);
    }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, array, 0, length);
  }

  /** Gives one item per vertex (divisor 0) or per instance (1) to an attribute. */
  give(attribute, size, type, normalized, divisor) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(attribute);
    gl.vertexAttribPointer(attribute, size, type, normalized, 0, 0);
    gl.vertexAttribDivisor(attribute, divisor);
  }
}

/** Whether a name of a renderer is that of a program instead of a graphics processor. */
export function isSoftware(name) {
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Whether WebGL2 has a graphics processor; #webgl or #pixels at the end of the address decides all the same. */
export function hasGraphicsProcessor() {
  if (window.location.hash === '#pixels') return false;
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return window.location.hash === '#webgl' || !isSoftware(String(name));
}

/** WebGL2 on a canvas, or null where there is none. The shaders smooth rims themselves. */
export function context(canvas) {
  return canvas.getContext('webgl2', { alpha: true, antialias: false, premultipliedAlpha: true });
}
