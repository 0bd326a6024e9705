// The page: scenes to play with, files that are dropped on it, and the viewer in a frame. Checker and
// verifier run beside it, in a worker; nothing leaves the browser.
import {filesOf, filesOfInput, placed, sorted} from './files.mjs';

const {scenes, viewerScript, viewerStyle} = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const frame = $('frame');
const state = {question: null, moved: {}, shown: '', certificate: null, counter: 0, version: 0, dropped: []};

async function unpacked(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// --- The worker -----------------------------------------------------------------------------------

const worker = new Worker(URL.createObjectURL(new Blob([$('worker').textContent], {type: 'text/javascript'})));
const waiting = new Map();
worker.onmessage = ({data}) => {
  const {resolve, reject} = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.failure) reject(new Error(data.failure));
  else resolve(data);
};
function send(message, transfer = []) {
  return new Promise((resolve, reject) => {
    const id = ++state.counter;
    waiting.set(id, {resolve, reject});
    worker.postMessage({id, ...message}, transfer);
  });
}

// --- What is shown --------------------------------------------------------------------------------

function say(text, kind = '') {
  $('status').textContent = text;
  $('status').className = kind;
}

// The viewer goes on where it is if only obstacles have moved.
function show(shown, name) {
  Object.assign(shown, {movable: true, answers: 'page'});
  if (state.shown === name && frame.contentWindow?.proven?.stage) return frame.contentWindow.postMessage({document: shown}, '*');
  state.shown = name;
  const json = JSON.stringify(shown).replaceAll('<', '\\u003c'), script = viewerScript.replaceAll('</script', '<\\/script');
  frame.srcdoc = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Viewer</title><style>${viewerStyle}</style></head>
<body><script type="application/json" id="document">${json}</script><script>${script}</script></body></html>`;
}

const WORDS = {free: 'Free', collision: 'Collision', undecided: 'Undecided', rejected: 'Rejected'};

function tell(motion, seconds) {
  const time = `(${(1000 * seconds).toFixed(0)} ms)`;
  if (!motion) return say(`Read ${time}. Drop a path to have it checked.`);
  const {verification: verified, verdict} = motion;
  let text = WORDS[verdict] ?? verdict;
  if (verified?.accepted) text += verdict === 'free' ? `: ${verified.leaves} leaves verified` : ': the witness is confirmed';
  else if (verified) text += `: ${verified.reason}`;
  say(`${text} ${time}`, verified && !verified.accepted ? 'rejected' : verdict);
}

// One question at a time; of those that come meanwhile, the last.
async function ask() {
  if (!state.question) return;
  if (state.asking) {
    state.again = true;
    return;
  }
  state.asking = true;
  try {
    do {
      state.again = false;
      await askOnce();
    } while (state.again);
  } catch (error) {
    say(`The module failed: ${error.message}. Reload the page.`, 'rejected');
  } finally {
    state.asking = false;
  }
}

const questionNow = () => ({...state.question, moved: state.moved, clearance: Number($('clearance').value) / 1000 || 0, version: state.version});

// Distances of all pairs at a configuration, in the scene as it is now.
async function measure(values) {
  const {answer} = await send({question: {...questionNow(), distances: values}}).catch(({message}) => ({answer: JSON.stringify({error: {message}})}));
  const measured = JSON.parse(answer);
  frame.contentWindow.postMessage({measured: measured.error ? {error: measured.error.message} : measured}, '*');
}

async function askOnce() {
  const question = questionNow();
  const {answer, seconds} = await send({question});
  const {error, document: shown, certificate} = JSON.parse(answer);
  state.certificate = certificate ?? null;
  $('save').disabled = !certificate;
  state.answers = (state.answers ?? 0) + 1;
  if (error) return say(`${error.place ? `${error.place}: ` : ''}${error.message}`, 'rejected');
  show(shown, JSON.stringify([state.version, question.scene, question.path, question.certificate]));
  tell(shown.motions.at(-1), seconds);
}

// --- What is asked --------------------------------------------------------------------------------

async function choose(name) {
  const scene = scenes.find((s) => s.name === name), path = `/built-in/${name}.json`;
  state.moved = {};
  $('given').hidden = true;
  $('caption').textContent = `${scene.caption}.`;
  await send({files: [{name: path, bytes: new TextEncoder().encode(scene.path)}]});
  state.question = {scene: name, path};
  await ask();
}

function fill(select, names, none) {
  select.replaceChildren(...(none ? [new Option(none, '')] : []), ...names.map((name) => new Option(name.replace('/files/', ''), name)));
  if (names.length) select.value = names[0];
}

async function take(dropped) {
  if (!dropped.length) return;
  const {files, packages} = placed([...state.dropped.filter((old) => !dropped.some(({name}) => name === old.name)), ...dropped]);
  const of = sorted(files);
  ++state.version;  // the same names may hold something else now
  Object.assign(state, {dropped: files, packages});
  await send({files});
  if (!of.scene.length) return say('None of these files is a scene: drop a URDF, or a scene in JSON or YAML, with its meshes.', 'rejected');
  fill($('scene'), of.scene);
  fill($('path'), of.path, 'none');
  fill($('certificate'), of.certificate, 'none: check');
  $('given').hidden = false;
  $('scenes').value = '';
  $('caption').textContent = `${files.length} file${files.length === 1 ? '' : 's'}, read in this browser and sent nowhere.`;
  await askForGiven();
}

function askForGiven() {
  state.moved = {};
  state.question = {scene: $('scene').value, packages: state.packages};
  for (const part of ['path', 'certificate']) if ($(part).value) state.question[part] = $(part).value;
  return ask();
}

function save() {
  const bytes = Uint8Array.from(atob(state.certificate), (c) => c.charCodeAt(0));
  const link = Object.assign(document.createElement('a'), {href: URL.createObjectURL(new Blob([bytes])), download: 'path.proof'});
  link.click();
  URL.revokeObjectURL(link.href);
}

function listen() {
  $('scenes').append(...scenes.map(({name}) => new Option(name, name)));
  $('scenes').onchange = () => choose($('scenes').value);
  $('clearance').onchange = ask;
  for (const part of ['scene', 'path', 'certificate']) $(part).onchange = askForGiven;
  $('reset').onclick = () => {
    state.moved = {};
    ask();
  };
  $('open').onclick = () => $('files').click();
  $('files').onchange = async () => take(await filesOfInput($('files').files));
  $('save').onclick = save;
  window.addEventListener('message', ({source, data}) => {
    if (source !== frame.contentWindow) return;
    if (data?.measure) measure(data.measure);
    if (!data?.moved) return;
    state.moved[data.moved] = data.place;
    ask();
  });
  const over = (dropping) => (event) => {
    event.preventDefault();
    document.body.classList.toggle('dropping', dropping);
  };
  for (const kind of ['dragenter', 'dragover']) window.addEventListener(kind, over(true));
  $('veil').addEventListener('dragleave', over(false));
  window.addEventListener('drop', async (event) => {
    over(false)(event);
    take(await filesOf(event.dataTransfer.items));
  });
}

async function start() {
  listen();
  say('Loading the checker and the verifier …');
  try {
    const module = await unpacked('module');
    await send({module}, [module.buffer]);
    $('scenes').value = scenes[0].name;
    await choose(scenes[0].name);
  } catch (error) {
    say(`This browser cannot run the page: ${error.message}. It needs WebAssembly with exceptions (Chrome 95, Firefox 113, Safari 16.4 or newer).`, 'rejected');
  }
  document.body.dataset.ready = 'true';
}

window.page = {state, take, ask};
start();
