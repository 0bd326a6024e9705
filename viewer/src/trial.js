// A configuration of the user's own: the robot there, what is nearest, what meets.
import {BufferGeometry, Group, Line, LineBasicMaterial, Vector3} from 'three';
import {POINTED} from './colours.js';
import {NO_ANSWER} from './distances.js';
import {count, el, icon, metres} from './text.js';

const NEAREST = 5;  // pairs that are listed and drawn

/** A measured distance in words. */
export function measured({distance, inside}) {
  return inside ? 'inside' : distance > 0 ? metres(distance) : 'overlap';
}

export class Trial {
  /** `actions`: body(name), clearance(a, b), name(body), look(row), end(), hash(). */
  constructor(stage, panel, distances, actions) {
    Object.assign(this, {stage, panel, distances, actions});
    this.lines = new Group();
    stage?.extras.add(this.lines);
  }

  get on() {
    return Boolean(this.values);
  }

  show(values) {
    const first = !this.on;
    this.values = values;
    if (!this.distances.available) {
      if (first) this.card(el('p', {class: 'explain'}, NO_ANSWER));
      return;
    }
    if (first) this.card(el('p', {class: 'explain'}, 'Measuring …'));
    this.distances.ask(values, (answer) => this.on && this.tell(answer));
  }

  end() {
    this.values = null;
    this.lines.clear();
    this.stage?.bodies.tint(new Set());
  }

  card(...children) {
    this.panel.top.replaceChildren(el('section', {class: 'card', id: 'trial'},
      el('header', {}, el('h2', {}, 'A configuration of your own'),
        el('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => this.actions.end()}, icon('close'))), ...children));
  }

  tell(answer) {
    if (answer.error) return this.card(el('p', {class: 'explain'}, answer.error));
    if (answer.hash !== this.actions.hash())
      return this.card(el('p', {class: 'explain'}, 'The scene has changed since what is shown here: reload the page, or go back to live.'));
    const rows = answer.pairs.map((row) => {
      const bodies = row.pair.map((name) => this.actions.body(name));
      return {...row, bodies, required: this.actions.clearance(...bodies)};
    });
    const meet = rows.filter((row) => row.distance === 0), close = rows.filter((row) => row.distance > 0 && row.distance < row.required);
    const says = meet.length ? `${count(meet.length, 'pair meets', 'pairs meet')}` : close.length ? `${count(close.length, 'pair')} nearer than required` : 'No pair meets';
    const near = rows.slice(0, Math.max(NEAREST, Math.min(2 * NEAREST, meet.length)));
    this.card(
      el('p', {class: `headline ${meet.length || close.length ? 'bad' : ''}`}, says, el('small', {}, `of ${count(rows.length, 'pair')}, measured at this configuration alone`)),
      el('ol', {class: 'closest'}, near.map((row) => el('li', {},
        el('button', {type: 'button', class: row.distance > 0 && row.distance >= row.required ? '' : 'bad', onclick: () => this.actions.look(row)},
          el('span', {class: 'pair'}, row.bodies.map((b) => this.actions.name(b)).join(' – ')), el('span', {class: 'number'}, measured(row)))))));
    this.draw(near, meet);
  }

  // Lines between the nearest points; what meets is red.
  draw(near, meet) {
    if (!this.stage) return;
    for (const line of this.lines.children) line.geometry.dispose();
    this.lines.clear();
    for (const row of near.filter((r) => r.points && r.distance > 0)) {
      const line = new Line(new BufferGeometry().setFromPoints(row.points.map((p) => new Vector3(...p))),
        new LineBasicMaterial({color: row.distance < row.required ? POINTED.contact : POINTED.plane, depthTest: false, transparent: true}));
      line.renderOrder = 4;
      this.lines.add(line);
    }
    this.stage.bodies.tint(new Set(meet.flatMap((row) => row.bodies)));
    this.stage.changed();
  }
}
