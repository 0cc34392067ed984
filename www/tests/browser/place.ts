/** What the browser tests are given, and a plain static host for the built pages. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** A path from the environment; a missing one is a failure, never a skipped test. */
export function given(name: 'MESHMARK_DEMO_BUNDLE' | 'MESHMARK_PAGES' | 'MESHMARK_BIN'): string {
  const path = process.env[name];
  if (!path || !existsSync(path)) {
    throw new Error(`${name} ${path ? `names ${path}, which isn't there` : 'is not set'}. \`cargo verify --only browser\` makes it and runs these tests.`);
  }
  return path;
}

export function chromiumPath(): string {
  const found = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!found) throw new Error('No Chromium is installed. Install it: apt-get install chromium');
  return found;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Serves files as the plainest host would; `extra` stands beside them. */
export async function staticHost(folder: string, extra: Record<string, Buffer | string> = {}): Promise<{ url: string; server: Server }> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://host').pathname);
    const file = path.endsWith('/') ? `${path}index.html` : path;
    try {
      const body = extra[file] ?? (await readFile(join(folder, normalize(file))));
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
