/** Chromium with WebGPU drawn in software, and pages that report whatever went wrong in them. */
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { chromiumPath } from './place';

/** All four of the first line are needed: with fewer the first use of a canvas loses the device. */
const FLAGS = [
  '--enable-unsafe-webgpu', '--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=swiftshader',
  '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath(), args: FLAGS });

export interface Watched {
  page: Page;
  /** Errors on the console, exceptions, and requests that left the origin. */
  wrong: string[];
}

export interface Looks {
  scheme?: 'light' | 'dark';
  width?: number;
  webgpu?: boolean;
}

export async function open(browser: Browser, url: string, { scheme = 'light', width = 1440, webgpu = true }: Looks = {}): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width, height: width < 600 ? 844 : 900 }, colorScheme: scheme, reducedMotion: 'reduce' });
  const wrong: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(origin) && !/^(blob|data):/.test(address)) wrong.push(`request: ${address}`);
  });
  if (!webgpu) await page.addInitScript(() => delete (Navigator.prototype as { gpu?: unknown }).gpu);
  await page.goto(url);
  await page.waitForSelector('mm-open-page main, main');
  return { page, wrong };
}

/** Hands a file to the page through the system's file picker. */
export async function choose(page: Page, files: string | string[] | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('button:visible:has-text("Choose a file…"), header.top .end button:visible').first().click()]);
  await chooser.setFiles(files);
}

export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

/** Level A and AA, nothing left out. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(`${axe.source}; undefined`);
  const violations = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`));
  });
  expect(violations, name).toEqual([]);
}

export async function expectNoSideways(page: Page, name: string): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${name} scrolls sideways`).toBeLessThanOrEqual(0);
}
