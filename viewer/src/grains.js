// What sensors saw: up to millions of balls or boxes, drawn as instances of one small shape.
import {
  BoxGeometry, Box3, BufferAttribute, InstancedBufferAttribute, InstancedBufferGeometry, OctahedronGeometry, PlaneGeometry, Sphere, Vector3,
} from 'three';

// Corners of triangles: of a box from -1 to 1, and of a ball of radius 1, rough but round at a distance.
const BOX = new BoxGeometry(2, 2, 2).toNonIndexed(), BALL = new OctahedronGeometry(1, 1);
// More balls than these are squares that face the viewer: two triangles each, and from afar the same.
const MANY = 20000, SQUARE = new PlaneGeometry(1.8, 1.8).toNonIndexed();
const areSquares = ({centres, halves}) => !halves.length && centres.length > 3 * MANY;

const shapeOf = ({halves}) => (halves.length ? BOX : BALL);
const extentOf = ({halves, radius}, grain, i) => (halves.length ? halves[3 * grain + i] : radius);

/** One grain as corners of triangles in the body's frame. */
export function grainCorners(grains, grain) {
  const corners = shapeOf(grains).getAttribute('position').array;
  return Array.from(corners, (x, i) => grains.centres[3 * grain + i % 3] + x * extentOf(grains, grain, i % 3));
}

/** The shape once, and `centre` and `extent` of every grain. */
export function makeGrains(grains) {
  const {centres, halves, radius} = grains, shape = areSquares(grains) ? SQUARE : shapeOf(grains), count = centres.length / 3;
  const geometry = new InstancedBufferGeometry();
  for (const name of ['position', 'normal']) geometry.setAttribute(name, new BufferAttribute(shape.getAttribute(name).array, 3));
  geometry.setAttribute('centre', new InstancedBufferAttribute(centres, 3));
  geometry.setAttribute('extent', new InstancedBufferAttribute(halves.length ? halves : new Float32Array(3 * count).fill(radius), 3));
  geometry.instanceCount = count;
  const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
  for (let i = 0; i < centres.length; ++i) {
    const axis = i % 3, extent = halves.length ? halves[i] : radius;
    low.setComponent(axis, Math.min(low.getComponent(axis), centres[i] - extent));
    high.setComponent(axis, Math.max(high.getComponent(axis), centres[i] + extent));
  }
  geometry.boundingBox = new Box3(low, high);
  geometry.boundingSphere = geometry.boundingBox.getBoundingSphere(new Sphere());
  return geometry;
}

/** Makes a material place the instances; normals need nothing, as boxes grow along their own axes. */
export function placeGrains(material, grains) {
  const squares = areSquares(grains);
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute vec3 centre, extent;\n${shader.vertexShader}`
      .replace('#include <begin_vertex>', `vec3 transformed = centre${squares ? '' : ' + extent * position'};`);
    if (!squares) return;
    shader.vertexShader = shader.vertexShader
      .replace('#include <defaultnormal_vertex>', 'vec3 transformedNormal = vec3(0.0, 0.0, 1.0);')
      .replace('#include <project_vertex>', `vec4 mvPosition = modelViewMatrix * vec4(centre, 1.0);
        mvPosition.xy += extent.xy * position.xy;
        gl_Position = projectionMatrix * mvPosition;`);
  };
  material.customProgramCacheKey = () => (squares ? 'squares' : 'grains');
  return material;
}
