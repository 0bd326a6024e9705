// Where the bars of a plan are, and what is said of its quality.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {layOut, levelsOf, rowsOf, ticks} from '../src/gantt.js';
import {gapOf, outcomeOf} from '../src/task.js';

const action = (name, args, start, duration) => ({name, arguments: args, start, duration, motion: -1, calls: []});

test('actions with durations have times, others have steps', () => {
  const timed = layOut([action('go', ['a'], 0, 2), action('look', ['a'], 1, 0), action('go', ['b'], 3, 4)]);
  assert.deepEqual([timed.timed, timed.end, timed.bars.map((b) => [b.begin, b.end])], [true, 7, [[0, 2], [1, 1], [3, 7]]]);
  const steps = layOut([action('go', ['a'], 0, 0), action('go', ['b'], 0.001, 0)]);
  assert.deepEqual([steps.timed, steps.end, steps.bars.map((b) => [b.begin, b.end])], [false, 2, [[0, 1], [1, 2]]]);
  assert.equal(layOut([]).end, 1);
});

test('rows by object hold every action of it once, those who act first', () => {
  const {bars} = layOut([action('go', ['truck', 'a', 'b'], 0, 2), action('load', ['truck', 'box', 'b'], 2, 1), action('wait', [], 3, 1),
    action('swap', ['box', 'box'], 4, 1)]);
  const rows = rowsOf(bars, 'object').map((row) => [row.name, row.bars.map((bar) => bar.index)]);
  assert.deepEqual(rows, [['truck', [0, 1]], ['box', [1, 3]], ['a', [0]], ['b', [0, 1]], ['no object', [2]]]);
  assert.deepEqual(rowsOf(bars, 'action').map((row) => row.name), ['go truck a b', 'load truck box b', 'wait', 'swap box box']);
});

test('bars of a row that overlap have levels of their own', () => {
  const bars = [[0, 4], [1, 2], [1.5, 6], [2, 3], [4, 5]].map(([begin, end]) => ({begin, end}));
  const {levels, depth} = levelsOf(bars);
  assert.deepEqual([levels, depth], [[0, 1, 2, 1, 0], 3]);
  bars.forEach((x, i) => bars.forEach((y, j) => {
    if (i < j && levels[i] === levels[j]) assert.ok(x.end <= y.begin || y.end <= x.begin);
  }));
});

test('ticks are round and end with the plan', () => {
  assert.deepEqual(ticks(7, 8, false).map(([, text]) => text), ['0', '1', '2', '3', '4', '5', '6', '7']);
  assert.deepEqual(ticks(0.5, 5, false).map(([, text]) => text), ['0.0', '0.1', '0.2', '0.3', '0.4', '0.5']);
  assert.deepEqual(ticks(3, 10, true).map(([, text]) => text), ['0', '1', '2', '3']);
  for (const end of [1e-3, 0.37, 12.3, 4711]) {
    const list = ticks(end, 7, false);
    assert.ok(list.length >= 2 && list.length <= 9 && list.at(-1)[0] <= end * 1.001);
  }
});

test('the gap and the outcome say no more than is known', () => {
  assert.equal(gapOf({metric: 10, bound: null}).percent, null);
  assert.equal(gapOf({metric: 10, bound: 10}).percent, 0);
  assert.equal(gapOf({metric: 10, bound: 7.5}).percent, 25);
  const solved = {outcome: 'solved', actions: [], judgement: 'j', reason: ''};
  assert.deepEqual([true, false, null].map((valid) => outcomeOf({...solved, valid}).kind), ['free', 'rejected', 'undecided']);
  assert.equal(outcomeOf({outcome: 'undecided', reason: 'the time budget ran out'}).text, 'the time budget ran out');
  assert.equal(outcomeOf({outcome: 'unsolvable', reason: ''}).word, 'Unsolvable');
});
