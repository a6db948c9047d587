// What is told about the connection, which page controls, and what was refused.

const at = (id) => document.getElementById(id);

/** The text of the status line. */
export function statusText({ state, stats, control, pages }) {
  if (state === 'ended') return 'the tool has ended';
  if (state !== 'open') return state === 'opening' ? 'connecting' : 'not connected';
  const doing = stats?.running ? 'running' : 'stopped';
  const watching = control ? '' : ', watching';
  return pages > 1 ? `${doing}${watching}, ${pages} pages` : doing + watching;
}

/** The text of the notice over the page, empty if there is nothing to say. */
export function noticeText({ state, control, free }, reason) {
  if (state === 'lost') return 'The connection to the tool is lost. Trying again …';
  if (state === 'ended') return 'The tool has ended. What is shown here was its last state.';
  if (state === 'refused') {
    return `The tool has closed the connection: ${reason || 'a message was not understood'}. Reload the page to go on.`;
  }
  if (state === 'foreign') return 'The tool was started anew and has another address. Open the one that it has printed.';
  if (state !== 'open' || control) return '';
  return free ? 'This page watches. Nobody controls.' : 'This page watches: another page controls.';
}

export class Notices {
  constructor(app) {
    this.app = app;
    this.timer = 0;
    this.reason = '';
    app.on('hint', (hint) => this.#hint(hint));
    app.on('state', (reason) => {
      this.reason = reason;
      this.#show();
    });
    app.on('control', () => this.#show());
    app.on('stats', (stats) => this.#stats(stats));
    at('take-control')?.addEventListener('click', () => app.order({ do: 'control' }));
    at('quit')?.addEventListener('click', () => app.order({ do: 'quit' }));
  }

  #stats(stats) {
    this.#status();
    if (stats.ended && stats.ended !== this.ended) this.#hint({ text: stats.ended, bad: false });
    this.ended = stats.ended;
  }

  #status() {
    const text = statusText(this.app);
    if (at('status').textContent !== text) at('status').textContent = text;
    const { state, stats } = this.app;
    at('status').dataset.state = state === 'open' ? (stats?.running ? 'running' : 'stopped') : 'lost';
  }

  #show() {
    const { app } = this;
    const text = noticeText(app, this.reason);
    at('notice').hidden = text === '';
    at('notice-text').textContent = text;
    if (at('take-control')) at('take-control').hidden = !(app.state === 'open' && !app.control && app.free);
    if (at('quit')) at('quit').disabled = !app.control || app.state !== 'open';
    this.#status();
  }

  #hint({ text, bad }) {
    clearTimeout(this.timer);
    at('hint').hidden = text === '';
    at('hint').textContent = text;
    at('hint').classList.toggle('bad', bad);
    if (text !== '') this.timer = setTimeout(() => { at('hint').hidden = true; }, 5000);
  }
}
