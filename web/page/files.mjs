// What was dropped: which file is the scene, which the path, which the certificate, and where meshes
// are sought.
export const ROOT = '/files';

/** All files of a drop, with their paths. */
export async function filesOf(items) {
  const found = [];
  const walk = async (entry) => {
    if (entry.isFile) found.push({name: `${ROOT}${entry.fullPath}`, file: await new Promise((ok, bad) => entry.file(ok, bad))});
    if (!entry.isDirectory) return;
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((ok, bad) => reader.readEntries(ok, bad));
      if (!some.length) return;
      for (const child of some) await walk(child);
    }
  };
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  for (const entry of entries) await walk(entry);
  return read(found);
}
/** The same of a file dialogue. */
export async function filesOfInput(list) {
  return read([...list].map((file) => ({name: `${ROOT}/${file.webkitRelativePath || file.name}`, file})));
}
async function read(found) {
  return Promise.all(found.map(async ({name, file}) => ({name, bytes: new Uint8Array(await file.arrayBuffer())})));
}

const text = (bytes) => new TextDecoder().decode(bytes);
const ending = (name) => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
const isModel = (name) => ['urdf', 'xml'].includes(ending(name));

/** 'scene', 'path', 'certificate' or '': a mesh or something else. */
export function kindOf({name, bytes}) {
  const is = ending(name);
  if (is === 'proof') return 'certificate';
  if (is === 'urdf') return 'scene';
  if (is === 'csv') return 'path';
  if (is === 'xml') return /<robot[\s>]/.test(text(bytes.subarray(0, 4096))) ? 'scene' : '';
  if (is === 'json') {
    try {
      const json = JSON.parse(text(bytes));
      if (json.robots) return 'scene';
      return json.waypoints || json.pieces || json.points || json.joint_trajectory ? 'path' : '';
    } catch {
      return 'scene';  // its reader says what is wrong, and where
    }
  }
  if (is === 'yaml' || is === 'yml') return /^\s*(points|joint_names|joint_trajectory)\s*:/m.test(text(bytes)) ? 'path' : 'scene';
  return '';
}

/** Of each kind the files; a scene in JSON or YAML stands before the URDF that it names. */
export function sorted(files) {
  const of = {scene: [], path: [], certificate: []};
  for (const file of files) of[kindOf(file)]?.push(file.name);
  of.scene.sort((a, b) => isModel(a) - isModel(b) || a.length - b.length);
  return of;
}

/** Every folder is the package of its name. */
export function packagesOf(files) {
  const packages = {};
  for (const {name} of files) {
    const parts = name.split('/');
    for (let k = 2; k < parts.length - 1; ++k) packages[parts[k]] ??= parts.slice(0, k + 1).join('/');
  }
  return packages;
}

/** Meshes that were dropped without their folders are put where the URDF seeks them. */
export function placed(files) {
  const there = new Set(files.map(({name}) => name)), byName = new Map(files.map((file) => [file.name.split('/').at(-1), file]));
  const packages = packagesOf(files), more = [];
  for (const {name, bytes} of files) {
    if (!isModel(name) || kindOf({name, bytes}) !== 'scene') continue;
    const folder = name.slice(0, name.lastIndexOf('/'));
    for (const [, reference] of text(bytes).matchAll(/filename\s*=\s*["']([^"']+)["']/g)) {
      const [, owner, rest] = reference.match(/^package:\/\/([^/]+)\/(.+)$/) ?? [];
      if (!owner && /^[a-z]+:/.test(reference)) continue;
      const where = owner ? `${packages[owner] ?? `${ROOT}/.packages/${owner}`}/${rest}` : `${folder}/${reference}`;
      const file = byName.get(reference.split('/').at(-1));
      if (!file || there.has(where)) continue;
      there.add(where);
      more.push({name: where, bytes: file.bytes});
      if (owner) packages[owner] ??= `${ROOT}/.packages/${owner}`;
    }
  }
  return {files: [...files, ...more], packages};
}
