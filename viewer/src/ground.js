// The ground: a grid that fades with the distance, and a sheet that catches shadows.
import {BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, ShadowMaterial} from 'three';

const PARTS = 12;  // of a line: each has its own shade

function fade(x, y, reach) {
  const s = Math.min(1, Math.max(0, (Math.hypot(x, y) / reach - 0.2) / 0.8));
  return (1 - s) * (1 - s);
}

// Lines at multiples of the step in both directions: every tenth, or all others.
function gridLines(step, reach, tenths) {
  const position = [], shade = [], reached = Math.floor(reach / step);
  for (let line = -reached; line <= reached; ++line) {
    if ((line % 10 === 0) !== tenths) continue;
    const across = line * step;
    for (const alongX of [true, false])
      for (let k = 0; k < PARTS; ++k)
        for (const along of [k, k + 1].map((end) => ((2 * end) / PARTS - 1) * reach)) {
          position.push(...(alongX ? [along, across, 0] : [across, along, 0]));
          shade.push(1, 1, 1, (tenths ? 0.5 : 0.17) * fade(along, across, reach));
        }
  }
  return {position, shade};
}

export function makeGround(size, centre, floor) {
  const step = 10 ** Math.floor(Math.log10(size / 4)), reach = 1.6 * size;
  const at = [Math.round(centre.x / (10 * step)) * 10 * step, Math.round(centre.y / (10 * step)) * 10 * step];
  const grid = new Group();
  for (const tenths of [false, true]) {
    const {position, shade} = gridLines(step, reach, tenths);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(shade), 4));
    grid.add(new LineSegments(geometry, new LineBasicMaterial({vertexColors: true, transparent: true, depthWrite: false})));
  }
  grid.position.set(at[0], at[1], floor);
  const sheet = new Mesh(new PlaneGeometry(1.3 * size, 1.3 * size), new ShadowMaterial({opacity: 0.2, depthWrite: false}));
  sheet.position.set(centre.x, centre.y, floor);
  sheet.receiveShadow = true;
  return {grid, sheet, setColour: (colour) => grid.children.forEach((lines) => lines.material.color.set(colour))};
}
