// A context with the methods of a canvas that are used here, which writes an SVG file.

function escaped(text) {
  return String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

function short(number) {
  return String(Math.round(number * 100) / 100);
}

const ANCHORS = { left: 'start', center: 'middle', right: 'end' };
const BASELINES = { middle: 'central', alphabetic: 'alphabetic', top: 'hanging' };

export class SvgContext {
  constructor(width, height, title) {
    this.width = width;
    this.height = height;
    this.title = title;
    this.items = [];
    this.path = '';
    this.dash = [];
    Object.assign(this, {
      fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, globalAlpha: 1,
      font: '', textAlign: 'left', textBaseline: 'alphabetic',
    });
  }

  beginPath() {
    this.path = '';
  }

  moveTo(x, y) {
    this.path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x, y) {
    this.path += `${this.path === '' ? 'M' : 'L'}${short(x)} ${short(y)}`;
  }

  closePath() {
    this.path += 'Z';
  }

  arc(x, y, r, from, to, against = false) {
    const start = [x + r * Math.cos(from), y + r * Math.sin(from)];
    if (Math.abs(to - from) >= 2 * Math.PI) {
      const half = (end) => `A${short(r)} ${short(r)} 0 1 1 ${short(end)} ${short(y)}`;
      this.moveTo(x + r, y);
      this.path += `${half(x - r)}${half(x + r)}Z`;
      return;
    }
    const turn = against ? from - to : to - from;
    const angle = ((turn % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    this.lineTo(start[0], start[1]);
    const end = [x + r * Math.cos(to), y + r * Math.sin(to)];
    const flags = `${angle > Math.PI ? 1 : 0} ${against ? 0 : 1}`;
    this.path += `A${short(r)} ${short(r)} 0 ${flags} ${short(end[0])} ${short(end[1])}`;
  }

  #alpha() {
    return this.globalAlpha === 1 ? '' : ` opacity="${short(this.globalAlpha)}"`;
  }

  fill() {
    if (this.path !== '') this.items.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.#alpha()}/>`);
  }

  stroke() {
    if (this.path === '') return;
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    const paint = `fill="none" stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"`;
    this.items.push(`<path d="${this.path}" ${paint}${dash}${this.#alpha()}/>`);
  }

  fillRect(x, y, width, height) {
    const place = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    this.items.push(`<rect ${place} fill="${this.fillStyle}"${this.#alpha()}/>`);
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  fillText(text, x, y) {
    const place = `x="${short(x)}" y="${short(y)}" text-anchor="${ANCHORS[this.textAlign]}"`;
    const baseline = ` dominant-baseline="${BASELINES[this.textBaseline]}"`;
    this.items.push(`<text ${place}${baseline} fill="${this.fillStyle}"${this.#alpha()}>${escaped(text)}</text>`);
  }

  text() {
    const box = `${short(this.width)} ${short(this.height)}`;
    const size = `width="${short(this.width)}" height="${short(this.height)}"`;
    const font = 'font-family="system-ui, sans-serif" font-size="11"';
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${box}" ${font}>\n`
      + `<title>${escaped(this.title)}</title>\n${this.items.join('\n')}\n</svg>\n`;
  }
}
