// Runs a test program that was built for wasm32-wasip1: `node --no-warnings wasi-runner.mjs TEST.wasm [ARGUMENT...]`.
// Cargo calls it when CARGO_TARGET_WASM32_WASIP1_RUNNER names it. The program sees the repository's files (snapshots,
// fixtures), cargo's variables and nothing else.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';

// Node 20 crashes at random when a module grows its memory while the garbage collector works on another thread. The
// option takes effect only when Node starts.
const STEADY = '--single-threaded-gc';

const here = fileURLToPath(import.meta.url);
const [program, ...rest] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node wasi-runner.mjs TEST.wasm [ARGUMENT...]');
  process.exit(2);
}

if (!process.execArgv.includes(STEADY)) {
  const again = spawnSync(process.execPath, [STEADY, ...process.execArgv, here, program, ...rest], { stdio: 'inherit' });
  if (again.signal !== null) console.error(`${program} was ended by ${again.signal}`);
  process.exit(again.status ?? 1);
}

const root = dirname(dirname(here));
const passed = /^(CARGO_|RUST_|INSTA_|PROPTEST_)/;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name)));
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...rest],
  env: { ...env, INSTA_WORKSPACE_ROOT: root, INSTA_UPDATE: 'no' },
  preopens: { [root]: root },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
