// The moment that a page shows, in its address: #t=1.25, with &motion=2 where there are several.

const REST = 250;  // milliseconds without a change before the address names the moment

/** {time, motion} of an address's last part, or {error}; null if it names none. */
export function readMoment(hash, motions) {
  const text = hash.replace(/^#/, '');
  if (!text) return null;
  const entries = new URLSearchParams(text), unknown = [...entries.keys()].find((key) => key !== 't' && key !== 'motion');
  if (unknown !== undefined) return {error: `The address ends in “${hash}”; a moment is named like #t=1.25.`};
  const time = entries.get('t'), motion = entries.get('motion');
  if (time === null || !/^-?\d+(\.\d*)?(e-?\d+)?$/i.test(time)) return {error: `“t=${time ?? ''}” in the address is no time.`};
  const index = motion === null ? motions - 1 : Number(motion) - 1;
  if (!(Number.isInteger(index) && index >= 0 && index < motions)) return {error: `The address names motion ${motion}; there ${motions === 1 ? 'is one' : `are ${motions}`}.`};
  return {time: Number(time), motion: index};
}

export function writeMoment(time, motion, motions) {
  const where = motions > 1 ? `&motion=${motion + 1}` : '';
  return `#t=${+time.toPrecision(7)}${where}`;
}

let waiting = 0;
/** Puts the moment that `moment()` gives into the page's address, once nothing has changed for a while. */
export function nameMoment(moment) {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const hash = moment();
    try {
      if (hash) history.replaceState(null, '', hash);
    } catch {
      // A page without an address of its own, as inside a notebook.
    }
  }, REST);
}
