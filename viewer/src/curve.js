// Polynomials on [0, 1] by their control points (docs/algorithms/motions.md), in plain numbers.

/** The value at s, by de Casteljau's steps. */
export function at(control, s) {
  const w = Array.from(control);
  for (let n = w.length - 1; n > 0; --n)
    for (let k = 0; k < n; ++k) w[k] += s * (w[k + 1] - w[k]);
  return w[0];
}

/** The control points of the derivative by s. */
export function derivative(control) {
  const n = control.length - 1;
  return n ? Array.from({length: n}, (_, k) => n * (control[k + 1] - control[k])) : [0];
}

function halves(control) {
  const w = Array.from(control), left = [w[0]], right = [w[w.length - 1]];
  for (let n = w.length - 1; n > 0; --n) {
    for (let k = 0; k < n; ++k) w[k] = 0.5 * (w[k] + w[k + 1]);
    left.push(w[0]);
    right.unshift(w[n - 1]);
  }
  return [left, right];
}

const size = (control) => control.reduce((most, c) => Math.max(most, Math.abs(c)), 0);

/** The largest size on [0, 1] to a billionth: a polynomial is nowhere larger than its control points. */
export function largest(control) {
  let most = Math.max(Math.abs(control[0]), Math.abs(control[control.length - 1]));
  const parts = [control];
  while (parts.length) {
    const part = parts.pop();
    if (size(part) <= most * (1 + 1e-9)) continue;
    const [left, right] = halves(part);
    most = Math.max(most, Math.abs(right[0]));
    parts.push(left, right);
  }
  return most;
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function product(a, b) {
  const v = cross(a, b);
  return [0, 1, 2].map((i) => a[3] * b[i] + b[3] * a[i] + v[i]).concat(a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]);
}

/** The rotation vector from quaternion p to q, the shorter way. */
export function turnBetween(p, q) {
  const d = product([-p[0], -p[1], -p[2], p[3]], q);
  if (d[3] < 0) d.forEach((v, i) => (d[i] = -v));
  const s = Math.hypot(d[0], d[1], d[2]);
  return d.slice(0, 3).map((v) => (s > 0 ? (2 * Math.atan2(s, d[3]) * v) / s : 0));
}

/** The quaternion p, turned by a rotation vector in its own frame. */
export function turned(p, turn) {
  const angle = Math.hypot(...turn), s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  return product(p, [...turn.map((v) => s * v), Math.cos(angle / 2)]);
}

/** The angular velocity of exp(φ), from φ and its rate. */
export function turningRate(turn, rate) {
  const q = turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2, angle = Math.sqrt(q);
  const a = q > 1e-6 ? (1 - Math.cos(angle)) / q : 0.5 - q / 24;
  const b = q > 1e-6 ? (angle - Math.sin(angle)) / (q * angle) : 1 / 6 - q / 120;
  const once = cross(turn, rate), twice = cross(turn, once);
  return rate.map((v, i) => v + a * once[i] + b * twice[i]);
}
