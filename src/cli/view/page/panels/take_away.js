// Scene files, pictures and clips out of the page, and files into it.

import { bytesOf } from '../data/base64.js';
import { make } from './fields.js';

/** A picture of more balls as SVG would overtax the programs that show it. */
const MOST_SVG = 20000;

/** A name of a file made of the scene's name. */
export function fileName(name, time, extension) {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'scene';
  return `${plain}-${String(Number(time.toPrecision(6))).replace(/[^0-9.e-]/g, '')}s.${extension}`;
}

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = make('a', { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export class TakeAway {
  constructor(app) {
    this.app = app;
    this.at = (id) => document.getElementById(id);
    this.recorder = null;
    const actions = {
      'save-scene': () => this.scene(),
      'save-now': () => this.scene('now'),
      'save-png': () => this.png(),
      'save-svg': () => this.svg(),
      'save-webm': () => this.webm(),
    };
    for (const [id, action] of Object.entries(actions)) this.at(id)?.addEventListener('click', action);
    const open = this.at('open');
    open?.addEventListener('change', () => this.#chosen(open));
    app.on('control', () => { if (open) open.disabled = !app.control || app.state !== 'open'; });
    app.on('drawn', () => this.#record());
    if (open) this.#drops();
  }

  #note(...content) {
    this.at('save-note').replaceChildren(...content);
  }

  #name(extension) {
    return fileName(this.app.scene.name, this.app.frame.time, extension);
  }

  async scene(from) {
    const answer = await this.app.order(from ? { do: 'save', from } : { do: 'save' });
    if (!answer.ok) return;
    const content = answer.text ?? bytesOf(answer.base64);
    download(new Blob([content], { type: 'application/octet-stream' }), answer.name);
    const command = make('code', { id: 'save-command' }, answer.command);
    const hash = make('code', { id: 'save-hash' }, answer.hash ?? '–');
    this.#note(`${answer.name} is saved. `, command, ' gives the state hash ', hash, '.');
  }

  png() {
    const picture = this.app.picture();
    if (!picture) return;
    const name = this.#name('png');
    this.app.stage.flat(picture).toBlob((blob) => {
      download(blob, name);
      this.#note(`${name} is saved.`);
    }, 'image/png');
  }

  svg() {
    const picture = this.app.picture();
    if (!picture) return;
    if (picture.count > MOST_SVG) {
      this.#note(`An SVG file holds at most ${MOST_SVG} balls, not ${picture.count}: take a PNG file.`);
      return;
    }
    const name = this.#name('svg');
    const text = this.app.stage.svg(picture, `${this.app.scene.name} at ${picture.time} s`);
    download(new Blob([text], { type: 'image/svg+xml' }), name);
    this.#note(`${name} is saved.`);
  }

  webm() {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const picture = this.app.picture();
    if (!picture) return;
    if (typeof MediaRecorder === 'undefined' || !MediaRecorder.isTypeSupported('video/webm')) {
      this.#note('This browser cannot record WebM.');
      return;
    }
    this.#startRecording(picture);
  }

  #startRecording(picture) {
    this.film = this.app.stage.flat(picture);
    const kind = { mimeType: 'video/webm', videoBitsPerSecond: 8e6 };
    const recorder = new MediaRecorder(this.film.captureStream(30), kind);
    const parts = [];
    const name = this.#name('webm');
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => this.#recorded(new Blob(parts, { type: 'video/webm' }), name);
    recorder.start(1000);
    this.recorder = recorder;
    this.at('save-webm').setAttribute('aria-pressed', 'true');
    this.at('save-webm').textContent = 'Stop recording';
    this.#note('Recording what the picture shows …');
  }

  #recorded(blob, name) {
    this.recorder = null;
    this.film = null;
    this.at('save-webm').setAttribute('aria-pressed', 'false');
    this.at('save-webm').textContent = 'Record WebM';
    download(blob, name);
    this.#note(`${name} is saved.`);
  }

  #record() {
    if (!this.recorder || this.copying) return;
    // Drawing into the film draws the stage again, which must not come back here.
    this.copying = true;
    const picture = this.app.picture();
    if (picture) this.app.stage.flat(picture, this.film);
    this.copying = false;
  }

  async #chosen(input) {
    if (input.files.length > 0) await this.open(input.files[0]);
    input.value = '';
  }

  #drops() {
    const over = this.at('drop');
    let depth = 0;
    const show = (change) => {
      depth = Math.max(0, depth + change);
      over.hidden = depth === 0 || !this.app.control;
    };
    document.addEventListener('dragenter', (event) => { event.preventDefault(); show(1); });
    document.addEventListener('dragleave', () => show(-1));
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      show(-depth);
      const [file] = event.dataTransfer?.files ?? [];
      if (file) this.open(file);
    });
  }

  /** Opens a file as the scene. */
  async open(file) {
    this.at('open-error').textContent = '';
    if (file.size > 8 * 1024 * 1024 - 300) {
      this.at('open-error').textContent = `${file.name} is larger than 8 MiB: start carom view with it instead`;
      return;
    }
    const content = new Uint8Array(await file.arrayBuffer());
    const answer = await this.app.source.sendFile(file.name, content);
    if (!answer.ok) {
      this.at('open-error').textContent = answer.error;
      this.app.hint(answer.error, true);
    }
  }
}
