// How plans got better: the value of each over the time it took, and what no plan can undercut.
import {el} from './text.js';

const WIDTH = 420, HEIGHT = 150, LEFT = 58, RIGHT = 14, TOP = 12, BOTTOM = 26;
const NAMESPACE = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const short = (value) => `${+value.toPrecision(4)}`;

/** The values over time as steps; `end` is when planning ended. */
export function drawQuality(found, bound, end) {
  const values = found.map((plan) => plan.metric), known = bound === null ? values : [...values, bound];
  const last = Math.max(end, ...found.map((plan) => plan.seconds), 1e-6);
  let low = Math.min(...known), high = Math.max(...known);
  if (high - low < 1e-9 * (1 + Math.abs(high))) [low, high] = [low - 0.5 * (1 + Math.abs(low)) * 0.1, high + 0.5 * (1 + Math.abs(high)) * 0.1];
  const x = (time) => LEFT + ((WIDTH - LEFT - RIGHT) * time) / last;
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
  const text = (at, up, words, anchor) => svg('text', {x: at, y: up, 'text-anchor': anchor}, words);
  let path = '';
  found.forEach((plan, i) => {
    const until = found[i + 1]?.seconds ?? last;
    path += `${i ? 'V' : `M${x(plan.seconds)} `}${y(plan.metric)}H${x(until)}`;
  });
  return el('figure', {class: 'quality'}, svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': `Values of plans from ${short(values[0])} to ${short(values.at(-1))} in ${short(last)} s`},
  svg('line', {class: 'frame', x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM}),
  ...(bound === null ? [] : [svg('line', {class: 'bound', x1: LEFT, x2: WIDTH - RIGHT, y1: y(bound), y2: y(bound)})]),
  svg('path', {class: 'steps', d: path}),
  ...found.map((plan) => svg('circle', {cx: x(plan.seconds), cy: y(plan.metric), r: 3.5},
    svg('title', {}, `${short(plan.metric)} after ${short(plan.seconds)} s`))),
  text(LEFT - 8, y(values[0]) + 4, short(values[0]), 'end'),
  ...(values.length > 1 && Math.abs(y(values.at(-1)) - y(values[0])) > 13 ? [text(LEFT - 8, y(values.at(-1)) + 4, short(values.at(-1)), 'end')] : []),
  ...(bound !== null && values.every((v) => Math.abs(y(v) - y(bound)) > 13 || (v !== values[0] && v !== values.at(-1))) ? [text(LEFT - 8, y(bound) + 4, short(bound), 'end')] : []),
  text(LEFT, HEIGHT - 8, '0', 'middle'), text(WIDTH - RIGHT, HEIGHT - 8, `${short(last)} s`, 'end')));
}
