// What a cell or a contact looks like: two pieces, the plane between them, where they meet.
import {
  Box3, BoxGeometry, BufferAttribute, BufferGeometry, Color, DoubleSide, EdgesGeometry, Group, Line, LineBasicMaterial,
  LineLoop, LineSegments, Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry, Quaternion, Ray, SphereGeometry, Vector3,
} from 'three';
import {toMatrix4} from './bodies.js';
import {POINTED} from './colours.js';
import {pieceCorners} from './document.js';

export const FIRST = new Color(POINTED.first), SECOND = new Color(POINTED.second);
const CONTACT = new Color(POINTED.contact), NEAR_CONTACT = new Color(POINTED.nearContact);

// The triangles of some pieces of a body, as they stand in the body's frame.
function pieceGeometry(mesh, pieces) {
  const corners = [];
  for (const piece of pieces) for (const x of pieceCorners(mesh, piece)) corners.push(x);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
  return geometry;
}

function addPieces(group, mesh, pieces, X, colour) {
  const geometry = pieceGeometry(mesh, pieces), matrix = toMatrix4(X);
  const edges = new LineSegments(new EdgesGeometry(geometry, 12), new LineBasicMaterial({color: colour}));
  const objects = [edges];
  // A body of one piece is seen as a whole; triangles are filled.
  if (pieces.every((piece) => piece < mesh.meshTriangles))
    objects.push(new Mesh(geometry, new MeshBasicMaterial(
      {color: colour, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -4})));
  for (const object of objects) {
    object.matrixAutoUpdate = false;
    object.matrix.copy(matrix);
    object.renderOrder = 3;
    group.add(object);
  }
  const points = geometry.getAttribute('position').clone().applyMatrix4(matrix);
  return {box: new Box3().setFromBufferAttribute(points), points};
}

function addBox(group, box, X, colour) {
  const low = new Vector3(box[0], box[1], box[2]), high = new Vector3(box[3], box[4], box[5]);
  const size = high.clone().sub(low), centre = low.clone().add(high).multiplyScalar(0.5);
  const geometry = new BoxGeometry(Math.max(size.x, 1e-5), Math.max(size.y, 1e-5), Math.max(size.z, 1e-5));
  const matrix = toMatrix4(X).multiply(new Matrix4().makeTranslation(centre));
  const edges = new LineSegments(new EdgesGeometry(geometry), new LineBasicMaterial({color: colour}));
  edges.matrixAutoUpdate = false;
  edges.matrix.copy(matrix);
  group.add(edges);
  const points = geometry.getAttribute('position').clone().applyMatrix4(matrix);
  return {box: new Box3().setFromBufferAttribute(points), points};
}

// The middle of the points that lie farthest along a direction.
function farthest(points, n) {
  const p = new Vector3(), sum = new Vector3();
  let best = -Infinity, number = 0;
  for (let i = 0; i < points.count; ++i) best = Math.max(best, p.fromBufferAttribute(points, i).dot(n));
  for (let i = 0; i < points.count; ++i) {
    if (p.fromBufferAttribute(points, i).dot(n) < best - 1e-5) continue;
    sum.add(p);
    ++number;
  }
  return sum.divideScalar(number);
}

const WORLD = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

function addNode(group, doc, nodes, place, poses, colour) {
  const body = nodes.body[place], box = nodes.box.subarray(6 * place, 6 * place + 6);
  const X = body < 0 ? WORLD : poses[body];
  const items = nodes.items.subarray(nodes.firstItem[place], nodes.firstItem[place + 1]);
  if (body >= 0 && items.length) return addPieces(group, doc.meshes[doc.bodies[body].mesh], items, X, colour);
  return addBox(group, box, X, colour);
}

function addPlane(group, centre, n, offset, size, colour, opacity) {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), n);
  const at = centre.clone().addScaledVector(n, offset - centre.dot(n));
  const half = size / 2;
  const loop = new LineLoop(
    new BufferGeometry().setFromPoints([[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => new Vector3(x * half, y * half, 0))),
    new LineBasicMaterial({color: colour, transparent: true, opacity: 0.9}));
  const sheet = new Mesh(new PlaneGeometry(size, size), new MeshBasicMaterial(
    {color: colour, side: DoubleSide, transparent: true, opacity, depthWrite: false}));
  sheet.renderOrder = 3;
  for (const object of [loop, sheet]) {
    object.quaternion.copy(turn);
    object.position.copy(at);
    group.add(object);
  }
  return at;
}

const WHITE = new Color(POINTED.lit);
const soft = (colour, share = 0.3) => colour.clone().lerp(WHITE, share);

/** Shows cells and contacts on a stage, and says where to look at them from. */
export class Highlight {
  constructor(stage, doc) {
    this.stage = stage;
    this.doc = doc;
    this.group = new Group();
    stage.extras.add(this.group);
  }

  clear() {
    for (const child of this.group.children) {
      child.geometry?.dispose();
      child.material?.dispose();
    }
    this.group.clear();
    this.label = null;
    this.stage.bodies.emphasise(null);
    this.stage.changed();
  }

  /** Two nodes of a cell and the plane between them; the stage must stand at the cell's anchor. */
  cell(proof, i) {
    this.clear();
    const {cells} = proof, poses = this.stage.bodies.poses;
    const shown = new Map([[proof.first(i), soft(FIRST)]]);
    for (const body of proof.others(i)) shown.set(body, soft(SECOND));
    this.stage.bodies.emphasise(shown);
    const a = addNode(this.group, this.doc, cells.nodes, cells.a[i], poses, FIRST);
    const b = addNode(this.group, this.doc, cells.nodes, cells.b[i], poses, SECOND);
    const n = new Vector3(...cells.direction.subarray(3 * i, 3 * i + 3)).normalize();
    const [planeA, planeB] = cells.planes.subarray(2 * i, 2 * i + 2);
    const sizes = [a, b].map(({box}) => box.getSize(new Vector3()).length());
    const reach = Math.min(...sizes);
    const middle = sizes[0] < sizes[1] ? farthest(a.points, n) : farthest(b.points, n.clone().negate());
    const size = Math.min(0.8 * this.stage.size, Math.max(1.3 * reach, 2.2 * (planeB - planeA), 0.02 * this.stage.size));
    const at = addPlane(this.group, middle, n, 0.5 * (planeA + planeB), size, POINTED.plane, 0.2);
    this.addGap(at, n, planeA, planeB, size);
    this.label = at.clone();
    this.flyAlong(at, sizes[0] < sizes[1] ? n.clone().negate() : n, size);
  }

  // The gap along the direction: a line between the two supporting planes, with caps.
  addGap(at, n, planeA, planeB, size) {
    const point = (offset) => at.clone().addScaledVector(n, offset - at.dot(n));
    const across = new Vector3(0, 0, 1).cross(n);
    if (across.lengthSq() < 1e-4) across.set(1, 0, 0);
    across.normalize().multiplyScalar(0.08 * size);
    const material = () => new LineBasicMaterial({color: POINTED.plane, depthTest: false});
    const add = (...points) => {
      const line = new Line(new BufferGeometry().setFromPoints(points), material());
      line.renderOrder = 4;
      this.group.add(line);
    };
    const p = point(planeA), q = point(planeB);
    add(p, q);
    for (const end of [p, q]) add(end.clone().sub(across), end.clone().add(across));
  }

  /** Where two bodies meet, or where they could not be told apart. */
  contact(contact, {undecided = false} = {}) {
    this.clear();
    const colour = undecided ? NEAR_CONTACT : CONTACT, poses = this.stage.bodies.poses;
    const bodies = contact.bodies.filter((body) => body >= 0);
    this.stage.bodies.emphasise(new Map(bodies.map((body, k) => [body, soft(colour, k ? 0.45 : 0)])));
    bodies.forEach((body, k) => {
      const piece = contact.pieces?.[k] ?? -1;
      if (piece >= 0) addPieces(this.group, this.doc.meshes[this.doc.bodies[body].mesh], [piece], poses[body], colour);
    });
    const points = contact.points.map((p) => new Vector3(...p));
    const radius = 0.004 * this.stage.size;
    for (const point of points) {
      const mark = new Mesh(new SphereGeometry(radius, 24, 16), new MeshBasicMaterial({color: colour, depthTest: false, transparent: true, opacity: 0.9}));
      mark.position.copy(point);
      mark.renderOrder = 5;
      this.group.add(mark);
    }
    this.label = points[0].clone();
    const direction = this.stage.camera.position.clone().sub(this.stage.controls.target).normalize();
    this.stage.fly({target: points[0], position: points[0].clone().addScaledVector(direction, 0.42 * this.stage.size)});
  }

  // From the side, so that the plane is seen nearly edge-on and the gap in its true length; from
  // where fewest bodies are in the way, near the present point of view. `n` points to the smaller one.
  flyAlong(at, n, size) {
    const {camera, controls, bodies} = this.stage;
    const view = camera.position.clone().sub(controls.target);
    view.addScaledVector(n, -view.dot(n));
    if (view.lengthSq() < 1e-9) view.set(n.y, -n.x, 0.2);
    view.normalize();
    const distance = Math.max(2.6 * size, 0.16 * this.stage.size);
    const boxes = bodies.meshes.filter((mesh) => mesh.material.opacity > 0.3)
      .map((mesh) => new Box3().copy(mesh.geometry.boundingBox).applyMatrix4(mesh.matrix));
    let best = null, least = Infinity;
    for (let k = 0; k < 12; ++k) {
      const direction = view.clone().applyAxisAngle(n, (k % 2 ? -1 : 1) * Math.ceil(k / 2) * (Math.PI / 6));
      direction.addScaledVector(n, 0.16).normalize();
      if (direction.z < -0.15) continue;
      const from = at.clone().addScaledVector(direction, distance);
      const inTheWay = boxes.filter((box) => box.containsPoint(from) || blocks(box, at, direction, distance)).length;
      if (inTheWay < least) [best, least] = [direction, inTheWay];
    }
    this.stage.fly({target: at, position: at.clone().addScaledVector(best ?? view, distance)});
  }
}

// Whether the box cuts the sight from `distance` away, a little before the point itself.
function blocks(box, at, direction, distance) {
  const ray = new Ray(at.clone().addScaledVector(direction, distance), direction.clone().negate());
  const hit = ray.intersectBox(box, new Vector3());
  return hit !== null && hit.distanceTo(ray.origin) < 0.93 * distance;
}
