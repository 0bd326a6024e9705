// Joints: their values at the cursor, their limits, and sliders to try others.
import {el} from './text.js';

const signed = (v, digits = 2) => v.toFixed(digits).replace('-', '−').replace(/^−(0\.?0*)$/, '$1');

/** Where a slider goes: the limits, or around what the motions do. */
function rangeOf(doc, {channel, lower, upper, unit}) {
  const seen = [doc.home[channel] ?? 0], width = doc.channels.length;
  for (const {values} of doc.motions) for (let i = channel; i < values.length; i += width) seen.push(values[i]);
  const room = unit === 'rad' ? Math.PI : 1;
  const [least, most] = seen.reduce(([l, m], v) => [Math.min(l, v), Math.max(m, v)], [Infinity, -Infinity]);
  return [lower ?? least - room, upper ?? most + room];
}

/** Names without the robot's, where there is only one. */
function shortJointNames(joints) {
  const robots = new Set(joints.map(({name}) => name.split('/')[0]));
  return joints.map(({name}) => (robots.size === 1 && name.includes('/') ? name.slice(name.indexOf('/') + 1) : name));
}

export class Joints {
  /** `attempt(values)`: the user wants these values of all channels. */
  constructor(container, doc, attempt) {
    const balls = new Set(doc.frames.filter((f) => f.joint?.kind === 'ball').map((f) => f.joint.channel));
    const names = shortJointNames(doc.joints);
    this.attempt = attempt;
    this.rows = doc.joints.map((joint, i) => ({joint, ...(balls.has(joint.channel) ? this.ballRow(names[i]) : this.row(doc, joint, names[i]))}));
    this.details = el('details', {class: 'joints', id: 'joints', open: !doc.motions.length, ontoggle: () => this.draw()},
      el('summary', {}, 'Joints'),
      el('p', {}, 'Move one to try a configuration of your own. ', el('button', {type: 'button', class: 'small', onclick: () => attempt(this.values.slice())}, 'Measure here')),
      el('ul', {}, this.rows.map((row) => row.element)));
    if (this.rows.length) container.append(this.details);
  }

  row(doc, joint, name) {
    const {unit, lower, upper, channel} = joint, [min, max] = rangeOf(doc, joint);
    const slider = el('input', {type: 'range', min, max, step: 'any', 'aria-label': name, oninput: () => {
      const values = this.values.slice();
      values[channel] = Number(slider.value);
      this.set(values);
      this.attempt(values);
    }});
    const value = el('output', {}), side = (v) => (v === undefined ? '∞' : signed(v));
    const limits = lower === undefined && upper === undefined ? 'no limits' : `${lower === undefined ? '−' : ''}${side(lower)} … ${side(upper)}`;
    return {slider, value, unit, element: el('li', {class: 'joint'}, el('span', {class: 'name', title: joint.name}, name, el('small', {}, limits)), slider, value)};
  }

  ballRow(name) {
    const value = el('output', {class: 'turn'});
    return {value, element: el('li', {class: 'joint'}, el('span', {class: 'name'}, name), value)};
  }

  /** Values of all channels. */
  set(values) {
    this.values = values;
    if (this.details.open) this.draw();
  }

  draw() {
    for (const {joint, slider, value, unit} of this.values ? this.rows : []) {
      const v = this.values[joint.channel];
      if (!slider) {
        const [x, y, z, w] = this.values.slice(joint.channel, joint.channel + 4);
        const sine = Math.hypot(x, y, z), turn = [x, y, z].map((c) => signed(sine > 0 ? c / sine : 0)).join(', ');
        value.textContent = `${signed((2 * Math.atan2(sine, w) * 180) / Math.PI, 1)}° about ${turn}`;
        continue;
      }
      if (document.activeElement !== slider || Number(slider.value) !== v) slider.value = v;
      value.textContent = `${signed(v, 3)} ${unit}`;
      value.title = unit === 'rad' ? `${signed((v * 180) / Math.PI, 1)}°` : '';
      value.classList.toggle('beyond', v < (joint.lower ?? -Infinity) - 1e-9 || v > (joint.upper ?? Infinity) + 1e-9);
    }
  }
}
