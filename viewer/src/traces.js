// The ways of tools through space, coloured by the proved clearance, and annotations.
import {
  BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Points,
  PointsMaterial, TubeGeometry, Vector3,
} from 'three';
import {slackColour, TRACE} from './colours.js';
import {unpack} from './document.js';
import {transform} from './motion.js';

const STEPS = 400, SIDES = 5, MAX_TRACES = 12;

// The least slack over time of the cells that concern the trace's robot.
function slackOf(doc, trace, motion, proof) {
  const group = doc.bodies.find((body) => body.name === trace.name)?.group;
  const own = (body) => doc.bodies[body].group === group;
  const cells = proof.all.filter((i) => own(proof.first(i)) || Array.from(proof.others(i)).some(own));
  return proof.envelope(cells, motion.begin, motion.end, STEPS + 1).slack;
}

// A tube through the points; each ring has the colour of its moment.
function makeTube(points, slack, radius) {
  const curve = new CatmullRomCurve3(points.map((p) => new Vector3(...p)));
  curve.getPointAt = curve.getPoint;  // by time, not by length
  curve.getTangentAt = curve.getTangent;
  const geometry = new TubeGeometry(curve, STEPS, radius, SIDES);
  const colours = new Float32Array(3 * (STEPS + 1) * (SIDES + 1)), colour = new Color();
  for (let k = 0; k <= STEPS; ++k) {
    if (slack) colour.setRGB(...slackColour(slack[k]).map((v) => v / 255), 'srgb');
    else colour.set(TRACE);
    for (let s = 0; s <= SIDES; ++s) colour.toArray(colours, 3 * (k * (SIDES + 1) + s));
  }
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  return new Mesh(geometry, new MeshBasicMaterial({vertexColors: true}));
}

/** One tube per trace of the document over the whole motion. */
export function makeTraces(doc, motion, proof, radius) {
  const group = new Group();
  if (motion.end <= motion.begin || motion.segments < 1) return group;
  const times = [];
  for (let k = 0; k <= STEPS; ++k) times.push(motion.begin + (k / STEPS) * (motion.end - motion.begin));
  const poses = times.map((time) => motion.poses(time));
  for (const trace of doc.traces.slice(0, MAX_TRACES)) {
    const points = poses.map((X) => transform(X[trace.frame], trace.point));
    const slack = proof.count ? slackOf(doc, trace, motion, proof) : null;
    group.add(makeTube(points, slack, radius));
  }
  return group;
}

/** Lines and points that a document adds to its scene: roadmaps, goals, road borders. */
export function makeAnnotations(doc) {
  const group = new Group();
  for (const annotation of doc.annotations) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(unpack(Float32Array, annotation.positions), 3));
    const color = new Color(annotation.colour ?? TRACE), opacity = annotation.opacity ?? 1;
    const style = {color, opacity, transparent: opacity < 1};
    group.add(annotation.kind === 'points'
      ? new Points(geometry, new PointsMaterial({...style, size: annotation.size ?? 5, sizeAttenuation: false}))
      : new LineSegments(geometry, new LineBasicMaterial(style)));
  }
  return group;
}
