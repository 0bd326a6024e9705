// Play, speed, zoom, the legend: the row above the time line.
import {ramp, SCALE, slackColour} from './colours.js';
import {el, icon} from './text.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function legend() {
  const colours = ramp((share) => slackColour(10 ** (SCALE.hardest + share * (SCALE.easiest - SCALE.hardest))));
  return el('div', {class: 'legend', title: 'Colour of a cell: how much more than the required clearance it proves'},
    el('span', {}, 'slack'), el('span', {class: 'end'}, '1 µm'),
    el('span', {class: 'ramp', style: `background:${colours}`}),
    el('span', {class: 'end'}, '0.5 m'));
}

export class Transport {
  /** `actions`: toggle(), share(s), toStart(), toEnd(), speed(s), zoom(factor), fit(), filter(), follow(). */
  constructor(container, actions) {
    const button = (name, label, onclick) =>
      el('button', {type: 'button', class: 'icon', 'aria-label': label, title: label, onclick}, icon(name));
    this.play = button('play', 'Play (space)', actions.toggle);
    this.play.classList.add('primary');
    this.play.id = 'play';
    this.speed = el('select', {'aria-label': 'Speed', onchange: () => actions.speed(Number(this.speed.value))},
      SPEEDS.map((s) => el('option', {value: s, selected: s === 1}, `${s}×`)));
    this.slider = el('input', {type: 'range', min: 0, max: 10000, value: 0, step: 1, 'aria-label': 'Time', class: 'scrub',
      oninput: () => actions.share(Number(this.slider.value) / 10000)});
    this.readout = el('output', {class: 'readout'});
    this.live = el('button', {type: 'button', id: 'live', class: 'live', hidden: true, title: 'Follow what happens now (l)', onclick: actions.follow}, 'live');
    this.filter = el('input', {type: 'search', class: 'filter', placeholder: 'Filter pairs', 'aria-label': 'Filter pairs',
      title: 'Words that a pair must have; a word after a minus: that it must not have', oninput: () => actions.filter()});
    this.changing = el('button', {type: 'button', class: 'changing', 'aria-pressed': 'false', hidden: true,
      title: 'Leave out pairs that keep their places to each other all through this motion',
      onclick: () => {
        this.changing.setAttribute('aria-pressed', String(this.changing.getAttribute('aria-pressed') !== 'true'));
        actions.filter();
      }}, 'changing only');
    this.proofTools = el('div', {class: 'proof-tools'}, this.filter, this.changing, legend(),
      el('span', {class: 'zoom'},
        el('button', {type: 'button', 'aria-label': 'Zoom out in time', title: 'Zoom out (-)', onclick: () => actions.zoom(1.6)}, '−'),
        el('button', {type: 'button', 'aria-label': 'Whole motion', title: 'Whole motion (0)', onclick: actions.fit}, 'fit'),
        el('button', {type: 'button', 'aria-label': 'Zoom in on time', title: 'Zoom in (+)', onclick: () => actions.zoom(1 / 1.6)}, '+')));
    container.append(
      el('div', {class: 'buttons'}, button('start', 'To the start (home)', actions.toStart), this.play,
        button('end', 'To the end (end)', actions.toEnd), this.speed, this.live),
      this.slider, this.readout, this.proofTools);
  }

  /** Which pairs are to be shown. */
  get chosen() {
    return [this.filter.value, this.changing.getAttribute('aria-pressed') === 'true' && !this.changing.hidden];
  }

  setPlaying(playing) {
    this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', playing ? 'Pause (space)' : 'Play (space)');
    this.play.setAttribute('aria-pressed', String(playing));
  }

  setLive(following, lost) {
    this.live.hidden = false;
    this.live.setAttribute('aria-pressed', String(following && !lost));
    this.live.textContent = lost ? 'connection lost' : 'live';
    this.live.classList.toggle('lost', lost);
  }

  stepSpeed(direction) {
    const index = SPEEDS.indexOf(Number(this.speed.value)) + direction;
    this.speed.value = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, index))];
    return Number(this.speed.value);
  }

  setTime(clock, time) {
    const [segment, t] = clock.place(time);
    this.slider.value = Math.round((10000 * (time - clock.begin)) / (clock.end - clock.begin));
    const at = clock.unit === 'plan' ? `at ${time.toFixed(3)}  ` : clock.unit ? `${time.toFixed(3)} ${clock.unit}  ` : '';
    this.readout.replaceChildren(...clock.readout?.(time) ?? [
      at, 'segment ', el('b', {}, String(segment)), ' t ', el('b', {}, t > 0 && t < 0.001 ? t.toExponential(1) : t.toFixed(3))]);
  }
}
