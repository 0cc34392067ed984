import type { Camera } from '../engine/views';

/** What of a camera carries over to a mesh of another size: angles, and the rest relative to the view that fits it. */
export interface Pose {
  azimuth_deg: number;
  elevation_deg: number;
  /** Distance, as a multiple of the fitting one. */
  zoom: number;
  /** Shift of the target from the fitting one, in fitting distances. */
  shift: [number, number, number];
}

/** The pose of a camera beside the camera that fits the same mesh. */
export function poseOf(camera: Camera, fitting: Camera): Pose {
  const shift = camera.target.map((at, axis) => (at - (fitting.target[axis] ?? 0)) / fitting.distance);
  return {
    azimuth_deg: camera.azimuth_deg,
    elevation_deg: camera.elevation_deg,
    zoom: camera.distance / fitting.distance,
    shift: [shift[0] ?? 0, shift[1] ?? 0, shift[2] ?? 0],
  };
}

/** The camera in that pose on another mesh. */
export function posed(pose: Pose, fitting: Camera): Camera {
  const target = fitting.target.map((at, axis) => at + (pose.shift[axis] ?? 0) * fitting.distance);
  return {
    azimuth_deg: pose.azimuth_deg,
    elevation_deg: pose.elevation_deg,
    distance: fitting.distance * pose.zoom,
    target: [target[0] ?? 0, target[1] ?? 0, target[2] ?? 0],
  };
}
