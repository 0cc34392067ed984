/** Every request that these pages make. All of them stay on the page's own origin. */

/** A run that this site offers. */
export interface SiteRun {
  root: string;
  name: string;
  url: string;
  benchmark: string;
  items: number;
  attempts: number;
}

/** `runs.json`: what this site offers, and where its server answers when there is one. */
export interface Site {
  runs: SiteRun[];
  /** Base of the HTTP API, relative to the page; absent on static hosts. */
  api: string | null;
}

/** A request that gave nothing; the message is for people. */
export class RequestFailed extends Error {
  constructor(
    message: string,
    readonly status: number | null,
  ) {
    super(message);
    this.name = 'RequestFailed';
  }
}

/** An address on this page's own origin, or a refusal. */
export function ownOrigin(url: string): URL {
  const address = new URL(url, document.baseURI);
  if (address.origin !== location.origin && address.protocol !== 'blob:') {
    throw new RequestFailed(`${address.href} is on another site. These pages only read from their own; download the file and open it here.`, null);
  }
  return address;
}

export async function request(url: string, init?: RequestInit): Promise<Response> {
  const address = ownOrigin(url);
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new RequestFailed(`${address.pathname} could not be reached. Check that the server runs, then try again.`, null);
  }
  if (!response.ok) throw new RequestFailed(await said(response, address), response.status);
  return response;
}

/** The server's own sentence (problem+json) where there is one. */
async function said(response: Response, address: URL): Promise<string> {
  if (response.headers.get('content-type')?.includes('json')) {
    const body: unknown = await response.json().catch(() => null);
    if (isRecord(body)) {
      for (const key of ['detail', 'title', 'message']) if (typeof body[key] === 'string') return body[key];
    }
  }
  if (response.status === 404) return `${address.pathname} isn't on this site.`;
  return `${address.pathname} answered with status ${response.status}.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const HASH = /^[0-9a-f]{64}$/;

function siteRun(value: unknown): SiteRun[] {
  if (!isRecord(value)) return [];
  const { root, name, url, benchmark, items, attempts } = value;
  if (typeof root !== 'string' || !HASH.test(root) || typeof url !== 'string') return [];
  return [
    {
      root,
      url,
      name: typeof name === 'string' ? name : root.slice(0, 8),
      benchmark: typeof benchmark === 'string' ? benchmark : '',
      items: typeof items === 'number' ? items : 0,
      attempts: typeof attempts === 'number' ? attempts : 0,
    },
  ];
}

/** Reads `runs.json`. */
export async function site(): Promise<Site> {
  const body: unknown = await (await request('runs.json', { cache: 'no-cache' })).json();
  if (!isRecord(body) || !Array.isArray(body['runs'])) {
    throw new RequestFailed('runs.json lists no runs: it should hold {"runs": […]}.', null);
  }
  const api = body['api'];
  return { runs: body['runs'].flatMap(siteRun), api: typeof api === 'string' ? api.replace(/\/?$/, '/') : null };
}

/** Downloads a file whole, telling how far it is; `total` is null when the host doesn't say. */
export async function download(
  url: string,
  progress: (received: number, total: number | null) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const response = await request(url, { signal });
  const length = Number(response.headers.get('content-length'));
  const total = length > 0 && !response.headers.get('content-encoding') ? length : null;
  if (!response.body) return response.blob();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  progress(0, total);
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    received += value.byteLength;
    progress(received, total);
  }
  return new Blob(parts, { type: 'application/zip' });
}
