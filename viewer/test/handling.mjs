// How the page is used: filter, tips, addresses, measuring, moving joints, small windows. Exit code 77: there is no browser.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {address, ask, file, launch, openPage, picture, requireBrowser, run, settled, startView, tryRun, writePincers, writeStraightPath} from './support.mjs';

requireBrowser();
let browser;
before(async () => {
  run('demo', '--report', file('demo.html'));
  writeStraightPath();
  assert.equal(tryRun('check', 'demo', file('straight.json'), '--report', file('straight.html')), 1);
  browser = await launch();
});
after(() => browser?.close());

const writeConfiguration = (name, values) => {
  writeFileSync(file(name), JSON.stringify({proven: 1, joints: ['arm/turn'], waypoints: [values]}));
  return file(name);
};

test('the filter is one for lanes, plot and list', async () => {
  const {page, complaints, close} = await openPage(browser, address('demo.html'), {width: 1000, height: 650});
  const least = () => page.evaluate(() => {
    const {proof, clock} = window.proven;
    return Math.min(...proof.envelope(proof.shownCells, clock.begin, clock.end, 400).distance);
  });
  const list = () => page.locator('.moment .pair').allInnerTexts();
  const plot = () => page.evaluate(() => window.proven.timeline.plot.toDataURL());
  await page.locator('.moment .pair').first().waitFor();
  const all = {least: await least(), plot: await plot(), list: await list()};
  assert.ok(all.list.some((name) => !/jaw/.test(name)), String(all.list));
  await page.fill('.filter', 'jaw -pillar');
  await page.waitForFunction(() => [...document.querySelectorAll('.moment .pair')].every((e) => /jaw/.test(e.innerText) && !/pillar/.test(e.innerText)));
  const rows = await page.evaluate(() => window.proven.timeline.rows().map((row) => row.name));
  assert.ok(rows.length > 5 && rows.every((name) => /jaw/.test(name) && !/pillar/.test(name)), String(rows));
  assert.ok(await least() > 2 * all.least, 'the nearest pairs of all are left out');
  assert.notEqual(await plot(), all.plot);
  assert.match(await page.locator('.moment h2').innerText(), /Closest of \d+ pairs/);
  // The next cell by keys is one of them, and another motion keeps the filter.
  await page.evaluate(() => window.proven.stepHardest(1));
  assert.match(await page.locator('#cell').innerText(), /jaw/);
  await page.fill('.filter', 'nobody');
  assert.equal(await page.evaluate(() => window.proven.timeline.rows().length), 0);
  await page.fill('.filter', '');
  await page.keyboard.press('Escape');
  assert.equal(await least(), all.least);
  await page.keyboard.press('Home');
  await page.waitForFunction((names) => [...document.querySelectorAll('.moment .pair')].map((e) => e.innerText).join() === names, all.list.join());
  assert.deepEqual(complaints, []);
  await close();
});

test('tips go away: a press, a key, scrolling, leaving', async () => {
  const {page, complaints, close} = await openPage(browser, address('demo.html'), {width: 1000, height: 650});
  const {x, y} = await page.evaluate(() => {
    const box = window.proven.timeline.scroller.getBoundingClientRect();
    return {x: box.left + 400, y: box.top + 30};
  });
  const tip = page.locator('.chart .tip'), goes = () => tip.waitFor({state: 'hidden'});
  // Scrolling goes on for a while and hides a tip that came meanwhile: the pointer moves until there is one.
  const hover = async (dx) => {
    let there = false;
    for (let k = 0; k < 1000 && !there; ++k) {
      await page.mouse.move(x + dx + (k % 2), y);
      await page.waitForTimeout(20);
      there = await tip.isVisible();
    }
    assert.ok(there);
    assert.match(await tip.textContent(), /≥ .*, proved/);
  };
  await hover(0);
  await page.mouse.down();
  await page.mouse.move(x + 60, y);
  await goes();
  await page.mouse.up();
  await hover(4);
  await page.keyboard.press('Home');
  await goes();
  await hover(8);
  await page.mouse.wheel(0, 40);
  await goes();
  await hover(12);
  await page.mouse.move(x, 200);
  await goes();
  assert.deepEqual(complaints, []);
  await close();
});

test('an address names a moment, and follows it', async () => {
  const {page, complaints, close} = await openPage(browser, `${address('demo.html')}#t=1.5&motion=1`, {width: 900, height: 600});
  const at = () => page.evaluate(() => ({time: window.proven.time, motion: window.proven.current}));
  assert.deepEqual(await at(), {time: 1.5, motion: 0});
  assert.equal(await page.locator('#contact').count(), 0, 'the moment that was asked for, not the contact');
  await page.evaluate(() => window.proven.choose(1));
  await page.evaluate(() => window.proven.scrub(0.75));
  await page.waitForFunction(() => location.hash === '#t=0.75&motion=2');
  await page.evaluate(() => (location.hash = '#t=2&motion=2'));
  await page.waitForFunction(() => window.proven.time === 2);
  for (const [hash, words] of [['#t=soon', 'no time'], ['#t=1&motion=7', 'motion 7'], ['#t=1e9', 'this motion goes from 0'], ['#nonsense', 'a moment is named']]) {
    await page.evaluate((h) => (location.hash = h), hash);
    await page.locator('.notice', {hasText: words}).waitFor();
  }
  assert.equal(await page.locator('.notice').count(), 1);
  await page.locator('.notice button').click();
  assert.equal(await page.locator('.notice').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test('pairs that do not change can be left out; distances are measured on demand; joints can be moved', async () => {
  writePincers();
  const server = await startView(file('pincers/cell.json'), file('pincers/path.json'));
  try {
    const {page, complaints, close} = await openPage(browser, server.url.href);
    const lanes = () => page.evaluate(() => window.proven.timeline.rows().map((row) => row.name));
    assert.ok((await lanes()).includes('left – right'), 'the fingers keep their opening');
    await page.getByRole('button', {name: 'changing only'}).click();
    assert.deepEqual((await lanes()).sort(), ['left – wall', 'right – wall', 'upper – wall']);
    assert.ok(await page.evaluate(() => !document.querySelector('.moment').innerText.includes('left – right')));
    await page.getByRole('button', {name: 'changing only'}).click();
    // Measured: the fingers are 0.08 m apart, whatever was proved.
    const row = page.locator('.moment li', {hasText: 'left – right'});
    assert.match(await row.innerText(), /≥ [\d.]+ mm\s*≤ [\d.]+ mm$/, 'proved and measured');
    const certificate = page.getByRole('button', {name: 'bound of the certificate'});
    await certificate.click();
    assert.match(await row.innerText(), /≥ [\d.]+ mm$/, 'what the certificate bounds, on demand');
    await page.locator('.moment', {hasText: 'Bounds of the certificate'}).waitFor();
    await certificate.click();
    assert.match(await row.innerText(), /≤ [\d.]+ mm$/);
    await page.getByRole('button', {name: 'Measure'}).click();
    await page.locator('.moment', {hasText: 'Measured, beside what is proved'}).waitFor();
    assert.match(await row.innerText(), /≥ [\d.]+ mm\s*80 mm$/);
    // As many as the program itself says, at another moment.
    await page.evaluate(() => window.proven.scrub(window.proven.clock.end));
    const said = JSON.parse(run('distance', file('pincers/cell.json'), writeConfiguration('pincers/end.json', [0.5]), '--json'));
    const wall = said.pairs.find(({pair}) => pair.join() === 'arm/left,wall').distance;
    await page.waitForFunction((mm) => [...document.querySelectorAll('.moment li')].some((li) => /left – wall/.test(li.innerText) && li.innerText.includes(`${mm} mm`)),
      String(+(1e3 * wall).toPrecision(3)));
    await page.screenshot({path: picture('measured')});
    // Values and limits, and a configuration of one's own: into the wall, and out again.
    await page.click('#joints summary');
    const joints = page.locator('#joints li');
    await joints.first().filter({hasText: /turn\s*−1.50 … 2.00\s*0.500 rad/}).waitFor();
    const drag = (value) => page.evaluate((v) => {
      const slider = document.querySelector('#joints input[aria-label=turn]');
      slider.value = v;
      slider.dispatchEvent(new Event('input'));
    }, value);
    await drag(1.3);
    await page.locator('#trial', {hasText: /pairs? meets?/}).waitFor();
    assert.match(await page.locator('#trial').innerText(), /wall\s*overlap/);
    await settled(page);
    await page.screenshot({path: picture('trial')});
    const red = () => page.evaluate(() => window.proven.stage.bodies.meshes.filter((m) => m.material.color.r > 1.5 * m.material.color.b && m.material.color.g < 0.1).map((m) => m.name));
    assert.ok((await red()).includes('wall'));
    await drag(-0.7);
    await page.locator('#trial', {hasText: 'No pair meets'}).waitFor();
    assert.deepEqual(await red(), []);
    await page.keyboard.press('Escape');
    await page.locator('#trial').waitFor({state: 'detached'});
    assert.match(await joints.first().innerText(), /0.500 rad/, 'back at the motion');
    await page.getByRole('button', {name: 'Measure here'}).click();
    await page.locator('#trial', {hasText: 'No pair meets'}).waitFor();
    assert.match(await page.locator('#trial').innerText(), /left – wall\s*240 mm/);
    await page.keyboard.press('Escape');
    // The files change under the page: it says so.
    writeFileSync(file('pincers/cell.json'), readFileSync(file('pincers/cell.json'), 'utf8').replace('0.75', '0.85'));
    await fetch(server.url);
    await drag(0.1);
    await page.locator('#trial', {hasText: 'has changed'}).waitFor();
    assert.deepEqual(complaints, []);
    await close();
    const {port, search} = server.url;
    for (const [q, status] of [['0,0,0', 200], ['0,0', 400], ['0,0,0,0', 400], ['0,nan,0', 400], ['0,inf,0', 400], ['', 400], ['0,,0', 400], ['0,0x1,0', 400]])
      assert.equal(await ask(port, `/distances${search}&q=${q}`), status, q);
    assert.equal(await ask(port, '/distances?q=0,0,0'), 403, 'no token');
  } finally {
    await server.stop();
  }
});

test('a page that is a file moves joints, and says that measuring needs a program', async () => {
  writePincers();
  run('view', file('pincers/cell.json'), '--html', file('pincers.html'));
  const {page, complaints, close} = await openPage(browser, address('pincers.html'), {colorScheme: 'dark'});
  const tip = () => page.evaluate(() => window.proven.stage.bodies.meshes.find((m) => m.name === 'arm/left').matrix.elements.slice(12, 14).map((v) => +v.toFixed(6)));
  assert.deepEqual(await tip(), [0.65, 0.05]);
  await page.evaluate(() => {
    const slider = document.querySelector('#joints input[aria-label=open]');
    slider.value = 0.1;
    slider.dispatchEvent(new Event('input'));
  });
  assert.deepEqual(await tip(), [0.65, 0.15]);
  assert.match(await page.locator('#trial').innerText(), /cannot measure[^]*proven view/);
  await settled(page);
  await page.screenshot({path: picture('trial-file')});
  assert.deepEqual(complaints, []);
  await close();
});

test('a small window shows the scene, the lanes and every tool', async () => {
  for (const [name, colorScheme] of [['demo', 'light'], ['straight', 'dark']]) {
    const {page, complaints, close} = await openPage(browser, address(`${name}.html`), {width: 900, height: 600, colorScheme});
    const seen = await page.evaluate(() => {
      const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
      const inside = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.offsetParent).every((e) => {
        const {left, right, top, bottom, width} = e.getBoundingClientRect();
        return width > 0 && left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
      });
      return {view: box('#view').height, wide: box('#view').width, lanes: box('.lanes').height, across: document.documentElement.scrollWidth,
        tools: inside('.transport button, .transport input, .transport select, .view-tools button, header.top button, .badge, .verdict strong')};
    });
    assert.ok(seen.view > 250 && seen.wide > 500 && seen.across <= 900 && seen.tools, JSON.stringify(seen));
    if (name === 'demo') assert.ok(seen.lanes > 70, JSON.stringify(seen));
    await settled(page);
    await page.screenshot({path: picture(`small-${name}`)});
    assert.deepEqual(complaints, []);
    await close();
  }
});

test('what robots look like is shown beside their bodies, in the colours of their materials', async () => {
  writePincers();
  assert.equal(tryRun('check', file('pincers/cell.json'), file('pincers/path.json'), '--report', file('visuals.html')), 0);
  const {page, complaints, close} = await openPage(browser, address('visuals.html'));
  const seen = () => page.evaluate(() => {
    const {meshes, visuals} = window.proven.stage.bodies, shown = (list) => list.filter((m) => m.visible).map((m) => m.name).sort();
    return {bodies: shown(meshes), visuals: shown(visuals), ghosts: meshes.filter((m) => m.visible && m.material.opacity < 1).map((m) => m.name).sort()};
  });
  const bodies = ['arm/left', 'arm/right', 'arm/upper', 'wall'], visuals = ['arm/foot, visual', 'arm/left, visual', 'arm/right, visual'];
  assert.deepEqual(await seen(), {bodies, visuals: [], ghosts: []}, 'first what is proved');
  const before = await page.locator('#view').screenshot();
  await page.keyboard.press('v');
  assert.deepEqual(await seen(), {bodies: ['arm/upper', 'wall'], visuals, ghosts: []}, 'a link without visuals stays');
  const drawn = await page.evaluate(() => window.proven.stage.bodies.visuals.map(({material, matrix}) =>
    [material.color.getHexString(), material.opacity, ...matrix.elements.slice(12, 15).map((v) => +v.toFixed(4))]));
  // At turn = -1: (0.65, 0.05) and (0.65, -0.05) of the upper arm, and 0.1 ahead.
  const place = (y) => [0.75 * Math.cos(1) + y * Math.sin(1), -0.75 * Math.sin(1) + y * Math.cos(1), 0.5].map((v) => +v.toFixed(4));
  assert.deepEqual(drawn, [['008080', 1, 0.1, 0, 0], ['008080', 1, ...place(0.05)], ['ffff00', 0.5, ...place(-0.05)]]);
  await settled(page);
  await page.screenshot({path: picture('visuals')});
  assert.notDeepEqual(await page.locator('#view').screenshot(), before);
  await page.getByLabel('What is drawn of robots').selectOption('both');
  assert.deepEqual(await seen(), {bodies, visuals, ghosts: ['arm/left', 'arm/right']});
  await settled(page);
  await page.screenshot({path: picture('visuals-both')});
  // What is pointed out is a body.
  await page.keyboard.press('n');
  assert.deepEqual((await seen()).visuals, []);
  await page.keyboard.press('Escape');
  assert.deepEqual((await seen()).visuals, visuals);
  await page.getByText(/^\d+ notes?$/).click();
  assert.match(await page.locator('.rest').innerText(), /visual of arm: not shown: .*arm\.urdf:\d+: .*gone\.obj/);
  assert.deepEqual(complaints, []);
  await close();
  run('view', file('pincers/cell.json'), '--visuals', 'off', '--html', file('no-visuals.html'));
  assert.ok(!/"visuals"/.test(readFileSync(file('no-visuals.html'), 'utf8').match(/id="document">(.*?)<\/script>/s)[1]));
});
