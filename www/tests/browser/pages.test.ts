import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, expectAccessible, expectNoSideways, go, launch, open } from './chromium';
import { given, staticHost } from './place';

let browser: Browser;
let server: Server;
let url: string;
let bundle: string;

beforeAll(async () => {
  bundle = given('MESHMARK_DEMO_BUNDLE');
  ({ url, server } = await staticHost(given('MESHMARK_PAGES')));
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
});

async function openBundle(page: Page): Promise<string> {
  await choose(page, bundle);
  await page.waitForURL(/#\/run\/[0-9a-f]{64}$/);
  await page.waitForSelector('main.run tbody a');
  return page.url().split('/').at(-1) ?? '';
}

/** Address of the first trial whose row says so. */
async function trialSaying(page: Page, words: string): Promise<string> {
  const href = await page.locator('main.run tbody tr:not(.filler)', { hasText: words }).first().locator('a').getAttribute('href');
  expect(href, `a trial saying ${words}`).toBeTruthy();
  return href ?? '';
}

/** Pixels of each 3D view that differ from its background, read back from the device. */
async function meshPixels(page: Page): Promise<number[]> {
  await page.waitForFunction(() => {
    const views = [...document.querySelectorAll('mm-mesh-view')];
    return views.length === 2 && views.every((view) => view.querySelector('.vfoot'));
  });
  return page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const seen: number[] = [];
    for (const view of document.querySelectorAll('mm-mesh-view')) {
      const pixels = (await view.readPixels()) ?? new Uint8Array();
      let other = 0;
      for (let at = 0; at < pixels.length; at += 4) {
        if (Math.abs((pixels[at] ?? 0) - (pixels[0] ?? 0)) + Math.abs((pixels[at + 1] ?? 0) - (pixels[1] ?? 0)) > 12) other += 1;
      }
      seen.push(other);
    }
    return seen;
  });
}

test('a bundle opens, its meshes are drawn, and its scores are computed to the same digits', async () => {
  const { page, wrong } = await open(browser, url);
  await openBundle(page);
  await go(page, await trialSaying(page, 'Executed'));
  for (const pixels of await meshPixels(page)) expect(pixels).toBeGreaterThan(2_000);
  const times = await page.evaluate(() => {
    const at = (name: string): number => performance.getEntriesByName(name)[0]?.startTime ?? NaN;
    return { opened: at('meshmark:opened') - at('meshmark:open'), mesh: at('meshmark:mesh') - at('meshmark:open') };
  });
  console.log(`from choosing the bundle: read after ${Math.round(times.opened)} ms, first mesh on screen after ${Math.round(times.mesh)} ms (with the clicks of this test between)`);

  await page.click('#recompute');
  await page.waitForSelector('.scores .here:not(:text("–"))');
  const row = page.locator('.scores tbody tr', { hasText: 'chamfer/upright@1' }).first();
  const [claimed, here, verdict] = await Promise.all([row.locator('.claimed').innerText(), row.locator('.here').innerText(), row.locator('.st').innerText()]);
  expect(here).toBe(claimed);
  expect(verdict).toContain('Agrees');

  // The same two meshes through the command line.
  const folder = mkdtempSync(join(tmpdir(), 'meshmark-browser-'));
  const files = await page.evaluate(async () => {
    const bytes = [...document.querySelectorAll('mm-mesh-view')].map((view) => Array.from(view.glb ?? []));
    return { result: bytes[0] ?? [], reference: bytes[1] ?? [] };
  });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, `${name}.glb`), Buffer.from(bytes));
  const told = JSON.parse(
    execFileSync(given('MESHMARK_BIN'), ['compare', join(folder, 'reference.glb'), join(folder, 'result.glb'), '--json'], { encoding: 'utf8' }),
  ) as { value: number };
  expect(String(told.value)).toBe(here);

  await go(page, '#/compare');
  await choose(page, [join(folder, 'reference.glb'), join(folder, 'result.glb')]);
  await page.waitForSelector('#distance');
  expect(await page.innerText('#distance')).toBe(here);
  expect(wrong).toEqual([]);
  await page.close();
});

test('the cameras turn together from the keyboard, and apart when unlinked', async () => {
  const { page, wrong } = await open(browser, url);
  await openBundle(page);
  await go(page, await trialSaying(page, 'Executed'));
  await meshPixels(page);
  const azimuths = (): Promise<(number | undefined)[]> => page.evaluate(() => [...document.querySelectorAll('mm-mesh-view')].map((view) => view.pose?.azimuth_deg));
  await page.locator('mm-mesh-view canvas').first().focus();
  const before = await azimuths();
  await page.keyboard.press('ArrowRight');
  const after = await azimuths();
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).toBe(after[0]);
  await page.keyboard.press('c');
  await page.keyboard.press('ArrowRight');
  const apart = await azimuths();
  expect(apart[0]).not.toBe(after[0]);
  expect(apart[1]).toBe(after[1]);
  await page.keyboard.press('r');
  expect((await azimuths())[0]).toBe(before[0]);
  expect(wrong).toEqual([]);
  await page.close();
});

test('everything can be done with the keyboard alone', async () => {
  const { page, wrong } = await open(browser, url);
  const chooser = page.waitForEvent('filechooser');
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === 'Choose a file…') break;
  }
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(bundle);
  await page.waitForSelector('main.run tbody a');
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('search');
  await page.keyboard.press('Tab');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.waitForFunction(() => document.activeElement?.closest('tr.chosen') !== null && document.activeElement?.matches('a'));
  // On to a trial that has something to compute.
  for (let row = 0; row < 60; row += 1) {
    if (await page.evaluate(() => /Executed/.test(document.activeElement?.closest('tr')?.textContent ?? ''))) break;
    await page.keyboard.press('j');
    await page.waitForTimeout(60);
  }
  await page.keyboard.press('Enter');
  await page.waitForSelector('main.trial');
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await page.evaluate(() => document.activeElement?.id)) === 'recompute') break;
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('recompute');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.scores .st:has-text("Agrees")');
  await page.keyboard.press('u');
  await page.waitForSelector('main.run');
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  expect(wrong).toEqual([]);
  await page.close();
});

test('a failing trial shows the line that failed', async () => {
  const { page, wrong } = await open(browser, url);
  const root = await openBundle(page);
  await go(page, `#/run/${root}?status=ERR_EXEC`);
  await page.waitForSelector('.tools .btn:has-text("Clear filters")');
  await page.locator('main.run tbody a').first().click();
  await page.waitForSelector('.code .del');
  expect(await page.innerText('.code .err')).toContain('Stopped here.');
  expect(wrong).toEqual([]);
  await page.close();
});

test('the whole bundle is found consistent, and not called authentic', async () => {
  const { page, wrong } = await open(browser, url);
  const root = await openBundle(page);
  await go(page, `#/verify/${root}`);
  await page.click('#verify');
  await page.waitForSelector('.verdict.v-ok, .verdict.v-bad');
  expect(await page.innerText('.verdict h1')).toBe('This bundle is consistent');
  expect(await page.innerText('.verdict')).toContain('Consistent is not authentic');
  expect(await page.innerText('.foot')).toMatch(/(\d+) of \1 claims agree/);
  expect(wrong).toEqual([]);
  await page.close();
});

test.each(['light', 'dark'] as const)('nothing for axe to find in the %s scheme, and nothing scrolls sideways at 390 px', async (scheme) => {
  for (const width of [1440, 390]) {
    const { page, wrong } = await open(browser, url, { scheme, width });
    const check = async (name: string): Promise<void> => {
      await page.waitForTimeout(200);
      await expectAccessible(page, `${name}, ${scheme}, ${width}`);
      await expectNoSideways(page, `${name}, ${width}`);
    };
    await check('open');
    const root = await openBundle(page);
    await check('run');
    const [executed, failed] = [await trialSaying(page, 'Executed'), await trialSaying(page, 'Model failure')];
    await go(page, executed);
    await meshPixels(page);
    await page.click('#recompute');
    await page.waitForSelector('.scores .st:has-text("Agrees")');
    await page.locator('.scores .cellnum').first().click();
    await check('trial');
    await go(page, failed);
    await check('failed trial');
    await go(page, `#/board/${root}`);
    await page.locator('.lb-table .cellnum').first().click();
    await page.waitForSelector('.protocols');
    await check('leaderboard');
    await go(page, `#/verify/${root}`);
    await page.click('#verify');
    await page.waitForSelector('.verdict.v-ok');
    await check('verify');
    await go(page, '#/compare');
    await page.waitForSelector('main.compare');
    await check('compare');
    await go(page, `#/run/${'ab'.repeat(32)}`);
    await page.waitForSelector('mm-bundle-gate main');
    await check('another bundle');
    expect(wrong).toEqual([]);
    await page.close();
  }
});

test('broken files are refused with a sentence', async () => {
  const { page, wrong } = await open(browser, url);
  const whole = readFileSync(bundle);
  const flipped = Buffer.from(whole);
  const middle = Math.floor(whole.length / 2);
  flipped[middle] = (flipped[middle] ?? 0) ^ 0x40;
  await choose(page, { name: 'cut.run.zip', mimeType: 'application/zip', buffer: whole.subarray(0, middle) });
  await page.waitForSelector('.card.bad');
  expect(await page.innerText('.card.bad')).toMatch(/cut\.run\.zip\s+can’t be shown\.\s+\S.{20,}/s);
  await choose(page, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.waitForSelector('.card.bad:has-text("neither a run bundle")');
  // A flipped byte either stops the file from opening or is found when everything is checked.
  await choose(page, { name: 'flipped.run.zip', mimeType: 'application/zip', buffer: flipped });
  await page.waitForSelector('.card.bad:has-text("flipped.run.zip"), main.run');
  if (await page.locator('main.run').count()) {
    await go(page, '#/verify');
    await page.click('#verify');
    await page.waitForSelector('.verdict.v-bad');
  }
  await go(page, '#/compare');
  await choose(page, { name: 'broken.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from('glTF but not really') });
  await page.waitForSelector('main.compare .st:has-text("This mesh is refused")');
  expect(wrong).toEqual([]);
  await page.close();
});

test('without WebGPU the stored pictures are shown, and the page says why', async () => {
  const { page, wrong } = await open(browser, url, { webgpu: false });
  await openBundle(page);
  await go(page, await trialSaying(page, 'Executed'));
  await page.waitForSelector('.vp-fallback');
  expect(await page.innerText('.vp-fallback')).toContain('this browser has no WebGPU');
  await page.waitForSelector('mm-stored-views img');
  expect(wrong).toEqual([]);
  await page.close();
});

test('a static host that offers a run opens it from a link', async () => {
  const first = await open(browser, url);
  const root = await openBundle(first.page);
  const trial = await trialSaying(first.page, 'Executed');
  await first.page.close();
  const name = basename(bundle);
  const runs = JSON.stringify({ runs: [{ root, name, url: name, benchmark: '3dcodebench', items: 1, attempts: 1 }] });
  const site = await staticHost(given('MESHMARK_PAGES'), { '/runs.json': runs, [`/${name}`]: readFileSync(bundle) });
  const { page, wrong } = await open(browser, `${site.url}${trial}`);
  for (const pixels of await meshPixels(page)) expect(pixels).toBeGreaterThan(2_000);
  expect(wrong).toEqual([]);
  await page.close();
  site.server.close();
});
