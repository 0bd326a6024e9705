// How far a body that grows reaches: its surface moved outwards, rounded at edges and corners.
import {BufferAttribute, BufferGeometry} from 'three';

const STEPS = 5;          // of an edge's round, and of a corner's
const SAME = 1 - 1e-6;    // cosine of normals that are one

const subtract = (a, b) => a.map((v, i) => v - b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a) => {
  const size = Math.hypot(...a) || 1;
  return a.map((v) => v / size);
};
const mix = (a, b, s) => unit(a.map((v, i) => v + s * (b[i] - v)));
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// The round of a corner between three of its normals.
function addPatch(add, p, a, b, c) {
  const point = (i, j) => unit([0, 1, 2].map((k) => (STEPS - i - j) * a[k] + i * b[k] + j * c[k]));
  for (let i = 0; i < STEPS; ++i)
    for (let j = 0; j < STEPS - i; ++j) {
      add(p, point(i, j), p, point(i + 1, j), p, point(i, j + 1));
      if (i + j < STEPS - 1) add(p, point(i + 1, j), p, point(i + 1, j + 1), p, point(i, j + 1));
    }
}

// All normals at a corner of a convex body, in their order around the middle one.
function addCorner(add, p, normals) {
  const distinct = normals.filter((n, i) => normals.findIndex((m) => dot(m, n) > SAME) === i);
  if (distinct.length < 3) return;
  const middle = unit(distinct.reduce((sum, n) => sum.map((v, i) => v + n[i])));
  const x = unit(subtract(distinct[0], middle.map((v) => v * dot(distinct[0], middle)))), y = cross(middle, x);
  const angle = (n) => Math.atan2(dot(n, y), dot(n, x));
  distinct.sort((m, n) => angle(m) - angle(n));
  distinct.forEach((n, i) => addPatch(add, p, middle, n, distinct[(i + 1) % distinct.length]));
}

/**
 * The surface of a body whose corners have these normals (see makeGeometry), to be moved outwards by r:
 * position + r · direction, as a morph target.
 */
export function makeShell({triangles}, surface) {
  const positions = surface.getAttribute('position'), normals = surface.getAttribute('normal');
  const read = (attribute, i) => [attribute.getX(i), attribute.getY(i), attribute.getZ(i)];
  const base = [], direction = [];
  const add = (...corners) => corners.forEach((v, i) => (i % 2 ? direction : base).push(...v));
  const edges = new Map(), around = new Map();
  for (let i = 0; i < triangles.length; ++i) add(read(positions, i), read(normals, i));
  for (let i = 0; i < triangles.length; ++i) {
    const first = i - (i % 3), next = first + ((i + 1) % 3), v = triangles[i], w = triangles[next];
    const [m, n, p, q] = [read(normals, i), read(normals, next), read(positions, i), read(positions, next)];
    if (!around.has(v)) around.set(v, {p, normals: []});
    around.get(v).normals.push(m);
    const other = edges.get(`${w},${v}`);
    if (!other) edges.set(`${v},${w}`, {m, n, third: read(positions, first + ((i + 2) % 3))});
    // Inner edges need no round: the two faces cross.
    else if (dot(other.m, n) < SAME && dot(subtract(other.third, p), m) < 0)
      for (let k = 0; k < STEPS; ++k) {
        const [a, b] = [mix(m, other.n, k / STEPS), mix(m, other.n, (k + 1) / STEPS)];
        const [c, d] = [mix(n, other.m, k / STEPS), mix(n, other.m, (k + 1) / STEPS)];
        add(p, a, p, b, q, c, q, c, p, b, q, d);
      }
  }
  for (const {p, normals: all} of around.values()) addCorner(add, p, all);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(base), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(direction), 3));
  geometry.morphAttributes.position = [new BufferAttribute(new Float32Array(direction), 3)];
  geometry.morphTargetsRelative = true;
  return geometry;
}
