// Obstacles that follow the pointer: over the ground, with Shift up and down.
import {Plane, Raycaster, Vector2, Vector3} from 'three';

export class Drag {
  /** `moved(name, place)` is called on the way; places are those of the obstacles' frames. */
  constructor(stage, doc, moved) {
    Object.assign(this, {stage, doc, moved});
    this.ray = new Raycaster();
    this.ray.layers.enableAll();
    // Before the camera's controls hear of it.
    stage.container.addEventListener('pointerdown', (event) => this.begin(event), {capture: true});
    stage.container.addEventListener('pointermove', (event) => this.move(event), {capture: true});
    for (const end of ['pointerup', 'pointercancel'])
      stage.container.addEventListener(end, (event) => this.end(event), {capture: true});
  }

  aim({clientX, clientY}) {
    const box = this.stage.canvas.getBoundingClientRect();
    this.ray.setFromCamera(new Vector2(2 * (clientX - box.left) / box.width - 1, 1 - 2 * (clientY - box.top) / box.height), this.stage.camera);
  }

  /** The obstacle under the pointer, if nothing is before it. */
  obstacleAt(event) {
    this.aim(event);
    const [hit] = this.ray.intersectObjects(this.stage.bodies.meshes.filter((mesh) => mesh.visible), false);
    const index = hit ? this.stage.bodies.meshes.indexOf(hit.object) : -1;
    const body = this.doc.bodies[index];
    return body?.kind === 'obstacle' && !body.lifetime ? {index, body, point: hit.point} : null;
  }

  begin(event) {
    if (event.button !== 0 || event.target !== this.stage.canvas) return;
    const found = this.obstacleAt(event);
    if (!found) return;
    event.stopPropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    const normal = event.shiftKey ? new Vector3(facing.x, facing.y, 0).normalize() : new Vector3(0, 0, 1);
    this.held = {...found, upright: event.shiftKey, plane: new Plane().setFromNormalAndCoplanarPoint(normal, found.point), from: found.body.pose.slice(9)};
  }

  move(event) {
    if (!this.held) {
      if (event.target === this.stage.canvas && !event.buttons) this.stage.canvas.style.cursor = this.obstacleAt(event) ? 'grab' : '';
      return;
    }
    event.stopPropagation();
    this.aim(event);
    const at = this.ray.ray.intersectPlane(this.held.plane, new Vector3());
    if (!at || at.distanceTo(this.held.point) > 4 * this.stage.size) return;
    const by = at.sub(this.held.point), {body, from, upright} = this.held;
    const place = upright ? [from[0], from[1], from[2] + by.z] : [from[0] + by.x, from[1] + by.y, from[2]];
    body.pose.splice(9, 3, ...place);
    this.stage.changed();
    this.moved(body.name, place);
  }

  end(event) {
    if (!this.held) return;
    event.stopPropagation();
    this.held = null;
  }
}
