// The three-dimensional view: renderer, camera, light, ground. Draws only when something changed.
import {
  AmbientLight, BasicShadowMap, Box3, Color, DirectionalLight, Group, HemisphereLight, PCFShadowMap, PerspectiveCamera, Ray, Scene,
  Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {Bodies} from './bodies.js';
import {FALLBACK, LIGHT} from './colours.js';
import {makeGround} from './ground.js';
import {MOVING, StillLayer} from './still_layer.js';

const VIEWS = {
  home: [1, -1.25, 0.75], front: [0, -1, 0.12], side: [1, 0, 0.12], top: [0.001, -0.02, 1],
};

// What is saved while things move on a slow machine, in steps.
const ECONOMY = [{pixels: 1}, {pixels: 1}, {pixels: 0.75}, {pixels: 0.5}];
const SLOW = 40;        // milliseconds for a picture
const TIMED_EVERY = 6;  // pictures
const LEAST_SHARE = 0.02;  // of many grains, while things move

// Where pictures are drawn by the processor, smooth edges would take most of the time.
function makeRenderer() {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2', {antialias: true, failIfMajorPerformanceCaveat: true});
  const renderer = context ? new WebGLRenderer({canvas, context, antialias: true}) : new WebGLRenderer({antialias: false});
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = context ? PCFShadowMap : BasicShadowMap;
  return renderer;
}

// The middle of a body's box, and its corners drawn in a little.
function samplePoints(mesh) {
  const {min, max} = mesh.geometry.boundingBox, points = [];
  for (let k = 0; k < 9; ++k) {
    const share = (bit) => (k === 8 ? 0.5 : k >> bit & 1 ? 0.85 : 0.15);
    points.push(new Vector3(min.x + share(0) * (max.x - min.x), min.y + share(1) * (max.y - min.y), min.z + share(2) * (max.z - min.z))
      .applyMatrix4(mesh.matrixWorld));
  }
  return points;
}

export class Stage {
  constructor(container, doc) {
    this.container = container;
    this.renderer = makeRenderer();
    container.append(this.renderer.domElement);
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute('aria-label', 'The scene in three dimensions. Drag to turn, scroll to zoom.');
    this.canvas.tabIndex = 0;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => {
      this.flight = null;
      this.beginMovement();
    });
    this.bodies = new Bodies(doc);
    this.extras = new Group();  // traces, highlights, annotations
    this.scene.add(...this.bodies.meshes, ...this.bodies.visuals, ...this.bodies.shells.filter(Boolean), this.extras);
    this.still = new StillLayer(this.renderer);
    this.camera.layers.enableAll();
    this.frames = 0;
    this.fullRatio = Math.min(window.devicePixelRatio || 1, 2);
    this.share = 1;    // of many grains, while things move
    this.economy = 0;  // a step of ECONOMY while things move; 0: as good as at rest
    this.listeners = [];
    this.resize = this.resize.bind(this);
    new ResizeObserver(this.resize).observe(container);
  }

  /** After the first poses: light, ground and camera fit what there is. */
  settle() {
    this.bounds = new Box3();
    for (const [i, mesh] of this.bodies.meshes.entries()) {
      mesh.updateMatrixWorld(true);
      if (this.bodies.doc.bodies[i].ground) continue;  // a map is larger than what happens on it
      this.bounds.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrixWorld));
    }
    if (this.bounds.isEmpty()) this.bounds.set(new Vector3(-1, -1, 0), new Vector3(1, 1, 1));
    this.centre = this.bounds.getCenter(new Vector3());
    this.size = this.bounds.getSize(new Vector3()).length() || 1;
    this.addGround();
    this.addLights();
    this.camera.near = this.size / 2000;
    this.camera.far = this.size * 30;
    this.controls.minDistance = this.size / 500;
    this.controls.maxDistance = this.size * 8;
    this.setTheme();
    this.resize();
    this.home = this.bestView(VIEWS.home);
  }

  // The side from which most of what moves can be seen past what stands still, judged by boxes.
  bestView(usual) {
    const boxes = this.bodies.meshes.filter((m) => !m.layers.isEnabled(MOVING)).map((m) => new Box3().copy(m.geometry.boundingBox).applyMatrix4(m.matrixWorld));
    const points = this.bodies.meshes.filter((m) => m.layers.isEnabled(MOVING)).flatMap(samplePoints);
    const hit = new Vector3();
    let best = usual, most = -1;
    for (let k = 0; k < 12; ++k) {
      const turn = (k % 2 ? -1 : 1) * Math.ceil(k / 2) * (Math.PI / 6), c = Math.cos(turn), s = Math.sin(turn);
      const side = [c * usual[0] - s * usual[1], s * usual[0] + c * usual[1], usual[2]];
      const ray = new Ray(undefined, new Vector3(...side).normalize());
      const seen = points.filter((p) => {
        ray.origin.copy(p);
        return !boxes.some((box) => !box.containsPoint(p) && ray.intersectBox(box, hit));
      }).length;
      if (seen > most) [best, most] = [side, seen];
    }
    return best;
  }

  addGround() {
    this.ground = makeGround(this.size, this.centre, this.bounds.min.z - 0.0015 * this.size);
    this.grid = this.ground.grid;
    this.scene.add(this.ground.sheet, this.grid);
  }

  addLights() {
    this.sky = new HemisphereLight(LIGHT.sky, LIGHT.ground, 1.5);
    this.sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight(LIGHT.sun, 2.0);
    this.sun.position.copy(this.centre).add(new Vector3(0.55, -0.5, 1.25).multiplyScalar(this.size));
    this.sun.target.position.copy(this.centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.0022 * this.size;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 2.5;
    const half = 0.62 * this.size;
    Object.assign(this.sun.shadow.camera,
      {left: -half, right: half, top: half, bottom: -half, near: 0.05 * this.size, far: 3 * this.size});
    const fill = new DirectionalLight(LIGHT.fill, 0.55);
    fill.position.copy(this.centre).add(new Vector3(-1, 0.6, 0.4).multiplyScalar(this.size));
    fill.target = this.sun.target;
    const lights = [this.sky, this.sun, fill, new AmbientLight(LIGHT.ambient, 0.25)];
    for (const light of lights) light.layers.enableAll();
    this.scene.add(...lights, this.sun.target);
  }

  setTheme() {
    const style = getComputedStyle(document.documentElement);
    const background = new Color(style.getPropertyValue('--stage').trim() || FALLBACK.stage);
    this.scene.background = background;
    if (!this.grid) return;
    this.ground.setColour(style.getPropertyValue('--grid').trim() || FALLBACK.grid);
    this.ground.sheet.material.opacity = parseFloat(style.getPropertyValue('--shadow-strength')) || 0.2;
    this.changed();
  }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.container;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.fullRatio * (this.moving ? ECONOMY[this.economy].pixels : 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** Looks at the whole scene from a named side. */
  look(name, animate = true) {
    const direction = new Vector3(...(name === 'home' ? this.home : VIEWS[name])).normalize();
    const distance = 1.02 * this.distanceToFit(direction);
    this.fly({target: this.centre.clone(), position: this.centre.clone().addScaledVector(direction, distance)}, animate);
  }

  // How far from the centre every corner of the bounds is in the picture.
  distanceToFit(direction) {
    const right = this.camera.up.clone().cross(direction).normalize();
    const up = direction.clone().cross(right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360), wide = high * this.camera.aspect;
    let distance = 0;
    for (let k = 0; k < 8; ++k) {
      const corner = new Vector3(...['x', 'y', 'z'].map((axis, i) => this.bounds[k >> i & 1 ? 'max' : 'min'][axis])).sub(this.centre);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / high);
      distance = Math.max(distance, across + corner.dot(direction));
    }
    return distance;
  }

  /** Moves the camera there, smoothly unless the user asked for less motion. */
  fly({target, position}, animate = true) {
    this.beginMovement();
    if (!animate || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.controls.target.copy(target);
      this.camera.position.copy(position);
      this.controls.update();
      this.flight = null;
      this.invalidate();
      return;
    }
    this.flight = {
      begin: performance.now(), from: this.camera.position.clone(), fromTarget: this.controls.target.clone(),
      to: position, toTarget: target,
    };
    this.invalidate();
  }

  advanceFlight(now) {
    const {begin, from, fromTarget, to, toTarget} = this.flight;
    const s = Math.min(1, (now - begin) / 650), ease = s * s * (3 - 2 * s);
    this.controls.target.lerpVectors(fromTarget, toTarget, ease);
    // Around the target rather than through it.
    const a = from.clone().sub(fromTarget), b = to.clone().sub(toTarget);
    const length = Math.exp(Math.log(a.length()) * (1 - ease) + Math.log(b.length()) * ease);
    const arm = a.normalize().lerp(b.normalize(), ease);
    if (arm.lengthSq() < 1e-6) arm.set(0.3, -0.8, 0.5);
    this.camera.position.copy(this.controls.target).addScaledVector(arm.normalize(), length);
    if (s >= 1) this.flight = null;
    this.controls.update();
    this.invalidate();
  }

  /** Bodies came into the document, or got a lifetime: those are drawn with what moves. */
  grow() {
    this.beginMovement();
    for (const mesh of this.bodies.grow()) this.scene.add(mesh);
    if (this.bodies.layOut()) this.changed();
    this.invalidate();
  }
  /** Bodies that will not be seen again give back their memory. */
  forget(indices) {
    for (const i of indices) {
      const mesh = this.bodies.meshes[i];
      mesh.forgotten = true;
      mesh.geometry.dispose();
      this.scene.remove(mesh);
    }
  }

  setPoses(framePoses, time) {
    this.beginMovement();
    this.bodies.setPoses(framePoses);
    this.bodies.setTime(time);
    this.invalidate();
  }

  /** What stands still looks different now. */
  changed() {
    this.still.invalidate();
    this.invalidate();
  }

  /** Asks for a picture; many calls make one. */
  invalidate() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      if (this.flight) this.advanceFlight(now);
      this.draw();
    });
  }

  draw() {
    const timed = this.frames % TIMED_EVERY === 1 || this.cost > SLOW, begin = performance.now();
    if (!this.moving || !this.still.render(this.scene, this.camera)) this.renderer.render(this.scene, this.camera);
    if (timed) {
      // Reading one pixel waits until the picture is drawn.
      const gl = this.renderer.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      this.adapt(performance.now() - begin);
    }
    ++this.frames;
    for (const listener of this.listeners) listener();
    this.watchForRest();
  }

  // Pictures that take too long are drawn with less while things move.
  adapt(milliseconds) {
    this.cost = milliseconds;
    if (this.moving) this.share = Math.min(1, Math.max(LEAST_SHARE, this.share * (SLOW / milliseconds)));
    const before = this.economy;
    if (milliseconds > SLOW) this.economy = Math.min(ECONOMY.length - 1, this.economy + (milliseconds > 4 * SLOW ? 2 : 1));
    if (milliseconds < SLOW / 4) this.economy = Math.max(0, this.economy - 1);
    if (this.moving && this.economy !== before) this.applyEconomy();
    else if (this.moving) this.bodies.thin(this.share);
  }

  // On a slow machine: cheaper pictures from now on; the last one, at rest, is drawn in full.
  beginMovement() {
    if (this.moving || this.economy === 0) return;
    this.moving = true;
    this.applyEconomy();
  }
  watchForRest() {
    clearTimeout(this.resting);
    if (!this.moving) return;
    this.resting = setTimeout(() => {
      this.moving = false;
      this.applyEconomy();
    }, Math.min(2000, Math.max(250, 2.5 * this.cost)));
  }

  applyEconomy() {
    this.bodies.thin(this.moving ? this.share : 1);
    this.renderer.shadowMap.autoUpdate = !this.moving;
    this.renderer.shadowMap.needsUpdate = true;
    this.resize();
  }

  /** Pixels, from the upper left of the view, of a point in the world. */
  project(point) {
    const p = point.clone().project(this.camera);
    return {
      x: (p.x * 0.5 + 0.5) * this.container.clientWidth, y: (0.5 - p.y * 0.5) * this.container.clientHeight,
      visible: p.z < 1,
    };
  }
}
