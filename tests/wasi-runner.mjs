// Runs a test program that was built for wasm32-wasip1: `node --no-warnings wasi-runner.mjs TEST.wasm [ARGUMENT...]`.
// Cargo calls it when CARGO_TARGET_WASM32_WASIP1_RUNNER names it. The program sees the repository's files (snapshots,
// fixtures), cargo's variables and nothing else.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node wasi-runner.mjs TEST.wasm [ARGUMENT...]');
  process.exit(2);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
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
