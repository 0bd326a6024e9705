// The panel beside the view: what is selected, what holds now, what was not tested and why.
import {FIRST, SECOND} from './highlight.js';
import {NO_ANSWER} from './distances.js';
import {shortNames} from './proof.js';
import {count, el, icon, metres} from './text.js';
import {measured} from './trial.js';

const swatch = (colour) => el('span', {class: 'swatch', style: `background:#${colour.getHexString()}`});

function rows(entries) {
  return el('dl', {}, entries.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

function section(title, ...children) {
  return el('section', {}, el('h2', {}, title), ...children);
}

function folded(title, open, ...children) {
  return el('details', {open}, el('summary', {}, title), ...children);
}

const CLOSEST = 5;  // pairs
const DEGREES = ['', 'Straight', 'Quadratic', 'Cubic', 'Quartic', 'Quintic'];

export class Panel {
  /** `actions`: select(cell, lane, cells), clear(), measure(time, show). */
  constructor(container, doc, distances, actions) {
    this.doc = doc;
    this.names = shortNames(doc.bodies);
    this.distances = distances;
    this.actions = actions;
    this.measuring = false;
    this.top = el('div', {class: 'panel-top', 'aria-live': 'polite'});
    this.least = el('div', {class: 'least'});
    this.moment = el('div', {class: 'moment'});
    this.joints = el('div', {class: 'joints-place'});
    this.rest = el('div', {class: 'rest'});
    container.append(this.top, this.least, this.moment, this.joints, this.rest);
  }

  name(body) {
    return this.names[body] ?? 'a still body';
  }

  show(motion, clock, proof) {
    Object.assign(this, {motion, clock, proof});
    this.top.replaceChildren();
    this.moment.replaceChildren();
    this.least.replaceChildren(...(motion?.least_clearance ? [this.leastClearance(motion.least_clearance)] : []));
    this.rest.replaceChildren(...this.sections());
  }

  sections() {
    const {doc, motion} = this, list = [];
    if (motion?.curve) list.push(this.curve());
    if (motion?.verification?.theorem?.length)
      list.push(folded('What the verifier established', false,
        ...motion.verification.theorem.map((line) => el('p', {}, line))));
    if ((motion ?? doc).excluded.length) list.push(this.exclusions((motion ?? doc).excluded));
    const notes = [...doc.warnings];
    if (motion?.defaulted?.length) notes.push(`Not in the path, at home: ${motion.defaulted.join(', ')}`);
    if (notes.length)
      list.push(folded(count(notes.length, 'note'), false, el('ul', {}, notes.map((n) => el('li', {}, n)))));
    if (motion?.facts.length) list.push(folded('Figures', false, rows(motion.facts)));
    return list;
  }

  // Of the whole motion: what is proved, and what was measured.
  leastClearance(least) {
    const [a, b] = least.bodies;
    return section('Least clearance of the motion',
      el('p', {class: 'headline', id: 'least-clearance'}, `≥ ${metres(least.at_least, {down: true})}`,
        el('small', {}, `proved; ≤ ${metres(least.at_most, {up: true})} measured`)),
      el('p', {class: 'explain'}, `${this.name(a)} – ${this.name(b)}${least.note ? `; ${least.note}` : ''}`));
  }

  // What the verdict is about, in its words.
  curve() {
    const {motion} = this, degree = Math.max(1, ...(motion.degrees ?? []));
    return section(motion.verdict === 'free' ? 'What was proved' : 'The motion',
      el('p', {class: 'curve'}, `${DEGREES[degree]}: ${[motion.curve, motion.clock].filter(Boolean).join(', ')}`));
  }

  exclusions(excluded) {
    const byReason = new Map();
    for (const {a, b, text, note} of excluded) {
      const why = note ? `${text}: ${note}` : text;
      if (!byReason.has(why)) byReason.set(why, []);
      byReason.get(why).push(`${this.name(a)} – ${this.name(b)}`);
    }
    return folded(`Not tested: ${count(excluded.length, 'pair')}`, false,
      ...[...byReason].map(([why, pairs]) => el('div', {class: 'reason'},
        el('h3', {}, `${why} (${pairs.length})`), el('ul', {}, pairs.map((p) => el('li', {}, p))))));
  }

  /** What holds at a time: the pairs that are closest by what was proved. */
  setTime(time) {
    this.time = time;
    if (!this.proof?.count) return;
    const now = performance.now();
    if (this.lastTime === time || (now - (this.lastShown ?? -1e9) < 120 && this.scheduled)) return;
    this.lastTime = time;
    clearTimeout(this.scheduled);
    this.scheduled = setTimeout(() => this.drawMoment(time), 60);
  }

  drawMoment(time) {
    this.scheduled = null;
    this.lastShown = performance.now();
    this.list(time, null);
    if (this.measuring && this.distances.available) this.actions.measure(time, (answer) => this.measuring && this.time === time && this.list(time, answer));
  }

  /** Other pairs are shown now. */
  refilter() {
    if (this.proof?.count) this.drawMoment(this.time);
  }

  // By what was proved, or, with an answer, by what was measured.
  list(time, answer) {
    const {proof} = this, bodies = this.doc.bodies, exact = new Map((answer?.pairs ?? []).map((row) => [row.pair.join('\n'), row]));
    const rowOf = (lane) => exact.get(`${bodies[lane.a].name}\n${bodies[lane.b].name}`);
    const tight = new Map((proof.showsTight ? proof.nearestAt(time) : []).map((entry) => [entry.lane, entry]));
    // Without measurements here tight bounds know the nearest pairs.
    const lanes = tight.size && !answer?.pairs ? [...tight.keys()] : proof.shown;
    const near = lanes.map((lane) => {
      const {atLeast = 0, atMost} = tight.get(lane) ?? {}, least = Math.max(proof.laneAt(lane, time), atLeast), row = rowOf(lane);
      return {lane, least, most: atMost, row, order: row ? row.distance : atMost ?? least};
    }).sort((x, y) => x.order - y.order).slice(0, CLOSEST);
    const scope = proof.shown.length < proof.lanes.length ? ` of ${count(proof.shown.length, 'pair')}` : '';
    this.moment.replaceChildren(el('section', {},
      el('header', {class: 'closest-head'}, el('h2', {}, `Closest${scope} at this moment`),
        el('button', {type: 'button', id: 'measure', 'aria-pressed': String(this.measuring), title: 'Measure the distances themselves', onclick: () => this.measure(time)}, 'Measure')),
      el('ol', {class: 'closest'}, near.map((entry) => el('li', {},
        el('button', {type: 'button', onclick: () => this.pick(entry.lane, time)},
          el('span', {class: 'pair'}, entry.lane.name), this.number(entry))))),
      el('p', {class: 'explain'}, this.meaning(answer))));
  }
  number({least, most, row}) {
    const bound = `≥ ${metres(least, {down: true})}`;
    if (!row && most !== undefined) return el('span', {class: 'number'}, el('small', {}, bound), el('b', {}, `≤ ${metres(most, {up: true})}`));
    return row ? el('span', {class: 'number'}, el('small', {}, bound), el('b', {}, measured(row))) : el('span', {class: 'number'}, bound);
  }
  meaning(answer) {
    if (answer?.error) return answer.error;
    if (answer) return 'Measured, beside what is proved.';
    if (this.measuring && !this.distances.available) return NO_ANSWER;
    if (this.proof.showsTight) return 'About this moment: proved from below, measured from above.';
    return 'Bounds of the certificate: the distances may be much larger.';
  }
  measure(time) {
    this.measuring = !this.measuring;
    this.drawMoment(time);
  }
  pick(lane, time) {
    const cells = this.proof.at(lane.cells, time);
    if (cells.length) this.actions.select(cells[0], lane, cells);
  }

  cell(i, lane, cells) {
    const {proof} = this, c = proof.cells, [segment, at] = [c.segment[i], c.anchor[i]];
    const nodeText = (place) => {
      const n = c.nodes.firstItem[place + 1] - c.nodes.firstItem[place];
      if (c.nodes.body[place] < 0) return `a box over ${count(n, 'still body', 'still bodies')}`;
      return n ? count(n, 'piece') : 'a box of its tree';
    };
    const others = proof.others(i), other = others.length > 1 ? `${this.name(others[0])} and ${others.length - 1} more` : this.name(others[0]);
    const position = cells.indexOf(i);
    const step = (k) => this.actions.select(cells[(position + k + cells.length) % cells.length], lane, cells);
    const least = Math.min(...c.lower.subarray(3 * i, 3 * i + 3));
    const digits = (v) => v.toFixed(3).replace('-0.000', '0.000');
    this.top.replaceChildren(el('section', {class: 'card', id: 'cell', 'data-cell': i},
      el('header', {}, el('h2', {}, 'Proof cell'),
        cells.length > 1 ? el('span', {class: 'stepper'},
          el('button', {type: 'button', 'aria-label': 'Previous cell at this time', onclick: () => step(-1)}, '‹'),
          `${position + 1} of ${cells.length}`,
          el('button', {type: 'button', 'aria-label': 'Next cell at this time', onclick: () => step(1)}, '›')) : null,
        el('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => this.actions.clear()}, icon('close'))),
      el('p', {class: 'bodies'},
        el('span', {}, swatch(FIRST), this.name(proof.first(i)), el('small', {}, nodeText(c.a[i]))),
        el('span', {}, swatch(SECOND), other, el('small', {}, nodeText(c.b[i])))),
      el('p', {class: 'headline'}, `≥ ${metres(least, {down: true})}`, el('small', {}, 'apart, all through the cell')),
      rows([
        ['slack', metres(proof.slack[i], {down: true})],
        [proof.growth[i] ? 'required at the anchor' : 'required', metres(c.required[i])],
        ['gap at the anchor', metres(c.planes[2 * i + 1] - c.planes[2 * i], {down: true})],
        ['begin, anchor, end', [0, 1, 2].map((k) => metres(c.lower[3 * i + k], {down: true})).join(', ')],
        ['segment', `${segment} of ${this.clock.segments}`],
        ['t', `${+c.begin[i].toPrecision(5)} to ${+c.end[i].toPrecision(5)}`],
        ['anchor', `${+at.toPrecision(5)}`],
        ['direction', [0, 1, 2].map((k) => digits(c.direction[3 * i + k])).join(', ')],
        ...(c.parts[i] > 1 ? [['stands for', count(c.parts[i], 'leaf', 'leaves')]] : []),
      ]),
      el('p', {class: 'explain'}, 'Along this direction the violet plane keeps the two apart: at the anchor by the gap, ' +
        'before and after by what the velocities and a bound on the accelerations leave of it.')));
  }

  contact(contact, undecided) {
    const [a, b] = contact.bodies;
    this.top.replaceChildren(el('section', {class: `card ${undecided ? 'undecided' : 'collision'}`, id: 'contact'},
      el('header', {}, el('h2', {}, undecided ? 'Undecided here' : 'Collision'),
        el('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => this.actions.clear()}, icon('close'))),
      a >= 0 ? el('p', {class: 'bodies'}, el('span', {}, this.name(a)), el('span', {}, this.name(b))) : null,
      rows([
        [undecided ? 'reason' : 'kind', contact.text],
        ['segment', `${contact.segment} of ${contact.segments ?? this.clock.segments}`],
        ['t', `${+contact.t.toPrecision(9)}`],
        ...(this.clock.unit && !contact.segments ? [['time', `${+this.clock.time(contact.segment, contact.t).toPrecision(6)} ${this.clock.unit}`]] : []),
        ['distance', metres(contact.distance)],
        ['point', contact.points[0].map((v) => `${v.toFixed(4)}`).join(', ') + ' m'],
        ...(contact.pieces && contact.pieces[0] >= 0 ? [['pieces', contact.pieces.join(', ')]] : []),
      ])));
  }

  clear() {
    this.top.replaceChildren();
  }
}
