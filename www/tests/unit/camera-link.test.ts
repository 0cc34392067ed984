import { expect, test } from 'vitest';
import { posed, poseOf } from '../../src/elements/camera-link';
import type { Camera } from '../../src/engine/views';

const small: Camera = { azimuth_deg: 30, elevation_deg: 20, distance: 2, target: [0, 0.5, 0] };
const large: Camera = { azimuth_deg: 30, elevation_deg: 20, distance: 200, target: [10, 50, -3] };

test('a view of a small mesh carries over to a large one at its own scale', () => {
  const moved: Camera = { azimuth_deg: 75, elevation_deg: -10, distance: 1, target: [0.2, 0.5, 0] };
  const pose = poseOf(moved, small);
  expect(posed(pose, large)).toEqual({ azimuth_deg: 75, elevation_deg: -10, distance: 100, target: [30, 50, -3] });
  expect(posed(pose, small)).toEqual(moved);
});
