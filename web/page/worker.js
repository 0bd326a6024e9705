// Runs the module beside the page: files go in, answers come out. The module's script stands before
// this one.
let proven;

function writeFiles(files) {
  for (const {name, bytes} of files) {
    const parts = name.split('/').filter(Boolean);
    for (let k = 1; k < parts.length; ++k) {
      const folder = `/${parts.slice(0, k).join('/')}`;
      if (!proven.FS.analyzePath(folder).exists) proven.FS.mkdir(folder);
    }
    proven.FS.writeFile(name, bytes);
  }
}

function answer(question) {
  const text = JSON.stringify(question), size = proven.lengthBytesUTF8(text) + 1, at = proven._malloc(size);
  proven.stringToUTF8(text, at, size);
  try {
    return proven.UTF8ToString(proven._proven_answer(at));
  } finally {
    proven._free(at);
  }
}

self.onmessage = async ({data}) => {
  try {
    if (data.module) proven = await makeProven({wasmBinary: data.module, print: () => {}, printErr: () => {}});
    if (data.files) writeFiles(data.files);
    const begin = performance.now();
    const told = data.question ? answer(data.question) : null;
    self.postMessage({id: data.id, answer: told, seconds: (performance.now() - begin) / 1000});
  } catch (error) {
    self.postMessage({id: data.id, failure: String(error?.message ?? error)});
  }
};
