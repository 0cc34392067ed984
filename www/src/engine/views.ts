/** The 3D engine, loaded when the first 3D view is opened. */
import type { Viewer } from '../../generated/views/views.js';

export type { Viewer };

/** A camera as the engine tells it. */
export interface Camera {
  azimuth_deg: number;
  elevation_deg: number;
  distance: number;
  target: [number, number, number];
}

let engine: Promise<typeof import('../../generated/views/views.js')> | undefined;

async function load() {
  const module = await import('../../generated/views/views.js');
  await module.default();
  return module;
}

/** Why this browser can't draw in 3D, or null when it may try. */
export function missing(): string | null {
  if (!globalThis.isSecureContext) return 'this page did not come from https or from this machine, and browsers keep WebGPU for those';
  return 'gpu' in navigator ? null : 'this browser has no WebGPU';
}

/** Starts a viewer on a canvas; throws when the browser has no adapter to draw with. */
export async function createViewer(canvas: HTMLCanvasElement): Promise<Viewer> {
  engine ??= load();
  const { Viewer } = await engine;
  return Viewer.create(canvas);
}
