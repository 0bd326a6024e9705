// The document that the program writes, against the viewer's own kinematics: the two planes of every
// cell must touch its two nodes where the viewer would draw them.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {pieceCorners, readDocument} from '../src/document.js';
import {areMany, makeGrains, makeSplats} from '../src/grains.js';
import {Motion, multiply, transform} from '../src/motion.js';
import {Proof} from '../src/proof.js';

const program = process.env.PROVEN_PROGRAM;
const folder = mkdtempSync(join(tmpdir(), 'proven-viewer-'));
test.after(() => rmSync(folder, {recursive: true}));

// Scenes without a query of their own, with every kind of joint.
const PATHS = {
  gantry: {joints: ['gantry/x', 'gantry/y', 'gantry/z', 'gantry/wrist_yaw', 'gantry/wrist_pitch'],
    waypoints: [[-0.6, -0.3, 0.05, 0, 0.1], [0.2, 0.3, 0.1, 1, -0.1], [0.4, 0.1, 0.08, 2, 0.1]]},
  'free-flyer': {joints: ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'].map((c) => `flyer/base.${c}`),
    waypoints: [[-1, 0, 1, 0, 0, 0, 1], [-0.7, 0.3, 1.2, 0.6, 0, 0, 0.8], [-0.8, 0.2, 1.1, 0, 0, -0.8, -0.6]]},
  lever: {joints: ['lever/drive'], waypoints: [[-0.2], [0.3]]},
  sensed: {joints: ['bar/turn'], waypoints: [[0.1], [1.2]]},
};

// A bar that turns towards the points of a cloud, above a grid.
function writeSensed() {
  const bar = '<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.05 0.05"/></geometry></collision>';
  writeFileSync(join(folder, 'bar.urdf'), `<robot name="bar"><link name="base"/><link name="bar">${bar}</link>
    <joint name="turn" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/></joint></robot>`);
  const points = Array.from({length: 400}, (_, i) => [Math.cos(1.33 + i % 3), Math.sin(1.33 + i % 3), 0].map((x, k) => (k < 2 ? x * (0.4 + i / 600) : (i % 5) / 40)));
  const cells = Array.from({length: 300}, (_, i) => [i % 20, Math.floor(i / 20), -3 - (i * 7) % 2]);
  writeFileSync(join(folder, 'sensed_scene.json'), JSON.stringify({proven: 1, robots: [{name: 'bar', urdf: 'bar.urdf'}],
    obstacles: [{name: 'cloud', cloud: {points, radius: 0.02}}, {name: 'grid', voxels: {size: 0.05, cells}, pose: {xyz: [0, 0, -0.01]}}]}));
  return join(folder, 'sensed_scene.json');
}

function documentOf(name) {
  const path = join(folder, `${name}.json`), page = join(folder, `${name}.html`);
  const scene = name === 'sensed' ? writeSensed() : name;
  if (PATHS[name]) writeFileSync(path, JSON.stringify({proven: 1, ...PATHS[name]}));
  else execFileSync(program, ['plan', scene, '-o', path, '--seed', '3']);
  execFileSync(program, ['check', scene, path, '--report', page]);
  return readDocument(readFileSync(page, 'utf8').match(/id="document">(.*?)<\/script>/s)[1]);
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// Points that a node is known by: vertices of its pieces, or corners of its box.
function pointsOf(doc, cells, place, poses) {
  const {nodes} = cells, body = nodes.body[place];
  const items = nodes.items.subarray(nodes.firstItem[place], nodes.firstItem[place + 1]);
  const points = [];
  if (body >= 0 && items.length) {
    const mesh = doc.meshes[doc.bodies[body].mesh];
    for (const piece of items) {
      const corners = pieceCorners(mesh, piece);
      for (let i = 0; i < corners.length; i += 3) points.push(corners.slice(i, i + 3));
    }
  } else {
    const box = nodes.box.subarray(6 * place, 6 * place + 6);
    for (let k = 0; k < 8; ++k) points.push([0, 1, 2].map((i) => box[i + (k >> i & 1 ? 3 : 0)]));
  }
  return body < 0 ? points : points.map((p) => transform(poses[body], p));
}

// How many cells have both planes where the viewer draws the nodes, to 10 µm; the others are near.
function countExact(doc, motion) {
  assert.equal(motion.verdict, 'free');
  assert.equal(motion.verification.accepted, true);
  const clock = new Motion(doc, motion), proof = new Proof(doc, motion, clock), {cells} = motion;
  assert.ok(cells.count > 2 && cells.count === cells.leaves);
  // Round pieces are drawn by flat triangles, up to 0.3 % inside the true ones; points of a cloud as balls with 18 corners, of
  // which a plane touches the true one up to 1 - 2 / sqrt(6) of the radius farther out.
  const grain = (place) => (cells.nodes.body[place] < 0 ? null : doc.meshes[doc.bodies[cells.nodes.body[place]].mesh].grains);
  const tolerance = (points, place) =>
    1e-5 + 4e-3 * Math.max(...points.map((p) => Math.hypot(...p))) + 0.184 * (grain(place)?.radius ?? 0);
  let exact = 0;
  for (let i = 0; i < cells.count; ++i) {
    const frames = clock.poses(clock.time(cells.segment[i], cells.anchor[i]));
    const poses = doc.bodies.map((body) => multiply(frames[body.frame], body.pose));
    const n = cells.direction.subarray(3 * i, 3 * i + 3);
    const a = pointsOf(doc, cells, cells.a[i], poses), b = pointsOf(doc, cells, cells.b[i], poses);
    const top = Math.max(...a.map((p) => dot(n, p))), bottom = Math.min(...b.map((p) => dot(n, p)));
    assert.ok(Math.abs(top - cells.planes[2 * i]) < tolerance(a, cells.a[i]), `cell ${i}: ${top} and ${cells.planes[2 * i]}`);
    assert.ok(Math.abs(bottom - cells.planes[2 * i + 1]) < tolerance(b, cells.b[i]), `cell ${i}: ${bottom} and ${cells.planes[2 * i + 1]}`);
    exact += Math.abs(top - cells.planes[2 * i]) < 1e-5 && Math.abs(bottom - cells.planes[2 * i + 1]) < 1e-5;
    assert.ok(proof.slack[i] >= 0);
  }
  return exact;
}

for (const scene of ['demo', 'cage-a', 'gantry', 'free-flyer', 'lever', 'sensed'])
  test(`planes touch the nodes of every cell: ${scene}`, () => {
    const doc = documentOf(scene), [motion] = doc.motions, exact = countExact(doc, motion);
    assert.ok(exact > (scene === 'cage-a' ? 0.9 : 0.1) * motion.cells.count, `${exact} of ${motion.cells.count} exactly`);
  });

// There each step was proved in a scene of its own, and what is drawn is another one: bodies, times and poses must agree.
test('planes touch the nodes of every cell in the motions of a plan', () => {
  const set = join(folder, 'tables'), page = join(folder, 'plan.html');
  execFileSync(program, ['task', 'make', 'tables', set]);
  execFileSync(program, ['task', join(set, 'domain.pddl'), join(set, 'I-01.pddl'), '--report', page]);
  const doc = readDocument(readFileSync(page, 'utf8').match(/id="document">(.*?)<\/script>/s)[1]);
  const {actions} = doc.task, steps = actions.map((action) => doc.motions[action.motion]);
  assert.ok(actions.length >= 2 && steps.every(Boolean) && doc.motions.length === steps.length + 1);
  let exact = 0, cells = 0;
  steps.forEach((motion, i) => {
    exact += countExact(doc, motion);
    cells += motion.cells.count;
    const clock = new Motion(doc, motion), proof = new Proof(doc, motion, clock), {start, duration} = actions[i];
    assert.ok(Math.abs(clock.begin - start) < 1e-9 && Math.abs(clock.end - start - duration) < 1e-9, 'the motion fills its action');
    const [from, to] = [proof.begin, proof.end].map((times) => [Math.min(...times), Math.max(...times)]);
    assert.ok(from[0] >= clock.begin - 1e-9 && to[1] <= clock.end + 1e-9);
    // The hand is held by cells with what it carries, and only then.
    const held = proof.lanes.some(({a, b}) => [a, b].some((body) => doc.bodies[body].name === actions[i].arguments[0]));
    assert.ok(held, 'the object of the action is among the pairs');
  });
  assert.ok(exact > 0.1 * cells, `${exact} of ${cells} exactly`);
  // The whole plan goes through the ends of the steps.
  const whole = new Motion(doc, doc.motions.at(-1));
  for (const motion of steps) {
    const clock = new Motion(doc, motion);
    for (const time of [clock.begin, 0.5 * (clock.begin + clock.end), clock.end])
      clock.channels(time).forEach((value, k) => assert.ok(Math.abs(value - whole.channels(time)[k]) < 1e-9));
  }
});

test('every moment of every pair is covered, and envelopes are the least of their cells', () => {
  const doc = documentOf('demo'), motion = doc.motions[0];
  const clock = new Motion(doc, motion), proof = new Proof(doc, motion, clock);
  assert.equal(proof.lanes.length, doc.pairs.length);
  for (const lane of proof.lanes) {
    const {distance} = proof.envelope(lane.cells, clock.begin, clock.end, 97);
    distance.forEach((d, c) => {
      const time = clock.begin + ((c + 0.37) / 97) * (clock.end - clock.begin);
      const here = proof.laneAt(lane, time);
      assert.ok(here < Infinity, `${lane.name} at ${time}`);
      assert.ok(d <= here + 1e-12);
    });
  }
});

test('the plot shows what can be proved, not what the certificate happened to bound', () => {
  const doc = documentOf('demo'), motion = doc.motions[0], least = motion.least_clearance;
  const clock = new Motion(doc, motion), proof = new Proof(doc, motion, clock);
  const curve = proof.tightCurve(clock.begin, clock.end, 211);
  assert.ok(curve.every((bound) => bound < Infinity));
  assert.ok(Math.abs(Math.min(...curve) - least.at_least) < 1e-12);
  assert.ok(least.at_least <= least.at_most && least.tight);
  assert.ok(Math.min(...curve) > Math.min(...proof.envelope(proof.all, clock.begin, clock.end, 211).distance));
});

test('what sensors saw is drawn grain by grain', () => {
  const doc = documentOf('sensed'), meshOf = (name) => doc.meshes[doc.bodies.find((body) => body.name === name).mesh];
  const {grains: balls} = meshOf('cloud'), {grains: boxes} = meshOf('grid');
  assert.equal(balls.centres.length, 1200);
  assert.equal(balls.radius, 0.02);
  assert.equal(balls.halves.length, 0);
  // Cells are merged, but fill what they filled.
  let volume = 0;
  for (let i = 0; i < boxes.halves.length; i += 3) volume += 8 * boxes.halves[i] * boxes.halves[i + 1] * boxes.halves[i + 2];
  assert.ok(Math.abs(volume - 300 * 0.05 ** 3) < 1e-6);
  for (const [mesh, count] of [[meshOf('cloud'), 400], [meshOf('grid'), boxes.halves.length / 3]]) {
    const {boundingBox, instanceCount} = makeGrains(mesh.grains);
    assert.equal(instanceCount, count);
    for (let piece = 0; piece < count; ++piece) {
      const corners = pieceCorners(mesh, piece);
      for (let i = 0; i < corners.length; i += 3)
        for (const [k, axis] of ['x', 'y', 'z'].entries())
          assert.ok(corners[i + k] >= boundingBox.min[axis] - 1e-6 && corners[i + k] <= boundingBox.max[axis] + 1e-6);
    }
  }
});

test('many boxes are splats that fill them, in one draw; long ones stay boxes', () => {
  const count = 21000, centres = new Float32Array(3 * count), halves = new Float32Array(3 * count);
  let long = 0, volume = 0;
  for (let i = 0; i < count; ++i) {
    const sides = [1 + (i % 4), 1 + ((i >> 2) % 2), i % 1000 === 7 ? 9 : 1];
    sides.forEach((side, k) => {
      centres[3 * i + k] = [i % 100, Math.floor(i / 100) % 100, Math.floor(i / 10000)][k] * 0.5;
      halves[3 * i + k] = 0.01 * side;
    });
    if (sides[2] === 9) ++long;
    else volume += 8e-6 * sides[0] * sides[1] * sides[2];
  }
  const grains = {centres, halves, radius: 0};
  assert.ok(areMany(grains) && !areMany({...grains, centres: centres.subarray(0, 300)}));
  const {points, long: rest} = makeSplats(grains, 0xffffff, 1);
  assert.equal(rest.centres.length / 3, long);
  const position = points.geometry.getAttribute('position'), extent = points.geometry.getAttribute('extent'), seen = new Set();
  let filled = 0;
  for (let i = 0; i < points.count; ++i) {
    const p = [position.getX(i), position.getY(i), position.getZ(i)];
    const box = Math.round(2 * p[0]) + 100 * Math.round(2 * p[1]) + 10000 * Math.round(2 * p[2]);
    p.forEach((v, k) => assert.ok(Math.abs(v - centres[3 * box + k]) + extent.getX(i) <= halves[3 * box + k] + 1e-6));
    filled += (2 * extent.getX(i)) ** 3;
    seen.add(p.map((v) => v.toFixed(4)).join());
  }
  assert.equal(seen.size, points.count, 'no splat twice');
  assert.ok(Math.abs(filled - volume) < 1e-4 * volume);
  // Half of them are spread over all.
  points.show(0.25);
  assert.equal(points.geometry.drawRange.count, Math.ceil(points.count / 4));
  let low = 0;
  for (let i = 0; i < points.count / 4; ++i) low += position.getY(i) < 24.9 ? 1 : 0;
  assert.ok(Math.abs(low / (points.count / 4) - 0.5) < 0.1, `${low}`);
});
