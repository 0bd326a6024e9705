// What sensors saw: up to millions of balls or boxes, drawn as instances of one small shape.
import {
  BoxGeometry, Box3, BufferAttribute, BufferGeometry, InstancedBufferAttribute, InstancedBufferGeometry, InterleavedBuffer,
  InterleavedBufferAttribute, OctahedronGeometry, Points, PointsMaterial, Sphere, Vector2, Vector3,
} from 'three';

// Corners of triangles: of a box from -1 to 1, and of a ball of radius 1, rough but round at a distance.
const BOX = new BoxGeometry(2, 2, 2).toNonIndexed(), BALL = new OctahedronGeometry(1, 1);
// More grains than these are splats, one point each: from afar the same, and a million of them is one draw of a million vertices.
const MANY = 20000;
// A box is as many splats as cubes of its shortest side fill its surface; boxes longer than so many of them stay boxes.
const LONGEST = 4;
export const areMany = ({centres}) => centres.length > 3 * MANY;

const shapeOf = ({halves}) => (halves.length ? BOX : BALL);
const extentOf = ({halves, radius}, grain, i) => (halves.length ? halves[3 * grain + i] : radius);

/** One grain as corners of triangles in the body's frame. */
export function grainCorners(grains, grain) {
  const corners = shapeOf(grains).getAttribute('position').array;
  return Array.from(corners, (x, i) => grains.centres[3 * grain + i % 3] + x * extentOf(grains, grain, i % 3));
}

function boundsOf({centres, halves, radius}) {
  const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
  for (let i = 0; i < centres.length; ++i) {
    const axis = i % 3, extent = halves.length ? halves[i] : radius;
    low.setComponent(axis, Math.min(low.getComponent(axis), centres[i] - extent));
    high.setComponent(axis, Math.max(high.getComponent(axis), centres[i] + extent));
  }
  return new Box3(low, high);
}

function setBounds(geometry, box) {
  geometry.boundingBox = box;
  geometry.boundingSphere = box.getBoundingSphere(new Sphere());
  return geometry;
}

/** The shape once, and `centre` and `extent` of every grain. */
export function makeGrains(grains) {
  const {centres, halves, radius} = grains, shape = shapeOf(grains), count = centres.length / 3;
  const geometry = new InstancedBufferGeometry();
  for (const name of ['position', 'normal']) geometry.setAttribute(name, new BufferAttribute(shape.getAttribute(name).array, 3));
  geometry.setAttribute('centre', new InstancedBufferAttribute(centres, 3));
  geometry.setAttribute('extent', new InstancedBufferAttribute(halves.length ? halves : new Float32Array(3 * count).fill(radius), 3));
  geometry.instanceCount = count;
  return setBounds(geometry, boundsOf(grains));
}

/** Makes a material place the instances; normals need nothing, as boxes grow along their own axes. */
export function placeGrains(material) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute vec3 centre, extent;\n${shader.vertexShader}`
      .replace('#include <begin_vertex>', 'vec3 transformed = centre + extent * position;');
  };
  material.customProgramCacheKey = () => 'grains';
  return material;
}

// Cubes on the surface of a box, from -1 to 1 along its axes: their middles as shares of its half extents.
function cubesOf(x, y, z) {
  const list = [];
  for (let i = 0; i < x; ++i)
    for (let j = 0; j < y; ++j)
      for (let k = 0; k < z; ++k)
        if (i === 0 || j === 0 || k === 0 || i === x - 1 || j === y - 1 || k === z - 1)
          list.push([(2 * i + 1) / x - 1, (2 * j + 1) / y - 1, (2 * k + 1) / z - 1]);
  return list;
}

// Numbers in fours, as many as come.
class Fours {
  constructor(count) {
    this.values = new Float32Array(4 * count);
    this.count = 0;
  }
  push(a, b, c, d) {
    if (4 * this.count === this.values.length) {
      const more = new Float32Array(2 * this.values.length + 4);
      more.set(this.values);
      this.values = more;
    }
    this.values.set([a, b, c, d], 4 * this.count++);
  }
}

// Centres and extents of the splats of all grains. The boxes that are too long come back.
function splatsOf({centres, halves, radius}) {
  const splats = new Fours(centres.length / 3), long = {centres: [], halves: [], radius}, cubes = new Map();
  if (!halves.length)
    for (let i = 0; i < centres.length; i += 3) splats.push(centres[i], centres[i + 1], centres[i + 2], radius);
  for (let i = 0; i < halves.length; i += 3) {
    const [hx, hy, hz] = [halves[i], halves[i + 1], halves[i + 2]], least = Math.max(Math.min(hx, hy, hz), 1e-9);
    const x = Math.round(hx / least), y = Math.round(hy / least), z = Math.round(hz / least), key = (x << 8) | (y << 4) | z;
    if (Math.max(x, y, z) > LONGEST) {
      long.centres.push(...centres.subarray(i, i + 3));
      long.halves.push(hx, hy, hz);
      continue;
    }
    if (!cubes.has(key)) cubes.set(key, cubesOf(x, y, z));
    for (const at of cubes.get(key)) splats.push(centres[i] + at[0] * hx, centres[i + 1] + at[1] * hy, centres[i + 2] + at[2] * hz, least);
  }
  return {splats, long: {...long, centres: new Float32Array(long.centres), halves: new Float32Array(long.halves)}};
}

// In an order without order: the first n of them look like all, only thinner.
function shuffle({values, count}) {
  let seed = 1;
  for (let i = count - 1; i > 0; --i) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((seed / 4294967296) * (i + 1));
    for (let k = 0; k < 4; ++k) {
      const value = values[4 * i + k];
      values[4 * i + k] = values[4 * j + k];
      values[4 * j + k] = value;
    }
  }
}

/** Many grains as points that are as large as they are, brighter towards the top. */
export function makeSplats(grains, colour, glass) {
  const {splats, long} = splatsOf(grains), box = boundsOf(grains), geometry = new BufferGeometry();
  shuffle(splats);
  const all = new InterleavedBuffer(splats.values.subarray(0, 4 * splats.count), 4);
  geometry.setAttribute('position', new InterleavedBufferAttribute(all, 3, 0));
  geometry.setAttribute('extent', new InterleavedBufferAttribute(all, 1, 3));
  const inflate = {value: 1}, height = {value: new Vector2(box.min.z, box.max.z)};
  const material = new PointsMaterial({color: colour, transparent: glass < 1, opacity: glass, depthWrite: glass === 1});
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, {inflate, height});
    shader.vertexShader = `attribute float extent;\nuniform float inflate;\nuniform vec2 height;\nvarying float shade;\n${shader.vertexShader}`
      .replace('gl_PointSize = size;', `gl_PointSize = 2.0 * extent * inflate * projectionMatrix[1][1];
        shade = 0.62 + 0.5 * clamp((position.z - height.x) / max(height.y - height.x, 1e-6), 0.0, 1.0);`);
    shader.fragmentShader = `varying float shade;\n${shader.fragmentShader}`
      .replace('#include <color_fragment>', 'diffuseColor.rgb *= shade;');
  };
  material.customProgramCacheKey = () => 'splats';
  const points = new Points(setBounds(geometry, box), material);
  points.count = splats.count;
  // A share of them, each larger, so that what they cover stays about the same.
  points.show = (share) => {
    geometry.setDrawRange(0, Math.ceil(share * splats.count));
    inflate.value = Math.min(5, 1 / Math.sqrt(share));
  };
  return {points, long};
}
