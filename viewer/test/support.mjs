// A browser and pages to look at.
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {connect} from 'node:net';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const program = process.env.PROVEN_PROGRAM;
export const folder = process.env.PROVEN_VIEWER_OUTPUT ?? 'viewer-pages';
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export function requireBrowser() {
  if (!program) throw new Error('PROVEN_PROGRAM must name the program');
  mkdirSync(folder, {recursive: true});
  if (executablePath) return;
  console.log('skipped: there is no chromium');
  process.exit(77);
}

export function launch() {
  return chromium.launch({executablePath, args: [
    '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run', '--disable-quic',
    '--disable-background-networking', '--disable-component-update', '--disable-sync']});
}

/** A page whose console must stay silent; `complaints` collects what it says. */
export async function openPage(browser, address, {width = 1440, height = 900, colorScheme = 'light', deviceScaleFactor = 1} = {}) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme, deviceScaleFactor});
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  const complaints = [];
  page.on('console', (message) => {
    // What the driver remarks about speed is no complaint of the page.
    if (['error', 'warning'].includes(message.type()) && !/GL Driver Message \(OpenGL, Performance/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address, {timeout: 120000});
  await page.waitForSelector('body[data-ready]', {timeout: 120000});
  return {page, complaints, close: () => context.close()};
}

/** Nothing moves any more, and the last picture is drawn. */
export const settled = (page) => page.waitForFunction(() => !window.proven.stage.flight && !window.proven.stage.moving && !window.proven.stage.pending, null, {timeout: 120000});

export const picture = (name) => join(folder, `${name}.png`);
export const file = (name) => join(folder, name);
export const address = (name) => pathToFileURL(file(name)).href;

export function run(...args) {
  return execFileSync(program, args, {encoding: 'utf8'});
}
/** Runs it whatever its exit code; returns that. */
export function tryRun(...args) {
  return spawnSync(program, args, {encoding: 'utf8'}).status;
}

/** The straight way of the demo: it collides. */
export function writeStraightPath() {
  run('plan', 'demo', '-o', file('demo.json'));
  const path = JSON.parse(readFileSync(file('demo.json'), 'utf8'));
  path.waypoints = [path.waypoints[0], path.waypoints.at(-1)];
  writeFileSync(file('straight.json'), JSON.stringify(path));
}

/** A timed curve past a part on a belt and a person who may come nearer; `duration` in seconds. */
export function writeTimedPage(name, duration) {
  run('scene', 'demo', '-o', file('arm'));
  writeFileSync(file('arm/belt.json'), JSON.stringify({proven: 1, robots: [{name: 'arm', urdf: 'arm.urdf'}], obstacles: [
    {name: 'table', box: [0.7, 1, 0.05], pose: {xyz: [1.05, 0, 0.525]}},
    {name: 'part', box: [0.1, 0.1, 0.1], pose: {xyz: [1, -0.6, 0.6]},
      motion: {proven: 1, joints: ['motion.y'], waypoints: [[0], [0.5]], times: [0, 2]}},
    {name: 'person', capsule: {radius: 0.25, length: 1.1}, pose: {xyz: [-1.5, -0.6, 0.8]}, grows: 0.25}]}));
  writeFileSync(file(`arm/${name}.json`), JSON.stringify({
    joint_names: [1, 2, 3, 4, 5, 6].map((k) => `joint_${k}`), points: [
      {positions: [1.61, 0.38, 0.61, -0.43, -0.69, -0.69], velocities: [0, 0.1, 0.3, 0, 0, 0], time_from_start: 0},
      {positions: [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21], velocities: [0, 2, -1.3, 0, 0, 0], time_from_start: duration}]}));
  run('view', file('arm/belt.json'), file(`arm/${name}.json`), '--html', file(`${name}.html`));
}

// There and back so many times.
function writeShuttle(name, times) {
  const path = JSON.parse(readFileSync(file(name), 'utf8'));
  const there = path.waypoints, back = [...there].reverse();
  path.waypoints = [there[0]];
  for (let k = 0; k < times; ++k) path.waypoints.push(...(k % 2 ? back : there).slice(1));
  writeFileSync(file(name), JSON.stringify(path));
}

/** A long motion in the machine tool, there and back: thousands of cells among 34,000 triangles. */
export function writeLargePage() {
  run('plan', 'machine-tool', '-o', file('large.json'));
  writeShuttle('large.json', 5);
  run('check', 'machine-tool', file('large.json'), '--report', file('large.html'));
}

/** The same with three machines, and longer: 100,000 triangles, 10,000 cells. */
export function writeHugePage() {
  run('scene', 'machine-tool', '-o', file('machines'));
  const name = file('machines/scene.json'), scene = JSON.parse(readFileSync(name, 'utf8'));
  for (const side of [-1, 1])
    for (const {pose, ...obstacle} of scene.obstacles.slice(0, 2)) {
      const [x, y, z] = pose?.xyz ?? [0, 0, 0];
      scene.obstacles.push({...obstacle, name: `${obstacle.name}_${side}`, pose: {...pose, xyz: [x, y + 4 * side, z]}});
    }
  writeFileSync(name, JSON.stringify(scene));
  run('plan', name, file('machines/query.json'), '-o', file('huge.json'));
  writeShuttle('huge.json', 11);
  run('check', name, file('huge.json'), '--report', file('huge.html'));
}

/** The status of an answer. */
export function ask(port, path, {host, method = 'GET'} = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({port, path, method, host: '127.0.0.1', headers: {Host: host ?? `127.0.0.1:${port}`}}, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** `proven view` with a server: its address, and how to end it. */
export async function startView(...args) {
  const server = spawn(program, ['view', ...args, '--no-open', '--json']);
  const line = await new Promise((resolve) => createInterface(server.stdout).once('line', resolve));
  const stop = () => new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill('SIGINT');
  });
  return {url: new URL(JSON.parse(line).address), stop};
}

/** An arm of two links with fingers that keep their opening beside a wall. It has covers, one of which is missing. */
export function writePincers() {
  const box = (size, xyz) => `<collision><origin xyz="${xyz}"/><geometry><box size="${size}"/></geometry></collision>`;
  const cover = (shape, colour) => `<visual><origin xyz="0.1 0 0"/><geometry>${shape}</geometry><material name="${colour}"/></visual>`;
  const joint = (name, type, parent, child, xyz, axis, limits = '') =>
    `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/><origin xyz="${xyz}"/><axis xyz="${axis}"/>${limits}</joint>`;
  mkdirSync(file('pincers'), {recursive: true});
  writeFileSync(file('pincers/arm.urdf'), `<robot name="arm">
    <material name="teal"><color rgba="0 0.5 0.5 1"/></material><material name="glass"><color rgba="1 1 0 0.5"/></material>
    <link name="foot">${cover('<cylinder radius="0.1" length="0.1"/>', 'teal')}</link>
    <link name="upper">${box('0.6 0.08 0.08', '0.3 0 0')}</link>
    <link name="left">${box('0.2 0.02 0.04', '0.1 0 0')}${cover('<mesh filename="finger.obj"/>', 'teal')}${cover('<mesh filename="gone.obj"/>', 'teal')}</link>
    <link name="right">${box('0.2 0.02 0.04', '0.1 0 0')}${cover('<sphere radius="0.06"/>', 'glass')}</link>
    ${joint('turn', 'revolute', 'foot', 'upper', '0 0 0.5', '0 0 1', '<limit lower="-1.5" upper="2" velocity="1" effort="1"/>')}
    ${joint('open', 'prismatic', 'upper', 'left', '0.65 0.05 0', '0 1 0', '<limit lower="0" upper="0.1" velocity="1" effort="1"/>')}
    ${joint('hold', 'prismatic', 'upper', 'right', '0.65 -0.05 0', '0 1 0', '<limit lower="-0.1" upper="0" velocity="1" effort="1"/>')}</robot>`);
  writeFileSync(file('pincers/finger.obj'), 'v -0.1 0 0\nv 0.1 -0.02 0\nv 0.1 0.02 0\nv 0.1 0 0.05\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n');
  writeFileSync(file('pincers/cell.json'), JSON.stringify({proven: 1, robots: [{name: 'arm', urdf: 'arm.urdf'}],
    obstacles: [{name: 'wall', box: [1, 0.1, 1], pose: {xyz: [0.5, 0.75, 0.5]}}]}));
  writeFileSync(file('pincers/path.json'), JSON.stringify({proven: 1, joints: ['arm/turn'], waypoints: [[-1], [0.2], [0.5]]}));
}

/** `proven serve` on a port, and one client of it: `ask` sends a message and gives the answer. */
export async function startServer(...args) {
  const server = spawn(program, ['serve', ...args, '--port', '0']);
  const [said] = await new Promise((resolve) => createInterface(server.stdout).once('line', (line) => resolve([JSON.parse(line)])));
  const socket = connect(said.port, '127.0.0.1'), waiting = [];
  createInterface(socket).on('line', (line) => {
    const answer = JSON.parse(line);
    if (!answer.event) waiting.shift()(answer);
  });
  const ask = (message) => new Promise((resolve, reject) => {
    waiting.push((answer) => (answer.ok ? resolve(answer) : reject(new Error(answer.error))));
    socket.write(`${JSON.stringify(message)}\n`);
  });
  await ask({do: 'hello', token: said.token});
  // A server that is asked to end has written all that it answered by then.
  const end = () => new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill('SIGINT');
  }).finally(() => socket.destroy());
  return {page: said.page, ask, end, stop: () => {
    socket.destroy();
    server.kill('SIGKILL');
  }};
}

/** A motion of the demo that a ball gets into the way of, half way. */
export async function watchMotion({ask}) {
  const {joints, home} = await ask({do: 'scene'}), to = (v) => [home[0] + v, ...home.slice(1)];
  await ask({do: 'monitor', name: 'job', path: {proven: 1, joints, waypoints: [home, to(0.3), to(0.6)]}});
}
export const BALL = {name: 'ball', sphere: 0.12, pose: {xyz: [0.9, 0.42, 1.45]}};
