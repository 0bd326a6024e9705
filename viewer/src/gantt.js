// A plan over time: a row for every action, or for every object that actions name.
import {el} from './text.js';
import {Tip} from './tip.js';

const COLOURS = 8;       // --plan-1 ... of style.css
const MOST_ZOOM = 64;

/** Where the bars of a plan are. A plan without durations has steps instead of times. */
export function layOut(actions) {
  const timed = actions.some((action) => action.duration > 0);
  const bars = actions.map((action, i) => (timed
    ? {action, index: i, begin: action.start, end: action.start + action.duration}
    : {action, index: i, begin: i, end: i + 1}));
  return {timed, bars, end: Math.max(timed ? 1e-9 : 1, ...bars.map((bar) => bar.end))};
}

/** Rows of a chart: `by` is "action" or "object". */
export function rowsOf(bars, by) {
  if (by === 'action') return bars.map((bar) => ({name: textOf(bar.action), bars: [bar]}));
  // Who acts tends to be named first: those objects come first.
  const rows = new Map(), firsts = new Set(bars.map((bar) => bar.action.arguments[0]));
  for (const bar of bars)
    for (const object of new Set(bar.action.arguments)) {
      if (!rows.has(object)) rows.set(object, {name: object, bars: []});
      rows.get(object).bars.push(bar);
    }
  const list = [...rows.values()].sort((x, y) => firsts.has(y.name) - firsts.has(x.name));
  const idle = bars.filter((bar) => !bar.action.arguments.length);
  return idle.length ? [...list, {name: 'no object', bars: idle}] : list;
}

/** Bars of a row that overlap lie below each other: the level of each, and how many there are. */
export function levelsOf(bars) {
  const ends = [];
  const levels = bars.map((bar) => {
    let level = ends.findIndex((end) => end <= bar.begin + 1e-9);
    if (level < 0) level = ends.length;
    ends[level] = bar.end;
    return level;
  });
  return {levels, depth: Math.max(1, ends.length)};
}

export const textOf = (action) => [action.name, ...action.arguments].join(' ');

/** Round numbers, up to about `most` of them. */
export function ticks(end, most, whole) {
  const rough = end / most, power = 10 ** Math.floor(Math.log10(rough));
  let step = power * [1, 2, 5, 10].find((f) => f * power >= rough * (1 - 1e-9));
  if (whole) step = Math.max(1, Math.round(step));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), list = [];
  for (let k = 0; k * step <= end * (1 + 1e-9); ++k) list.push([k * step, (k * step).toFixed(digits)]);
  return list;
}

export class Gantt {
  /** `actions`: choose(index of an action). */
  constructor(plan, actions) {
    Object.assign(this, layOut(plan), {actions, zoom: 1, by: plan.length > 40 ? 'object' : 'action', chosen: -1});
    const names = [...new Set(plan.map((action) => action.name))];
    this.colour = new Map(names.map((name, i) => [name, `var(--plan-${(i % COLOURS) + 1})`]));
    this.rows = el('div', {class: 'gantt-rows'});
    this.cursor = el('div', {class: 'gantt-cursor', hidden: true});
    this.axis = el('div', {class: 'gantt-row gantt-axis'});
    this.inner = el('div', {class: 'gantt-inner'}, this.axis, this.rows, this.cursor);
    this.scroller = el('div', {class: 'gantt', role: 'group', 'aria-label': 'The plan over time'}, this.inner);
    this.element = el('div', {class: 'gantt-frame'}, this.scroller);
    this.tip = new Tip(this.element, 'gantt-tip');
    this.scroller.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.setZoom(this.zoom * Math.exp(-event.deltaY * 0.004));
    }, {passive: false});
    new ResizeObserver(() => this.drawAxis()).observe(this.scroller);
    this.draw();
  }

  tools() {
    const by = (name, text) => el('button', {type: 'button', 'data-by': name, 'aria-pressed': String(this.by === name),
      onclick: () => this.setRows(name)}, text);
    const zoom = (factor, text, label) => el('button', {type: 'button', 'aria-label': label, title: label,
      onclick: () => this.setZoom(this.zoom * factor)}, text);
    this.switch = el('div', {class: 'switch', role: 'group', 'aria-label': 'Rows'}, by('action', 'Actions'), by('object', 'Objects'));
    return [this.switch, el('span', {class: 'zoom'}, zoom(1 / 1.6, '−', 'Less of the time'), zoom(1.6, '+', 'More of the time'))];
  }

  setRows(by) {
    this.by = by;
    for (const button of this.switch.children) button.setAttribute('aria-pressed', String(button.dataset.by === by));
    this.draw();
  }
  setZoom(zoom) {
    this.zoom = Math.min(MOST_ZOOM, Math.max(1, zoom));
    this.inner.style.setProperty('--zoom', this.zoom);
    this.drawAxis();
  }

  draw() {
    this.rows.replaceChildren(...rowsOf(this.bars, this.by).map((row) => this.row(row)));
    this.drawAxis();
    this.mark();
  }

  drawAxis() {
    const width = this.axis.lastChild?.clientWidth ?? 0;
    const list = ticks(this.end, Math.max(2, Math.min(400, (width || 400) / 70)), !this.timed);
    this.axis.replaceChildren(el('span', {class: 'gantt-name'}, this.timed ? 'time' : 'step'),
      el('div', {class: 'gantt-track'}, list.map(([at, text]) =>
        el('span', {class: `tick${at > 0.97 * this.end ? ' last' : ''}`, style: `left:${(100 * at) / this.end}%`}, text))));
  }

  row({name, bars}) {
    const {levels, depth} = levelsOf(bars);
    return el('div', {class: 'gantt-row', style: `--depth:${depth}`},
      el('span', {class: 'gantt-name', title: name}, name),
      el('div', {class: 'gantt-track'}, bars.map((bar, i) => this.bar(bar, levels[i]))));
  }

  bar(bar, level) {
    const {action, index, begin, end} = bar, text = this.describe(bar);
    const place = `left:${(100 * begin) / this.end}%;width:${(100 * (end - begin)) / this.end}%;--level:${level};--bar:${this.colour.get(action.name)}`;
    return el('button', {type: 'button', class: `bar${action.motion >= 0 ? ' moves' : ''}`, style: place, 'data-action': index,
      'aria-label': text.replaceAll('\n', ', '), 'aria-pressed': 'false', onclick: () => this.actions.choose(index),
      onpointermove: (event) => this.tip.show(text, event), onpointerleave: () => this.tip.hide()},
    this.by === 'object' ? el('span', {}, action.name) : null);
  }

  describe({action, index, begin, end}) {
    const when = this.timed ? `${+begin.toFixed(3)} to ${+end.toFixed(3)}, lasts ${+(end - begin).toFixed(3)}` : `step ${index + 1}`;
    return [textOf(action), when, action.summary].filter(Boolean).join('\n');
  }

  /** Points out an action; -1: none. */
  choose(index) {
    this.chosen = index;
    this.mark();
    this.rows.querySelector(`[data-action="${index}"]`)?.scrollIntoView({block: 'nearest'});
  }
  mark() {
    for (const bar of this.rows.querySelectorAll('.bar'))
      bar.setAttribute('aria-pressed', String(Number(bar.dataset.action) === this.chosen));
  }

  /** The time of the motion, on the plan's clock; null: there is none. */
  setTime(time) {
    this.cursor.hidden = time === null || !this.timed;
    if (!this.cursor.hidden) this.cursor.style.setProperty('--at', Math.min(1, Math.max(0, time / this.end)));
  }
}
