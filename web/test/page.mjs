// The page in a real browser, from disk. Exit code 77: it was not made, or there is no browser.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {folder, program, requireModule, work} from './support.mjs';

requireModule('proven.html');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) {
  console.log('skipped: there is no chromium');
  process.exit(77);
}
const {chromium} = createRequire(new URL('../../viewer/package.json', import.meta.url))('playwright-core');
const LONG = {timeout: 120000};
const file = (name) => resolve(join(work, name));
const run = (...args) => execFileSync(program, args, {encoding: 'utf8'});

let browser;
before(async () => {
  browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking']});
});
after(() => browser?.close());

/** The page, once it has answered; its console must stay silent, and nothing is fetched. */
async function open(viewport = {width: 1440, height: 900}) {
  const context = await browser.newContext({viewport, acceptDownloads: true});
  const page = await context.newPage();
  const complaints = [];
  // What the driver remarks about speed is no complaint of the page.
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !/GL Driver Message \(OpenGL, Performance/.test(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => /^https?:/.test(request.url()) && complaints.push(`asks for ${request.url()}`));
  await page.goto(pathToFileURL(join(folder, 'proven.html')).href, LONG);
  await page.waitForSelector('body[data-ready]', LONG);
  return {page, complaints, viewer: page.frameLocator('#frame'), close: () => context.close()};
}
const status = (page) => page.locator('#status').innerText();
const says = (page, pattern) => page.waitForFunction(([text]) => new RegExp(text).test(document.getElementById('status').textContent), [pattern], LONG);
const ready = (viewer) => viewer.locator('body[data-ready]').waitFor(LONG);

/** Where an obstacle can be seized, in pixels of the page, and where the robot's axis is at that height. */
function seize(page, name) {
  return page.evaluate((wanted) => {
    const frame = document.getElementById('frame'), {proven} = frame.contentWindow;
    const canvas = proven.stage.canvas.getBoundingClientRect(), at = frame.getBoundingClientRect();
    for (let y = 10; y < canvas.height; y += 8)
      for (let x = 10; x < canvas.width; x += 8) {
        const found = proven.drag.obstacleAt({clientX: canvas.left + x, clientY: canvas.top + y});
        if (found?.body.name !== wanted) continue;
        const axis = proven.stage.project(found.point.clone().set(0, 0, found.point.z)), left = at.left + canvas.left, top = at.top + canvas.top;
        return {x: left + x, y: top + y, to: {x: left + axis.x, y: top + axis.y}};
      }
    return null;
  }, name);
}

test('a scene to play with: proved, then an obstacle is dragged into the way', async () => {
  const {page, complaints, viewer, close} = await open();
  await ready(viewer);
  assert.match(await status(page), /^Free: \d+ leaves verified/);
  assert.match(await viewer.locator('#verdict').innerText(), /Free/);
  await page.screenshot({path: file('free.png')});
  const before = await page.evaluate(() => {
    const {proven} = document.getElementById('frame').contentWindow;
    return {camera: proven.stage.camera.position.toArray(), obstacles: proven.doc.bodies.filter(({kind}) => kind === 'obstacle').map(({name, pose}) => [name, pose.slice(9)])};
  });
  const [name, from] = before.obstacles.find(([obstacle]) => obstacle === 'pillar_1'), at = await seize(page, name);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let k = 1; k <= 6; ++k) await page.mouse.move(at.x + (k / 6) * (at.to.x - at.x), at.y + (k / 6) * (at.to.y - at.y));
  await page.mouse.up();
  // The page has heard of the last move, and of what it means.
  const to = await (await page.waitForFunction((wanted) => {
    const {state} = window.page, place = document.getElementById('frame').contentWindow.proven.doc.bodies.find((b) => b.name === wanted).pose.slice(9);
    return !state.asking && String(state.moved[wanted]) === String(place) ? place : null;
  }, name, LONG)).jsonValue();
  assert.notDeepEqual(to, from, 'it has moved');
  assert.equal(to[2], from[2], 'over the ground');
  await says(page, '^Collision: the witness is confirmed');
  await viewer.locator('#verdict', {hasText: 'Collision'}).waitFor(LONG);
  assert.deepEqual(await page.evaluate(() => document.getElementById('frame').contentWindow.proven.stage.camera.position.toArray()), before.camera, 'one looks from where one did');
  await page.waitForFunction(() => {
    const {stage} = document.getElementById('frame').contentWindow.proven;
    return !stage.moving && !stage.pending;
  }, null, LONG);
  await page.screenshot({path: file('collision.png')});
  await page.click('#reset');
  await says(page, '^Free');
  await viewer.locator('#verdict', {hasText: 'Free'}).waitFor(LONG);
  await page.fill('#clearance', '5000');
  await page.locator('#clearance').dispatchEvent('change');
  await says(page, '^(Collision|Undecided)');
  assert.deepEqual(complaints, []);
  await close();
});

test('distances are measured in the browser, as joints are moved, and in the scene as it is now', async () => {
  const {page, complaints, viewer, close} = await open({width: 900, height: 600});
  await ready(viewer);
  await viewer.getByRole('button', {name: 'Measure', exact: true}).click();
  await viewer.locator('.moment', {hasText: 'Measured, beside what is proved'}).waitFor(LONG);
  const channels = await page.evaluate(() => document.getElementById('frame').contentWindow.proven.clock.channels(0));
  writeFileSync(file('at-start.json'), JSON.stringify({proven: 1, joints: [1, 2, 3, 4, 5, 6].map((k) => `joint_${k}`), waypoints: [[...Object.values(channels)]]}));
  const said = JSON.parse(run('distance', 'demo', file('at-start.json'), '--json')).pairs, palm = said.find(({pair}) => /link_4$/.test(pair[0]) && /palm$/.test(pair[1]));
  const row = viewer.locator('.moment li', {hasText: 'link_4 – palm'});
  assert.ok((await row.innerText()).endsWith(`${+(1e3 * palm.distance).toPrecision(3)} mm`), `${await row.innerText()}, but ${palm.distance}`);
  const drag = (value) => page.evaluate((v) => {
    const {document: inner, Event: Kind} = document.getElementById('frame').contentWindow, slider = inner.querySelector('#joints input[type=range]');
    slider.value = v;
    slider.dispatchEvent(new Kind('input'));
  }, value);
  await viewer.locator('#joints summary').click();
  await drag(-0.8);
  await viewer.locator('#trial', {hasText: /No pair meets|pairs? meets?/}).waitFor(LONG);
  const before = await viewer.locator('#trial').innerText();
  assert.match(before, /of 150 pairs, measured at this configuration alone/);
  await drag(0.4);
  await page.waitForFunction((old) => !document.getElementById('frame').contentDocument.querySelector('#trial').innerText.includes(old), before, LONG);
  await page.screenshot({path: file('measured.png')});
  // A pillar that stands in the robot is met.
  await page.evaluate(() => {
    window.page.state.moved = {pillar_1: [0, 0, 0.9]};
    return window.page.ask();
  });
  await drag(0.41);
  await viewer.locator('#trial', {hasText: /pairs? meets?/}).waitFor(LONG);
  assert.match(await viewer.locator('#trial').innerText(), /pillar_1\s*overlap/);
  const small = await page.evaluate(() => ({across: document.documentElement.scrollWidth, down: document.documentElement.scrollHeight,
    view: document.getElementById('frame').contentDocument.getElementById('view').getBoundingClientRect().height}));
  assert.ok(small.across <= 900 && small.down <= 600 && small.view > 200, JSON.stringify(small));
  assert.deepEqual(complaints, []);
  await close();
});

function all(folder) {
  return readdirSync(folder).flatMap((name) => (statSync(join(folder, name)).isDirectory() ? all(join(folder, name)) : [join(folder, name)]));
}

test('files: a robot with meshes and a path are checked, the certificate is saved, and verified again', async () => {
  run('scene', 'demo', '-o', file('dropped'));
  run('plan', file('dropped/scene.json'), file('dropped/query.json'), '-o', file('dropped/path.json'));
  const {page, complaints, viewer, close} = await open();
  // A folder that was chosen: the browser tells relative names.
  const dropped = all(file('dropped')).filter((name) => !name.endsWith('query.json')).map((name) => ({name: `/files/${name.slice(file('').length + 1)}`, bytes: [...readFileSync(name)]}));
  const take = (files) => page.evaluate((given) => window.page.take(given.map(({name, bytes}) => ({name, bytes: Uint8Array.from(bytes)}))), files);
  await take(dropped);
  assert.match(await status(page), /^Free: \d+ leaves verified/);
  await ready(viewer);
  const [download] = await Promise.all([page.waitForEvent('download', LONG), page.click('#save')]);
  await download.saveAs(file('saved.proof'));
  run('verify', file('dropped/scene.json'), file('dropped/path.json'), file('saved.proof'));
  const proof = readFileSync(file('saved.proof'));
  await take([{name: '/files/saved.proof', bytes: [...proof]}]);
  assert.match(await status(page), /^Free: \d+ leaves verified/);
  assert.equal(await page.locator('#certificate').inputValue(), '/files/saved.proof');
  proof[proof.length - 20] ^= 1;
  await take([{name: '/files/saved.proof', bytes: [...proof]}]);
  assert.match(await status(page), /^Rejected: /);
  await take([{name: '/files/dropped/scene.json', bytes: [...Buffer.from('{"proven": 1, "robots": [}')]}]);
  assert.match(await status(page), /scene\.json:1/);
  assert.deepEqual(complaints, []);
  await close();
});
