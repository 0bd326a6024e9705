// A task beside its motion: the plan over time, what modules answered, how search went.
import {Gantt, textOf} from './gantt.js';
import {drawQuality} from './quality.js';
import {count, el, icon} from './text.js';

const SHOWN_REPLIES = 200;
const ANSWERS = {no: 'no: proved', unknown: 'unknown: not in time', yes: 'yes'};

const seconds = (s) => (s < 0.0995 ? `${+(1000 * s).toPrecision(2)} ms` : `${+s.toPrecision(3)} s`);
const number = (value) => value.toLocaleString('en', {maximumFractionDigits: 3});

function rows(entries) {
  return el('dl', {}, entries.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/** How far the value may be from the best: {percent, text}. */
export function gapOf({metric, bound}) {
  if (bound === null) return {percent: null, text: 'no lower bound is known'};
  const gap = metric - bound;
  if (gap <= 1e-6 * (1 + Math.abs(metric))) return {percent: 0, text: 'no plan is better'};
  const percent = (100 * gap) / Math.max(1e-9, Math.abs(metric));
  return {percent, text: `at most ${percent < 10 ? percent.toFixed(1) : Math.round(percent)} % above the best`};
}

/** What a task came to, for the header: {word, sign, kind, text}. */
export function outcomeOf(task) {
  if (task.outcome === 'unsolvable') return {word: 'Unsolvable', sign: '✕', kind: 'collision', text: 'proved: there is no plan'};
  if (task.outcome !== 'solved') return {word: 'Undecided', sign: '?', kind: 'undecided', text: task.reason};
  const text = `${count(task.actions.length, 'action')}; ${task.judgement}`;
  if (task.valid === null) return {word: 'Solved', sign: '✓', kind: 'undecided', text};
  return task.valid ? {word: 'Solved', sign: '✓', kind: 'free', text} : {word: 'Rejected', sign: '!', kind: 'rejected', text};
}

export class TaskView {
  /** `panel` is the proof's; `actions`: play(motion), whole(). */
  constructor(container, doc, panel, actions) {
    Object.assign(this, {doc, task: doc.task, actions, panel, chosen: -1});
    this.moves = doc.motions.length > 0;
    for (const action of this.task.actions) action.summary = this.motionText(action);
    this.tabs = new Map([['plan', ['Plan', this.plan()]]]);
    if (this.task.replies.length) this.tabs.set('modules', ['Modules', this.modules()]);
    this.tabs.set('search', ['Search', this.search()]);
    if (this.moves) this.tabs.set('proof', ['Proof', panel]);
    this.nav = el('nav', {class: 'tabs', role: 'tablist'}, [...this.tabs].map(([id, [name]]) =>
      el('button', {type: 'button', role: 'tab', 'data-tab': id, onclick: () => this.open(id)}, name)));
    container.append(this.nav, el('div', {class: 'task-body'}, [...this.tabs.values()].map(([, section]) => section)));
    this.tabbed = doc.bodies.length > 0;
    this.nav.hidden = !this.tabbed;
    this.open('plan');
  }

  open(id) {
    if (!this.tabbed || !this.tabs.has(id)) return;
    for (const [key, [, section]] of this.tabs) section.hidden = key !== id;
    for (const button of this.nav.children) button.setAttribute('aria-selected', String(button.dataset.tab === id));
  }

  motionText({motion}) {
    const shown = this.doc.motions[motion];
    if (!shown) return '';
    const leaves = shown.verification?.accepted ? `, ${count(shown.verification.leaves, 'leaf', 'leaves')} verified` : '';
    return `motion: ${shown.verdict}${leaves}`;
  }

  plan() {
    const {task} = this;
    if (!task.actions.length && task.outcome !== 'solved') return this.failure();
    this.gantt = new Gantt(task.actions, {choose: (index) => this.choose(index, true)});
    this.card = el('div', {class: 'action-card', 'aria-live': 'polite'});
    this.whole = this.moves
      ? el('button', {type: 'button', class: 'whole', onclick: () => this.actions.whole()}, icon('play'), 'Whole plan') : null;
    return el('section', {class: 'tab plan-tab', id: 'plan'},
      el('header', {}, el('h2', {class: 'tab-name'}, 'Plan'), this.whole, ...this.gantt.tools()),
      this.figures(), this.gantt.element, this.card);
  }

  figures() {
    const {task} = this, gap = gapOf(task), timed = this.gantt.timed;
    const figure = (value, name) => el('div', {class: 'figure'}, el('strong', {}, value), el('span', {}, name));
    return el('div', {class: 'figures'},
      figure(number(task.metric), task.value),
      task.bound === null ? null : figure(number(task.bound), 'lower bound'),
      task.bound === null ? null : figure(gap.percent === 0 ? 'best' : `${gap.percent < 10 ? gap.percent.toFixed(1) : Math.round(gap.percent)} %`, gap.percent === 0 ? gap.text : 'gap at most'),
      timed && task.makespan !== task.metric ? figure(number(task.makespan), 'makespan') : null,
      figure(seconds(task.found[0]?.seconds ?? task.stats.seconds), 'first plan'));
  }

  // Why there is no plan.
  failure() {
    const {task} = this, refused = task.replies.filter((reply) => reply.answer !== 'yes');
    return el('section', {class: 'tab plan-tab', id: 'plan'}, el('h2', {}, 'Why there is no plan'),
      el('p', {class: 'why'}, task.reason),
      task.unreached.length ? el('div', {class: 'unreached'}, el('h3', {}, `${count(task.unreached.length, 'part')} of the goal that no state reached`),
        el('ul', {}, task.unreached.map((part) => el('li', {}, el('code', {}, part))))) : null,
      !task.unreached.length && task.stats.expanded > 0
        ? el('p', {class: 'explain'}, 'Each part of the goal held in some state that search reached; all of them together held in none.') : null,
      refused.length ? el('div', {class: 'unreached'}, el('h3', {}, 'Most often in the way'),
        el('ul', {class: 'reply-list'}, refused.slice(0, 5).map((reply) => this.reply(reply)))) : null);
  }

  reply({call, answer, times, seconds: taken, reason}) {
    return el('li', {class: 'reply'}, el('span', {class: `answer ${answer}`, title: ANSWERS[answer]}, answer),
      el('div', {}, el('code', {}, call), reason ? el('p', {}, reason) : null),
      el('span', {class: 'times'}, `${times}×`, el('small', {}, seconds(taken))));
  }

  modules() {
    const {replies} = this.task, of = (answer) => replies.filter((reply) => reply.answer === answer).length;
    const present = ['no', 'unknown', 'yes'].filter((answer) => of(answer));
    this.answers = new Set(present);
    this.words = '';
    this.list = el('ul', {class: 'reply-list'});
    const chip = (answer) => el('button', {type: 'button', class: `answer ${answer}`, 'aria-pressed': 'true', title: ANSWERS[answer],
      onclick: (event) => this.filter(answer, event.currentTarget)}, `${answer} ${of(answer)}`);
    const search = el('input', {type: 'search', class: 'filter', placeholder: 'Filter calls', 'aria-label': 'Filter calls', oninput: () => {
      this.words = search.value;
      this.listReplies();
    }});
    const section = el('section', {class: 'tab modules-tab', id: 'modules'},
      el('header', {}, el('h2', {}, 'What modules answered'), ...present.map(chip), search), this.list);
    this.listReplies();
    return section;
  }

  filter(answer, chip) {
    if (!this.answers.delete(answer)) this.answers.add(answer);
    chip.setAttribute('aria-pressed', String(this.answers.has(answer)));
    this.listReplies();
  }

  listReplies(most = SHOWN_REPLIES) {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.task.replies.filter(({call, answer, reason}) => this.answers.has(answer) &&
      words.every((word) => `${call} ${reason}`.toLowerCase().includes(word)));
    this.list.replaceChildren(...found.slice(0, most).map((reply) => this.reply(reply)));
    if (found.length > most)
      this.list.append(el('li', {}, el('button', {type: 'button', onclick: () => this.listReplies(Infinity)}, `Show all ${found.length.toLocaleString('en')}`)));
    if (!found.length) this.list.append(el('li', {class: 'none'}, 'No call is like that.'));
  }

  search() {
    const {task} = this, {stats, found} = task;
    const history = found.length ? [el('h3', {}, `${task.value} over time`), drawQuality(found, task.bound, stats.seconds),
      el('p', {class: 'explain'}, task.bound === null ? 'No lower bound is known for this value.'
        : `The dashed line is the lower bound ${number(task.bound)}: ${gapOf(task).text}.`),
      el('table', {class: 'found'}, el('thead', {}, el('tr', {}, ['after', task.value, 'actions'].map((t) => el('th', {}, t)))),
        el('tbody', {}, found.map((plan) => el('tr', {}, [seconds(plan.seconds), number(plan.metric), plan.actions].map((t) => el('td', {}, String(t)))))))] : [];
    return el('section', {class: 'tab search-tab', id: 'search'}, el('h2', {}, 'Search'), ...history,
      task.outcome === 'solved' && task.reason ? el('p', {class: 'why'}, task.reason) : null,
      el('h3', {}, 'Figures'),
      rows([
        ['facts, numbers', `${number(stats.facts)}, ${number(stats.numbers)}`], ['ground actions', number(stats.actions)],
        ['landmarks', number(stats.landmarks)], ['states expanded', number(stats.expanded)],
        ['states evaluated', number(stats.evaluated)], ['steps generated', number(stats.generated)],
        ...(stats.module_questions ? [['modules: questions, calls', `${number(stats.module_questions)}, ${number(stats.module_calls)}`],
          ['processor time of modules', seconds(stats.module_processor_seconds)]] : []),
        ['grounding', seconds(stats.ground_seconds)], ['planning', seconds(stats.seconds)],
        ['processor time', seconds(stats.processor_seconds)], ['memory', `${number(Math.round(stats.resident_bytes / 2 ** 20))} MiB`],
      ]),
      this.doc.warnings.length ? el('div', {}, el('h3', {}, count(this.doc.warnings.length, 'note')),
        el('ul', {class: 'notes'}, this.doc.warnings.map((note) => el('li', {}, note)))) : null);
  }

  /** Points out an action and what is known of it; with `play`, its motion is played. */
  choose(index, play = false) {
    const action = this.task.actions[index];
    if (!action) return;
    this.chosen = index;
    this.gantt.choose(index);
    const calls = this.task.replies.filter((reply) => action.calls.includes(reply.call));
    this.card.replaceChildren(el('h3', {}, textOf(action)),
      el('p', {class: 'when'}, this.gantt.timed ? `from ${number(action.start)} to ${number(action.start + action.duration)}` : `step ${index + 1} of ${this.task.actions.length}`,
        action.summary ? ` · ${action.summary}` : ''),
      ...(calls.length ? [el('p', {class: 'explain'}, 'Its modules, in all states where search asked them:'), el('ul', {class: 'reply-list'}, calls.map((reply) => this.reply(reply)))] : []));
    if (play && action.motion >= 0) this.actions.play(action.motion);
  }
  step(direction) {
    const {length} = this.task.actions;
    if (length) this.choose(Math.min(length - 1, Math.max(0, this.chosen + direction)), true);
  }

  /** A motion is shown: its action is pointed out, or none. */
  follow(motion) {
    const index = this.task.actions.findIndex((action) => action.motion === motion);
    this.whole?.setAttribute('aria-pressed', String(index < 0));
    if (index >= 0 && index !== this.chosen) this.choose(index);
    else if (index < 0 && this.gantt) {
      this.chosen = -1;
      this.gantt.choose(-1);
      this.card.replaceChildren();
    }
  }

  setTime(time) {
    this.gantt?.setTime(time);
  }
}
