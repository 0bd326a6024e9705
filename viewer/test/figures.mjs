// How large a page is and how fast it is drawn, by software alone:
//   PROVEN_PROGRAM=build/release/tools/proven node viewer/test/figures.mjs
import {statSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {address, file, launch, openPage, picture, requireBrowser, writeHugePage, writeLargePage} from './support.mjs';

const WARM_UP_SECONDS = 2, SCRUB_SECONDS = 4;

// Moves time as fast as pictures are drawn.
function scrub(seconds) {
  return new Promise((resolve) => {
    const {proven} = window, begin = performance.now(), first = proven.stage.frames;
    const step = () => {
      const elapsed = (performance.now() - begin) / 1000;
      if (elapsed > seconds) return resolve((proven.stage.frames - first) / elapsed);
      proven.scrub(proven.clock.begin + ((elapsed / seconds) % 1) * (proven.clock.end - proven.clock.begin));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/** `name`: "large" or "huge". */
export async function measure(browser, name) {
  (name === 'huge' ? writeHugePage : writeLargePage)();
  const {page, complaints, close} = await openPage(browser, address(`${name}.html`), {width: 1280, height: 800});
  const figures = await page.evaluate(() => ({
    triangles: window.proven.doc.meshes.reduce((sum, mesh) => sum + mesh.triangles.length / 3, 0),
    cells: window.proven.proof.count,
    firstPicture: performance.getEntriesByName('first-picture')[0].startTime,
  }));
  figures.megabytes = statSync(file(`${name}.html`)).size / 1e6;
  await page.evaluate(scrub, WARM_UP_SECONDS);  // the viewer learns how fast the machine is
  figures.framesPerSecond = await page.evaluate(scrub, SCRUB_SECONDS);
  await page.screenshot({path: picture(name)});
  await close();
  return {...figures, complaints};
}

export function report(f) {
  console.log(`${f.triangles} triangles, ${f.cells} cells: ${f.megabytes.toFixed(1)} MB, first picture after ` +
    `${(f.firstPicture / 1000).toFixed(2)} s, ${f.framesPerSecond.toFixed(1)} frames/s while scrubbing (software rendering)`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireBrowser();
  const browser = await launch();
  for (const name of ['large', 'huge']) report(await measure(browser, name));
  await browser.close();
}
