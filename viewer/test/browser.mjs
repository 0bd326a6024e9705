// The page in a real browser, from disk and from the server. Exit code 77: there is no browser.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {measure, report} from './figures.mjs';
import {
  address, ask, BALL, file, launch, openPage, picture, requireBrowser, run, settled, startServer, startView, tryRun, watchMotion, writeStraightPath,
  writeTimedPage,
} from './support.mjs';

requireBrowser();
let browser;
before(async () => {
  run('demo', '--report', file('demo.html'));
  writeStraightPath();
  browser = await launch();
});
after(() => browser?.close());

const view = (page) => page.locator('#view').screenshot();

test('the demo opens from disk, plays, and says nothing on the console', async () => {
  const {page, complaints, close} = await openPage(browser, address('demo.html'));
  assert.match(await page.locator('#verdict').innerText(), /Free/);
  assert.match(await page.locator('header.top').innerText(), /leaves verified independently/);
  await settled(page);
  const first = await view(page);
  assert.deepEqual(await view(page), first, 'nothing moves by itself');
  await page.screenshot({path: picture('demo')});
  await page.click('#play');
  await page.waitForFunction(() => window.proven.time > window.proven.clock.begin + 0.1 * (window.proven.clock.end - window.proven.clock.begin));
  await page.keyboard.press('Space');
  assert.equal(await page.evaluate(() => window.proven.playing), false);
  assert.notDeepEqual(await view(page), first, 'the robot has moved');
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => window.proven.time === window.proven.clock.end), true);
  await page.keyboard.press('?');
  await page.locator('.help').waitFor({state: 'visible'});
  await page.screenshot({path: picture('help')});
  await page.keyboard.press('Escape');
  await page.locator('.help').waitFor({state: 'hidden'});
  await page.keyboard.press('?');
  await page.locator('.help').waitFor({state: 'visible'});
  await page.keyboard.press('?');
  await page.locator('.help').waitFor({state: 'hidden'});
  assert.deepEqual(complaints, []);
  await close();
});

test('a click on a cell selects it and shows its numbers', async () => {
  const {page, complaints, close} = await openPage(browser, address('demo.html'));
  const target = await page.evaluate(() => {
    const {timeline, proof} = window.proven, lane = timeline.rows()[0];
    const box = timeline.scroller.getBoundingClientRect();
    return {x: box.left + timeline.x(proof.anchor[lane.hardest]), y: box.top + 10, name: lane.name,
      least: proof.slack[lane.hardest] + proof.cells.required[lane.hardest]};
  });
  await page.mouse.click(target.x, target.y);
  const card = page.locator('#cell');
  await card.waitFor();
  const text = await card.innerText();
  for (const name of target.name.split(' – ')) assert.ok(text.includes(name), `${name} in ${text}`);
  for (const word of ['slack', 'anchor', 'direction', 'segment', 'gap at the anchor']) assert.ok(text.includes(word), word);
  const shown = await page.evaluate(() => {
    const {proof} = window.proven, i = window.proven.selected, n = proof.cells.direction;
    return {anchor: proof.anchor[i], time: window.proven.time, objects: window.proven.highlight.group.children.length,
      unit: Math.hypot(n[3 * i], n[3 * i + 1], n[3 * i + 2])};
  });
  assert.equal(shown.time, shown.anchor);
  assert.ok(shown.objects >= 5, 'two pieces, a plane and a gap');
  assert.ok(Math.abs(shown.unit - 1) < 1e-5);
  await settled(page);
  await page.screenshot({path: picture('cell')});
  await page.keyboard.press('Escape');
  await card.waitFor({state: 'detached'});
  await page.fill('.filter', 'jaw_1 pillar');
  assert.ok(await page.evaluate(() => window.proven.timeline.rows().every((r) => /jaw_1.*pillar/.test(r.name))));
  assert.deepEqual(complaints, []);
  await close();
});

test('a colliding path shows its witness', async () => {
  assert.equal(tryRun('check', 'demo', file('straight.json'), '--report', file('straight.html')), 1);
  const {page, complaints, close} = await openPage(browser, address('straight.html'));
  assert.match(await page.locator('#verdict').innerText(), /Collision/);
  const text = await page.locator('#contact').innerText();
  assert.match(text, /overlap/);
  const state = await page.evaluate(() => {
    const {doc, stage, time, clock} = window.proven, w = doc.motions[0].witness;
    const red = (i) => stage.bodies.meshes[i].material.color;
    return {names: w.bodies.map((b) => doc.bodies[b].name), at: clock.time(w.segment, w.t), time,
      colours: w.bodies.map((b) => red(b).r > 1.5 * red(b).b), others: stage.bodies.meshes.filter((m) => m.material.opacity < 0.3).length};
  });
  assert.equal(state.time, state.at);
  assert.deepEqual(state.colours, [true, true]);
  assert.ok(state.others > 5, 'the rest fades');
  await settled(page);
  await page.screenshot({path: picture('collision')});
  assert.deepEqual(complaints, []);
  await close();
});

test('the two motions of the demo can be switched', async () => {
  const {page, complaints, close} = await openPage(browser, address('demo.html'), {colorScheme: 'dark'});
  await page.getByRole('button', {name: 'Straight'}).click();
  assert.match(await page.locator('#verdict').innerText(), /Collision/);
  await page.getByRole('button', {name: 'Around'}).click();
  assert.match(await page.locator('#verdict').innerText(), /Free/);
  assert.equal(await page.locator('#contact').count(), 0);
  await page.evaluate(() => window.proven.scrub(0.5 * (window.proven.clock.begin + window.proven.clock.end)));
  await settled(page);
  await page.screenshot({path: picture('dark')});
  assert.deepEqual(complaints, []);
  await close();
});

test('a broken scene shows its error', async () => {
  writeFileSync(file('broken.json'), JSON.stringify({
    proven: 1, robots: [], obstacles: [{name: 'part', mesh: 'missing <b>part</b>.stl'}]}));
  assert.equal(tryRun('view', file('broken.json'), '--html', file('broken.html')), 4);
  const {page, complaints, close} = await openPage(browser, address('broken.html'));
  const text = await page.locator('.notice').innerText();
  assert.match(text, /missing <b>part<\/b>\.stl/);
  await page.screenshot({path: picture('broken')});
  assert.deepEqual(complaints, []);
  await close();
});

test('traffic shows who exists when, and where they meet', async () => {
  const still = (x, y, n) => Array.from({length: n}, () => [x, y, 0]);
  writeFileSync(file('traffic.json'), JSON.stringify({proven: 1, obstacles: [
    {name: 'oncoming', box: [4.5, 2], times: [0, 2, 4], poses: [[40, 3.5, 3.14159], [15, 3.5, 3.14159], [-10, 3.5, 3.14159]]},
    {name: 'guest', circle: 0.4, times: [0, 1], poses: still(20, -6, 2)},
    {name: 'post', circle: 0.3, pose: [15, 7, 0]},
    {name: 'region', occupancy: [{from: 2, to: 3, polygon: [[30, -8], [34, -8], [34, -5], [30, -5]]}]}]}));
  writeFileSync(file('drives.json'), JSON.stringify({proven: 1, box: [4.5, 2], trajectories: [
    {name: 'stays', times: [0, 2, 4], poses: [[0, 0, 0], [15, 0, 0], [30, 0, 0]]},
    {name: 'swerves', times: [0, 2, 4], poses: [[0, 0, 0], [14, 3.5, 0.2], [30, 3.5, 0]]}]}));
  run('view', file('traffic.json'), file('drives.json'), '--traffic', '--after', 'gone', '--html', file('traffic.html'));
  const {page, complaints, close} = await openPage(browser, address('traffic.html'));
  assert.match(await page.locator('#verdict').innerText(), /Collision[^]*vehicle meets oncoming/);
  await settled(page);
  await page.screenshot({path: picture('traffic')});
  await page.getByRole('button', {name: 'stays'}).click();
  assert.match(await page.locator('#verdict').innerText(), /Free/);
  const seen = await page.evaluate(() => {
    const {proven} = window, at = (time) => {
      proven.scrub(time);
      return proven.stage.bodies.meshes.filter((m) => m.visible).map((m) => m.name).sort();
    };
    return {early: at(0.5), late: at(2.5), unit: proven.clock.unit, x: proven.clock.poses(2)[proven.doc.bodies.at(-1).frame][9]};
  });
  assert.deepEqual(seen, {early: ['guest', 'oncoming', 'post', 'vehicle'], late: ['oncoming', 'post', 'region', 'vehicle'], unit: 's', x: 15});
  // Lanes of the time line: the cars pass each other 1.5 m apart, at 1.375 s.
  const lanes = await page.evaluate(() => {
    const {timeline, doc} = window.proven, [speed, distance, gap, collision] = timeline.rates;
    return {proved: timeline.activities[0].intervals.map(({begin, end, label}) => [begin, end, label]), speed: speed.reading(1).text,
      distance: distance.reading(1).text, names: [gap.name, collision.name], series: doc.motions.map((m) => m.series.length),
      least: Math.min(...distance.values.filter((v) => v !== null))};
  });
  assert.deepEqual(lanes.proved, [[0, 4, 'free']]);
  assert.equal(lanes.speed, '7.50 m/s');
  assert.ok(lanes.least > 1.4 && lanes.least <= 1.5, `${lanes.least}`);
  assert.deepEqual(lanes.names, ['Time gap', 'Collision in']);
  assert.deepEqual(lanes.series, [4, 4]);
  assert.deepEqual(complaints, []);
  await close();
});

test('a timed curve plays by its clock, among things that move and grow', async () => {
  writeTimedPage('swing', 2);
  const {page, complaints, close} = await openPage(browser, address('swing.html'));
  assert.match(await page.locator('#verdict').innerText(), /Free[^]*every configuration of 1 piece of degree 3/);
  assert.match(await page.locator('.panel').innerText(), /Cubic: 1 piece of degree 3, 2 s, on one clock with part, person/);
  const seen = await page.evaluate(() => {
    const {proven} = window, {bodies} = proven.stage;
    const at = (time) => {
      proven.setTime(time);
      const [part, person] = ['part', 'person'].map((name) => bodies.meshes.findIndex((m) => m.name === name));
      return {y: +bodies.meshes[part].matrix.elements[13].toFixed(9), grown: bodies.shells[person].morphTargetInfluences[0]};
    };
    const shown = {early: at(0), late: at(1.5)};
    proven.scrub(0.5);
    proven.advance(0.25);  // seconds that pass are seconds of the motion
    shown.time = proven.time;
    proven.speed = 2;
    proven.advance(0.25);
    shown.faster = proven.time;
    proven.speed = 1;
    shown.labels = proven.timeline.seconds().map(([, text]) => text);
    return shown;
  });
  assert.deepEqual(seen, {early: {y: -0.6, grown: 0}, late: {y: -0.225, grown: 0.375}, time: 0.75, faster: 1.25,
    labels: ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0', '1.2', '1.4', '1.6', '1.8', '2.0']});
  await page.evaluate(() => window.proven.scrub(1.6));
  await settled(page);
  await page.screenshot({path: picture('timed')});
  assert.deepEqual(complaints, []);
  await close();
});

test('lanes of joints open, are read at the cursor, and mark who passes a limit', async () => {
  writeTimedPage('hasty', 0.9);
  const {page, complaints, close} = await openPage(browser, address('hasty.html'));
  const group = await page.evaluate(() => {
    const {timeline} = window.proven, box = timeline.scroller.getBoundingClientRect();
    return {x: box.left + 30, y: box.top + 10, names: timeline.rows().slice(0, 2).map((row) => row.name)};
  });
  assert.deepEqual(group.names, ['Speed', 'Acceleration']);
  await page.mouse.click(group.x, group.y);
  const lanes = await page.evaluate(() => {
    const {timeline} = window.proven;
    window.proven.scrub(0.45);
    return timeline.rows().slice(1, 7).map((row) => ({name: row.name, ...row.reading(0.45), beyond: row.beyond}));
  });
  // Half way, a cubic from rest to rest is at 1.5 times its mean speed: 1.5 · 2.02 rad / 0.9 s.
  assert.deepEqual(lanes[0], {name: 'joint_1', beyond: true, text: '3.37 rad/s', share: '129 %'});
  assert.deepEqual(lanes.map((lane) => lane.beyond), [true, false, false, false, false, false]);
  const red = () => page.evaluate(() => {
    const {timeline} = window.proven, canvas = timeline.laneCanvas, ratio = canvas.width / canvas.clientWidth;
    const row = canvas.getContext('2d').getImageData(0, Math.round(ratio * (19 + 3 + 10)), canvas.width, 1).data;
    return [0.05, 0.4].map((time) => 4 * Math.round(ratio * timeline.x(time))).map((i) => row[i] > 1.5 * row[i + 2]);
  });
  assert.deepEqual(await red(), [false, true], 'only beyond the limit');
  await settled(page);
  await page.screenshot({path: picture('hasty')});
  const before = await page.evaluate(() => window.proven.traces.fastest);
  await page.getByLabel('Whose way is drawn').selectOption({label: 'link_2'});
  const after = await page.evaluate(() => window.proven.traces.fastest);
  assert.ok(after > 0 && after < before, 'a link near the base is slower than the tip');
  assert.deepEqual(complaints, []);
  await close();
});

test('a dynamic roadmap shows its cells, what is left of it, and the path', async () => {
  const map = file('arm.roadmap');
  run('roadmap', 'build', 'corridor-5', map, '--empty', '--planar', '--nodes', '300', '--cell', '0.08', '--restart', '--quiet');
  run('roadmap', 'query', 'corridor-5', map, '--empty', '-o', file('corridor.json'));
  run('view', 'corridor-5', file('corridor.json'), '--roadmap', map, '--html', file('roadmap.html'));
  const {page, complaints, close} = await openPage(browser, address('roadmap.html'));
  assert.match(await page.locator('#verdict').innerText(), /Free/);
  const text = await page.locator('header.top').innerText();
  assert.match(text, /roadmap of 300 nodes and \d+ arcs, \d+ of them blocked by \d+ occupied cells/);
  const shown = await page.evaluate(() => {
    const {doc, stage} = window.proven, cells = doc.bodies.findIndex((b) => b.name === 'occupied cells');
    return {opacity: stage.bodies.meshes[cells].material.opacity, faces: doc.meshes[doc.bodies[cells].mesh].triangles.length,
      lines: doc.annotations.map((a) => a.positions.length > 100)};
  });
  assert.ok(shown.opacity < 0.5 && shown.faces > 100);
  assert.deepEqual(shown.lines, [true, true]);
  await settled(page);
  await page.screenshot({path: picture('roadmap')});
  assert.equal(tryRun('view', 'demo', '--roadmap', map, '--html', file('other.html')), 4, 'a roadmap of another scene');
  assert.deepEqual(complaints, []);
  await close();
});

test('a task plan is one motion with named steps', async () => {
  run('task', 'make', 'tables', file('tables'));
  run('task', file('tables/domain.pddl'), file('tables/II-01.pddl'), '--out', file('plan'));
  const {page, complaints, close} = await openPage(browser, address('plan/plan.html'));
  assert.match(await page.locator('#verdict').innerText(), /Free[^]*each of the \d+ motions is proved and verified/);
  const steps = await page.evaluate(() => {
    const {timeline, clock} = window.proven, [{intervals}] = timeline.activities;
    return {labels: intervals.map((i) => i.label), whole: intervals[0].begin === clock.begin && intervals.at(-1).end === clock.end,
      height: timeline.scroller.clientHeight};
  });
  assert.ok(steps.labels.length >= 2 && steps.labels.every((l) => /^(transit|transfer) /.test(l)), String(steps.labels));
  assert.ok(steps.whole && steps.height > 15);
  await settled(page);
  await page.screenshot({path: picture('plan')});
  assert.deepEqual(complaints, []);
  await close();
});

test('the chart of a plan plays the motion of an action, with its proof and its modules', async () => {
  const {page, complaints, close} = await openPage(browser, address('plan/plan.html'), {width: 900, height: 600});
  assert.match(await page.locator('#outcome').innerText(), /Solved[^]*accepted by the validator/);
  const bars = page.locator('.bar'), actions = await page.evaluate(() => window.proven.doc.task.actions);
  assert.equal(await bars.count(), actions.length);
  // Bars are where their times are.
  const boxes = await page.evaluate(() => [...document.querySelectorAll('.bar')].map((bar) => {
    const track = bar.parentElement.getBoundingClientRect(), box = bar.getBoundingClientRect();
    return [(box.left - track.left) / track.width, box.width / track.width];
  }));
  const end = Math.max(...actions.map((a) => a.start + a.duration));
  actions.forEach((action, i) => assert.ok(Math.abs(boxes[i][0] - action.start / end) < 0.01 && Math.abs(boxes[i][1] - action.duration / end) < 0.01));
  await bars.nth(1).hover();
  assert.match(await page.locator('.gantt-tip').innerText(), new RegExp(`${actions[1].arguments[0]}[^]*motion: free, [\\d,]+ leaves verified`));
  await bars.nth(1).click();
  await page.waitForFunction((from) => window.proven.time > from + 0.05, actions[1].start);
  await page.keyboard.press('Space');
  const shown = await page.evaluate(() => {
    const {proven} = window, cursor = document.querySelector('.gantt-cursor').getBoundingClientRect();
    const track = document.querySelector('.gantt-track').getBoundingClientRect();
    return {current: proven.current, cells: proven.proof.count, time: proven.time, at: (cursor.left + 1 - track.left) / track.width, end: proven.clock.end};
  });
  assert.equal(shown.current, actions[1].motion);
  assert.ok(shown.cells > 2 && Math.abs(shown.at * end - shown.time) < 0.02 * end, JSON.stringify(shown));
  assert.match(await page.locator('#verdict').innerText(), /Free[^]*every configuration of \d+ segments/);
  const card = await page.locator('.action-card').innerText();
  assert.ok(card.includes(actions[1].arguments.join(' ')) && /yes[^]*\[checktransfer/.test(card), card);
  // A cell of the proof opens beside the motion.
  await page.evaluate(() => window.proven.stepHardest(1));
  assert.ok(await page.locator('#cell').isVisible());
  await page.getByRole('tab', {name: 'Modules'}).click();
  const refuted = await page.locator('#modules').innerText();
  assert.match(refuted, /no[^]*is taken by/, 'what was tried and refuted');
  await page.getByRole('button', {name: /^no \d/}).click();
  assert.equal(await page.locator('#modules .reply .answer.no').count(), 0);
  await page.getByRole('tab', {name: 'Search'}).click();
  assert.match(await page.locator('#search').innerText(), /lower bound[^]*states expanded/);
  await page.getByRole('tab', {name: 'Plan'}).click();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => window.proven.current), actions[2].motion);
  await page.keyboard.press('Space');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 900 && document.querySelector('#view').clientHeight > 150));
  await settled(page);
  await page.screenshot({path: picture('task-small')});
  assert.deepEqual(complaints, []);
  await close();
});

const DRIVE = `(define (domain drive) (:requirements :typing :durative-actions) (:types truck parcel place)
 (:predicates (at ?t - truck ?p - place) (lies ?x - parcel ?p - place) (in ?x - parcel ?t - truck) (beside ?t ?u - truck) (split ?x - parcel))
 (:durative-action tear :parameters (?x - parcel ?t ?u - truck) :duration (= ?duration 1)
  :condition (and (at start (beside ?t ?u)) (at start (in ?x ?t)) (at start (in ?x ?u))) :effect (at end (split ?x)))
 (:durative-action go :parameters (?t - truck ?from ?to - place) :duration (= ?duration 5)
  :condition (at start (at ?t ?from)) :effect (and (at start (not (at ?t ?from))) (at end (at ?t ?to))))
 (:durative-action load :parameters (?x - parcel ?t - truck ?p - place) :duration (= ?duration 1)
  :condition (and (over all (at ?t ?p)) (at start (lies ?x ?p))) :effect (and (at start (not (lies ?x ?p))) (at end (in ?x ?t))))
 (:durative-action drop :parameters (?x - parcel ?t - truck ?p - place) :duration (= ?duration 1)
  :condition (and (over all (at ?t ?p)) (at start (in ?x ?t))) :effect (and (at start (not (in ?x ?t))) (at end (lies ?x ?p)))))`;

test('a plan without geometry has its chart, bound and figures; a task without a plan has reasons', async () => {
  const problem = (goal) => `(define (problem two-trucks) (:domain drive) (:objects t1 t2 - truck x y - parcel a b c - place)
    (:init (at t1 a) (at t2 b) (lies x a) (lies y b) (beside t1 t2)) (:goal ${goal}))`;
  writeFileSync(file('drive.pddl'), DRIVE);
  writeFileSync(file('drive-1.pddl'), problem('(and (lies x c) (lies y a))'));
  writeFileSync(file('drive-2.pddl'), problem('(and (split x) (lies y a))'));
  run('task', file('drive.pddl'), file('drive-1.pddl'), '--budget', '5', '--report', file('drive-1.html'));
  tryRun('task', file('drive.pddl'), file('drive-2.pddl'), '--budget', '1', '--report', file('drive-2.html'));
  const {page, complaints, close} = await openPage(browser, address('drive-1.html'), {width: 900, height: 600});
  const task = await page.evaluate(() => window.proven.doc.task);
  assert.equal(await page.locator('.bar').count(), task.actions.length);
  assert.ok(task.found.length >= 1 && task.found.at(-1).metric === task.metric && task.bound <= task.metric + 1e-9);
  // Both trucks at once: 1 + 5 + 1 and as much again for separations.
  assert.ok(task.makespan > 7 && task.makespan < 7.1, `${task.makespan}`);
  assert.match(await page.locator('.figures').innerText(), /makespan[^]*lower bound/);
  await page.getByRole('button', {name: 'Objects'}).click();
  const rows = await page.evaluate(() => [...document.querySelectorAll('.gantt-rows .gantt-name')].map((name) => name.innerText));
  assert.ok(['t1', 't2', 'x', 'y', 'a', 'b', 'c'].every((name) => rows.includes(name)), String(rows));
  await page.locator('.bar').first().click();
  assert.match(await page.locator('.action-card').innerText(), /load x t1 a|load y t2 b/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 900));
  await page.screenshot({path: picture('task-symbols')});
  assert.deepEqual(complaints, []);
  await close();
  const failed = await openPage(browser, address('drive-2.html'), {colorScheme: 'dark'});
  assert.match(await failed.page.locator('#outcome').innerText(), /Undecided|Unsolvable/);
  assert.match(await failed.page.locator('#plan').innerText(), /Why there is no plan[^]*1 part of the goal that no state reached[^]*\(split x\)/);
  await failed.page.screenshot({path: picture('task-failed')});
  assert.deepEqual(failed.complaints, []);
  await failed.close();
});

test('a phone shows everything without scrolling sideways', async () => {
  const {page, complaints, close} = await openPage(browser, address('demo.html'), {width: 390, height: 844});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
  await settled(page);
  await page.screenshot({path: picture('phone'), fullPage: true});
  assert.deepEqual(complaints, []);
  await close();
});

test('the server shows the page to this machine alone', async () => {
  const {url, stop} = await startView('demo', file('straight.json'));
  try {
    const {port, search} = url;
    assert.match(search, /^\?token=[0-9a-f]{32}$/);
    const {page, complaints, close} = await openPage(browser, url.href);
    assert.match(await page.locator('#verdict').innerText(), /Collision/);
    assert.deepEqual(complaints, []);
    await close();
    assert.equal(await ask(port, `/${search}`), 200);
    assert.equal(await ask(port, `/${search}`, {host: `localhost:${port}`}), 200);
    assert.equal(await ask(port, '/'), 403, 'no token');
    assert.equal(await ask(port, `/?token=${'0'.repeat(32)}`), 403, 'a wrong token');
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`])
      assert.equal(await ask(port, `/${search}`, {host}), 403, host);
    for (const path of ['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/etc/passwd', '//etc/passwd', '/viewer.js'])
      assert.equal(await ask(port, path + search), 404, path);
    assert.equal(await ask(port, `/${search}`, {method: 'POST'}), 404);
  } finally {
    await stop();
  }
});

test('a recorded session is played: versions, what fell and why', async () => {
  const server = await startServer('demo', '--record', file('job.session'));
  await watchMotion(server);
  await server.ask({do: 'edit', edits: [{add: BALL}]});
  await server.ask({do: 'advance', name: 'job', segment: 0, t: 0.1});
  await server.ask({do: 'edit', edits: [{move: {name: 'ball', pose: {xyz: [0.8, 0.42, 1.45]}}}, {remove: 'box'}]});
  await server.ask({do: 'advance', name: 'job', segment: 0, t: 0.2});
  await server.ask({do: 'edit', edits: [{remove: 'ball'}]});
  await server.ask({do: 'advance', name: 'job', segment: 0, t: 0.5});
  await server.end();
  run('view', file('job.session'), '--html', file('session.html'));
  const {page, complaints, close} = await openPage(browser, address('session.html'));
  const seen = await page.evaluate(() => {
    const {proven} = window, {session, stage} = proven, fallen = session.states.find((s) => s.fell.length);
    const names = () => stage.bodies.meshes.filter((m) => m.visible).map((m) => m.name);
    const at = (time) => {
      proven.scrub(time);
      const ball = stage.bodies.meshes.find((m) => m.visible && m.name === 'ball');
      return {version: session.version(time), ball: ball?.matrix.elements[12], balls: names().filter((n) => n === 'ball').length,
        box: names().includes('box'), verdict: document.querySelector('#verdict').className};
    };
    const [, one, two, three] = session.versions.map((v) => v.time);
    return {before: at(one - 1e-4), first: at(fallen.time), moved: at(two + 1e-5), gone: at(three), pair: fallen.fell[0].pair,
      lanes: proven.timeline.activities.map((lane) => lane.name), turned: proven.clock.channels(session.end)[0] - session.places[0].values[0]};
  });
  assert.deepEqual(seen.before, {version: 0, ball: undefined, balls: 0, box: true, verdict: 'verdict free'});
  assert.deepEqual({...seen.first, version: 1}, {version: 1, ball: 0.9, balls: 1, box: true, verdict: 'verdict collision'});
  assert.deepEqual([seen.moved.ball.toFixed(6), seen.moved.balls, seen.moved.box], ['0.800000', 1, false]);
  assert.deepEqual([seen.gone.version, seen.gone.balls], [3, 0]);
  assert.equal(seen.pair[1], 'ball');
  assert.deepEqual(seen.lanes, ['version', 'job']);
  assert.ok(Math.abs(seen.turned - 0.15) < 1e-9, 'the robot is where it was told to be');
  await page.evaluate(() => window.proven.scrub(window.proven.session.states.find((s) => s.fell.length).time));
  assert.match(await page.locator('#fell').innerText(), /meets ball/);
  await settled(page);
  await page.screenshot({path: picture('session')});
  await page.locator('.fallen button').first().click();
  const shown = await page.evaluate(() => window.proven.stage.bodies.meshes.filter((m) => m.visible && m.material.color.r > 1.5 * m.material.color.b && m.material.opacity > 0.5).length);
  assert.equal(shown, 2, 'the two that meet stand out');
  await settled(page);
  await page.screenshot({path: picture('session-witness')});
  assert.deepEqual(complaints, []);
  await close();
});

test('a page follows a running server', async () => {
  const server = await startServer('demo');
  try {
    await watchMotion(server);
    const {page, complaints, close} = await openPage(browser, server.page);
    assert.match(await page.locator('#verdict').innerText(), /Free[^]*job: all that is ahead stands/);
    const {version} = await server.ask({do: 'edit', edits: [{add: BALL}]});
    await page.waitForFunction((v) => window.proven.session.version(window.proven.time) === v && window.proven.told.top.verdict === 'collision', version);
    assert.match(await page.locator('#verdict').innerText(), /Collision[^]*meets ball/);
    assert.equal(await page.locator('#live').getAttribute('aria-pressed'), 'true');
    await settled(page);
    await page.screenshot({path: picture('live')});
    // Who looks back is left alone.
    await page.evaluate(() => window.proven.scrub(window.proven.clock.begin));
    await server.ask({do: 'edit', edits: [{remove: 'ball'}]});
    await page.waitForFunction((v) => window.proven.session.versions.at(-1).version === v, version + 1);
    assert.equal(await page.evaluate(() => window.proven.time === window.proven.session.begin), true);
    await page.click('#live');
    await page.waitForFunction(() => window.proven.told.top.verdict === 'free');
    // A configuration of one's own is measured in the newest scene.
    const turn = (value) => page.evaluate((v) => {
      const slider = document.querySelector('#joints input');
      slider.value = v;
      slider.dispatchEvent(new Event('input'));
    }, value);
    await page.click('#joints summary');
    await turn(0.2);
    await page.locator('#trial', {hasText: 'No pair meets'}).waitFor();
    // A joint is moved as soon as an edit is heard of, before the next picture.
    await page.evaluate(() => {
      const {happened} = window.proven;
      window.proven.happened = function (line) {
        happened.call(this, line);
        if (line.event !== 'edit') return;
        const slider = document.querySelector('#joints input');
        slider.value = 0.22;
        slider.dispatchEvent(new Event('input'));
      };
    });
    await server.ask({do: 'edit', edits: [{add: {...BALL, name: 'late'}}]});
    await page.waitForFunction((v) => window.proven.session.versions.at(-1).version === v, version + 2);
    await page.waitForFunction(() => window.proven.trial.values?.[0] === 0.22);
    await turn(0.25);
    await page.locator('#trial', {hasText: 'go back to live'}).waitFor();
    await page.click('#live');
    await page.locator('#trial').waitFor({state: 'detached'});
    await turn(0.25);
    await page.locator('#trial', {hasText: /meets?/}).waitFor();
    assert.deepEqual(complaints, []);
    server.stop();
    await page.waitForFunction(() => /lost/.test(document.querySelector('#live').textContent));
    await close();
  } finally {
    server.stop();
  }
});

test('a large page stays small, and its figures are printed', async () => {
  const figures = await measure(browser, 'large');
  report(figures);
  assert.ok(figures.triangles > 34000 && figures.cells > 5000);
  assert.ok(figures.megabytes < 15);
  assert.ok(figures.framesPerSecond > 0);
  assert.deepEqual(figures.complaints, []);
});
