// Puts the page together, in one file that works from disk: node page.mjs FOLDER PROGRAM VIEWER
// FOLDER has the module and gets proven.html; PROGRAM plans the motions of the scenes to play with.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const [folder, program, viewer] = process.argv.slice(2);
if (!viewer) {
  console.error('usage: node page.mjs FOLDER PROGRAM VIEWER');
  process.exit(2);
}
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const read = (name) => readFileSync(name, 'utf8');

// Of each scene what a visitor sees, and a motion that is free.
const SCENES = ['demo', 'cage-a', 'workshop', 'car-a'];
function scenesToPlayWith() {
  const work = mkdtempSync(join(tmpdir(), 'proven_web_'));
  try {
    const known = JSON.parse(execFileSync(program, ['scene', '--json'], {encoding: 'utf8'}));
    return SCENES.map((name) => {
      const file = join(work, `${name}.json`);
      execFileSync(program, ['plan', name, '-o', file]);
      const {caption} = (known.scenes ?? known).find((scene) => scene.name === name);
      return {name, caption, path: read(file)};
    });
  } finally {
    rmSync(work, {recursive: true});
  }
}

// No "</script" may stand in a script; in JSON and base64 it cannot.
const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const inJson = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

const {buildSync} = createRequire(here('../viewer/package.json'))('esbuild');
const script = buildSync({entryPoints: [here('page/main.js')], bundle: true, minify: true, format: 'esm', target: ['es2022'], charset: 'utf8', write: false}).outputFiles[0].text;
const parts = {
  STYLE: read(here('page/style.css')),
  DATA: inJson({scenes: scenesToPlayWith(), viewerScript: read(join(viewer, 'viewer.js')), viewerStyle: read(join(viewer, 'viewer.css'))}),
  MODULE: gzipSync(readFileSync(join(folder, 'proven.wasm')), {level: 9}).toString('base64'),
  WORKER: inScript(`${read(join(folder, 'proven.js'))}\n${read(here('page/worker.js'))}`),
  SCRIPT: inScript(script),
};
writeFileSync(join(folder, 'proven.html'), read(here('page/page.html')).replace(/@([A-Z]+)@/g, (whole, name) => parts[name] ?? whole));
