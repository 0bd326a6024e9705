// The verdict and its verification, at the top.
import {shortNames} from './proof.js';
import {outcomeOf} from './task.js';
import {count, el, metres} from './text.js';

const VERDICTS = {
  free: {word: 'Free', sign: '✓'},
  collision: {word: 'Collision', sign: '✕'},
  undecided: {word: 'Undecided', sign: '?'},
  rejected: {word: 'Not proved', sign: '!'},
  unchecked: {word: 'Not checked', sign: '·'},
};

function timeOf({knots}, {segment, t}) {
  const i = Math.min(segment, knots.length - 2);
  return knots[i] + t * (knots[i + 1] - knots[i]);
}

function verdictText(doc, motion) {
  if (motion.meaning) return motion.meaning;
  const pairs = count(motion.pairs.length, 'pair'), segments = motion.curve ?? count(motion.knots.length - 1, 'segment');
  const known = shortNames(doc.bodies);
  const names = (bodies) => bodies.map((b) => known[b] ?? '?').join(' meets ');
  const at = motion.unit === 's' && motion.witness ? `, ${+timeOf(motion, motion.witness).toPrecision(5)} s` : '';
  switch (motion.verdict) {
    case 'free': {
      const apart = motion.clearance > 0 ? `more than ${metres(motion.clearance)} apart` : 'apart';
      return `every configuration of ${segments}: all ${pairs} ${apart}`;
    }
    case 'collision':
      return motion.witness
        ? `${names(motion.witness.bodies)} in segment ${motion.witness.segment}, t = ${+motion.witness.t.toPrecision(4)}${at}`
        : 'the certificate shows a collision';
    case 'undecided':
      return motion.undecided?.text ?? 'neither proved nor refuted';
    case 'rejected':
      return 'the certificate was rejected';
    default:
      return `${segments}, not checked`;
  }
}

function verification(motion) {
  const v = motion.verification;
  if (!v) {
    if (motion.verdict === 'free' && !motion.meaning)
      return el('span', {class: 'badge quiet', title: 'The checker that was used writes no certificate.'}, 'no certificate');
    return null;
  }
  if (!v.accepted) return el('span', {class: 'badge bad', title: v.reason}, `certificate rejected: ${v.reason}`);
  const what = motion.verdict === 'collision' ? 'witness confirmed' : `${count(v.leaves, 'leaf', 'leaves')} verified`;
  return el('span', {class: 'badge good', title: 'By code that shares nothing with the checker, in interval arithmetic.'},
    `✓ ${what} independently`);
}

// What a task came to.
function outcome(task) {
  const {word, sign, kind, text} = outcomeOf(task);
  return el('div', {class: `verdict ${kind}`, id: 'outcome'},
    el('strong', {}, el('span', {class: 'sign', 'aria-hidden': 'true'}, sign), word), el('span', {class: 'meaning', title: text}, text));
}

/** Fills the header; `choose(index)` switches between motions. */
export function showHeader(container, doc, current, choose, showContact) {
  const motion = doc.motions[current];
  const verdict = motion ? VERDICTS[motion.verdict] ?? VERDICTS.unchecked : null;
  container.replaceChildren(...[
    el('div', {class: 'title'}, el('h1', {}, doc.title), el('p', {}, doc.subtitle)),
    doc.task ? outcome(doc.task) : null,
    // The chart of a plan is its switch.
    doc.motions.length > 1 && !doc.task
      ? el('div', {class: 'switch', role: 'group', 'aria-label': 'Motions'},
          doc.motions.map((m, i) => el('button', {type: 'button', 'aria-pressed': String(i === current), onclick: () => choose(i)},
            el('span', {class: `dot ${m.verdict}`}), m.name || `Motion ${i + 1}`)))
      : null,
    motion
      ? el('div', {class: `verdict ${motion.verdict}`, id: 'verdict'},
          el('strong', {}, el('span', {class: 'sign', 'aria-hidden': 'true'}, verdict.sign), verdict.word),
          el('span', {class: 'meaning', title: verdictText(doc, motion)}, verdictText(doc, motion)),
          motion.witness || motion.undecided?.bodies?.[0] >= 0
            ? el('button', {type: 'button', onclick: showContact}, 'Show') : null)
      : null,
    motion ? verification(motion) : null,
  ].filter(Boolean));
}
