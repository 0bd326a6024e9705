// Numbers and elements for people.

/** A length with three digits and a unit that suits it; lower bounds are rounded down, upper ones up. */
export function metres(value, {down = false, up = false} = {}) {
  if (value === Infinity) return '–';
  const size = Math.abs(value);
  const [factor, unit] = size === 0 ? [1, 'm'] : size < 1e-3 ? [1e6, 'µm'] : size < 1 ? [1e3, 'mm'] : [1, 'm'];
  const scaled = value * factor;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(scaled), 1e-3))));
  const step = 10 ** Math.min(digits, 4);
  const shown = (down ? Math.floor(scaled * step) : up ? Math.ceil(scaled * step) : Math.round(scaled * step)) / step;
  return `${shown.toLocaleString('en', {maximumFractionDigits: 4})} ${unit}`;
}

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** An element: tag, attributes (functions become listeners), children. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const PATHS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  start: 'M6 5h2.5v14H6zM19 5v14l-10-7z',
  end: 'M15.500 5H18v14h-2.5zM5 5v14l10-7z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm.1 14.300a1.100 1.100 0 1 1 0-2.200 1.100 1.100 0 0 1 0 2.200zm1-4.300v.700h-1.900v-1.500c0-.8.700-1.100 1.400-1.500.6-.3 1-.6 1-1.200 0-.7-.6-1.200-1.500-1.200s-1.600.5-1.700 1.500H8.500c.1-1.900 1.600-3.200 3.700-3.200 2 0 3.400 1.100 3.400 2.800 0 1.400-.9 2.100-1.600 2.600-.5.300-.9.600-.9 1z',
  fit: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z',
  close: 'M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400L12 13.400 6.400 19 5 17.600l5.600-5.600L5 6.400z',
};

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
