// Checker and verifier as WebAssembly give the same bits as native ones: verdicts, witnesses, boxes,
// planes and bounds of every leaf, bytes of certificates. Exit code 77: the module was not built.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {after, before, test} from 'node:test';
import {makeRandom, Module, Native, program, requireModule, suite, withoutTimes, work} from './support.mjs';

requireModule();
const file = (name) => resolve(join(work, name));
const run = (...args) => execFileSync(program, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
let module, native;
const seen = {free: 0, collision: 0, undecided: 0, rejected: 0, unchecked: 0, errors: 0, bytes: 0, module: 0, native: 0};
before(async () => {
  module = await Module.load();
  native = new Native();
});
after(async () => {
  await native.close();
  console.log(`free ${seen.free}, collision ${seen.collision}, undecided ${seen.undecided}, errors ${seen.errors}; ${seen.bytes} bytes of certificates; ` +
    `checks took ${(seen.module / seen.native).toFixed(2)} times the native time (${seen.module.toFixed(1)} and ${seen.native.toFixed(1)} ms)`);
});

// Bounds that the verifier tells of bodies that turn freely come from 128 bits in the program: they are
// equal but for the last digits.
function withoutBounds(answer, turning) {
  for (const {verdict, cells} of turning ? answer.document?.motions ?? [] : []) {
    assert.equal(Boolean(cells), verdict === 'free');
    if (!cells) continue;
    delete cells.planes;
    delete cells.lower;
  }
}

async function same(question, what, {turning = false} = {}) {
  const here = module.ask(question), there = await native.ask(question);
  seen.module += withoutTimes(here);
  seen.native += withoutTimes(there);
  for (const answer of [here, there]) withoutBounds(answer, turning);
  if (there.error) ++seen.errors;
  else ++seen[there.document.motions.at(-1)?.verdict ?? 'unchecked'];
  assert.equal(here.certificate, there.certificate, `${what}: bytes of the certificate`);
  seen.bytes += (there.certificate?.length ?? 0) * 3 / 4;
  for (const part of new Set([...Object.keys(here.document ?? {}), ...Object.keys(there.document ?? {})]))
    assert.deepEqual(here.document?.[part], there.document?.[part], `${what}: ${part}`);
  assert.deepEqual(here, there, what);
  return there;
}

const SCENES = JSON.parse(run('scene', '--json'));
const names = (SCENES.scenes ?? SCENES).map(({name}) => name);

test('the straight lines of all built-in scenes', async () => {
  for (const scene of names) await same({scene}, scene);
  assert.ok(seen.free > 0 && seen.collision > 0);
});

// Short steps from the configurations of planned paths, and long ones anywhere.
test('random segments of scenes of every kind', async () => {
  const random = makeRandom(7);
  const before = {...seen};
  for (const scene of ['demo', 'cage-a', 'lattice-1', 'car-a', 'workshop']) {
    const {document: {channels, home}} = await native.ask({scene});
    for (let k = 0; k < 12; ++k) {
      const from = channels.map((_, i) => home[i] + (random() - 0.5)), reach = k % 2 ? 0.1 : 1;
      const path = file(`${scene}-${k}.json`);
      writeFileSync(path, JSON.stringify({proven: 1, joints: channels, waypoints: [from, from.map((v) => v + reach * (random() - 0.5))]}));
      module.give(path);
      await same({scene, path, clearance: k % 3 ? 0 : 0.001}, `${scene}, segment ${k}`);
    }
  }
  assert.ok(seen.free > before.free && seen.collision > before.collision);
});

test('obstacles that are moved', async () => {
  const path = file('demo-planned.json'), random = makeRandom(3);
  run('plan', 'demo', '-o', path);
  module.give(path);
  const {document} = await same({scene: 'demo', path}, 'where they were');
  const before = {...seen};
  for (const body of document.bodies.filter(({kind}) => kind === 'obstacle'))
    for (let k = 0; k < 4; ++k) {
      const place = body.pose.slice(9).map((v) => v + 0.8 * (random() - 0.5));
      await same({scene: 'demo', path, moved: {[body.name]: place}}, `${body.name} at ${place}`);
    }
  assert.ok(seen.free > before.free && seen.collision > before.collision);
});

// Thin plates and rods, slides at gaps down to 0.1 µm, linkages of many joints, bodies that fly freely, and real robots where they are:
// the scenes and motions of the suite in which every verdict of the native checker was confirmed by other means.
test('a short form of the suite that confirms every verdict', async () => {
  const made = spawnSync(suite, [file('suite'), '3'], {encoding: 'utf8', maxBuffer: 1 << 26});
  assert.equal(made.status, 0, made.stderr);
  const questions = made.stdout.trim().split('\n').map((line) => JSON.parse(line)), scenes = new Set(questions.map(({scene}) => scene));
  const before = {...seen}, given = new Set();
  for (const question of questions) {
    const home = dirname(question.scene);
    if (!given.has(home)) for (const line of execFileSync('find', [home, '-type', 'f'], {encoding: 'utf8'}).trim().split('\n')) module.give(line);
    given.add(home);
    await same(question, `${question.path} at ${question.clearance} m`, {turning: /fly|float/.test(home)});
  }
  console.log(`suite: ${questions.length} motions of ${scenes.size} scenes: free ${seen.free - before.free}, collision ${seen.collision - before.collision}, ` +
    `undecided ${seen.undecided - before.undecided}, errors ${seen.errors - before.errors}; not as files: ${made.stderr.trim() || 'none'}`);
  assert.ok(scenes.size >= 25 && seen.free - before.free > scenes.size / 2 && seen.collision - before.collision > scenes.size / 2);
});

test('distances at configurations', async () => {
  const random = makeRandom(5);
  let pairs = 0;
  for (const scene of ['demo', 'cage-a', 'workshop', 'free-flyer']) {
    const {document: {channels, home}} = await native.ask({scene});
    const turns = (i) => /\.q[xyzw]$|quaternion/.test(channels[i]);
    for (let k = 0; k < 5; ++k) {
      const distances = home.map((v, i) => (turns(i) ? v : v + random() - 0.5)).join(',');
      const here = module.ask({scene, distances}), there = await native.ask({scene, distances});
      assert.ok(there.pairs?.length > 0, JSON.stringify(there));
      assert.deepEqual(here, there, `${scene} at ${distances}`);
      pairs += there.pairs.length;
    }
    for (const distances of ['', '1', 'one', home.map(() => 'inf').join(',')]) await same({scene, distances}, `distances at '${distances}'`);
  }
  assert.ok(pairs > 500);
});

// A scene of files: a URDF with angles and meshes, a curve with times, a part on a belt.
function writeCell() {
  run('scene', 'demo', '-o', file('cell'));
  writeFileSync(file('cell/belt.json'), JSON.stringify({proven: 1, robots: [{name: 'arm', urdf: 'arm.urdf'}], obstacles: [
    {name: 'table', box: [0.7, 1, 0.05], pose: {xyz: [1.05, 0, 0.525], rpy: [0.1, 0.2, 0.3]}},
    {name: 'part', box: [0.1, 0.1, 0.1], pose: {xyz: [1, -0.6, 0.6]},
      motion: {proven: 1, joints: ['motion.y'], waypoints: [[0], [0.5]], times: [0, 2]}},
    {name: 'person', capsule: {radius: 0.25, length: 1.1}, pose: {xyz: [-1.5, -0.6, 0.8]}, grows: 0.25}]}));
  writeFileSync(file('cell/curve.json'), JSON.stringify({joint_names: [1, 2, 3, 4, 5, 6].map((k) => `joint_${k}`), points: [
    {positions: [1.61, 0.38, 0.61, -0.43, -0.69, -0.69], velocities: [0, 0.1, 0.3, 0, 0, 0], time_from_start: 0},
    {positions: [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21], velocities: [0, 2, -1.3, 0, 0, 0], time_from_start: 2}]}));
}

test('files: a curve by the clock, read, checked and verified', async () => {
  writeCell();
  for (const line of execFileSync('find', [file('cell'), '-type', 'f'], {encoding: 'utf8'}).trim().split('\n')) module.give(line);
  const scene = file('cell/belt.json'), path = file('cell/curve.json');
  const {certificate} = await same({scene, path}, 'checked', {turning: true});
  const proof = file('cell/curve.proof');
  writeFileSync(proof, Buffer.from(certificate, 'base64'));
  module.give(proof);
  const {document} = await same({scene, path, certificate: proof}, 'verified', {turning: true});
  assert.equal(document.motions[0].verification.accepted, true);
  // The program itself writes the same bytes, and accepts them.
  spawnSync(program, ['check', scene, path, '--certificate', file('cell/own.proof')]);
  assert.equal(Buffer.compare(Buffer.from(certificate, 'base64'), execFileSync('cat', [file('cell/own.proof')])), 0);
  assert.equal(spawnSync(program, ['verify', scene, path, proof]).status, 0);
});

test('what is wrong is said in the same words', async () => {
  const bad = file('cell/bad.json');
  writeFileSync(bad, '{"proven": 1,\n "robots": [}');
  module.give(bad);
  for (const question of [{scene: bad}, {scene: '/nowhere.json'}, {}, {scene: 'demo', moved: {nobody: [0, 0, 0]}}, {scene: 'demo', moved: {table: [0, 0, null]}},
    {scene: 'demo', path: bad}, {scene: 'demo', certificate: bad}, {scene: 'demo', unknown: 1}])
    await same(question, JSON.stringify(question));
  assert.ok(seen.errors >= 6);
});

// Between what is proved by far and what is false there is a clearance at which double intervals do
// not decide a leaf: 128 bits do. The module must not accept it, and say why.
test('a leaf that needs 128 bits is unverified, never accepted', async () => {
  const scene = 'demo', path = file('demo-planned.json');
  const {certificate} = module.ask({scene, path});
  const proof = file('demo-planned.proof');
  writeFileSync(proof, Buffer.from(certificate, 'base64'));
  module.give(proof);
  const verdict = async (clearance) => {
    const question = {scene, path, certificate: proof, clearance};
    const here = module.ask(question).document.motions[0].verification, there = (await native.ask(question)).document.motions[0].verification;
    assert.ok(!here.accepted || there.accepted, 'the module accepts only what 128 bits accept');
    return {here, there};
  };
  let [low, high] = [0, 0.5], between = 0;
  assert.equal((await verdict(low)).here.accepted, true);
  assert.equal((await verdict(high)).there.accepted, false);
  for (let k = 0; k < 60; ++k) {
    const middle = 0.5 * (low + high), {here, there} = await verdict(middle);
    if (!here.accepted) assert.match(here.reason, /unverified: .* 128-bit/);
    if (!here.accepted && there.accepted) ++between;
    if (here.accepted) low = middle;
    else high = middle;
  }
  assert.ok(between > 0, 'there is such a clearance');
});
