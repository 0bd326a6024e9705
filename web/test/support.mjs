// The module in node, the same questions to the native program, and what must be equal.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {createInterface} from 'node:readline';

export const folder = process.env.PROVEN_WEB;            // build/web
export const program = process.env.PROVEN_PROGRAM;       // proven
const native = process.env.PROVEN_WEB_NATIVE;            // web_native
export const suite = process.env.PROVEN_WEB_SUITE;       // web_suite
export const work = process.env.PROVEN_WEB_OUTPUT ?? 'web-tests';

export function requireModule(file = 'proven.wasm') {
  if (!folder || !program) throw new Error('PROVEN_WEB and PROVEN_PROGRAM must be set');
  mkdirSync(work, {recursive: true});
  if (existsSync(join(folder, file))) return;
  console.log(`skipped: there is no ${join(folder, file)}; web/build makes it, with emscripten`);
  process.exit(77);
}

/** Answers of the module; files are given to it under the names that they have on disk. */
export class Module {
  static async load() {
    const make = createRequire(import.meta.url)(join(folder, 'proven.js'));
    const module = new Module();
    module.proven = await make({wasmBinary: readFileSync(join(folder, 'proven.wasm'))});
    return module;
  }
  give(file) {
    this.proven.FS.mkdirTree(dirname(file));
    this.proven.FS.writeFile(file, readFileSync(file));
  }
  ask(question) {
    const {proven} = this, text = JSON.stringify(question), size = proven.lengthBytesUTF8(text) + 1, at = proven._malloc(size);
    proven.stringToUTF8(text, at, size);
    const answer = JSON.parse(proven.UTF8ToString(proven._proven_answer(at)));
    proven._free(at);
    return answer;
  }
}

/** Answers of the native program. */
export class Native {
  constructor() {
    this.process = spawn(native, {stdio: ['pipe', 'pipe', 'inherit']});
    this.lines = createInterface({input: this.process.stdout})[Symbol.asyncIterator]();
  }
  async ask(question) {
    this.process.stdin.write(`${JSON.stringify(question)}\n`);
    return JSON.parse((await this.lines.next()).value);
  }
  close() {
    this.process.stdin.end();
    return new Promise((resolve) => this.process.on('exit', resolve));
  }
}

/** Takes out what a run took; returns the milliseconds of the check. */
export function withoutTimes(answer) {
  let checked = 0;
  for (const motion of answer.document?.motions ?? []) {
    for (const [name, value] of motion.facts) if (name === 'checked in') checked += parseFloat(value);
    motion.facts = motion.facts.filter(([name]) => name !== 'checked in' && name !== 'verified in');
    if (motion.verification) delete motion.verification.seconds;
  }
  return checked;
}

/** Numbers from 0 to 1, the same in every run. */
export function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}
