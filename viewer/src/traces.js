// The ways of tools through space, coloured by their speed or the proved clearance, and annotations.
import {
  BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Points,
  PointsMaterial, TubeGeometry, Vector3,
} from 'three';
import {slackColour, speedColour, TRACE} from './colours.js';
import {unpack} from './document.js';
import {transform} from './motion.js';

const toColour = (rgb, colour = new Color()) => colour.setRGB(...rgb.map((v) => v / 255), 'srgb');
const SAMPLES = 400, SIDES = 6, MAX_TRACES = 12;

// The least slack of the cells that concern the trace's robot, about each of the times.
function slackColours(doc, trace, times, motion, proof) {
  const group = doc.bodies.find((body) => body.name === trace.name)?.group;
  const own = (body) => doc.bodies[body].group === group;
  const cells = proof.all.filter((i) => own(proof.first(i)) || Array.from(proof.others(i)).some(own));
  const {slack} = proof.envelope(cells, motion.begin, motion.end, SAMPLES);
  const column = (time) => Math.min(SAMPLES - 1, Math.floor((SAMPLES * (time - motion.begin)) / (motion.end - motion.begin)));
  return times.map((time) => slackColour(slack[column(time)]));
}

/** A tube through the points, in which each ring lies at its moment and has its colour. */
export function makeTube(points, colours, radius) {
  const curve = new CatmullRomCurve3(points.map((p) => new Vector3(...p)));
  curve.getPointAt = curve.getPoint;  // by time, not by length
  curve.getTangentAt = curve.getTangent;
  const geometry = new TubeGeometry(curve, points.length - 1, radius, SIDES);
  const all = new Float32Array(3 * points.length * (SIDES + 1)), colour = new Color();
  colours.forEach((rgb, k) => {
    toColour(rgb, colour);
    for (let s = 0; s <= SIDES; ++s) colour.toArray(all, 3 * (k * (SIDES + 1) + s));
  });
  geometry.setAttribute('color', new BufferAttribute(all, 3));
  return new Mesh(geometry, new MeshBasicMaterial({vertexColors: true}));
}

/** The speed of a point of a frame, by a difference of poses too short to be seen. */
export function speedAt(motion, {frame, point}, time) {
  const step = 1e-5 * (motion.end - motion.begin);
  const before = Math.max(motion.begin, time - step), after = Math.min(motion.end, time + step);
  const [p, q] = [before, after].map((t) => transform(motion.poses(t)[frame], point));
  return Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) / (after - before);
}

/**
 * One tube per trace over the whole motion, along the true curve: coloured by speed if the motion has
 * times, else by what was proved. `fastest`: of all, in metres per second.
 */
export function makeTraces(doc, traces, motion, proof, radius) {
  const group = new Group(), list = traces.slice(0, MAX_TRACES);
  const times = motion.sampled(SAMPLES), poses = times.map((time) => motion.poses(time));
  const speeds = motion.unit === 's' ? list.map((trace) => times.map((time) => speedAt(motion, trace, time))) : null;
  group.fastest = Math.max(0, ...(speeds ?? []).flat());
  list.forEach((trace, i) => {
    const points = poses.map((X) => transform(X[trace.frame], trace.point));
    const colours = speeds ? speeds[i].map((v) => speedColour(v / (group.fastest || 1)))
      : proof.count ? slackColours(doc, trace, times, motion, proof) : times.map(() => TRACE);
    group.add(makeTube(points, colours, radius));
  });
  return group;
}

/** Lines and points that a document adds to its scene: roadmaps, goals, road borders. */
export function makeAnnotations(doc) {
  const group = new Group();
  for (const annotation of doc.annotations) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(unpack(Float32Array, annotation.positions), 3));
    const color = annotation.colour ? new Color(annotation.colour) : toColour(TRACE), opacity = annotation.opacity ?? 1;
    const style = {color, opacity, transparent: opacity < 1};
    group.add(annotation.kind === 'points'
      ? new Points(geometry, new PointsMaterial({...style, size: annotation.size ?? 5, sizeAttenuation: false}))
      : new LineSegments(geometry, new LineBasicMaterial(style)));
  }
  return group;
}
