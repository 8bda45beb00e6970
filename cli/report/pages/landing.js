"use strict";
// Plays landings, in the elements of landing.html and the heading #landing-title. A frame: x, y, angle of
// hull and two legs (0-8), main and side power (9, 10), observation (11-18), reward, their sum.
const episodes = @EPISODES@;
const stepSeconds = 0.02;
const find = id => document.getElementById(id);
const landing = find("landing"), scene = find("landing-scene"), pen = scene.getContext("2d");
const playButton = find("landing-play"), slider = find("landing-slider");
const speed = find("landing-speed"), seedChoice = find("landing-seed");
const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");

// ---- The values below it

const number = digits => value => value.toFixed(digits).replace("-", "\u2212");
const yes = value => value ? "yes" : "no";
const shown = [
  ["x", 11, number(3)], ["y", 12, number(3)], ["vx", 13, number(3)], ["vy", 14, number(3)],
  ["theta", 15, number(3)], ["omega", 16, number(3)], ["l1 on ground", 17, yes], ["l2 on ground", 18, yes],
  ["main engine", 9, number(2)], ["side engines", 10, number(2)],
  ["reward", 19, number(2)], ["sum of rewards", 20, number(2)],
];
const cells = shown.map(([name]) => {
  const [box, term, value] = ["div", "dt", "dd"].map(tag => document.createElement(tag));
  term.textContent = name;
  box.append(term, value);
  find("landing-values").append(box);
  return value;
});

function showValues(step, frame) {
  const text = `${(step * stepSeconds).toFixed(2)} s, step ${step}`;
  slider.value = step;
  slider.setAttribute("aria-valuetext", text);
  find("landing-time").textContent = text;
  shown.forEach(([, index, format], i) => { cells[i].textContent = format(frame[index]); });
}

// ---- The scene, in metres

const hull = [[-14, 17], [-17, 0], [-17, -10], [17, -10], [17, 0], [14, 17]];
const leg = [[-2, -8], [2, -8], [2, 8], [-2, 8]];
let chosen = 0, episode = null, frames = [], last = 0;
let left = 0, right = 20, highest = 40 / 3; // what is shown
let position = 0, playing = false, running = false, inView = false, before = 0;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function shape(points, unit) {
  pen.beginPath();
  points.forEach(([x, y], i) => i ? pen.lineTo(x * unit, y * unit) : pen.moveTo(x * unit, y * unit));
  pen.closePath();
}

function line(points, width) {
  pen.beginPath();
  points.forEach(([x, y]) => pen.lineTo(x, y));
  pen.lineWidth = width;
  pen.stroke();
}

function body(frame, index, draw) {
  pen.save();
  pen.translate(frame[3 * index], frame[3 * index + 1]);
  pen.rotate(frame[3 * index + 2]);
  draw();
  pen.restore();
}

function solid(points, fill) {
  shape(points, 1 / 30);
  pen.fillStyle = fill;
  pen.fill();
  pen.stroke();
}

function flame(x, y, dx, dy, length, half) {
  const flicker = 1 + 0.15 * Math.sin(position * 2.4);
  [["--flame", 1], ["--core", 0.55]].forEach(([name, share]) => {
    const reach = length * flicker * share, w = half * share;
    shape([[x - dy * w, y + dx * w], [x + dx * reach, y + dy * reach], [x + dy * w, y - dx * w]], 1);
    pen.fillStyle = colour(name);
    pen.fill();
  });
}

function drawGround() {
  const { ground } = episode, surface = ground.map((y, i) => [2 * i, y]);
  shape([[left - 1, -1], [left - 1, ground[0]], ...surface, [right + 1, ground[10]], [right + 1, -1]], 1);
  pen.fillStyle = colour("--ground");
  pen.fill();
  pen.lineWidth = 0.04;
  pen.strokeStyle = colour("--edge");
  pen.stroke();
  pen.strokeStyle = colour("--pole");
  line([[8, ground[4]], [12, ground[4]]], 0.1);
}

function drawFlag(x) {
  const y = episode.helipad + 50 / 30;
  line([[x, episode.ground[4]], [x, y]], 0.05);
  shape([[x, y], [x, y - 10 / 30], [x + 25 / 30, y - 5 / 30]], 1);
  pen.fillStyle = colour("--flag");
  pen.fill();
}

function drawPath(step) {
  pen.setLineDash([0.12, 0.12]);
  pen.strokeStyle = colour("--faint");
  line(frames.slice(0, step + 1), 0.04);
  pen.setLineDash([]);
}

function drawLander(frame) {
  const main = frame[9], side = frame[10], away = -Math.sign(side);
  pen.lineWidth = 0.04;
  pen.strokeStyle = colour("--outline");
  body(frame, 0, () => {
    if (main > 0) flame(0, -10 / 30, 0, -1, 1.1 * main, 0.2);
    if (side !== 0) flame(away * 15 / 30, 13 / 30, away, 0, 0.6 * Math.abs(side), 0.09);
  });
  for (const index of [1, 2]) body(frame, index, () => solid(leg, colour("--leg")));
  body(frame, 0, () => solid(hull, colour("--hull")));
}

// One unit of the pen is a metre, and up is up.
function clearScene() {
  const ratio = window.devicePixelRatio || 1, scale = scene.clientWidth / (right - left) * ratio;
  const w = Math.round(scene.clientWidth * ratio), h = Math.round(highest * scale);
  if (scene.width !== w || scene.height !== h) {
    scene.width = w;
    scene.height = h;
  }
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = colour("--sky");
  pen.fillRect(0, 0, w, h);
  pen.setTransform(scale, 0, 0, -scale, -left * scale, h);
  pen.lineJoin = "round";
}

function draw() {
  if (!episode) return;
  const step = Math.floor(position), frame = frames[step];
  clearScene();
  drawGround();
  drawFlag(8);
  drawFlag(12);
  drawPath(step);
  drawLander(frame);
  showValues(step, frame);
}

// ---- Playing

const mayRun = () => playing && inView && !document.hidden;

function run() {
  if (running || !mayRun()) return;
  running = true;
  before = performance.now();
  requestAnimationFrame(tick);
}

function tick(now) {
  running = mayRun();
  if (!running) return;
  position = Math.min(last, position + Math.max(0, now - before) / 1000 / stepSeconds * Number(speed.value));
  before = now;
  draw();
  if (position < last) requestAnimationFrame(tick);
  else setPlaying(running = false);
}

function setPlaying(on) {
  starter.disconnect();
  playing = on;
  playButton.textContent = on ? "Pause" : "Play";
  if (on && position >= last) position = 0;
  run();
}

function go(step) {
  setPlaying(false);
  position = Math.min(last, Math.max(0, step));
  draw();
}

function show(index) {
  chosen = index;
  episode = episodes[index];
  frames = episode.frames;
  last = slider.max = frames.length - 1;
  left = Math.min(0, ...frames.map(f => f[0] - 1));
  right = Math.max(20, ...frames.map(f => f[0] + 1));
  highest = Math.max(40 / 3, ...frames.map(f => f[1] + 0.8));
  seedChoice.value = index;
  find("landing-title").textContent = episode.title;
  scene.setAttribute("aria-label", `Animation of the flight. ${episode.title}.`);
  position = 0;
  draw();
}

function choose(index) {
  if (!(index in episodes)) return;
  show(index);
  setPlaying(!lessMotion.matches);
}

// ---- Who asks for it

const keys = {
  " ": () => setPlaying(!playing),
  ArrowLeft: () => go(Math.floor(position) - 1),
  ArrowRight: () => go(Math.floor(position) + 1),
  Home: () => go(0),
  End: () => go(last),
};
if (episodes.length > 1) Object.assign(keys, { n: () => choose(chosen + 1), p: () => choose(chosen - 1) });

const isAlone = document.body.dataset.keys === "landing";

// Where the focus is elsewhere, a key is not the landing's. Where it is nowhere, a page of the landing alone
// gives it all of its keys; another page only while it is seen, and none that scroll.
function isForLanding({ key, target }) {
  if (target.matches("select") || (key === " " && target.matches("button"))) return false;
  if (landing.contains(target)) return true;
  if (target !== document.body) return false;
  return isAlone || (inView && ![" ", "Home", "End"].includes(key));
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys) || !isForLanding(event)) return;
  keys[event.key]();
  event.preventDefault();
});
slider.addEventListener("input", () => go(Number(slider.value)));
playButton.addEventListener("click", () => setPlaying(!playing));
seedChoice.addEventListener("change", () => choose(Number(seedChoice.value)));
episodes.forEach(({ seed }, index) => seedChoice.add(new Option(seed, index)));
find("landing-seeds").hidden = find("landing-seed-keys").hidden = episodes.length < 2;
find("landing-focus-keys").hidden = isAlone;

window.addEventListener("resize", draw);
document.addEventListener("visibilitychange", run);
for (const media of ["(prefers-color-scheme: dark)", "print"]) {
  matchMedia(media).addEventListener("change", draw);
}

// It rests while it cannot be seen, and begins when half of the scene has come into view.
new IntersectionObserver(entries => {
  inView = entries.at(-1).isIntersecting;
  run();
}).observe(landing);
const starter = new IntersectionObserver(entries => {
  if (entries.at(-1).isIntersecting) setPlaying(true);
}, { threshold: 0.5 });
if (episodes.length) {
  show(0);
  if (!lessMotion.matches) starter.observe(scene);
}

// A page that begins without a flight is given one later, and then a better one.
function setEpisodes(list) {
  episodes.splice(0, episodes.length, ...list);
  choose(0);
}
