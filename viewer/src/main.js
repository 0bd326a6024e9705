// The viewer: one document, one motion at a time, one moment of it.
import './style.css';
import {ramp, speedColour} from './colours.js';
import {Distances} from './distances.js';
import {prepareDocument, readDocument} from './document.js';
import {Drag} from './drag.js';
import {showHeader} from './header.js';
import {listenToKeys, makeHelp} from './help.js';
import {Highlight} from './highlight.js';
import {Joints} from './joints.js';
import {nameMoment, readMoment, writeMoment} from './moment.js';
import {framePoses, Motion} from './motion.js';
import {Panel} from './panel.js';
import {Proof, shortNames} from './proof.js';
import {makeRates} from './rates.js';
import {SeriesLane} from './series.js';
import {Session} from './session.js';
import {SessionView} from './session_view.js';
import {Stage} from './stage.js';
import {TaskView} from './task.js';
import {el, icon, metres} from './text.js';
import {Timeline} from './timeline.js';
import {makeAnnotations, makeTraces} from './traces.js';
import {Transport} from './transport.js';
import {Trial} from './trial.js';
import {VisualsSwitch} from './visuals.js';

const UNTIMED_SECONDS = 9;  // a motion without times plays in about this
const LONGEST_STEP = 1;     // seconds

class Viewer {
  constructor(doc) {
    this.doc = doc;
    if (doc.session) {
      this.session = new Session(doc);
      this.following = this.session.live;
      doc.motions = [this.session.motion()];
    }
    this.playing = false;
    this.speed = 1;
    this.layout();
    this.showErrors();
    if (!doc.bodies.length) {
      if (doc.task) this.listenToActions();
      return this.ready();
    }
    try {
      this.stage = new Stage(this.view, doc);
      this.highlight = new Highlight(this.stage, doc);
    } catch (error) {
      this.notice('The scene cannot be drawn', `${error.message} Your browser needs WebGL; the rest of the page works without.`);
    }
    this.listen();
    if (doc.movable && this.stage) this.drag = new Drag(this.stage, doc, (name, place) => this.move(name, place));
    if (this.session)
      this.told = new SessionView(this.session, this.stage, this.panel, {witness: (...args) => this.showWitness(...args), scrub: (time) => this.scrub(time)});
    this.trial = new Trial(this.stage, this.panel, this.distances, this.trialActions());
    this.choose(Math.max(0, doc.motions.length - 1));
    this.goToAddress();
    window.addEventListener('hashchange', () => this.goToAddress());
    this.ready();
  }

  layout() {
    this.header = el('header', {class: 'top'});
    this.view = el('div', {class: 'view', id: 'view'});
    this.label = el('div', {class: 'label', hidden: true});
    this.notices = el('div', {class: 'notices'});
    this.aside = el('aside', {class: 'panel', 'aria-label': 'Details'});
    this.tools = el('div', {class: 'view-tools'});
    const main = el('main', {}, el('div', {class: 'stage'}, this.view, this.label, this.tools, this.notices), this.aside);
    const transport = el('div', {class: 'transport'});
    this.chart = el('div', {class: 'chart'});
    this.dock = el('footer', {class: 'dock'}, transport, this.chart);
    this.help = makeHelp();
    document.body.append(this.header, main, this.dock, this.help);
    if (this.doc.task) this.layoutTask(main);
    this.distances = new Distances(this.doc);
    this.panel = new Panel(this.aside, this.doc, this.distances, {
      select: (...args) => this.select(...args), clear: () => this.clear(),
      measure: (time, show) => this.distances.ask(this.clock.channels(time), (answer) => show(this.ofThisScene(answer))),
    });
    this.joints = new Joints(this.panel.joints, this.doc, (values) => this.attempt(values));
    this.timeline = new Timeline(this.chart, {
      scrub: (time) => this.scrub(time), select: (...args) => this.select(...args), bounds: () => this.panel.refilter(),
    });
    this.transport = new Transport(transport, {
      toggle: () => this.toggle(), share: (s) => this.scrub(this.clock.begin + s * (this.clock.end - this.clock.begin)),
      toStart: () => this.scrub(this.clock.begin), toEnd: () => this.scrub(this.clock.end),
      speed: (s) => (this.speed = s), zoom: (f) => this.timeline.zoom(f), fit: () => this.timeline.fit(),
      filter: () => this.refilter(), follow: () => this.follow(),
    });
  }

  /** The chart of a plan takes the panel's place, which becomes one of its tabs. */
  layoutTask(main) {
    const column = el('section', {class: 'task', 'aria-label': 'Task'});
    this.taskView = new TaskView(column, this.doc, this.aside, {
      play: (motion) => {
        this.choose(motion);
        this.toggle();
      },
      whole: () => {
        this.choose(this.doc.motions.length - 1);
        this.toggle();
      },
    });
    if (!this.tabbed()) this.aside.remove();
    main.prepend(column);
    document.body.classList.add('with-task');
    document.body.classList.toggle('symbols', !this.doc.bodies.length);
  }
  tabbed() {
    return this.doc.motions.length > 0;
  }

  listenToActions() {
    listenToKeys({ArrowDown: () => this.taskView.step(1), ArrowUp: () => this.taskView.step(-1)});
  }

  showErrors() {
    for (const {message, place} of this.doc.errors) this.notice('Something is wrong with the input', message, place);
    if (this.doc.bodies.length) return;
    showHeader(this.header, this.doc, 0, () => {}, () => {});
    this.dock.hidden = true;
    if (this.doc.task) return;
    this.aside.hidden = true;
    document.body.classList.add('empty');
    if (!this.doc.errors.length) this.notice('Nothing to show', 'The scene has no bodies.');
  }

  notice(title, text, place = '') {
    const notice = el('section', {class: 'notice', role: 'alert'},
      el('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => notice.remove()}, icon('close')),
      el('h2', {}, title), el('p', {}, text), place ? el('p', {class: 'place'}, place) : null);
    this.notices.append(notice);
    return notice;
  }

  listen() {
    const tool = (text, label, onclick) => el('button', {type: 'button', title: label, 'aria-label': label, onclick}, text);
    this.tools.append(
      tool(icon('fit'), 'The whole scene (f)', () => this.stage?.look('home')),
      tool('front', 'From the front (1)', () => this.stage?.look('front')),
      tool('side', 'From the side (2)', () => this.stage?.look('side')),
      tool('top', 'From above (3)', () => this.stage?.look('top')),
      tool(icon('help'), 'Keys (?)', () => this.help.showModal()));
    if (this.stage && this.doc.visuals.length) this.visuals = new VisualsSwitch(this.tools, this.stage);
    const names = shortNames(this.doc.bodies);
    this.traced = el('select', {'aria-label': 'Whose way is drawn', title: 'Whose way is drawn (t)', onchange: () => this.trace(this.traced.value)},
      el('option', {value: ''}, this.doc.traces.length === 1 ? 'tip' : 'tips'),
      (this.stage?.bodies.movers ?? []).map((i) => el('option', {value: i}, names[i])));
    this.fastest = el('span', {class: 'legend'});
    this.traceLegend = el('div', {class: 'view-tools way'}, el('span', {}, 'way of'), this.traced, this.fastest);
    this.tools.after(this.traceLegend);
    const step = (share) => this.scrub(this.time + share * (this.clock.end - this.clock.begin));
    listenToKeys({
      ' ': () => this.toggle(), ArrowRight: () => step(0.01), ArrowLeft: () => step(-0.01),
      'Shift+ArrowRight': () => this.waypoint(1), 'Shift+ArrowLeft': () => this.waypoint(-1),
      Home: () => this.scrub(this.clock.begin), End: () => this.scrub(this.clock.end),
      ArrowDown: () => this.taskView?.step(1), ArrowUp: () => this.taskView?.step(-1),
      ']': () => (this.speed = this.transport.stepSpeed(1)), '[': () => (this.speed = this.transport.stepSpeed(-1)),
      n: () => this.stepHardest(1), p: () => this.stepHardest(-1), c: () => this.showContact(),
      '+': () => this.timeline.zoom(1 / 1.6), '=': () => this.timeline.zoom(1 / 1.6), '-': () => this.timeline.zoom(1.6),
      0: () => this.timeline.fit(), f: () => this.stage?.look('home'), 1: () => this.stage?.look('front'),
      2: () => this.stage?.look('side'), 3: () => this.stage?.look('top'),
      g: () => this.flip(this.stage?.grid), t: () => this.flip(this.traces),
      v: () => this.visuals?.next(), l: () => this.follow(), '/': () => this.transport.filter.focus(), Escape: () => this.clear(),
      '?': () => (this.help.open ? this.help.close() : this.help.showModal()),
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.stage?.setTheme();
      this.timeline.draw();
    });
    this.stage?.listeners.push(() => this.placeLabel());
  }

  flip(object) {
    if (!object) return;
    object.visible = !object.visible;
    this.stage.changed();
  }

  /** Shows one of the document's motions. */
  choose(index) {
    const motion = this.doc.motions[index];
    this.current = index;
    this.playing = false;
    this.clock = this.makeClock(motion);
    this.proof = new Proof(this.doc, motion ?? {}, this.clock);
    this.transport.changing.hidden = !this.proof.lanes.some((lane) => lane.still);
    this.proof.show(...this.transport.chosen);
    this.endTrial();
    this.highlight?.clear();
    showHeader(this.header, this.doc, index, (i) => this.choose(i), () => this.showContact());
    this.panel.show(motion, this.clock, this.proof);
    this.taskView?.follow(motion ? index : -1);
    document.body.classList.toggle('still', !motion);
    document.body.classList.toggle('unproved', !this.proof.count);
    this.dock.hidden = !motion;
    this.transport.proofTools.hidden = !this.proof.count;
    const place = motion?.witness ?? motion?.undecided;
    const rates = motion && !this.session ? [...motion.series.map((series) => new SeriesLane(series)), ...makeRates(this.doc, this.clock)] : [];
    document.body.classList.toggle('with-activities', Boolean(motion?.lanes.length));
    document.body.classList.toggle('with-rates', rates.length > 0);
    this.timeline.show(this.clock, this.proof, motion?.lanes ?? [], rates,
      place ? {time: this.clock.time(place.segment, place.t), colour: motion.witness ? '--bad' : '--warn'} : null);
    this.transport.setPlaying(false);
    this.setTime(this.clock.begin);
    this.prepareStage(motion);
    if (motion?.witness || motion?.undecided?.bodies?.[0] >= 0) this.showContact();
    if (this.updating) this.stage.flight = null;
  }

  prepareStage(motion) {
    if (!this.stage) return;
    if (!this.stage.bounds) {
      this.stage.settle();
      this.stage.extras.add(makeAnnotations(this.doc));
    }
    this.traceLegend.hidden = !motion || !this.doc.traces.length || Boolean(this.session);
    this.trace(motion && !this.session ? this.traced.value : null);
    if (!this.updating) this.stage.look('home', false);
  }

  /** An obstacle goes where the pointer is; what that means is for the page around this one to say. */
  move(name, place) {
    this.clear();
    this.stage.setPoses(this.clock.poses(this.time), this.time);
    window.parent.postMessage({moved: name, place}, '*');
  }

  /** The same scene, with obstacles elsewhere and motions judged anew: seen from where one is. */
  update(doc) {
    doc.bodies.forEach(({pose}, i) => {
      if (this.drag?.held?.index !== i) this.doc.bodies[i].pose = pose;
    });
    Object.assign(this.doc, {motions: doc.motions, hash: doc.hash});
    const share = (this.time - this.clock.begin) / (this.clock.end - this.clock.begin || 1);
    this.clear();
    this.updating = true;
    this.choose(Math.max(0, doc.motions.length - 1));
    this.updating = false;
    if (!this.label.hidden) return;
    this.setTime(this.clock.begin + share * (this.clock.end - this.clock.begin));
    this.stage?.changed();
  }

  /** Draws the way of a body, or of every tip; null: none. */
  trace(body) {
    if (this.traces) this.stage.extras.remove(this.traces);
    this.traces = null;
    if (body !== null) {
      const traces = body === '' ? this.doc.traces : [this.stage.bodies.trace(Number(body))];
      this.traces = makeTraces(this.doc, traces, this.clock, this.proof, 0.002 * this.stage.size);
      this.stage.extras.add(this.traces);
      this.fastest.replaceChildren(...(this.traces.fastest ? ['0', el('span', {class: 'ramp', style: `background:${ramp(speedColour)}`}),
        `${+this.traces.fastest.toPrecision(3)} m/s`] : []));
    }
    this.stage.changed();
  }

  setTime(time) {
    this.time = Math.min(this.clock.end, Math.max(this.clock.begin, time));
    this.endTrial();
    const values = this.clock.channels(this.time);
    this.joints.set(values);
    this.stage?.setPoses(this.posesOf(values), this.time);
    this.timeline.setTime(this.time);
    this.transport.setTime(this.clock, this.time);
    this.panel.setTime(this.time);
    this.taskView?.setTime(this.clock.unit === 'plan' ? this.time : null);
    if (this.told) this.showState();
  }

  makeClock(motion) {
    const clock = new Motion(this.doc, motion);
    if (this.session) {
      clock.readout = (time) => [`${time.toFixed(2)} s  `, 'version ', el('b', {}, String(this.session.version(time)))];
    }
    return clock;
  }

  // The verdict at the top is that of the time of the cursor.
  showState() {
    const top = this.told.setTime(this.time);
    if (this.doc.motions[0].verdict === top.verdict && this.doc.motions[0].meaning === top.meaning) return;
    Object.assign(this.doc.motions[0], top);
    showHeader(this.header, this.doc, 0, () => {}, () => {});
  }

  /** A line of a live session. */
  happened(line) {
    this.heard = {time: line.time, at: performance.now()};
    this.session.apply(line);
    if (line.event === 'edit') {
      // At once: a joint may be moved before the next picture, and then all bodies are placed.
      this.stage?.grow();
      this.panel.names = shortNames(this.doc.bodies);
    }
    if (this.refreshing) return;
    this.refreshing = requestAnimationFrame(() => {
      this.refreshing = 0;
      this.refresh();
    });
  }

  refresh() {
    const old = this.session.forget();
    this.stage?.forget(old);
    const motion = Object.assign(this.session.motion(), this.told.top);
    this.doc.motions = [motion];
    this.clock = this.makeClock(motion);
    document.body.classList.toggle('with-activities', true);
    this.timeline.extend(this.clock, motion.lanes, this.following);
    this.transport.setLive(this.following, Boolean(this.session.ended));
    if (this.following) {
      this.told.drawn = false;
      this.setTime(this.clock.end);
    }
  }

  /** Time goes on, whether something happens or not: the axis does, the picture is as it was. */
  tick() {
    if (!this.following || this.session.ended || this.playing) return;
    this.session.end = Math.max(this.session.end, this.heard.time + (performance.now() - this.heard.at) / 1000);
    const motion = Object.assign(this.session.motion(), this.told.top);
    this.doc.motions = [motion];
    this.clock = this.makeClock(motion);
    this.timeline.extend(this.clock, motion.lanes, true);
    this.time = this.clock.end;
    this.timeline.setTime(this.time);
    this.transport.setTime(this.clock, this.time);
  }

  /** Shows what happens now, again. */
  follow() {
    if (!this.session?.live) return;
    this.clear();
    this.playing = false;
    this.following = true;
    this.refresh();
  }

  lost(lost) {
    this.session.ended = lost;
    this.transport.setLive(this.following, lost);
  }

  /** Where a segment of a watched motion fell: the robot there, the two bodies, the points. */
  showWitness(place, undecided) {
    this.pause();
    this.following = false;
    if (this.session.live) this.transport.setLive(false, false);
    if (!place.pair) return;
    const bodies = place.pair.map((name) => this.session.body(name, this.time));
    const contact = {...place, bodies, pieces: [-1, -1], text: (place.kind ?? place.reason).replaceAll('_', ' ')};
    this.joints.set(place.configuration);
    this.stage?.setPoses(this.posesOf(place.configuration), this.time);
    this.highlight?.contact(contact, {undecided});
    this.panel.contact(contact, undecided);
    this.told.group.visible = false;
    this.showLabel(bodies.map((i) => this.panel.name(i)).join(' – '));
  }

  /** The user moves time: playing stops, a selection no longer fits. */
  scrub(time) {
    this.pause();
    this.stopFollowing();
    this.clear();
    this.setTime(time);
    this.nameMoment();
  }
  stopFollowing() {
    if (!this.following) return;
    this.following = false;
    this.transport.setLive(false, false);
  }

  waypoint(direction) {
    const {knots} = this.clock, tiny = 1e-9 * (this.clock.end - this.clock.begin);
    const next = direction > 0 ? knots.find((k) => k > this.time + tiny) : knots.findLast((k) => k < this.time - tiny);
    if (next !== undefined) this.scrub(next);
  }

  toggle() {
    if (this.playing) return this.pause();
    this.clear();
    if (this.time >= this.clock.end) this.setTime(this.clock.begin);
    this.playing = true;
    this.transport.setPlaying(true);
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.advance((now - last) / 1000);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** So many seconds pass, as many for a motion with times; a page that was hidden does not catch up. */
  advance(seconds) {
    const rate = this.clock.unit === 's' ? 1 : (this.clock.end - this.clock.begin) / UNTIMED_SECONDS;
    this.setTime(this.time + Math.min(LONGEST_STEP, seconds) * rate * this.speed);
    if (this.time >= this.clock.end) this.pause();
  }

  pause() {
    if (this.playing) this.nameMoment();
    this.playing = false;
    this.transport.setPlaying(false);
  }

  /** Where all frames are for values of the channels, at the time of the cursor. */
  posesOf(values) {
    return this.session ? this.session.poses(values, this.time) : framePoses(this.doc.frames, values);
  }

  /** The user moved a joint: the robot goes there, and what is near is measured. */
  attempt(values) {
    if (!this.trial.on) this.leaveMotion();
    this.highlight?.clear();
    this.stage?.setPoses(this.posesOf(values), this.time);
    this.trial.show(values);
  }
  leaveMotion() {
    this.pause();
    this.stopFollowing();
    this.clear();
    if (this.traces) this.traces.visible = false;
    if (this.told) this.told.group.visible = false;
    document.body.classList.add('on-trial');
    this.taskView?.open('proof');
  }
  endTrial() {
    if (!this.trial?.on) return;
    this.trial.end();
    this.highlight?.clear();
    this.panel.clear();
    if (this.traces) this.traces.visible = true;
    if (this.told) this.told.group.visible = true;
    document.body.classList.remove('on-trial');
    this.stage?.changed();
  }
  trialActions() {
    const pairs = new Map(this.doc.pairs.map(([a, b, clearance]) => [`${a},${b}`, clearance]));
    return {
      body: (name) => (this.session ? this.session.body(name, this.time) : this.doc.bodies.findIndex((body) => body.name === name)),
      clearance: (a, b) => pairs.get(`${a},${b}`) ?? 0,
      name: (body) => this.panel.name(body),
      hash: () => this.sceneHash(),
      end: () => this.clear(),
      look: ({bodies, points}) => points && this.highlight?.contact({bodies, points}, {}),
    };
  }
  sceneHash() {
    return this.session ? this.session.hash(this.time) : this.doc.hash;
  }
  /** An answer, or why it is none about what is shown. */
  ofThisScene(answer) {
    return answer.error || answer.hash === this.sceneHash() ? answer : {error: 'The scene has changed since this page was made: reload it.'};
  }

  /** Plot, lanes and list show the pairs that are sought. */
  refilter() {
    this.proof.show(...this.transport.chosen);
    this.order = {};
    this.timeline.refilter();
    this.panel.refilter();
  }

  /** The address of the page names the moment, so that a link leads there. */
  nameMoment() {
    if (!this.following && this.doc.motions.length) nameMoment(() => !this.playing && writeMoment(this.time, this.current, this.doc.motions.length));
  }
  goToAddress() {
    const moment = this.doc.motions.length ? readMoment(location.hash, this.doc.motions.length) : null;
    this.wrongAddress?.remove();
    if (!moment) return;
    if (moment.error) return void (this.wrongAddress = this.notice('There is no such moment', moment.error));
    if (moment.motion !== this.current) this.choose(moment.motion);
    const {begin, end} = this.clock;
    if (moment.time < begin || moment.time > end)
      this.wrongAddress = this.notice('There is no such moment', `The address names t = ${moment.time}; this motion goes from ${begin} to ${+end.toPrecision(7)}.`);
    this.scrub(moment.time);
  }

  /** Goes to a cell: its moment, its two pieces, its plane, its numbers. */
  select(cell, lane, cells = [cell]) {
    this.pause();
    this.selected = cell;
    this.setTime(this.proof.anchor[cell]);
    this.highlight?.cell(this.proof, cell);
    if (this.traces) this.traces.visible = false;
    this.panel.cell(cell, lane, cells);
    this.taskView?.open('proof');
    this.timeline.setSelection(cell, lane);
    const {planes} = this.proof.cells;
    this.showLabel(metres(planes[2 * cell + 1] - planes[2 * cell], {down: true}));
  }

  stepHardest(direction) {
    if (!this.proof.shownCells.length) return;
    this.order ??= {};
    const order = (this.order[this.current] ??= Array.from(this.proof.shownCells).sort((x, y) => this.proof.slack[x] - this.proof.slack[y]));
    const place = this.selected === undefined ? -1 : order.indexOf(this.selected);
    const cell = order[(Math.max(place, direction > 0 ? -1 : 1) + direction + order.length) % order.length];
    const lane = this.proof.shown.find((l) => l.cells.includes(cell));
    if (lane) this.select(cell, lane, this.proof.at(lane.cells, this.proof.anchor[cell]));
  }

  showContact() {
    const motion = this.doc.motions[this.current], undecided = !motion?.witness;
    const contact = motion?.witness ?? motion?.undecided;
    if (!contact) return;
    this.pause();
    this.setTime(this.clock.time(contact.segment, contact.t));
    this.highlight?.contact(contact, {undecided});
    this.panel.contact(contact, undecided);
    this.taskView?.open('proof');
    this.showLabel(undecided ? 'undecided' : contact.text);
  }

  clear() {
    if (this.trial?.on) return this.setTime(this.time);
    if (this.selected === undefined && this.label.hidden) return;
    this.selected = undefined;
    this.label.hidden = true;
    this.highlight?.clear();
    if (this.traces) this.traces.visible = true;
    if (this.told) {
      this.told.group.visible = true;
      this.stage?.setPoses(this.posesOf(this.clock.channels(this.time)), this.time);
    }
    this.panel.clear();
    this.timeline.setSelection(-1, null);
  }

  showLabel(text) {
    this.label.textContent = text;
    this.label.hidden = !this.highlight;
    this.placeLabel();
  }
  placeLabel() {
    const at = this.highlight?.label;
    if (this.label.hidden || !at) return;
    const {x, y, visible} = this.stage.project(at);
    this.label.style.transform = `translate(${x}px, ${y}px)`;
    this.label.style.visibility = visible ? 'visible' : 'hidden';
  }

  ready() {
    // Two frames later the first picture is on the screen.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      document.body.dataset.ready = 'true';
      performance.mark('first-picture');
    }));
  }
}

function fail(error) {
  document.body.append(el('section', {class: 'notice fatal', role: 'alert'},
    el('h2', {}, 'This page cannot be shown'), el('p', {}, error.message)));
  document.body.dataset.ready = 'true';
  console.error(error);
}

// The server tells what there is, then what happens; after a pause it begins anew.
function listenToServer() {
  const source = new EventSource(`/events${location.search}`);
  source.onmessage = ({data}) => {
    try {
      const line = JSON.parse(data);
      if (!line.proven_session) return window.proven.happened(line);
      if (window.proven) return location.reload();
      const {document: doc, time, version, hash} = line;
      window.proven = new Viewer(prepareDocument({...doc, session: {live: true, time, version, hash}}));
      window.proven.heard = {time, at: performance.now()};
      window.proven.refresh();
      setInterval(() => window.proven.tick(), 500);
    } catch (error) {
      source.close();
      fail(error);
    }
  };
  source.onerror = () => window.proven?.lost(true);
}

// A recording: its first line has the scene.
function replay({session, warnings}) {
  const [{document: doc, time, version}, ...events] = session.lines.map((line) => JSON.parse(line));
  return prepareDocument({...doc, warnings: [...doc.warnings, ...warnings], session: {time, version, events}});
}

function start() {
  try {
    const doc = readDocument(document.getElementById('document').textContent);
    if (doc.session?.live) listenToServer();
    else window.proven = new Viewer(doc.session ? replay(doc) : doc);
  } catch (error) {
    fail(error);
  }
}

// A page around this one that asks anew when something was moved.
function listenToPage() {
  window.addEventListener('message', ({source, data}) => {
    if (source === window.parent && data?.document) window.proven.update(prepareDocument(data.document));
  });
}

start();
if (window.proven?.doc.movable) listenToPage();
