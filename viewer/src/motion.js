// Where everything is at a time: channels as polynomials between knots, frames on joints.
import {at, derivative, turnBetween, turned, turningRate} from './curve.js';

// Poses are twelve numbers: the rows of the rotation, then the position.
const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

export function multiply(A, B) {
  const X = new Array(12);
  for (let i = 0; i < 3; ++i) {
    const a = A[3 * i], b = A[3 * i + 1], c = A[3 * i + 2];
    for (let j = 0; j < 3; ++j) X[3 * i + j] = a * B[j] + b * B[3 + j] + c * B[6 + j];
    X[9 + i] = a * B[9] + b * B[10] + c * B[11] + A[9 + i];
  }
  return X;
}

export function transform(X, p) {
  return [0, 1, 2].map((i) => X[3 * i] * p[0] + X[3 * i + 1] * p[1] + X[3 * i + 2] * p[2] + X[9 + i]);
}

function turn([x, y, z], angle) {
  const c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
  return [c + x * x * d, x * y * d - z * s, x * z * d + y * s,
          y * x * d + z * s, c + y * y * d, y * z * d - x * s,
          z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0, 0, 0];
}

function turnBy([x, y, z, w]) {
  const s = 2 / (x * x + y * y + z * z + w * w);
  return [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w),
          s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w),
          s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y), 0, 0, 0];
}

/** The poses of all frames for values of the channels. */
export function framePoses(frames, values) {
  const poses = [];
  for (const frame of frames) {
    let X = frame.parent < 0 ? IDENTITY : poses[frame.parent];
    if (frame.pose) X = multiply(X, frame.pose);
    const joint = frame.joint;
    if (joint?.kind === 'ball') {
      X = multiply(X, turnBy(Array.from(values.slice(joint.channel, joint.channel + 4))));
    } else if (joint) {
      const value = (joint.multiplier ?? 1) * (values[joint.channel] ?? 0) + (joint.offset ?? 0);
      const axis = joint.axis;
      X = multiply(X, joint.kind === 'revolute'
        ? turn(axis, value)
        : [1, 0, 0, 0, 1, 0, 0, 0, 1, axis[0] * value, axis[1] * value, axis[2] * value]);
    }
    poses.push(X);
  }
  return poses;
}

/** Channels over time: a polynomial in each segment; ball joints turn by the exponential of one. */
export class Motion {
  constructor(doc, motion) {
    // Of the path that was checked; what is drawn may have more waypoints.
    this.drawn = motion?.knots ?? [0, 1];
    this.knots = motion?.checked_knots ?? this.drawn;
    this.unit = motion?.unit ?? '';
    this.width = doc.channels.length;
    this.values = motion?.values ?? Float64Array.from([...doc.home, ...doc.home]);
    this.frames = doc.frames;
    this.balls = doc.frames.filter((f) => f.joint?.kind === 'ball').map((f) => f.joint.channel);
    this.begin = this.drawn[0];
    this.end = this.drawn[this.drawn.length - 1];
    this.inner = motion?.inner ?? new Float64Array();
    this.degrees = motion?.degrees ?? [];
    this.curved = this.degrees.some((degree) => degree > 1);
    let row = 0;
    this.firstInner = this.degrees.map((degree) => (row += degree - 1) - (degree - 1));
  }

  get segments() {
    return this.knots.length - 1;
  }
  duration(segment) {
    return this.knots[segment + 1] - this.knots[segment];
  }
  isBall(channel) {
    return this.balls.includes(channel);
  }

  /** Whether a channel changes at all, or the turn of the ball joint that begins there. */
  moves(channel) {
    const {values, inner, width} = this, ball = this.isBall(channel);
    const apart = (v, w) => Math.abs(v - w) > 1e-9;
    for (let k = channel; k < channel + (ball ? 4 : 1); ++k)
      for (let i = k; i < values.length; i += width) if (apart(values[i], values[k])) return true;
    for (let k = channel; k < channel + (ball ? 3 : 1); ++k)
      for (let i = k; i < inner.length; i += width) if (apart(inner[i], ball ? 0 : values[k])) return true;
    return false;
  }

  /** [segment, t] of a time, in the path that was checked or in what is drawn. */
  place(time, knots = this.knots) {
    let low = 0, high = knots.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (knots[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const t = (time - knots[low]) / (knots[low + 1] - knots[low]);
    return [low, Math.min(1, Math.max(0, t))];
  }

  time(segment, t) {
    const i = Math.min(segment, this.knots.length - 2);
    return this.knots[i] + t * this.duration(i);
  }

  /** Control points of a channel in a segment. */
  control(segment, channel) {
    const points = [this.values[segment * this.width + channel]], degree = this.degrees[segment] ?? 1;
    for (let k = 0; k < degree - 1; ++k) points.push(this.inner[(this.firstInner[segment] + k) * this.width + channel]);
    points.push(this.values[(segment + 1) * this.width + channel]);
    return points;
  }

  // The control points of a ball joint's turn from the begin of the segment, one row per axis.
  turn(segment, channel) {
    const rows = [0, 1, 2].map((i) => this.control(segment, channel + i));
    turnBetween(this.quaternion(segment, channel), this.quaternion(segment + 1, channel)).forEach((angle, i) => {
      rows[i][0] = 0;
      rows[i][rows[i].length - 1] = angle;
    });
    return rows;
  }
  quaternion(knot, channel) {
    return Array.from(this.values.subarray(knot * this.width + channel, knot * this.width + channel + 4));
  }

  channels(time) {
    const [segment, t] = this.place(time, this.drawn), result = new Float64Array(this.width);
    for (let k = 0; k < this.width; ++k) result[k] = at(this.control(segment, k), t);
    for (const k of this.balls)
      result.set(turned(this.quaternion(segment, k), this.turn(segment, k).map((row) => at(row, t))), k);
    return result;
  }

  /** The size of a channel's first or second derivative by time; of a ball joint's angular one. */
  rate(channel, order, segment, t) {
    const duration = this.duration(segment);
    if (this.isBall(channel)) {
      const rows = this.turn(segment, channel), rates = rows.map(derivative);
      const velocity = (s) => turningRate(rows.map((row) => at(row, s)), rates.map((row) => at(row, s)));
      if (order === 1) return Math.hypot(...velocity(t)) / duration;
      const step = 1e-4, after = velocity(t + step), before = velocity(t - step);
      return Math.hypot(...after.map((v, i) => v - before[i])) / (2 * step * duration ** 2);
    }
    let control = this.control(segment, channel);
    for (let k = 0; k < order; ++k) control = derivative(control);
    return Math.abs(at(control, t)) / duration ** order;
  }

  poses(time) {
    return framePoses(this.frames, this.channels(time));
  }

  /** Times that show the whole curve: every knot, and more where pieces take long. */
  sampled(number) {
    const times = [this.begin], {drawn} = this;
    for (let i = 0; i + 1 < drawn.length; ++i) {
      const share = (drawn[i + 1] - drawn[i]) / (this.end - this.begin);
      const parts = Math.ceil(share * number) + (drawn.length - 1 < number ? 2 : 0);
      for (let k = 1; k <= parts; ++k)
        times.push(k === parts ? drawn[i + 1] : drawn[i] + (k / parts) * (drawn[i + 1] - drawn[i]));
    }
    return times;
  }
}
