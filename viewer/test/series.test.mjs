// Figures over time against what their values say.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {SeriesLane} from '../src/series.js';

test('less is worse: nearness, alarms and readings', () => {
  const lane = new SeriesLane({name: 'Distance', unit: 'm', times: [0, 1, 2, 4], values: [null, 2.5, 0.1], far: 5, alarm: 0.3});
  assert.deepEqual([...lane.envelope(0.1, 3.6, 2)], [0.5, 0.98]);
  assert.equal(lane.envelope(0, 0.9, 1)[0], 0);
  assert.ok(lane.alarming(lane.share(2)) && !lane.alarming(lane.share(1)));
  assert.equal(lane.reading(0.5).text, '> 5 m');
  assert.equal(lane.reading(1.5).text, '≥ 2.50 m');
  assert.ok(lane.reading(3).beyond);
  assert.match(lane.summary, /at least 0.1 m/);
});

test('beside a limit: shares, and what is beyond', () => {
  const lane = new SeriesLane({name: 'Speed', unit: 'm/s', times: [0, 1, 2], values: [10, 15], limits: [20, 12]});
  assert.equal(lane.reading(0.5).share, '50 %');
  assert.equal(lane.reading(1.5).share, '125 %');
  assert.ok(lane.beyond && lane.alarming(lane.share(1)) && !lane.alarming(lane.share(0)));
  assert.equal(new SeriesLane({name: 'Speed', unit: 'm/s', times: [0, 1], values: [3], limits: [null]}).reading(0).share, '');
});
