// How fast joints move: lanes of |q'| and |q''| over time, as shares of their limits where these are known.
import {derivative, largest} from './curve.js';

const BEYOND = 1 + 1e-6;  // of a limit: less is rounding

/** One joint, and its first or second derivative. */
class RateLane {
  constructor(clock, joint, name, order) {
    Object.assign(this, {clock, joint, order, name});
    this.limit = order === 1 ? joint.velocity : joint.acceleration;
    this.unit = `${joint.unit}/s${order === 2 ? '²' : ''}`;
    this.peak = 0;
    for (let i = 0; i < clock.segments; ++i) this.peak = Math.max(this.peak, this.largestIn(i));
    this.beyond = this.peak > this.limit * BEYOND;
    this.scale = this.limit ?? (this.peak || 1);
  }

  largestIn(segment) {
    const {clock, joint, order} = this;
    if (clock.isBall(joint.channel))
      return Math.max(...Array.from({length: 33}, (_, k) => clock.rate(joint.channel, order, segment, k / 32)));
    let control = clock.control(segment, joint.channel);
    for (let k = 0; k < order; ++k) control = derivative(control);
    return largest(control) / clock.duration(segment) ** order;
  }

  at(time) {
    const [segment, s] = this.clock.place(time);
    return this.clock.rate(this.joint.channel, this.order, segment, s);
  }

  /** The largest value in each of `columns` equal stretches: at their ends and where pieces meet. */
  envelope(from, to, columns) {
    const {clock, joint, order} = this, most = new Float64Array(columns), width = (to - from) / columns;
    for (let i = 0; i < clock.segments; ++i) {
      const begin = Math.max(from, clock.knots[i]), end = Math.min(to, clock.knots[i + 1]);
      if (begin > end) continue;
      const first = Math.max(0, Math.floor((begin - from) / width)), last = Math.min(columns - 1, Math.floor((end - from) / width));
      const value = (time) => clock.rate(joint.channel, order, i, (time - clock.knots[i]) / clock.duration(i));
      let left = value(begin);
      for (let c = first; c <= last; ++c) {
        const right = value(Math.min(end, from + (c + 1) * width));
        most[c] = Math.max(most[c], left, right);
        left = right;
      }
    }
    return most.map((v) => v / this.scale);
  }

  /** "1.2 rad/s", and the share of the limit if there is one. */
  reading(time) {
    const value = this.at(time), text = `${+value.toPrecision(3)} ${this.unit}`;
    return {text, share: this.limit ? `${Math.round((100 * value) / this.limit)} %` : '', beyond: value > this.limit * BEYOND};
  }
}

/** All lanes of one order under a lane that is the most of them. */
class RateGroup {
  constructor(name, lanes) {
    Object.assign(this, {name, lanes, open: false});
    this.limited = lanes.filter((lane) => lane.limit);
    this.order = lanes[0].order;
    this.beyond = lanes.some((lane) => lane.beyond);
    this.peak = Math.max(0, ...this.limited.map((lane) => lane.peak / lane.limit));
    this.scale = 1;
    this.limit = this.limited.length ? 1 : undefined;
  }

  envelope(from, to, columns) {
    const most = new Float64Array(columns);
    for (const lane of this.limited) lane.envelope(from, to, columns).forEach((v, c) => (most[c] = Math.max(most[c], v)));
    return most;
  }

  /** The joint that is nearest to its limit. */
  reading(time) {
    const shares = this.limited.map((lane) => lane.at(time) / lane.limit), most = Math.max(...shares);
    if (!shares.length) return {text: 'no limits', share: '', beyond: false};
    return {text: most > 0 ? this.limited[shares.indexOf(most)].name : '', share: `${Math.round(100 * most)} %`, beyond: most > BEYOND};
  }
}

/** Groups of lanes of a motion with times: speed, and acceleration where pieces are curved. */
export function makeRates(doc, clock) {
  if (clock.unit !== 's') return [];
  const robots = new Set(doc.joints.map((joint) => joint.name.split('/')[0]));
  const short = (name) => (robots.size === 1 ? name.slice(name.indexOf('/') + 1) : name);
  const lanes = (order) => doc.joints.map((joint) => new RateLane(clock, joint, short(joint.name), order));
  const speed = lanes(1).filter((lane) => lane.peak > 0);
  if (!speed.length) return [];
  const moved = new Set(speed.map((lane) => lane.joint));
  const groups = [new RateGroup('Speed', speed)];
  if (clock.curved) groups.push(new RateGroup('Acceleration', lanes(2).filter((lane) => moved.has(lane.joint))));
  return groups;
}
