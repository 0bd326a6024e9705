// The pictures of the documents: PROVEN_PROGRAM=build/release/tools/proven node viewer/test/pictures.mjs docs/images
// With a recording of the drive of docs/tutorials/depth_stream.md as a second argument: those of that page.
import {join} from 'node:path';
import {address, file, launch, openPage, requireBrowser, run, startView, writeTimedPage} from './support.mjs';

const [folder, session] = process.argv.slice(2), WIDTH = 1280, HEIGHT = 800;

// Drawn twice as large, then reduced: smooth edges without a graphics processor.
async function save(browser, page, name) {
  await page.waitForTimeout(4000);
  await page.waitForFunction(() => !window.proven.stage.moving && !window.proven.stage.pending, null, {timeout: 120000});
  const large = (await page.screenshot()).toString('base64');
  const small = await browser.newPage({viewport: {width: WIDTH, height: HEIGHT}});
  await small.setContent(`<body style="margin:0"><img width="${WIDTH}" src="data:image/png;base64,${large}">`);
  await small.waitForFunction(() => document.images[0].complete);
  await small.screenshot({path: join(folder, name)});
  await small.close();
}

async function saveSession(browser) {
  run('view', session, '--html', file('drive.html'));
  const {page} = await openPage(browser, address('drive.html'), {width: WIDTH, height: HEIGHT, deviceScaleFactor: 2});
  await page.evaluate(() => {
    const {session: {states}, stage} = window.proven;
    window.proven.scrub(states.findLast((state) => state.fell.length).time);
    stage.home = [-0.75, -0.85, 0.75];
    stage.look('home', false);
  });
  await save(browser, page, 'depth-stream-fell.png');
  await page.evaluate(() => window.proven.scrub(window.proven.clock.begin + 0.72 * (window.proven.clock.end - window.proven.clock.begin)));
  await save(browser, page, 'depth-stream-around.png');
}

requireBrowser();
if (session) {
  const browser = await launch();
  await saveSession(browser);
  await browser.close();
  process.exit(0);
}
run('demo', '--report', file('demo.html'));
const browser = await launch();
const {page} = await openPage(browser, address('demo.html'), {width: WIDTH, height: HEIGHT, deviceScaleFactor: 2});
await page.evaluate(() => window.proven.scrub(window.proven.clock.begin + 0.3 * (window.proven.clock.end - window.proven.clock.begin)));
// From here no pillar hides the arm.
await page.evaluate(() => {
  window.proven.stage.home = [0.94, -0.34, 0.42];
  window.proven.stage.look('home', false);
});
await save(browser, page, 'demo.png');
await page.evaluate(() => {
  const lane = window.proven.proof.lanes.find(({name}) => name === 'jaw_2 – pillar_1');
  window.proven.select(lane.hardest, lane);
});
await save(browser, page, 'proof-cell.png');
run('plan', 'demo', '-o', file('demo.json'));
const server = await startView('demo', file('demo.json'));
const tried = (await openPage(browser, server.url.href, {width: WIDTH, height: HEIGHT, deviceScaleFactor: 2})).page;
await tried.click('#joints summary');
await tried.evaluate(() => {
  const {proven} = window, {joint_1, joint_2} = Object.fromEntries([...document.querySelectorAll('#joints input')].map((e) => [e.ariaLabel, e]));
  proven.stage.home = [0.94, -0.34, 0.42];
  proven.stage.look('home', false);
  for (const [slider, value] of [[joint_1, 0.45], [joint_2, 0.75]]) {
    slider.value = value;
    slider.dispatchEvent(new Event('input'));
  }
});
await tried.locator('#trial', {hasText: 'of 150 pairs'}).waitFor();
await save(browser, tried, 'trial.png');
await server.stop();
writeTimedPage('swing', 2);
const timed = (await openPage(browser, address('swing.html'), {width: WIDTH, height: HEIGHT, deviceScaleFactor: 2})).page;
await timed.evaluate(() => {
  window.proven.timeline.rates[0].open = true;
  window.proven.timeline.draw();
  window.proven.scrub(1.2);
});
await save(browser, timed, 'timed-motion.png');
run('task', 'make', 'tables', file('tables'));
run('task', file('tables/domain.pddl'), file('tables/II-01.pddl'), '--report', file('task.html'));
const task = (await openPage(browser, address('task.html'), {width: WIDTH, height: HEIGHT, deviceScaleFactor: 2})).page;
await task.evaluate(() => {
  window.proven.taskView.choose(1, true);
  window.proven.scrub(1.55);
});
await save(browser, task, 'task-page.png');
await browser.close();
