// What the tests of the page use in it; WebDriver runs this in every page that is opened.

window.at = (id) => document.getElementById(id);
window.said = (id) => at(id).textContent;
// The number behind what is shown; NaN if there is none.
window.num = (id) => Number(at(id).dataset.value || NaN);
window.near = (id, value) => Math.abs(num(id) - value) < 1e-9;

window.view = () => page.app.stage.scene.view;

// The point of the window where a place of the scene is shown.
window.inWindow = (x, y) => {
  const { left, top } = at('stage').getBoundingClientRect();
  const [px, py] = view().toScreen(x, y);
  return [left + px, top + py];
};

// The tip of the selected ball's arrow, which has a handle.
window.tip = () => {
  const { scene } = page.app.stage;
  const { position: [x, y], velocity: [vx, vy], radius } = page.app.drawn.chosen;
  const speed = Math.hypot(vx, vy);
  const rim = Math.max(radius, 8 / scene.view.scale);
  const length = speed > 0 ? rim / speed + scene.tau : 0;
  return inWindow(x + (speed > 0 ? vx * length : rim), y + vy * length);
};

// The picture as numbers: all canvases, one over the other.
window.picture = () => {
  const { width, height } = page.app.stage.ground;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  for (const name of ['ground', 'balls', 'over']) {
    const canvas = document.querySelector(`canvas.${name}`);
    if (!canvas.hidden) context.drawImage(canvas, 0, 0);
  }
  return context.getImageData(0, 0, width, height);
};

// The colour of the picture at a place of the scene.
window.colourAt = (x, y) => {
  const { data, width } = picture();
  const [px, py] = view().toScreen(x, y).map(Math.round);
  return [...data.subarray(4 * (py * width + px), 4 * (py * width + px) + 3)];
};

// How many points of the picture have nearly this colour.
window.inked = (red, green, blue) => {
  const { data } = picture();
  let number = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 30) number += 1;
  }
  return number;
};

window.alike = (a, b) => a.every((value, index) => Math.abs(value - b[index]) < 12);
