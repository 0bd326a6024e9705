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

/** Parses the text of a document; throws an Error that a person can read. */
export function readDocument(text) {
  const doc = JSON.parse(text);
  if (doc.proven_view !== FORMAT)
    throw new Error(`This page's data has format ${doc.proven_view}, the viewer reads ${FORMAT}.`);
  doc.errors ??= [];
  doc.warnings ??= [];
  doc.frames ??= [];
  doc.bodies ??= [];
  doc.pairs ??= [];
  doc.excluded ??= [];
  doc.traces ??= [];
  doc.annotations ??= [];
  doc.channels ??= [];
  doc.joints ??= [];
  doc.home ??= [];
  doc.meshes = (doc.meshes ?? []).map((mesh) => ({
    vertices: unpack(Float32Array, mesh.vertices),
    triangles: unpack(Uint32Array, mesh.triangles),
    meshTriangles: mesh.mesh_triangles,
    convexFirst: mesh.convex_first ?? [],
    grains: mesh.grains ? {
      centres: unpack(Float32Array, mesh.grains.centres),
      halves: unpack(Float32Array, mesh.grains.halves),
      radius: mesh.grains.radius,
    } : null,
  }));
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
