// Every colour that is drawn in the stage: a scale from easy to hard that colour-blind people can read,
// those of bodies, of what is pointed out, and of the light. The page's own are the variables of
// style.css; documents bring theirs from tools/view/colours.h.

export const BODY = {faded: 0x8a94a0, specular: 0x242424, grown: 0xd08a3e, ghost: 0x3f93dd};
export const POINTED = {
  first: 0x2f7fd6, second: 0xe58a1f, contact: 0xd62728, nearContact: 0xd99a00, lit: 0xffffff, plane: 0x7a5cc4,
};
export const LIGHT = {sky: 0xffffff, ground: 0x8d8a84, sun: 0xfff4e6, fill: 0xdfe9ff, ambient: 0xffffff};
export const TRACE = [95, 127, 159];
// Of a way that is watched, where it no longer stands.
export const WAY = {fell: [200, 48, 38], undecided: [222, 150, 10]};
// For pages without style sheets.
export const FALLBACK = {stage: '#f4f5f6', grid: '#9aa3ab'};

// Slack in powers of ten of a metre. Blue to orange differs in hue for every common kind of colour
// blindness, and the hard end is the most saturated.
const STOPS = [
  [-6, [166, 38, 30]],
  [-4, [222, 96, 40]],
  [-3, [243, 166, 80]],
  [-2, [236, 217, 160]],
  [-1.3, [150, 190, 224]],
  [-0.3, [64, 122, 196]],
];

export const SCALE = {hardest: STOPS[0][0], easiest: STOPS[STOPS.length - 1][0]};

function mix(a, b, s) {
  return a.map((v, i) => Math.round(v + s * (b[i] - v)));
}

function along(stops, x) {
  if (x <= stops[0][0]) return stops[0][1];
  for (let k = 1; k < stops.length; ++k) {
    const [x0, c0] = stops[k - 1], [x1, c1] = stops[k];
    if (x <= x1) return mix(c0, c1, (x - x0) / (x1 - x0));
  }
  return stops[stops.length - 1][1];
}

/** RGB, 0 to 255, of a slack in metres. */
export function slackColour(slack) {
  return along(STOPS, Math.log10(Math.max(slack, 1e-12)));
}

// From slow to fast: lightness falls on the way, so that it can be read without hue.
const SPEEDS = [[0, [120, 198, 199]], [0.35, [65, 135, 190]], [0.7, [94, 60, 160]], [1, [140, 10, 96]]];

/** RGB, 0 to 255, of a speed as a share of the largest. */
export function speedColour(share) {
  return along(SPEEDS, share);
}

/** A scale from one end to the other, for a style sheet. */
export function ramp(colourAt) {
  return `linear-gradient(90deg,${Array.from({length: 13}, (_, k) => css(colourAt(k / 12))).join(',')})`;
}

export function css([r, g, b], alpha = 1) {
  return alpha === 1 ? `rgb(${r} ${g} ${b})` : `rgb(${r} ${g} ${b} / ${alpha})`;
}

const ROBOTS = [0xe8762c, 0x2f6fbd, 0xe0ab24, 0x3d9463, 0x8a6bb8, 0x2a98a6, 0xb0744a, 0xd2739c, 0x7a8b3a];
const OBSTACLES = [0xaab4bd, 0xbdb7ac, 0x98a3ab, 0xb3aaa0];

/** One colour per body: robots a hue each with alternating shades, obstacles grey. */
export function bodyColours(bodies) {
  const robots = new Map(), colours = [];
  let obstacles = 0;
  const colour = (body, index) => {
    if (body.shade !== undefined) return colours[body.shade];  // of the body that it was before
    if (body.colour) return parseInt(body.colour.slice(1), 16);
    if (body.kind === 'obstacle') return OBSTACLES[obstacles++ % OBSTACLES.length];
    if (!robots.has(body.group)) robots.set(body.group, robots.size);
    const hue = ROBOTS[robots.get(body.group) % ROBOTS.length];
    const shade = index % 2 ? 0.88 : 1;
    return [16, 8, 0].reduce((c, s) => c | (Math.round(((hue >> s) & 255) * shade) << s), 0);
  };
  bodies.forEach((body, index) => colours.push(colour(body, index)));
  return colours;
}
