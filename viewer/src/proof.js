// The cells of a proof: lanes per pair, lower bounds on the clearance over time.

/** Names of bodies; the robot's name is left out where there is only one robot. */
export function shortNames(bodies) {
  const robots = new Set(bodies.filter((b) => b.kind === 'robot').map((b) => b.group));
  return bodies.map(({name, kind, group}) =>
    (robots.size === 1 && kind === 'robot' && name.startsWith(`${group}/`) ? name.slice(group.length + 1) : name));
}

// Whether two bodies keep their places to each other all through a motion: no joint between them moves, neither grows.
function keepPlace(doc, clock, {a, b}) {
  if (doc.bodies[a].grows || doc.bodies[b].grows) return false;
  const above = (body) => {
    const list = new Set();
    for (let f = doc.bodies[body].frame; f >= 0; f = doc.frames[f].parent) list.add(f);
    return list;
  };
  const [left, right] = [above(a), above(b)];
  const between = [...left, ...right].filter((f) => left.has(f) !== right.has(f));
  return !between.some((f) => doc.frames[f].joint && clock.moves(doc.frames[f].joint.channel));
}

/** Cells of one motion, with their times on the motion's clock. */
export class Proof {
  constructor(doc, motion, clock) {
    this.cells = motion.cells;
    this.tight = motion.least_clearance ?? null;
    this.ownBounds = false;
    this.count = this.cells?.count ?? 0;
    this.begin = new Float64Array(this.count);
    this.end = new Float64Array(this.count);
    this.anchor = new Float64Array(this.count);
    this.slack = new Float64Array(this.count);
    for (let i = 0; i < this.count; ++i) {
      const c = this.cells, segment = c.segment[i];
      this.begin[i] = clock.time(segment, c.begin[i]);
      this.end[i] = clock.time(segment, c.end[i]);
      this.anchor[i] = clock.time(segment, c.anchor[i]);
    }
    this.growth = Float64Array.from({length: this.count}, (_, i) => this.growthOf(doc, i));
    for (let i = 0; i < this.count; ++i)
      this.slack[i] = Math.min(...[this.begin[i], this.anchor[i], this.end[i]].map((time) => this.lower(i, time) - this.required(i, time)));
    this.all = Int32Array.from({length: this.count}, (_, i) => i);
    this.lanes = this.count ? this.makeLanes(doc, motion.pairs ?? doc.pairs) : [];
    for (const lane of this.lanes) lane.still = keepPlace(doc, clock, lane);
    this.show();
  }

  /**
   * Shows the lanes whose names have every word of the text and no word after a minus; with `changing`
   * none whose two bodies keep their places to each other.
   */
  show(text = '', changing = false) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word && word !== '-');
    const fits = (name) => words.every((word) => (word[0] === '-' ? !name.includes(word.slice(1)) : name.includes(word)));
    this.sought = words.length > 0;
    this.shown = this.lanes.filter((lane) => fits(lane.name.toLowerCase()) && !(changing && lane.still));
    this.shownCells = this.shown.length === this.lanes.length ? this.all : Int32Array.from(new Set(this.shown.flatMap((lane) => lane.cells)));
  }

  /** Bodies on the second side of a cell: one, or the still bodies under a box. */
  others(i) {
    const {nodes, b} = this.cells, place = b[i], body = nodes.body[place];
    if (body >= 0) return [body];
    return nodes.items.subarray(nodes.firstItem[place], nodes.firstItem[place + 1]);
  }
  // By how much more its distance must be, per second.
  growthOf(doc, i) {
    const {nodes, a, b} = this.cells;
    return (doc.bodies[nodes.body[a[i]]]?.grows ?? 0) + (doc.bodies[nodes.body[b[i]]]?.grows ?? 0);
  }
  first(i) {
    return this.cells.nodes.body[this.cells.a[i]];
  }

  // One lane per pair, hardest first. A cell over several still bodies stands in each of their lanes.
  makeLanes(doc, pairs) {
    const lanes = new Map();
    for (const [a, b, clearance] of pairs)
      lanes.set(a * doc.bodies.length + b, {a, b, clearance, cells: [], slack: Infinity, hardest: -1});
    for (let i = 0; i < this.count; ++i) {
      const a = this.first(i);
      for (const b of this.others(i)) {
        const lane = lanes.get(Math.min(a, b) * doc.bodies.length + Math.max(a, b));
        if (!lane) continue;
        lane.cells.push(i);
        if (this.slack[i] < lane.slack) {
          lane.slack = this.slack[i];
          lane.hardest = i;
        }
      }
    }
    const list = [...lanes.values()].filter((lane) => lane.cells.length);
    const names = shortNames(doc.bodies);
    for (const lane of list) lane.name = `${names[lane.a]} – ${names[lane.b]}`;
    return list.sort((x, y) => x.slack - y.slack);
  }

  /** The proved distance of a cell at a time within it. */
  lower(i, time) {
    const {lower} = this.cells, begin = this.begin[i], anchor = this.anchor[i], end = this.end[i];
    const mix = (x, y, s) => x + Math.min(1, Math.max(0, s)) * (y - x);
    if (time <= anchor)
      return anchor > begin
        ? mix(lower[3 * i], lower[3 * i + 1], (time - begin) / (anchor - begin))
        : lower[3 * i + 1];
    return end > anchor
      ? mix(lower[3 * i + 1], lower[3 * i + 2], (time - anchor) / (end - anchor))
      : lower[3 * i + 1];
  }

  /** What is required of its distance then: more and more where a body grows. */
  required(i, time) {
    return this.cells.required[i] + this.growth[i] * (time - this.anchor[i]);
  }

  /**
   * Over `columns` equal stretches of [from, to]: the least proved distance of the cells, the least
   * slack and the cell that has it; Infinity and -1 where there is none.
   */
  envelope(cells, from, to, columns) {
    const distance = new Float64Array(columns).fill(Infinity);
    const slack = new Float64Array(columns).fill(Infinity);
    const hardest = new Int32Array(columns).fill(-1);
    const width = (to - from) / columns;
    for (const i of cells) {
      if (this.end[i] < from || this.begin[i] > to) continue;
      const first = Math.max(0, Math.floor((this.begin[i] - from) / width));
      const last = Math.min(columns - 1, Math.ceil((this.end[i] - from) / width) - 1);
      for (let c = first; c <= Math.max(first, last) && c < columns; ++c) {
        const l = Math.max(this.begin[i], from + c * width);
        const r = Math.min(this.end[i], from + (c + 1) * width);
        for (const time of this.anchor[i] > l && this.anchor[i] < r ? [l, this.anchor[i], r] : [l, r]) {
          const lower = this.lower(i, time), spare = lower - this.required(i, time);
          if (lower < distance[c]) distance[c] = lower;
          if (spare < slack[c]) {
            slack[c] = spare;
            hardest[c] = i;
          }
        }
      }
    }
    return {distance, slack, hardest};
  }

  /** Whether tight bounds are shown: they are of all pairs together, and of those that are nearest then. */
  get showsTight() {
    return Boolean(this.tight) && !this.ownBounds && this.shown.length === this.lanes.length;
  }

  /**
   * The least clearance over `columns` equal stretches of [from, to], as large as the search could prove it; Infinity
   * where nothing is known. Of a lane's pair it is what is known of it: as one of the nearest, or of all.
   */
  tightCurve(from, to, columns, lane = null) {
    const least = new Float64Array(columns).fill(Infinity), width = (to - from) / columns;
    for (const stretch of this.tight.stretches) {
      const [begin, end, ofAll, , pairs] = stretch;
      if (end < from || begin > to) continue;
      const own = lane && pairs.find(([a, b]) => a === lane.a && b === lane.b), bound = own ? own[2] : ofAll;
      const first = Math.max(0, Math.floor((begin - from) / width));
      const last = Math.min(columns - 1, Math.max(first, Math.ceil((end - from) / width) - 1));
      for (let c = first; c <= last; ++c) least[c] = Math.min(least[c], bound);
    }
    return least;
  }

  /** The pairs that are nearest about a time: {lane, atLeast, atMost}. */
  nearestAt(time) {
    const stretch = this.tight.stretches.find(([begin, end]) => begin <= time && time <= end);
    return (stretch?.[4] ?? []).map(([a, b, atLeast, atMost]) => ({lane: this.lanes.find((lane) => lane.a === a && lane.b === b), atLeast, atMost}))
      .filter((row) => row.lane);
  }

  /** Cells of a list that hold a time, hardest first. */
  at(cells, time, tolerance = 0) {
    const found = [];
    for (const i of cells)
      if (this.begin[i] - tolerance <= time && time <= this.end[i] + tolerance) found.push(i);
    return found.sort((x, y) => this.slack[x] - this.slack[y]);
  }

  /** The proved distance of a lane's pair at a time; Infinity where no cell says anything. */
  laneAt(lane, time) {
    let least = Infinity;
    for (const i of lane.cells)
      if (this.begin[i] <= time && time <= this.end[i]) least = Math.min(least, this.lower(i, time));
    return least;
  }
}
