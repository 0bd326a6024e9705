// Where everything is at a time: channels between knots, frames on joints.

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

function slerp(p, q, t) {
  let cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, Math.abs(cosine));
  const angle = Math.acos(cosine);
  if (angle < 1e-6) return p.map((v, i) => v + t * (sign * q[i] - v));
  const a = Math.sin((1 - t) * angle) / Math.sin(angle), b = sign * Math.sin(t * angle) / Math.sin(angle);
  return p.map((v, i) => a * v + b * q[i]);
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

/** Channels over time: straight between knots, the shorter way for ball joints. */
export class Motion {
  constructor(doc, motion) {
    this.knots = motion?.knots ?? [0, 1];
    this.unit = motion?.unit ?? '';
    this.width = doc.channels.length;
    this.values = motion?.values ?? Float64Array.from([...doc.home, ...doc.home]);
    this.frames = doc.frames;
    this.balls = doc.frames.filter((f) => f.joint?.kind === 'ball').map((f) => f.joint.channel);
    this.begin = this.knots[0];
    this.end = this.knots[this.knots.length - 1];
  }

  get segments() {
    return this.knots.length - 1;
  }

  /** [segment, t] of a time. */
  place(time) {
    let low = 0, high = this.knots.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.knots[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const t = (time - this.knots[low]) / (this.knots[low + 1] - this.knots[low]);
    return [low, Math.min(1, Math.max(0, t))];
  }

  time(segment, t) {
    const i = Math.min(segment, this.knots.length - 2);
    return this.knots[i] + t * (this.knots[i + 1] - this.knots[i]);
  }

  channels(time) {
    const [segment, t] = this.place(time);
    const from = segment * this.width, to = from + this.width;
    const result = new Float64Array(this.width);
    for (let k = 0; k < this.width; ++k)
      result[k] = this.values[from + k] + t * (this.values[to + k] - this.values[from + k]);
    for (const k of this.balls) {
      const q = slerp(Array.from(this.values.slice(from + k, from + k + 4)),
                      Array.from(this.values.slice(to + k, to + k + 4)), t);
      result.set(q, k);
    }
    return result;
  }

  poses(time) {
    return framePoses(this.frames, this.channels(time));
  }
}
