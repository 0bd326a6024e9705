// What robots look like, beside their bodies: these alone are what is proved.
import {Color, DoubleSide, Mesh, MeshPhongMaterial} from 'three';
import {BODY} from './colours.js';
import {el} from './text.js';

export const SHOWN = {bodies: 'bodies', visuals: 'visuals', both: 'both'};
export const GHOST = 0.3;  // opacity of bodies around visuals

/** Meshes of a document's visuals. `makeGeometry(mesh)` and `layer(frame)` as of bodies, `colour(frame)` where a visual has none. */
export function makeVisuals(doc, makeGeometry, layer, colour) {
  const geometries = new Map();
  return doc.visuals.map((visual) => {
    if (!geometries.has(visual.mesh)) geometries.set(visual.mesh, makeGeometry(doc.meshes[visual.mesh]));
    const opacity = visual.opacity ?? 1;
    const mesh = new Mesh(geometries.get(visual.mesh), new MeshPhongMaterial({
      color: visual.colour ? new Color(visual.colour) : colour(visual.frame), specular: BODY.specular, shininess: 28, side: DoubleSide,
      transparent: opacity < 1, opacity, depthWrite: opacity === 1}));
    mesh.name = `${visual.name}, visual`;
    mesh.matrixAutoUpdate = false;
    mesh.visible = false;
    mesh.castShadow = mesh.receiveShadow = opacity === 1;
    mesh.layers.set(layer(visual.frame));
    return mesh;
  });
}

/** Chooses what is drawn of robots. */
export class VisualsSwitch {
  constructor(tools, stage) {
    this.stage = stage;
    this.select = el('select', {'aria-label': 'What is drawn of robots', title: 'Bodies, which are what is proved, or what robots look like (v)',
      onchange: () => this.set(this.select.value)}, Object.values(SHOWN).map((value) => el('option', {value}, value)));
    tools.append(this.select);
  }

  set(shown) {
    this.select.value = shown;
    this.stage.bodies.show(shown);
    this.stage.changed();
  }

  next() {
    const all = Object.values(SHOWN);
    this.set(all[(all.indexOf(this.select.value) + 1) % all.length]);
  }
}
