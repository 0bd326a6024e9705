// Figures over time that a document brings along, one value per step: beside a limit, or such that less is worse.

/** A lane of the time line, with what a lane of rates has. */
export class SeriesLane {
  constructor({name, unit, times, values, limits = [], far, alarm}) {
    Object.assign(this, {name, unit, times, values, limits, far, alarm, order: far ? 2 : 1});
    const known = values.filter((v) => v !== null);
    this.peak = Math.max(0, ...values.map((v, i) => this.share(i)));
    this.least = known.length ? Math.min(...known) : null;
    this.most = known.length ? Math.max(...known) : null;
    this.beyond = this.peak > 1 + 1e-3;
    this.scale = 1;
    this.limit = far ? undefined : 1;
  }

  // Of the limit; or how near it is: 1 is a contact, 0 far away.
  share(i) {
    const value = this.values[i];
    if (value === null) return 0;
    if (this.far) return Math.max(0, 1 - value / this.far);
    return value / (this.limits[i] ?? 1.25 * Math.max(1, ...this.values));
  }
  alarming(share) {
    return this.far ? share > 1 - this.alarm / this.far : share > 1 + 1e-3;
  }

  step(time) {
    let low = 0, high = this.values.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  envelope(from, to, columns) {
    const most = new Float64Array(columns), width = (to - from) / columns;
    for (let c = 0; c < columns; ++c)
      for (let i = this.step(from + c * width), last = this.step(from + (c + 1) * width); i <= last; ++i)
        if (this.times[i + 1] >= from + c * width) most[c] = Math.max(most[c], this.share(i));
    return most;
  }

  reading(time) {
    const i = this.step(time), value = this.values[i];
    if (value === null) return {text: this.far ? `> ${this.far} ${this.unit}` : '', share: '', beyond: false};
    const figure = value >= 10 ? value.toFixed(1) : value.toFixed(2), limit = this.limits[i];
    return {text: `${this.far ? '≥ ' : ''}${figure} ${this.unit}`, share: limit ? `${Math.round((100 * value) / limit)} %` : '',
      beyond: this.alarming(this.share(i))};
  }

  /** What hovering over its name says. */
  get summary() {
    if (this.far)
      return this.least === null ? `${this.name}: never below ${this.far} ${this.unit}` : `${this.name}: at least ${+this.least.toPrecision(3)} ${this.unit}`;
    return `${this.name}: at most ${+this.most.toPrecision(3)} ${this.unit}`;
  }
}
