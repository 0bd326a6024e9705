// Reads the document that the page carries (docs/viewer.md).
import {grainCorners} from './grains.js';

const FORMAT = 1;

function bytes(text) {
  const binary = atob(text);
  const result = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) result[i] = binary.charCodeAt(i);
  return result;
}

/** A packed array of numbers: little-endian bytes in base64. */
export function unpack(Type, text) {
  return new Type(bytes(text ?? '').buffer);
}

function unpackCells(cells) {
  const nodes = cells.nodes;
  return {
    count: cells.count,
    leaves: cells.leaves,
    segment: unpack(Uint32Array, cells.segment),
    begin: unpack(Float64Array, cells.begin),
    end: unpack(Float64Array, cells.end),
    anchor: unpack(Float64Array, cells.anchor),
    a: unpack(Uint32Array, cells.a),
    b: unpack(Uint32Array, cells.b),
    direction: unpack(Float32Array, cells.direction),
    planes: unpack(Float64Array, cells.planes),
    required: unpack(Float64Array, cells.required),
    lower: unpack(Float32Array, cells.lower),
    parts: unpack(Uint32Array, cells.parts),
    nodes: {
      count: nodes.count,
      body: unpack(Int32Array, nodes.body),
      box: unpack(Float32Array, nodes.box),
      firstItem: unpack(Uint32Array, nodes.first_item),
      items: unpack(Uint32Array, nodes.items),
    },
  };
}

// Centres and half extents in steps of 16 bits, or as floats.
function readGrains({low, high, largest, centres, halves, radius}) {
  if (!low) return {centres: unpack(Float32Array, centres), halves: unpack(Float32Array, halves), radius};
  const scaled = (text, from, to) => {
    const steps = unpack(Uint16Array, text), values = new Float32Array(steps.length);
    const step = to.map((v, i) => (v - from[i]) / 65535);
    for (let i = 0; i < steps.length; ++i) values[i] = from[i % 3] + steps[i] * step[i % 3];
    return values;
  };
  return {centres: scaled(centres, low, high), halves: scaled(halves, [0, 0, 0], largest), radius};
}

export function readMesh(mesh) {
  return {
    vertices: unpack(Float32Array, mesh.vertices),
    triangles: unpack(Uint32Array, mesh.triangles),
    meshTriangles: mesh.mesh_triangles,
    convexFirst: mesh.convex_first ?? [],
    grains: mesh.grains ? readGrains(mesh.grains) : null,
  };
}

/** Parses the text of a document; throws an Error that a person can read. */
export function readDocument(text) {
  return prepareDocument(JSON.parse(text));
}

export function prepareDocument(doc) {
  if (doc.proven_view !== FORMAT)
    throw new Error(`This page's data has format ${doc.proven_view}, the viewer reads ${FORMAT}.`);
  for (const name of ['errors', 'warnings', 'frames', 'bodies', 'visuals', 'pairs', 'excluded', 'traces', 'annotations', 'channels', 'joints', 'home', 'motions'])
    doc[name] ??= [];
  doc.meshes = (doc.meshes ?? []).map(readMesh);
  for (const motion of doc.motions) {
    motion.values = unpack(Float64Array, motion.values);
    motion.inner = unpack(Float64Array, motion.inner);
    motion.cells = motion.cells ? unpackCells(motion.cells) : null;
    motion.pairs ??= doc.pairs;
    motion.excluded ??= doc.excluded;
    motion.lanes ??= [];
    motion.series ??= [];
    motion.facts ??= [];
  }
  return doc;
}

/** Corners of the triangles that make up a piece of a body, in the body's frame. */
export function pieceCorners(mesh, piece) {
  if (mesh.grains) return grainCorners(mesh.grains, piece);
  const k = piece - mesh.meshTriangles;
  const [first, end] = k < 0 ? [piece, piece + 1] : [mesh.convexFirst[k], mesh.convexFirst[k + 1] ?? mesh.triangles.length / 3];
  const corners = [];
  for (const v of mesh.triangles.subarray(3 * first, 3 * end)) corners.push(...mesh.vertices.subarray(3 * v, 3 * v + 3));
  return corners;
}
