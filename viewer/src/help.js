// Keys, and the dialog that lists them.
import {el, icon} from './text.js';

const KEYS = [
  ['space', 'play or pause'],
  ['← →', 'step; with shift from waypoint to waypoint'],
  ['↑ ↓', 'previous, next action of a plan'],
  ['[ ]', 'slower, faster'],
  ['l', 'of a live session: what happens now'],
  ['home end', 'start, end'],
  ['n p', 'next, previous cell, hardest first'],
  ['c', 'the collision, or the undecided place'],
  ['+ − 0', 'zoom in time, whole motion'],
  ['f', 'the whole scene'],
  ['1 2 3', 'from the front, the side, above'],
  ['g t', 'grid, tool paths'],
  ['v', 'bodies, what robots look like, both'],
  ['/', 'filter pairs by words; a word after a minus leaves out'],
  ['esc', 'close this help; let go of the selection, or of joints that were moved'],
  ['?', 'this help'],
];

export function makeHelp() {
  const dialog = el('dialog', {class: 'help', 'aria-label': 'Keys'},
    el('header', {}, el('h2', {}, 'Keys'),
      el('button', {type: 'button', class: 'icon', 'aria-label': 'Close', onclick: () => dialog.close()}, icon('close'))),
    el('dl', {}, KEYS.flatMap(([keys, what]) => [
      el('dt', {}, keys.split(' ').map((k) => el('kbd', {}, k))), el('dd', {}, what)])),
    el('p', {}, 'Drag to turn the view, right-drag to move it, scroll to zoom. Click a cell on the time line to see why ',
      'its two pieces stay apart; hold ctrl and scroll there to zoom in time. The address of the page names the moment: as a link it leads there.'));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

/** Calls the action of a key; keys in text fields are left alone. */
export function listenToKeys(actions) {
  window.addEventListener('keydown', (event) => {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // An open dialog has the keys; the browser closes it on escape.
    if (document.querySelector('dialog[open]') && event.key !== '?') return;
    if (tag === 'INPUT' && event.target.type === 'search') {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if ((tag === 'SELECT' || event.target.closest?.('.joints')) && event.key !== 'Escape') return;
    if (tag === 'BUTTON' && event.key === ' ') event.target.blur();
    const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
    const action = actions[name];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
