// Curves as the page plays them, against the files they come from: there they are evaluated in power form,
// and turns by matrices. A wrong control point, a wrong clock or a wrong derivative shows.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {makeGeometry} from '../src/bodies.js';
import {at, largest} from '../src/curve.js';
import {readDocument} from '../src/document.js';
import {Motion} from '../src/motion.js';
import {Proof} from '../src/proof.js';
import {makeRates} from '../src/rates.js';
import {makeShell} from '../src/shell.js';
import {speedAt} from '../src/traces.js';

const program = process.env.PROVEN_PROGRAM;
const folder = mkdtempSync(join(tmpdir(), 'proven-curve-'));
test.after(() => rmSync(folder, {recursive: true}));
const write = (name, json) => writeFileSync(join(folder, name), JSON.stringify({proven: 1, ...json}));

function documentOf(scene, motion) {
  const page = join(folder, `${motion}.html`);
  const {status, stderr} = spawnSync(program, ['view', scene, join(folder, motion), '--html', page], {encoding: 'utf8'});
  assert.equal(status, 0, stderr);
  return readDocument(readFileSync(page, 'utf8').match(/id="document">(.*?)<\/script>/s)[1]);
}

// The coefficients of 1, s, s², … of a polynomial that is given by control points.
function powers(control) {
  const n = control.length - 1, choose = (a, b) => (b === 0 ? 1 : (choose(a - 1, b - 1) * a) / b);
  return control.map((_, j) => {
    let sum = 0;
    for (let i = 0; i <= j; ++i) sum += (-1) ** (i + j) * choose(j, i) * control[i];
    return choose(n, j) * sum;
  });
}
const evaluate = (coefficients, s) => coefficients.reduceRight((sum, c) => sum * s + c, 0);
const slope = (coefficients) => coefficients.slice(1).map((c, i) => (i + 1) * c);

// A column of a file of pieces at a time: its value and its first two derivatives.
function fromFile({pieces}, column, time) {
  const held = Math.min(pieces.at(-1).end, Math.max(pieces[0].begin, time));
  const {begin, end, bezier} = pieces.findLast((piece) => piece.begin <= held), T = end - begin, s = (held - begin) / T;
  const p = powers(bezier.map((row) => row[column])), v = slope(p);
  return [evaluate(p, s), evaluate(v, s) / T, evaluate(slope(v), s) / T ** 2];
}

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} and ${b}`);
const ARM = ['joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5', 'joint_6'];
const swing = {joints: ARM.map((j) => `arm/${j}`), pieces: [
  {begin: 0.25, end: 1.15, bezier: [[1.6, 0.4, 0.6, -0.4, -0.7, -0.7], [1.7, 0.2, 0.6, -0.3, -0.7, -0.6], [1.2, 0.3, 0.8, -0.4, -0.5, -0.7],
    [1.1, 0.1, 0.6, -0.1, -0.6, -0.2], [0.9, 0.2, 0.5, 0.0, -0.4, -0.4], [0.8, 0.2, 0.5, 0.1, -0.3, -0.3]]},
  {begin: 1.15, end: 1.6, bezier: [[0.8, 0.2, 0.5, 0.1, -0.3, -0.3], [0.6, 0.1, 0.4, 0.2, -0.1, -0.2], [0.5, 0.3, 0.4, 0.2, 0.1, -0.2]]},
  {begin: 1.6, end: 2.05, bezier: [[0.5, 0.3, 0.4, 0.2, 0.1, -0.2], [0.3, 0.3, 0.4, 0.2, 0.1, -0.2]]}]};
const belt = {joints: ['motion.y', 'motion.z'], pieces: [{begin: 0.5, end: 1.7, bezier: [[0, 0], [0.1, 0.3], [0.9, 0.1], [1, 0.2]]}]};
const nod = {joints: ['joint_1', 'joint_2'], pieces: [
  {begin: 0, end: 0.8, bezier: [[0, 0], [0.4, 0.3], [0.8, 0.2]]}, {begin: 0.8, end: 3, bezier: [[0.8, 0.2], [0.2, 0.1]]}]};

execFileSync(program, ['scene', 'demo', '-o', folder]);
write('swing.json', swing);
write('cell.json', {
  robots: [{name: 'arm', urdf: 'arm.urdf'}, {name: 'other', urdf: 'arm.urdf', pose: {xyz: [0, 3, 0]}, motion: {proven: 1, ...nod}}],
  obstacles: [{name: 'table', box: [0.7, 1, 0.05], pose: {xyz: [1.05, 0, 0.2]}},
    {name: 'part', box: [0.1, 0.1, 0.1], pose: {xyz: [2.5, -1, 0.6]}, motion: {proven: 1, ...belt}},
    {name: 'person', capsule: {radius: 0.3, length: 1.1}, pose: {xyz: [-3, 0, 0.85]}, grows: 0.5}]});
const times = (clock) => Array.from({length: 200}, (_, k) => clock.begin + ((k + 0.31) / 200) * (clock.end - clock.begin));

test('joints and all that moves by the clock follow their own files', () => {
  const doc = documentOf(join(folder, 'cell.json'), 'swing.json'), [motion] = doc.motions, clock = new Motion(doc, motion);
  assert.deepEqual([clock.begin, clock.end, clock.unit], [0.25, 2.05, 's']);
  assert.match(motion.clock, /^1\.8 s, on one clock with other, part, person$/);
  assert.match(motion.curve, /^\d pieces of degree up to 5$/);
  const channel = (name) => doc.channels.indexOf(name);
  for (const time of times(clock)) {
    const q = clock.channels(time);
    swing.joints.forEach((name, c) => near(q[channel(name)], fromFile(swing, c, time)[0], 1e-12, `${name} at ${time}`));
    nod.joints.forEach((name, c) => near(q[channel(`other/${name}`)], fromFile(nod, c, time)[0], 1e-12, `other/${name} at ${time}`));
    const part = doc.bodies.find(({name}) => name === 'part'), X = clock.poses(time)[part.frame];
    [2.5, -1 + fromFile(belt, 0, time)[0], 0.6 + fromFile(belt, 1, time)[0]].forEach((x, i) => near(X[9 + i], x, 1e-12, `part at ${time}`));
  }
  const kinds = Object.fromEntries(doc.bodies.map(({name, kind, grows}) => [name, [kind, grows]]));
  assert.deepEqual([kinds.part, kinds.person, kinds.table], [['obstacle', undefined], ['obstacle', 0.5], ['obstacle', undefined]]);
  assert.deepEqual(doc.joints.map((joint) => joint.name), swing.joints, 'what follows the clock has no lanes');
});

test('a proof for many starts is not shown as that of one', () => {
  const scene = JSON.parse(readFileSync(join(folder, 'cell.json'), 'utf8'));
  scene.robots[1].late = 0.2;
  write('late.json', scene);
  const [motion] = documentOf(join(folder, 'late.json'), 'swing.json').motions;
  assert.deepEqual([motion.verdict, motion.verification.accepted, motion.cells], ['free', true, null]);
  assert.match(motion.clock, /with other from any start up to 0.2 s late, part, person; shown on time/);
});

test('what is required of a body that grows grows with it', () => {
  const doc = documentOf(join(folder, 'cell.json'), 'swing.json'), [motion] = doc.motions;
  assert.equal(motion.verdict, 'free');
  const clock = new Motion(doc, motion), proof = new Proof(doc, motion, clock), person = doc.bodies.findIndex((b) => b.grows);
  const lanes = proof.lanes.filter((lane) => lane.a === person || lane.b === person);
  assert.ok(lanes.length > 3);
  for (const lane of lanes)
    for (const time of times(clock))
      for (const i of proof.at(lane.cells, time)) near(proof.required(i, time), 0.5 * time, 1e-9, `${lane.name} at ${time}`);
});

test('lanes are the derivatives of the file, and say who passes a limit', () => {
  const doc = documentOf(join(folder, 'cell.json'), 'swing.json'), clock = new Motion(doc, doc.motions[0]);
  const [speed, acceleration] = makeRates(doc, clock);
  for (const [group, order] of [[speed, 1], [acceleration, 2]])
    group.lanes.forEach((lane, c) => {
      const exact = (time) => Math.abs(fromFile(swing, c, time)[order]);
      let most = 0;
      for (const time of times(clock)) {
        near(lane.at(time), exact(time), 1e-9, `${lane.name} at ${time}`);
        most = Math.max(most, exact(time));
      }
      assert.ok(most <= lane.peak * (1 + 1e-9), `${lane.name} has its peak`);
      assert.equal(lane.beyond, lane.peak > lane.limit);
      const columns = lane.envelope(clock.begin, clock.end, 50);
      for (const time of times(clock)) {
        const column = Math.floor((50 * (time - clock.begin)) / (clock.end - clock.begin));
        assert.ok(exact(time) / lane.scale <= columns[column] * 1.2 + 0.02, `${lane.name}, column ${column}`);
      }
    });
  const tight = {...doc, joints: doc.joints.map((joint, i) => ({...joint, velocity: speed.lanes[i].peak * (i === 2 ? 0.99 : 1.01)}))};
  assert.deepEqual(makeRates(tight, clock)[0].lanes.filter((lane) => lane.beyond).map((lane) => lane.name), ['joint_3']);
});

test('the largest value of a polynomial is found, wherever it is', () => {
  let seed = 1;
  const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;
  for (let k = 0; k < 300; ++k) {
    const control = Array.from({length: 1 + (k % 6)}, random), p = powers(control);
    let most = 0;
    for (let i = 0; i <= 2000; ++i) most = Math.max(most, Math.abs(evaluate(p, i / 2000)));
    near(at(control, 0.37), evaluate(p, 0.37), 1e-12, 'value');
    assert.ok(largest(control) >= most * (1 - 2e-9) && largest(control) <= most + 1e-4, `${largest(control)} and ${most}`);
  }
});

// Rotations as matrices, nine numbers by rows.
const times3 = (A, B) => A.map((_, i) => [0, 1, 2].reduce((sum, k) => sum + A[i - (i % 3) + k] * B[3 * k + (i % 3)], 0));
function exponential(v) {
  // The series, long enough for any turn here.
  const K = [0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0], I = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  let term = I, sum = I;
  for (let n = 1; n < 40; ++n) {
    term = times3(term, K).map((x) => x / n);
    sum = sum.map((x, i) => x + term[i]);
  }
  return sum;
}

test('a ball joint turns by the exponential of its polynomial', () => {
  const end = [0, Math.sin(0.6), 0, Math.cos(0.6)];  // 1.2 about y
  const fly = {joints: ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'].map((c) => `flyer/base.${c}`), pieces: [{begin: 0, end: 1.5,
    bezier: [[-1, 0, 1, 0, 0, 0, 1], [-0.8, 0.3, 1.2, 0.5, 0.2, 0, 0], [-0.7, 0.2, 1.1, 0.1, 0.3, 0.4, 0], [-0.9, 0.1, 1.2, ...end]]}]};
  write('fly.json', fly);
  const doc = documentOf('free-flyer', 'fly.json'), clock = new Motion(doc, doc.motions[0]);
  const body = doc.bodies.find(({group}) => group === 'flyer');
  const angle = (axis, time) => evaluate(powers([0, fly.pieces[0].bezier[1][3 + axis], fly.pieces[0].bezier[2][3 + axis], [0, 1.2, 0][axis]]), time / 1.5);
  const turn = (time) => exponential([0, 1, 2].map((axis) => angle(axis, time)));
  const lane = makeRates(doc, clock)[0].lanes.find((l) => l.name === 'base'), rate = makeRates(doc, clock)[1].lanes.find((l) => l.name === 'base');
  const step = 1e-3, transposed = (A) => A.map((_, i) => A[3 * (i % 3) + Math.floor(i / 3)]);
  const velocity = (time) => {
    const W = times3(turn(time + step).map((x, i) => (x - turn(time - step)[i]) / (2 * step)), transposed(turn(time)));
    return [W[7], W[2], W[3]];
  };
  for (const time of times(clock).filter((t) => t > 0.1 && t < 1.4)) {
    const X = clock.poses(time)[body.frame];
    turn(time).forEach((x, i) => near(X[i], x, 1e-12, `rotation at ${time}`));
    near(lane.at(time), Math.hypot(...velocity(time)), 1e-5, `turning speed at ${time}`);
    const change = velocity(time + step).map((x, i) => (x - velocity(time - step)[i]) / (2 * step));
    near(rate.at(time), Math.hypot(...change), 1e-4, `turning acceleration at ${time}`);
  }
});

test('the way of a tip is sampled at every knot, and its speed is that of the poses', () => {
  const doc = documentOf(join(folder, 'cell.json'), 'swing.json'), clock = new Motion(doc, doc.motions[0]);
  const samples = clock.sampled(100);
  for (const knot of clock.knots) assert.ok(samples.includes(knot), `knot ${knot}`);
  assert.ok(samples.every((time, i) => !i || (time > samples[i - 1] && time - samples[i - 1] < 0.03)));
  // A point of the first link, one metre off its axis, moves as fast as its joint turns.
  const frame = doc.frames.findIndex(({joint}) => joint?.channel === doc.channels.indexOf('arm/joint_1'));
  const {axis} = doc.frames[frame].joint, point = Math.abs(axis[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1];
  for (const time of [0.4, 0.9, 1.3, 1.8]) near(speedAt(clock, {frame, point}, time), Math.abs(fromFile(swing, 0, time)[1]), 1e-4, `speed at ${time}`);
});

test('a grown box is the box and all within reach, without a hole', () => {
  const vertices = Float32Array.from({length: 24}, (_, i) => (Math.floor(i / 3) >> i % 3 & 1 ? 1 : -1) * (1 + (i % 3)));
  const triangles = Uint32Array.from([0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]);
  const shell = makeShell({triangles}, makeGeometry({vertices, triangles})), r = 0.5;
  const out = shell.morphAttributes.position[0].array, grown = shell.getAttribute('position').array.map((x, i) => x + r * out[i]);
  const edges = new Map(), key = (i) => Array.from(grown.subarray(3 * i, 3 * i + 3), (x) => x.toFixed(4)).join();
  for (let i = 0; i < grown.length / 3; ++i) {
    const beyond = [0, 1, 2].map((k) => Math.max(0, Math.abs(grown[3 * i + k]) - (1 + k)));
    near(Math.hypot(...beyond), r, 1e-5, 'reach');
    const edge = [key(i), key(i - (i % 3) + ((i + 1) % 3))];
    for (const [name, way] of [[edge.join('|'), 1], [edge.reverse().join('|'), -1]]) edges.set(name, (edges.get(name) ?? 0) + way);
  }
  assert.ok([...edges.values()].every((n) => n === 0), 'every edge has two sides');
});
