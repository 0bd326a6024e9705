// Bundles src/ into viewer.js and viewer.css: node build.mjs FOLDER
import {build} from 'esbuild';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node build.mjs FOLDER');
  process.exit(2);
}
await build({
  entryPoints: {viewer: new URL('src/main.js', import.meta.url).pathname},
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2020'],
  charset: 'utf8',
  legalComments: 'inline',
  logLevel: 'warning',
});
