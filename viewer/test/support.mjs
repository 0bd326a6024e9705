// A browser and pages to look at.
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
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
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address, {timeout: 120000});
  await page.waitForSelector('body[data-ready]', {timeout: 120000});
  return {page, complaints, close: () => context.close()};
}

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
