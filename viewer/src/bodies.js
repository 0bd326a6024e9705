// Bodies as meshes: smooth normals, materials, fading.
import {BufferAttribute, BufferGeometry, Color, Matrix4, Mesh, MeshPhongMaterial, DoubleSide, Vector3} from 'three';
import {BODY, bodyColours, POINTED} from './colours.js';
import {areMany, makeGrains, makeSplats, placeGrains} from './grains.js';
import {multiply, transform} from './motion.js';
import {makeShell} from './shell.js';
import {MOVING, STILL} from './still_layer.js';
import {GHOST, makeVisuals, SHOWN} from './visuals.js';

const FADED = new Color(BODY.faded), GLASS = new Color(BODY.ghost), CONTACT = new Color(POINTED.contact);
const CREASE_COSINE = 0.82;  // edges sharper than 35 degrees stay sharp

function faceNormals(vertices, triangles) {
  const normals = new Float32Array(triangles.length);  // area-weighted
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = vertices[b] - vertices[a], uy = vertices[b + 1] - vertices[a + 1], uz = vertices[b + 2] - vertices[a + 2];
    const vx = vertices[c] - vertices[a], vy = vertices[c + 1] - vertices[a + 1], vz = vertices[c + 2] - vertices[a + 2];
    normals[t] = uy * vz - uz * vy;
    normals[t + 1] = uz * vx - ux * vz;
    normals[t + 2] = ux * vy - uy * vx;
  }
  return normals;
}

// Triangles around each vertex: `list` from first[v] to first[v + 1].
function trianglesAround(numVertices, triangles) {
  const first = new Uint32Array(numVertices + 1);
  for (const v of triangles) ++first[v + 1];
  for (let v = 0; v < numVertices; ++v) first[v + 1] += first[v];
  const next = first.slice(), list = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; ++i) list[next[triangles[i]]++] = (i / 3) | 0;
  return {first, list};
}

/** Positions and normals per corner; a corner's normal averages the faces about as steep as its own. */
export function makeGeometry({vertices, triangles}) {
  const face = faceNormals(vertices, triangles);
  const length = new Float32Array(triangles.length / 3);
  for (let t = 0; t < length.length; ++t)
    length[t] = Math.hypot(face[3 * t], face[3 * t + 1], face[3 * t + 2]) || 1;
  const {first, list} = trianglesAround(vertices.length / 3, triangles);
  const position = new Float32Array(3 * triangles.length), normal = new Float32Array(3 * triangles.length);
  for (let i = 0; i < triangles.length; ++i) {
    const v = triangles[i], own = (i / 3) | 0;
    let x = 0, y = 0, z = 0;
    for (let k = first[v]; k < first[v + 1]; ++k) {
      const t = list[k], f = 3 * t, o = 3 * own;
      const cosine = (face[f] * face[o] + face[f + 1] * face[o + 1] + face[f + 2] * face[o + 2]) / (length[t] * length[own]);
      if (cosine < CREASE_COSINE) continue;
      x += face[f];
      y += face[f + 1];
      z += face[f + 2];
    }
    const size = Math.hypot(x, y, z);
    const scale = size > 0 ? 1 / size : 0;
    position.set([vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]], 3 * i);
    normal.set([x * scale, y * scale, size > 0 ? z * scale : 1], 3 * i);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.computeBoundingBox();
  geometry.computeBoundingSphere();
  return geometry;
}

export function toMatrix4(X, matrix = new Matrix4()) {
  return matrix.set(X[0], X[1], X[2], X[9], X[3], X[4], X[5], X[10], X[6], X[7], X[8], X[11], 0, 0, 0, 1);
}

function moves(frames, frame) {
  for (let f = frame; f >= 0; f = frames[f].parent) if (frames[f].joint) return true;
  return false;
}

/** All bodies of a document. */
export class Bodies {
  constructor(doc) {
    this.doc = doc;
    this.colours = bodyColours(doc.bodies).map((c) => new Color(c));
    this.meshes = doc.bodies.map((body, index) => this.makeMesh(body, index));
    this.shells = doc.bodies.map((body, index) => (body.grows && !doc.meshes[body.mesh].grains ? this.makeShell(body, index) : null));
    this.poses = [];
    this.visuals = makeVisuals(doc, makeGeometry, (frame) => (moves(doc.frames, frame) ? MOVING : STILL), (frame) => this.colourOf(frame));
    this.shown = SHOWN.bodies;
    const seen = new Set(doc.visuals.map((visual) => visual.frame));
    this.covered = doc.bodies.map((body) => body.kind === 'robot' && seen.has(body.frame));
  }

  colourOf(frame) {
    const body = this.doc.bodies.findIndex((b) => b.frame === frame);
    return body < 0 ? new Color(BODY.faded) : this.colours[body];
  }

  /** Bodies, visuals in their places, or both; what is pointed out is a body. */
  show(shown) {
    this.shown = shown;
    if (!this.pointedOut) this.emphasise(null);
  }
  get bodiesAlone() {
    return this.pointedOut || this.shown === SHOWN.bodies;
  }
  // Of a body when nothing is pointed out; around visuals it is glass.
  isGlass(i) {
    return this.covered[i] && this.shown === SHOWN.both;
  }
  usualOpacity(i) {
    return this.isGlass(i) ? GHOST : this.doc.bodies[i].opacity ?? 1;
  }
  usualColour(i) {
    return this.isGlass(i) ? GLASS : this.colours[i];
  }
  layOutVisuals() {
    this.meshes.forEach((mesh, i) => {
      if (this.covered[i]) mesh.visible = this.bodiesAlone || this.shown === SHOWN.both;
    });
    for (const mesh of this.visuals) mesh.visible = !this.bodiesAlone;
  }

  makeMesh(body, index) {
    const {doc} = this, glass = (body.opacity ?? 1) < 1;
    const material = new MeshPhongMaterial({
      color: this.colours[index], specular: BODY.specular, shininess: 28, side: DoubleSide,
      transparent: glass, opacity: body.opacity ?? 1, depthWrite: !glass,
    });
    const {grains} = doc.meshes[body.mesh];
    let mesh;
    if (grains && areMany(grains)) {
      const {points, long} = makeSplats(grains, this.colours[index], body.opacity ?? 1);
      mesh = points;
      if (long.centres.length) {
        mesh.add(new Mesh(makeGrains(long), placeGrains(material)));
        mesh.children[0].layers.set(body.lifetime || moves(doc.frames, body.frame) ? MOVING : STILL);
      }
    } else {
      mesh = grains ? new Mesh(makeGrains(grains), placeGrains(material)) : new Mesh(makeGeometry(doc.meshes[body.mesh]), material);
    }
    mesh.name = body.name;
    mesh.matrixAutoUpdate = false;
    mesh.receiveShadow = !glass;
    mesh.castShadow = !glass && !grains;  // the light does not know where instances stand
    mesh.layers.set(body.lifetime || moves(doc.frames, body.frame) ? MOVING : STILL);
    return mesh;
  }

  /** Bodies that the document has got since; returns their meshes. */
  grow() {
    this.colours = bodyColours(this.doc.bodies).map((c) => new Color(c));
    const first = this.meshes.length;
    for (let i = first; i < this.doc.bodies.length; ++i) {
      this.meshes.push(this.makeMesh(this.doc.bodies[i], i));
      this.shells.push(null);
    }
    return this.meshes.slice(first);
  }

  // What a body that grows may fill by then, around the body itself.
  makeShell(body, index) {
    const shell = new Mesh(makeShell(this.doc.meshes[body.mesh], this.meshes[index].geometry), new MeshPhongMaterial(
      {color: BODY.grown, transparent: true, opacity: 0.28, depthWrite: false, shininess: 10}));
    shell.name = `${body.name}, grown`;
    shell.matrixAutoUpdate = false;
    shell.matrix = this.meshes[index].matrix;
    shell.frustumCulled = false;  // its bounds are those of the body
    shell.renderOrder = 1;
    shell.layers.set(MOVING);
    return shell;
  }

  /** What has a lifetime now does not stand still; returns whether that is news. */
  layOut() {
    let news = false;
    this.doc.bodies.forEach(({lifetime}, i) => {
      if (!lifetime || this.meshes[i].layers.isEnabled(MOVING)) return;
      for (const object of [this.meshes[i], ...this.meshes[i].children]) object.layers.set(MOVING);
      news = true;
    });
    return news;
  }

  setPoses(framePoses) {
    this.poses = this.doc.bodies.map((body) => multiply(framePoses[body.frame], body.pose));
    this.doc.visuals.forEach((visual, i) => {
      toMatrix4(multiply(framePoses[visual.frame], visual.pose), this.visuals[i].matrix);
      this.visuals[i].matrixWorldNeedsUpdate = true;
    });
    this.poses.forEach((X, i) => {
      toMatrix4(X, this.meshes[i].matrix);
      this.meshes[i].matrixWorldNeedsUpdate = true;
      if (this.shells[i]) this.shells[i].matrixWorldNeedsUpdate = true;
    });
  }

  /** Bodies with a lifetime are there only then; others have grown since time 0. */
  setTime(time) {
    this.doc.bodies.forEach(({lifetime, grows}, i) => {
      if (lifetime) this.meshes[i].visible = time >= lifetime[0] && time <= lifetime[1] && !this.meshes[i].forgotten;
      if (grows && this.shells[i]) this.shells[i].morphTargetInfluences[0] = grows * Math.max(0, time);
    });
  }

  /** Links and what they hold, if they move. */
  get movers() {
    return this.meshes.flatMap((mesh, i) => (mesh.layers.isEnabled(MOVING) && this.doc.bodies[i].kind !== 'obstacle' ? [i] : []));
  }

  /** The middle of a body as a point of its frame. */
  trace(index) {
    const {name, frame, pose} = this.doc.bodies[index];
    return {name, frame, point: transform(pose, this.meshes[index].geometry.boundingBox.getCenter(new Vector3()).toArray())};
  }

  /** Only `shown` (a map from body to colour) stand out, like glass; null: all as usual. */
  emphasise(shown) {
    this.pointedOut = Boolean(shown);
    this.layOutVisuals();
    this.meshes.forEach((mesh, i) => {
      const stands = shown?.has(i), usual = this.usualOpacity(i);
      for (const {material} of [mesh, ...mesh.children]) {
        material.color.copy(stands ? shown.get(i) : shown ? FADED : this.usualColour(i));
        material.transparent = Boolean(shown) || usual < 1;
        material.opacity = !shown ? usual : stands ? 0.55 : 0.12;
        material.emissive?.copy(material.color).multiplyScalar(stands ? 0.22 : 0);
        material.depthWrite = !material.transparent;
        material.needsUpdate = true;
      }
      mesh.castShadow = usual === 1 && (!shown || stands) && !this.doc.meshes[this.doc.bodies[i].mesh]?.grains;
      mesh.renderOrder = stands ? 2 : 1;
      if (this.shells[i]) this.shells[i].visible = !shown || stands;
    });
  }

  /** Those that meet are red. */
  tint(bodies) {
    this.pointedOut = bodies.size > 0;
    this.layOutVisuals();
    this.meshes.forEach((mesh, i) => {
      for (const {material} of [mesh, ...mesh.children]) material.color.copy(bodies.has(i) ? CONTACT : this.usualColour(i));
    });
  }

  /** Of many grains only this share is drawn. */
  thin(share) {
    for (const mesh of this.meshes) mesh.show?.(share);
  }
}
