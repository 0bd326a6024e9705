// A session of `proven serve`, recorded or live (docs/serve.md): bodies that come and go with versions of the
// scene, motions that are watched, what stands of them. Made of lines, one after the other.
import {unpack, readMesh} from './document.js';
import {framePoses, Motion} from './motion.js';

const SOON = 1e-6;      // seconds before what replaces a body it is gone
const STANDS = 0.5;     // a robot of which nothing was heard for so many seconds stood
const KEPT = 60;        // seconds of a live session that can be seen again

const COLOURS = {free: '#5f9f7a', collision: '#c4372c', undecided: '#d99a00'};
const VERSIONS = ['#8a98a6', '#6f7d8b'];
const SENSED = '#4f979d';

export class Session {
  constructor(doc) {
    this.doc = doc;
    this.live = Boolean(doc.session.live);
    this.begin = this.end = doc.session.time ?? 0;
    this.versions = [{time: this.begin, version: doc.session.version ?? 0, hash: doc.session.hash}];
    this.watched = new Map();   // by client and name: the motion that is followed now
    this.states = [];           // what was said to stand, in the order of time
    this.places = [];           // where the robot was
    this.log = [];              // what became of the motions, in words
    this.frames = [{time: this.begin, frames: doc.frames}];
    this.bodies = new Map();    // by name: indices of its bodies, the newest last
    doc.bodies.forEach((body, i) => {
      this.bodies.set(body.name, [i]);
      if (doc.meshes[body.mesh].grains) body.colour ??= SENSED;
    });
    for (const line of doc.session.events ?? []) this.apply(line);
    delete doc.session.events;
  }

  /** Takes a line. */
  apply(line) {
    this.end = Math.max(this.end, line.time);
    const key = `${line.client} ${line.name}`;
    switch (line.event) {
      case 'edit':
        this.edit(line);
        break;
      case 'motion':
        this.log.push({time: line.time, text: this.watched.has(key) ? `${line.name}: a new way` : `${line.name}: a motion is watched`});
        this.watched.set(key, this.readMotion(line));
        break;
      case 'stands':
        this.stands(line, key);
        break;
      case 'drop':
      case 'left':
        for (const [k, {client}] of this.watched) if (k === key || (line.event === 'left' && client === line.client)) this.drop(k, line.time);
        break;
      case 'end':
        this.ended = line.reason;
        break;
      default:  // asked: of no body and no motion
    }
  }

  edit(line) {
    this.versions.push({time: line.time, version: line.version, hash: line.hash});
    if (line.frames) this.frames.push({time: line.time, frames: line.frames});
    for (const name of line.gone) this.endBody(name, line.time);
    for (const body of line.bodies) {
      const {doc} = this, before = this.endBody(body.name, line.time);
      let mesh = before === undefined ? -1 : doc.bodies[before].mesh;
      if (body.mesh) mesh = doc.meshes.push(readMesh(body.mesh)) - 1;
      const colour = doc.meshes[mesh].grains ? SENSED : doc.bodies[before]?.colour;
      const index = doc.bodies.push({...body, mesh, colour, shade: doc.bodies[before]?.shade ?? before, lifetime: [line.time, Infinity]}) - 1;
      if (!this.bodies.has(body.name)) this.bodies.set(body.name, []);
      this.bodies.get(body.name).push(index);
    }
  }

  // The index of the body that had the name until now.
  endBody(name, time) {
    const index = this.bodies.get(name)?.at(-1), body = this.doc.bodies[index];
    if (!body) return undefined;
    body.lifetime ??= [-Infinity, Infinity];
    if (body.lifetime[1] === Infinity) body.lifetime[1] = time - SOON;
    return index;
  }

  readMotion({client, name, motion}) {
    const values = {...motion, values: unpack(Float64Array, motion.values), inner: unpack(Float64Array, motion.inner)};
    return {client, name, motion: new Motion(this.doc, values)};
  }

  stands(line, key) {
    const watched = this.watched.get(key);
    if (!watched) return;
    const before = this.states.findLast((state) => state.key === key);
    if (!before || before.verdict !== line.verdict || before.fell.length !== line.fell.length) this.note(line);
    this.states.push({...line, key, motion: watched.motion});
    const last = this.places.at(-1);
    if (last && line.time <= last.time + SOON) last.values = line.place;
    else this.places.push({time: line.time, values: line.place});
  }

  note({time, name, version, verdict, fell, segments}) {
    const pairs = [...new Set(fell.flatMap(({pair}) => (pair ? [pair.map((n) => n.split('/').at(-1)).join(' meets ')] : [])))];
    const text = fell.length ? `${fell.length} of ${segments} segments fell: ${pairs.join(', ')}` : verdict === 'free' ? 'stands' : verdict;
    this.log.push({time, verdict, text: `${name}, version ${version}: ${text}`});
  }

  drop(key, time) {
    const {name} = this.watched.get(key);
    this.log.push({time, text: `${name}: no longer watched`});
    this.watched.delete(key);
    this.states.push({time, key, name, verdict: 'unchecked', fell: [], undecided: [], dropped: true});
  }

  /** What is known at a time: the newest state, the version, the body of a name. */
  state(time) {
    const state = this.states.findLast((s) => s.time <= time);
    return state?.dropped ? undefined : state;
  }
  version(time) {
    return this.versionAt(time).version;
  }
  hash(time) {
    return this.versionAt(time).hash;
  }
  versionAt(time) {
    return this.versions.findLast((v) => v.time <= time) ?? this.versions[0];
  }
  body(name, time) {
    return this.bodies.get(name)?.findLast((i) => (this.doc.bodies[i].lifetime?.[0] ?? -Infinity) <= time) ?? -1;
  }
  poses(values, time) {
    return framePoses((this.frames.findLast((f) => f.time <= time) ?? this.frames[0]).frames, values);
  }

  /** All of it as one motion of the document: where the robot was, versions and verdicts as lanes. */
  motion() {
    const {begin, end} = this, knots = [], values = [];
    const add = (time, row) => {
      if (knots.length && time <= knots.at(-1)) return;
      knots.push(time);
      values.push(...row);
    };
    let last = this.places[0]?.values ?? this.doc.home;
    add(begin, last);
    for (const place of this.places) {
      if (place.time - knots.at(-1) > STANDS) add(place.time - STANDS / 2, last);
      add(place.time, place.values);
      last = place.values;
    }
    add(Math.max(end, knots.at(-1) + 0.001), last);
    const {pairs, excluded} = this.doc;
    return {name: '', unit: 's', knots, values: Float64Array.from(values), inner: new Float64Array(), pairs, excluded, cells: null, series: [], facts: [],
      lanes: [this.versionLane(), ...this.verdictLanes()], verdict: 'unchecked'};
  }

  versionLane() {
    const intervals = this.versions.map(({time, version}, i) => ({
      begin: Math.max(time, this.begin), end: this.versions[i + 1]?.time ?? this.end, label: `${version}`, colour: VERSIONS[version % 2]}));
    return {name: 'version', intervals: intervals.filter((v) => v.end > this.begin)};
  }

  // One lane per monitor; neighbours that say the same are one interval.
  verdictLanes() {
    const lanes = new Map();
    for (const state of this.states) {
      if (!lanes.has(state.key)) lanes.set(state.key, {name: state.name, intervals: []});
      const {intervals} = lanes.get(state.key), last = intervals.at(-1);
      if (last) last.end = state.time;
      if (state.dropped) continue;
      const bad = state.fell.length, open = state.undecided.length;
      const label = bad ? `${bad} of ${state.segments} fell` : open ? `${open} of ${state.segments} undecided` : 'stands';
      if (last?.label !== label || last.gone) intervals.push({begin: Math.max(this.begin, state.time), end: this.end, label, colour: COLOURS[state.verdict]});
      else last.end = this.end;
      if (intervals.length) intervals.at(-1).end = this.end;
    }
    // What ended before the present begin can no longer be seen.
    for (const lane of lanes.values()) lane.intervals = lane.intervals.filter((v) => v.end > this.begin);
    return [...lanes.values()];
  }

  /** A live session forgets what is long past; returns the indices of bodies that are not needed any more. */
  forget() {
    if (!this.live || this.end - this.begin < 1.25 * KEPT) return [];
    this.begin = this.end - KEPT;
    const keepLast = (list) => list.splice(0, Math.max(0, list.findLastIndex((x) => x.time <= this.begin)));
    for (const list of [this.versions, this.states, this.places, this.frames, this.log]) keepLast(list);
    const gone = [];
    for (const indices of this.bodies.values())
      while (indices.length > 1 && this.doc.bodies[indices[0]].lifetime[1] < this.begin) gone.push(indices.shift());
    const used = new Set([...this.bodies.values()].flat().map((i) => this.doc.bodies[i].mesh));
    for (const i of gone) if (!used.has(this.doc.bodies[i].mesh)) this.doc.meshes[this.doc.bodies[i].mesh] = null;
    return gone;
  }
}
