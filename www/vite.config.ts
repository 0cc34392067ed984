import { defineConfig } from 'vitest/config';
import type { Plugin } from 'vite';

/** What the built pages may load: their own origin, and nothing else. `blob:` is for pictures read from a bundle. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "img-src 'self' blob: data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The development server injects inline styles and scripts, so only built pages carry the policy. */
const policy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
  ],
};

export default defineConfig({
  base: './',
  plugins: [policy],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir: process.env['MESHMARK_PAGES_OUT'] ?? 'dist',
    emptyOutDir: true,
    // An inlined module preload polyfill would break the policy; every browser with WebGPU preloads modules itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  test: {
    include: ['tests/**/*.test.ts'],
    // One browser at a time: the pages measure time, and two software renderers would starve each other.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
