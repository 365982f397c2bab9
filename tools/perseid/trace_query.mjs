// trace_query.mjs: runs SQL over a trace with the real Perfetto trace processor.
//
//   TRACE_PROCESSOR=.deps/trace-processor node trace_query.mjs FILE [--json] [SQL ...]
//   TRACE_PROCESSOR=.deps/trace-processor node trace_query.mjs --serve
//
// install_trace_processor.sh fetches the trace processor. Without SQL, prints the number of slices and every row
// of `stats` that is an error or a data loss. --json prints one array with {columns, rows} per
// query; numbers are text in it, for they may have 64 bits. Exit 0 when the trace loaded and
// every query ran, 1 otherwise.
//
// --serve saves the start of the trace processor where there are many traces: each line of the
// input is {"file": "...", "queries": ["...", ...]}, and each gets a line with what --json prints,
// or {"error": "..."}.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import vm from 'node:vm';
import {pathToFileURL} from 'node:url';

const assets = path.resolve(process.env.TRACE_PROCESSOR ?? '.deps/trace-processor');
const words = process.argv.slice(2);
const asJson = words.includes('--json');
const isServing = words.includes('--serve');
const [file, ...asked] = words.filter((word) => !word.startsWith('--'));
if (!file && !isServing) {
  console.error('usage: trace_query.mjs FILE [--json] [SQL ...] | --serve');
  process.exit(2);
}
const queries = asked.length ? asked : [
  'select count(*) as slices from slice',
  "select name, idx, value, severity from stats where value != 0 and severity in ('error', 'data_loss')",
];

const {EngineBase} = await import(pathToFileURL(path.join(assets, 'engine.mjs')).href);

// The bundle expects to be a web worker that fetches its wasm: give it just enough of one, the
// bytes at once, and 32-bit memory, which every node has.
const define = (name, value) =>
  Object.defineProperty(globalThis, name, {value, configurable: true, writable: true});
define('self', globalThis);
define('location', {href: pathToFileURL(assets).href + '/'});
globalThis.WorkerGlobalScope ??= function () {};
globalThis.wasmBytes = new Uint8Array(fs.readFileSync(path.join(assets, 'trace_processor.wasm')));
// All of it, also into a pipe: process.exit() does not wait for console.log().
const print = (text) => {
  const bytes = Buffer.from(text + '\n');
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const printError = console.error.bind(console);
console.log = console.warn = console.error = () => {};  // the trace processor's own chatter

// When its memory is used up, the trace processor aborts in a callback, where no caller can catch it.
let loading = file;
process.on('uncaughtException', (error) => {
  const isFull = /OutOfMemory|out of memory|grow/i.test(String(error.stack ?? error));
  const megabytes = (fs.statSync(loading, {throwIfNoEntry: false})?.size ?? 0) / 2 ** 20;
  const size = megabytes < 1024 ? `${megabytes.toFixed(1)} MiB` : `${(megabytes / 1024).toFixed(1)} GiB`;
  const sentence = isFull
    ? `${loading} (${size}) needs more memory than the trace processor has; export a part of it ` +
      '(perseid export --from TIME --to TIME), or a .pftrace, which needs less than JSON'
    : `the trace processor failed on ${loading}: ${error.message ?? error}`;
  if (isServing) {
    print(JSON.stringify({error: sentence}));
  } else {
    printError(`perseid: ${sentence}`);
  }
  process.exit(1);
});

let bundle = fs.readFileSync(path.join(assets, 'engine_bundle.node.js'), 'utf8');
for (const [from, to] of [
  ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
  ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,'],
  ['const wasmBridge = new wasm_bridge_1.WasmBridge();',
   'const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.wasmBridge = wasmBridge;'],
]) {
  if (!bundle.includes(from)) throw new Error(`this version of the bundle is unknown: no "${from}"`);
  bundle = bundle.replace(from, to);
}
vm.runInThisContext(bundle, {filename: 'engine_bundle.node.js'});

class Engine extends EngineBase {
  mode = 'WASM';
  id = 'trace_query';
  constructor(port) {
    super();
    this.port = port;
    port.onmessage = (message) => {
      if (message.data instanceof Uint8Array) this.onRpcResponseBytes(message.data);
    };
  }
  rpcSendRequestBytes(data) { this.port.postMessage(data); }
  [Symbol.dispose]() {}
}

const channel = new MessageChannel();
globalThis.wasmBridge.initialize(channel.port1);
const engine = new Engine(channel.port2);
await new Promise((done) => setTimeout(done, 800));  // the bridge has no call that says "ready"

const blockBytes = 32 << 20;
async function load(file) {
  loading = file;
  const fd = fs.openSync(file, 'r');
  try {
    for (;;) {
      const block = new Uint8Array(blockBytes);
      const got = fs.readSync(fd, block, 0, block.length);
      if (got === 0) break;
      await engine.parse(block.subarray(0, got));
    }
    await engine.notifyEof();
  } catch (error) {
    throw new Error(`cannot load ${file}: ${error.message ?? error}`);
  } finally {
    fs.closeSync(fd);
  }
}

// Names come from the traced program: none of them may move the terminal's cursor or break a row.
const printable = (text) => (text ?? '').replace(
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
  (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
const asText = (value) => (value === null ? null : String(value));
async function answer(queries) {
  const results = [];
  for (const sql of queries) {
    try {
      const result = await engine.query(sql);
      const columns = result.columns();
      const rows = [];
      for (const row = result.iter({}); row.valid(); row.next()) {
        rows.push(columns.map((column) => asText(row.get(column))));
      }
      results.push({columns, rows});
    } catch (error) {
      throw new Error(`query failed: ${sql}\n  ${error.message ?? error}`);
    }
  }
  return results;
}

if (isServing) {
  for await (const line of readline.createInterface({input: process.stdin})) {
    try {
      const request = JSON.parse(line);
      await load(request.file);
      print(JSON.stringify(await answer(request.queries)));
    } catch (error) {
      print(JSON.stringify({error: error.message ?? String(error)}));
    }
    await engine.resetTraceProcessor({
      cropTrackEvents: false, ingestFtraceInRawTable: true, analyzeTraceProtoContent: false,
      ftraceDropUntilAllCpusValid: false});
  }
  process.exit(0);
}
try {
  await load(file);
  const results = await answer(queries);
  if (asJson) {
    print(JSON.stringify(results));
  } else {
    for (const {columns, rows} of results) {
      print(columns.map(printable).join('\t'));
      for (const row of rows) print(row.map(printable).join('\t'));
    }
  }
} catch (error) {
  printError(error.message ?? String(error));
  process.exit(1);
}
process.exit(0);
