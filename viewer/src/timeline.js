// The time line: a plot of the proved clearance, lanes of how fast joints move, and a lane of cells for every pair.
import {css, slackColour} from './colours.js';
import {count, el, metres} from './text.js';
import {Tip} from './tip.js';

const LANE = 19;         // pixels, with the gap
const BAR = 13;          // of it the cells
const CLICK_MOVE = 5;    // pixels beyond which a press is a drag
const PLOT_TOP = 10, PLOT_BOTTOM = 18;

function fitCanvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

export class Timeline {
  /** `actions`: scrub(time), select(cell, lane), bounds(). */
  constructor(container, actions) {
    this.actions = actions;
    this.plot = el('canvas', {class: 'plot', 'aria-label': 'Proved clearance over time'});
    this.laneCanvas = el('canvas', {class: 'lane-canvas', 'aria-label': 'Proof cells of every pair over time'});
    this.spacer = el('div', {class: 'lane-spacer'}, this.laneCanvas);
    this.scroller = el('div', {class: 'lanes'}, this.spacer);
    this.cursor = el('div', {class: 'cursor'});
    this.ownBounds = false;
    this.bounds = el('button', {type: 'button', class: 'bounds', 'aria-pressed': 'false', onclick: () => this.chooseBounds(!this.ownBounds),
      title: 'What the cells of the certificate bound: as much as the proof needed, and often far less than the clearance'}, 'bound of the certificate');
    container.append(this.plot, this.bounds, this.scroller, this.cursor);
    this.tip = new Tip(container);
    this.container = container;
    this.scroller.addEventListener('scroll', () => this.drawLanes());
    this.listen(this.plot, false);
    this.listen(this.scroller, true);
    new ResizeObserver(() => this.draw()).observe(container);
  }

  /** `mark`: {time, colour} of a collision or an undecided place. */
  show(clock, proof, activities = [], rates = [], mark = null) {
    Object.assign(this, {clock, proof, activities, rates, mark, selected: -1, focus: null, time: clock.begin});
    this.container.classList.toggle('without-proof', proof.count === 0);
    this.bounds.hidden = !(proof.count && proof.tight);
    proof.ownBounds = this.ownBounds;
    this.fit();
  }

  /** The same, longer: what was zoomed into stays, unless all is to be seen. */
  extend(clock, activities, all) {
    Object.assign(this, {clock, activities});
    if (all) return this.fit();
    this.draw();
  }

  fit() {
    this.from = this.clock.begin;
    this.to = this.clock.end;
    this.draw();
  }

  zoom(factor, centre = this.time) {
    const span = this.clock.end - this.clock.begin;
    const width = Math.min(span, Math.max(1e-5 * span, (this.to - this.from) * factor));
    const share = (centre - this.from) / (this.to - this.from);
    this.from = Math.min(Math.max(this.clock.begin, centre - share * width), this.clock.end - width);
    this.to = this.from + width;
    this.draw();
  }

  get gutter() {
    return this.container.clientWidth < 640 ? 104 : 216;
  }
  get columns() {
    return Math.max(10, Math.floor(this.container.clientWidth - this.gutter - 14));
  }
  x(time) {
    return this.gutter + ((time - this.from) / (this.to - this.from)) * this.columns;
  }
  timeAt(x) {
    const share = (x - this.gutter) / this.columns;
    return Math.min(this.clock.end, Math.max(this.clock.begin, this.from + share * (this.to - this.from)));
  }
  // Who looks for a pair sees pairs alone.
  rows() {
    if (this.proof.sought) return this.proof.shown;
    return [...this.activities, ...this.rates.flatMap((group) => (group.open ? [group, ...group.lanes] : [group])), ...this.proof.shown];
  }

  setTime(time) {
    this.time = time;
    const x = this.x(time);
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.style.visibility = x >= this.gutter - 1 && x <= this.gutter + this.columns + 1 ? 'visible' : 'hidden';
    this.drawReadings();
  }

  /** Plots the bounds of the certificate's cells, or what can be proved. */
  chooseBounds(own) {
    this.ownBounds = own;
    this.proof.ownBounds = own;
    this.bounds.setAttribute('aria-pressed', String(own));
    this.draw();
    this.actions.bounds();
  }

  /** The proof shows other pairs. */
  refilter() {
    this.scroller.scrollTop = 0;
    this.draw();
  }

  setSelection(cell, lane) {
    this.selected = cell;
    this.focus = lane;
    this.draw();
    if (lane) this.reveal(lane);
  }

  reveal(lane) {
    const row = this.rows().indexOf(lane);
    if (row < 0) return;
    const top = row * LANE, {scrollTop, clientHeight} = this.scroller;
    if (top < scrollTop || top + LANE > scrollTop + clientHeight)
      this.scroller.scrollTop = Math.max(0, top - clientHeight / 2);
  }

  draw() {
    if (!this.clock || !this.container.clientWidth) return;
    this.style = getComputedStyle(document.documentElement);
    this.drawPlot();
    this.drawLanes();
    this.setTime(this.time);
  }
  colour(name) {
    return this.style.getPropertyValue(name).trim();
  }

  drawPlot() {
    this.plot.style.height = '';  // of the style sheet, not of the motion before
    const width = this.container.clientWidth, height = this.plot.clientHeight || 96;
    const g = fitCanvas(this.plot, width, height);
    this.drawTicks(g, height);
    if (this.mark) this.drawMark(g, height);
    if (!this.proof.count) return;
    const {columns, gutter, proof} = this;
    const tight = proof.showsTight;
    const overall = tight ? proof.tightCurve(this.from, this.to, columns) : proof.envelope(proof.shownCells, this.from, this.to, columns).distance;
    const focus = this.focus?.cells ? proof.envelope(this.focus.cells, this.from, this.to, columns) : null;
    // Both bounds are proved: the larger one holds.
    if (focus && tight) proof.tightCurve(this.from, this.to, columns, this.focus).forEach((bound, c) => {
      if (bound < Infinity && focus.distance[c] < Infinity) focus.distance[c] = Math.max(bound, focus.distance[c]);
    });
    const finite = overall.filter((d) => d < Infinity);
    if (!finite.length) return;
    let low = Math.max(1e-7, Math.min(...this.sampled(finite)));
    let high = Math.max(low * 10, ...this.sampled(finite), ...this.sampled(focus ? focus.distance.filter((d) => d < Infinity) : []));
    low = 10 ** Math.floor(Math.log10(low));
    high = 10 ** Math.ceil(Math.log10(high));
    const decades = Math.log10(high / low), inner = height - PLOT_TOP - PLOT_BOTTOM;
    const y = (d) => PLOT_TOP + inner * (1 - Math.log10(Math.min(high, Math.max(low, d)) / low) / decades);
    const roomy = inner > 40;
    if (roomy) this.drawScale(g, low, high, y);
    this.drawCurve(g, overall, y, this.colour('--curve'), PLOT_TOP + inner);
    if (focus) this.drawCurve(g, focus.distance, y, this.colour('--accent'), null);
    if (!roomy) return;
    g.fillStyle = this.colour('--quiet');
    g.font = this.font(11);
    g.textAlign = 'left';
    if (gutter > 150) g.fillText(tight ? 'Proved clearance' : 'Bound of the certificate', 14, PLOT_TOP + 8);
    g.fillStyle = this.colour('--curve');
    g.fillText(gutter > 150 ? `least of ${this.scope()}` : this.scope(), 14, PLOT_TOP + 26);
    if (this.focus?.cells) {
      g.fillStyle = this.colour('--accent');
      g.fillText(shortened(g, this.focus.name, gutter - 60), 14, PLOT_TOP + 44);
    }
  }

  // Whose clearance the plot shows.
  scope() {
    const {lanes, shown} = this.proof;
    return shown.length < lanes.length ? count(shown.length, 'pair') : 'all pairs';
  }

  // Spread arguments have a limit; a plot has at most a few thousand columns.
  sampled(values) {
    return values.length > 8000 ? values.filter((_, i) => i % 4 === 0) : values;
  }
  font(size) {
    return `${size}px system-ui, sans-serif`;
  }

  drawScale(g, low, high, y) {
    g.font = this.font(10);
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const decades = Math.round(Math.log10(high / low)), every = Math.ceil(decades / 4);
    for (let k = 0; k <= decades; k += every) {
      const value = low * 10 ** k, at = Math.round(y(value)) + 0.5;
      g.strokeStyle = this.colour('--rule');
      g.beginPath();
      g.moveTo(this.gutter, at);
      g.lineTo(this.gutter + this.columns, at);
      g.stroke();
      g.fillStyle = this.colour('--quiet');
      g.fillText(metres(value), this.gutter - 6, at);
    }
    g.textBaseline = 'alphabetic';
  }

  drawCurve(g, distance, y, colour, base) {
    g.beginPath();
    let open = false;
    for (let c = 0; c < distance.length; ++c) {
      if (distance[c] === Infinity) {
        open = false;
        continue;
      }
      const x = this.gutter + c + 0.5;
      if (open) g.lineTo(x, y(distance[c]));
      else g.moveTo(x, y(distance[c]));
      open = true;
    }
    g.strokeStyle = colour;
    g.lineWidth = 1.6;
    g.lineJoin = 'round';
    g.stroke();
    g.lineWidth = 1;
    if (base === null) return;
    g.lineTo(this.gutter + distance.length, base);
    g.lineTo(this.gutter, base);
    g.globalAlpha = 0.1;
    g.fillStyle = colour;
    g.fill();
    g.globalAlpha = 1;
  }

  // Waypoints as ticks, numbered where there is room; with times the seconds are numbered instead.
  drawTicks(g, height) {
    const timed = this.clock.unit === 's', knots = this.clock.knots.filter((k) => k >= this.from && k <= this.to);
    g.fillStyle = this.colour('--rule');
    const top = timed ? height - PLOT_BOTTOM - 5 : PLOT_TOP;
    for (const knot of knots) g.fillRect(Math.round(this.x(knot)), top, 1, height - PLOT_BOTTOM - top + (timed ? 0 : 4));
    g.font = this.font(10);
    g.textAlign = 'center';
    g.fillStyle = this.colour('--quiet');
    let last = -Infinity;
    for (const [time, text] of timed ? this.seconds() : this.clock.knots.map((knot, i) => [knot, `${i}`])) {
      const x = this.x(time);
      if (x < this.gutter - 0.5 || x > this.gutter + this.columns + 0.5 || x - last < 26) continue;
      last = x;
      g.fillText(text, x, height - 3);
      if (timed) g.fillRect(Math.round(x), height - PLOT_BOTTOM + 1, 1, 4);
    }
    g.textAlign = 'left';
    g.fillText(timed ? 'seconds' : 'waypoint', 14, height - 3);
  }

  // Round times, about 90 pixels apart.
  seconds() {
    const rough = (90 * (this.to - this.from)) / this.columns, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((f) => f * power >= rough), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const list = [];
    for (let k = Math.ceil(this.from / step - 1e-9); k * step <= this.to * (1 + 1e-12); ++k) list.push([k * step, (k * step).toFixed(digits)]);
    return list;
  }

  drawMark(g, height) {
    const x = this.x(this.mark.time), y = PLOT_TOP + (height - PLOT_TOP - PLOT_BOTTOM) / 2;
    g.fillStyle = this.colour(this.mark.colour);
    g.beginPath();
    g.moveTo(x, y - 7);
    g.lineTo(x + 7, y);
    g.lineTo(x, y + 7);
    g.lineTo(x - 7, y);
    g.fill();
  }

  drawLanes() {
    if (!this.clock) return;
    this.style ??= getComputedStyle(document.documentElement);
    const rows = this.rows(), view = this.scroller.clientHeight;
    this.spacer.style.height = `${Math.max(rows.length * LANE + 6, 1)}px`;
    if (!view) return;
    const g = fitCanvas(this.laneCanvas, this.container.clientWidth - 1, view);
    const top = this.scroller.scrollTop, first = Math.floor(top / LANE);
    for (let r = first; r < rows.length && r * LANE < top + view; ++r) {
      const y = r * LANE - top + 3;
      if (rows[r].cells) this.drawLane(g, rows[r], y);
      else if (rows[r].order) this.drawRate(g, rows[r], y);
      else this.drawActivity(g, rows[r], y);
    }
    if (!rows.length) {
      g.fillStyle = this.colour('--quiet');
      g.font = this.font(12);
      g.fillText(!this.proof.count ? '' : this.proof.sought ? 'No pair has such a name.' : 'No pair changes.', this.gutter, 18);
    }
    this.drawReadings();
  }

  drawName(g, row, y) {
    const strong = row === this.focus;
    g.font = strong ? `600 ${this.font(11.5)}` : this.font(11.5);
    g.textAlign = 'left';
    g.fillStyle = this.colour(strong ? '--text' : '--quiet');
    g.fillText(shortened(g, row.name, this.gutter - 24), 14, y + BAR - 2.5);
  }

  drawLane(g, lane, y) {
    this.drawName(g, lane, y);
    const {columns, gutter, proof} = this;
    const {slack, hardest} = proof.envelope(lane.cells, this.from, this.to, columns);
    g.fillStyle = this.colour('--lane');
    g.fillRect(gutter, y, columns, BAR);
    for (let c = 0; c < columns; ) {
      const cell = hardest[c];
      let end = c + 1;
      while (end < columns && hardest[end] === cell) ++end;
      if (cell >= 0) this.drawRun(g, slack, c, end, y);
      c = end;
    }
    if (lane === this.focus && this.selected >= 0) {
      const x0 = this.x(proof.begin[this.selected]), x1 = this.x(proof.end[this.selected]);
      g.strokeStyle = this.colour('--text');
      g.lineWidth = 2;
      g.strokeRect(Math.max(gutter, x0) - 0.5, y - 1.5, Math.max(3, Math.min(x1, gutter + columns) - Math.max(gutter, x0)) + 1, BAR + 3);
      g.lineWidth = 1;
    }
  }

  // One cell: its colour follows the slack; neighbours are told apart where there is room.
  drawRun(g, slack, from, to, y) {
    const x = this.gutter;
    if (to - from < 4) {
      for (let c = from; c < to; ++c) {
        g.fillStyle = css(slackColour(slack[c]));
        g.fillRect(x + c, y, 1, BAR);
      }
      return;
    }
    const gradient = g.createLinearGradient(x + from, 0, x + to, 0);
    const steps = Math.min(16, to - from);
    for (let k = 0; k <= steps; ++k)
      gradient.addColorStop(k / steps, css(slackColour(slack[Math.min(to - 1, from + Math.floor((k / steps) * (to - from)))])));
    g.fillStyle = gradient;
    g.beginPath();
    g.roundRect(x + from, y, to - from - 1, BAR, 2);
    g.fill();
  }

  // Shares of the limit, which is the upper edge or, if the lane passes it, a line below.
  drawRate(g, row, y) {
    const {columns, gutter} = this, top = row.beyond ? row.peak / row.scale : 1;
    const share = row.envelope(this.from, this.to, columns), limit = y + BAR * (1 - 1 / top);
    g.fillStyle = this.colour('--lane');
    g.fillRect(gutter, y, columns, BAR);
    for (let c = 0; c < columns; ++c) {
      const height = (BAR * Math.min(top, share[c])) / top;
      const bad = row.alarming ? row.alarming(share[c]) : row.limit && share[c] > 1 + 1e-6;
      g.fillStyle = this.colour(bad ? '--bad' : row.order === 1 ? '--speed' : '--acceleration');
      g.fillRect(gutter + c, y + BAR - height, 1, height);
    }
    if (!row.beyond) return;
    g.fillStyle = this.colour('--text');
    g.fillRect(gutter, Math.round(limit), columns, 1);
  }

  // What holds at the cursor, beside the names of the lanes of rates.
  drawReadings() {
    if (!this.rates?.length || !this.style) return;
    const rows = this.rows(), g = this.laneCanvas.getContext('2d'), top = this.scroller.scrollTop;
    rows.forEach((row, r) => {
      const y = r * LANE - top + 3, group = Boolean(row.lanes);
      if (!row.order || y < -LANE || y > this.scroller.clientHeight) return;
      g.clearRect(0, y - 3, this.gutter - 1, LANE);
      const {text, share, beyond} = row.reading(this.time), wide = this.gutter > 150;
      g.textAlign = 'right';
      g.font = this.font(11.5);
      g.fillStyle = this.colour(beyond ? '--bad' : '--text');
      g.fillText(share || (wide ? text : ''), this.gutter - 8, y + BAR - 2.5);
      const used = share ? g.measureText('100 %').width + 8 : g.measureText(text).width;
      g.fillStyle = this.colour('--quiet');
      if (share && wide) g.fillText(shortened(g, text, 72), this.gutter - 8 - used, y + BAR - 2.5);
      g.textAlign = 'left';
      g.font = group ? `600 ${this.font(11.5)}` : this.font(11.5);
      g.fillStyle = this.colour(row.beyond ? '--bad' : group ? '--text' : '--quiet');
      const left = wide ? 14 : 6;
      if (group) g.fillText(row.open ? '▾' : '▸', left, y + BAR - 2.5);
      g.fillText(shortened(g, `${row.name}${row.beyond ? ' !' : ''}`, this.gutter - (wide ? 126 : 60)), left + 12, y + BAR - 2.5);
    });
  }

  drawActivity(g, row, y) {
    this.drawName(g, row, y);
    for (const {begin, end, label, colour} of row.intervals) {
      const x0 = Math.max(this.gutter, this.x(begin)), x1 = Math.min(this.gutter + this.columns, this.x(end));
      if (x1 <= x0) continue;
      g.fillStyle = colour ?? this.colour('--accent');
      g.globalAlpha = 0.8;
      g.beginPath();
      g.roundRect(x0, y, Math.max(2, x1 - x0 - 1), BAR, 3);
      g.fill();
      g.globalAlpha = 1;
      g.fillStyle = '#fff';
      g.font = this.font(10.5);
      const text = shortened(g, label ?? '', x1 - x0 - 8);
      if (text !== '…') g.fillText(text, x0 + 4, y + BAR - 3);
    }
  }

  // Presses on the plot move time; on lanes a click selects, a drag moves time.
  listen(element, isLanes) {
    let pressed = null;
    const local = (event) => {
      const box = element.getBoundingClientRect();
      return {x: event.clientX - box.left, y: event.clientY - box.top};
    };
    element.addEventListener('pointerdown', (event) => {
      const at = local(event);
      if (event.button !== 0 || at.x > element.clientWidth) return;
      pressed = {...at, dragged: !isLanes, touch: event.pointerType === 'touch'};
      if (!(isLanes && pressed.touch)) element.setPointerCapture(event.pointerId);
      if (!isLanes && at.x >= this.gutter - 8) this.actions.scrub(this.timeAt(at.x));
    });
    element.addEventListener('pointermove', (event) => {
      const at = local(event);
      if (pressed && !(isLanes && pressed.touch)) {
        if (Math.abs(at.x - pressed.x) > CLICK_MOVE) pressed.dragged = true;
        if (pressed.dragged) this.actions.scrub(this.timeAt(at.x));
      } else if (!pressed) {
        this.hover(event, at, isLanes);
      }
    });
    element.addEventListener('pointerup', (event) => {
      const at = local(event);
      if (pressed && !pressed.dragged && isLanes) this.click(at);
      pressed = null;
    });
    element.addEventListener('pointercancel', () => (pressed = null));
    element.addEventListener('pointerleave', () => this.tip.hide());
    element.addEventListener('dblclick', () => this.fit());
    element.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.004), this.timeAt(local(event).x));
    }, {passive: false});
  }

  rowAt(y) {
    return this.rows()[Math.floor((y + this.scroller.scrollTop - 1) / LANE)];
  }
  cellsAt(lane, x) {
    const pixel = (this.to - this.from) / this.columns, time = this.timeAt(x);
    const exact = this.proof.at(lane.cells, time, 0.5 * pixel);
    return exact.length ? exact : this.proof.at(lane.cells, time, 4 * pixel);
  }

  click({x, y}) {
    const row = this.rowAt(y);
    if (!row) return;
    if (row.lanes && x < this.gutter) {
      row.open = !row.open;
      this.drawLanes();
      return;
    }
    if (!row.cells) {
      this.actions.scrub(this.timeAt(x));
      return;
    }
    const found = x < this.gutter ? [row.hardest] : this.cellsAt(row, x);
    if (found.length) this.actions.select(found[0], row, found);
  }

  hover(event, {x, y}, isLanes) {
    this.tip.show(isLanes ? this.laneText(x, y) : this.plotText(x), event);
  }
  laneText(x, y) {
    const row = this.rowAt(y);
    if (row?.order) return this.rateText(row, x);
    if (!row?.cells) return '';
    if (x < this.gutter) return row.name;
    const found = this.cellsAt(row, x);
    return found.length ? `${row.name}: ≥ ${metres(this.proof.lower(found[0], this.timeAt(x)), {down: true})}, proved` : row.name;
  }
  rateText(row, x) {
    if (x >= this.gutter) {
      const {text, share} = row.reading(this.timeAt(x));
      return [row.name, text, share && `${share} of the limit`].filter(Boolean).join(', ');
    }
    if (row.summary) return row.summary;
    if (row.lanes) return `${row.open ? 'Hide' : 'Show'} the joints`;
    const peak = `${row.name}: at most ${+row.peak.toPrecision(3)} ${row.unit}`;
    return row.limit ? `${peak}, limit ${+row.limit.toPrecision(3)} ${row.unit}` : `${peak}, no limit known`;
  }
  plotText(x) {
    if (x < this.gutter || !this.proof.count) return '';
    const time = this.timeAt(x), cells = this.proof.at(this.proof.shownCells, time);
    if (!cells.length) return '';
    const least = Math.min(...cells.slice(0, 2000).map((i) => this.proof.lower(i, time)));
    return `${this.scope()}: ≥ ${metres(least, {down: true})}, proved`;
  }
}
