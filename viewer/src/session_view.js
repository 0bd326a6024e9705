// What a session adds to the view: the way that is ahead, what of it fell and why.
import {Group, Mesh, MeshBasicMaterial, SphereGeometry} from 'three';
import {POINTED, TRACE, WAY} from './colours.js';
import {count, el, metres} from './text.js';
import {makeTube} from './traces.js';
import {transform} from './motion.js';

const SAMPLES = 160, MAX_TRACES = 4, MOST_ENTRIES = 60;

// Neighbours with the same pair are one; its first place tells of all.
function runs(places) {
  const list = [];
  for (const place of places) {
    const before = list.at(-1);
    if (before && before.last + 1 === place.segment && String(before.place.pair) === String(place.pair)) before.last = place.segment;
    else list.push({place, last: place.segment});
  }
  return list;
}

export class SessionView {
  /** `actions`: witness(place, undecided), scrub(time). */
  constructor(session, stage, panel, actions) {
    Object.assign(this, {session, stage, panel, actions});
    this.group = new Group();
    stage?.extras.add(this.group);
  }

  /** Shows what holds at a time; returns {verdict, meaning} for the top of the page. */
  setTime(time) {
    const state = this.session.state(time);
    if (state === this.shown && this.drawn) return this.top;
    this.shown = state;
    this.drawn = true;
    this.drawWay(state);
    this.list(state);
    return (this.top = {verdict: state?.verdict ?? 'unchecked', meaning: this.meaning(state)});
  }

  // As short as the other bodies allow.
  name(name) {
    return this.panel.names[this.session.bodies.get(name)?.[0]] ?? name;
  }
  pair(place, word) {
    return place.pair ? place.pair.map((n) => this.name(n)).join(` ${word} `) : 'no pair';
  }

  meaning(state) {
    if (!state) return 'no motion is watched';
    const {fell, undecided, segments, name} = state, place = fell[0] ?? undecided[0];
    if (!place) return `${name}: all that is ahead stands`;
    const pair = this.pair(place, fell.length ? 'meets' : 'near');
    return `${name}: ${fell.length || undecided.length} of ${count(segments, 'segment')} ${fell.length ? 'fell' : 'undecided'}: ${pair}`;
  }

  // The way of the tips from where the robot is; segments that fell are red.
  drawWay(state) {
    for (const child of this.group.children) child.geometry.dispose();
    this.group.clear();
    if (!this.stage || !state) return;
    const {motion, ahead} = state, size = this.stage.size ?? 1;
    const bad = new Set(state.fell.map((f) => f.segment)), open = new Set(state.undecided.map((u) => u.segment));
    const start = motion.time(ahead.segment, ahead.t);
    const times = motion.sampled(SAMPLES).filter((time) => time > start);
    if (times.length < 2) return;
    const all = [start, ...times], poses = all.map((time) => this.session.poses(motion.channels(time), state.time));
    const colours = all.map((time) => {
      const [segment] = motion.place(time - 1e-9 * (motion.end - motion.begin));
      return bad.has(segment) ? WAY.fell : open.has(segment) ? WAY.undecided : TRACE;
    });
    for (const trace of this.session.doc.traces.slice(0, MAX_TRACES))
      this.group.add(makeTube(poses.map((X) => transform(X[trace.frame], trace.point)), colours, 0.0028 * size));
    for (const {place} of runs(state.fell)) if (place.points) this.group.add(this.mark(place.points[0], 0.006 * size));
    this.stage.invalidate();
  }

  mark(point, radius) {
    const mark = new Mesh(new SphereGeometry(radius, 20, 14), new MeshBasicMaterial({color: POINTED.contact, depthTest: false, transparent: true, opacity: 0.9}));
    mark.position.set(...point);
    mark.renderOrder = 5;
    return mark;
  }

  // The newest first; a click goes there.
  log(state) {
    const now = state?.time ?? -Infinity;
    const entries = this.session.log.slice(-MOST_ENTRIES).reverse();
    return el('section', {id: 'log'}, el('h2', {}, 'What happened'),
      el('ol', {class: 'log'}, entries.map(({time, verdict, text}) => el('li', {},
        el('button', {type: 'button', class: [verdict ?? '', time > now ? 'later' : ''].join(' '), onclick: () => this.actions.scrub(time)},
          el('span', {class: 'number'}, `${time.toFixed(2)} s`), el('span', {}, text))))));
  }

  list(state) {
    const entry = (undecided) => ({place, last}) => el('li', {},
      el('button', {type: 'button', class: undecided ? 'undecided' : 'collision', onclick: () => this.actions.witness({...place, segments: state.segments}, undecided)},
        el('span', {class: 'pair'}, this.pair(place, undecided ? 'near' : 'meets')),
        el('small', {}, `${last > place.segment ? `segments ${place.segment} to ${last}` : `segment ${place.segment}`}; ${
          (place.kind ?? place.reason).replaceAll('_', ' ')}${place.distance ? `, ${metres(place.distance)}` : ''}`)));
    const {fell, undecided} = state ?? {fell: [], undecided: []};
    const title = fell.length ? 'What fell' : undecided.length ? 'What is undecided' : state ? 'All that is ahead stands' : 'No motion is watched';
    this.panel.moment.replaceChildren(
      el('section', {id: 'fell'}, el('h2', {}, title), el('ol', {class: 'fallen'}, runs(fell).map(entry(false)), runs(undecided).map(entry(true)))),
      this.log(state));
  }
}
