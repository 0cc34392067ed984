//! The renderer, on a page's canvas.

use std::rc::Rc;

use meshmark_core::glb::{self, Limits};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::HtmlCanvasElement;

use super::{Problem, plain};
use crate::renderer::{camera::Camera, geometry, pixels, scene::Scene};

/// The largest picture, pixels each way: what every adapter gives.
const MAX_PIXELS: u32 = 4_096;

/// A mesh on a canvas.
#[wasm_bindgen]
pub struct Viewer {
    surface: wgpu::Surface<'static>,
    settings: wgpu::SurfaceConfiguration,
    device: Rc<wgpu::Device>,
    queue: Rc<wgpu::Queue>,
    scene: Scene,
    /// Draws what is read back: a canvas can have another order of colours.
    copy: Scene,
    camera: Camera,
}

/// A camera as JavaScript has it.
#[derive(Serialize, Deserialize)]
struct PlainCamera {
    azimuth_deg: f32,
    elevation_deg: f32,
    distance: f32,
    target: [f32; 3],
}

fn problem(kind: &str, message: impl Into<String>) -> JsValue {
    Problem { kind, place: "the viewer", message: message.into() }.thrown()
}

#[wasm_bindgen]
impl Viewer {
    /// A viewer on a canvas, with nothing to see yet.
    ///
    /// # Errors
    /// Throws `{kind, where, message}` where there is no WebGPU.
    pub async fn create(canvas: HtmlCanvasElement) -> Result<Self, JsValue> {
        let size = [canvas.width(), canvas.height()].map(|pixels| pixels.clamp(1, MAX_PIXELS));
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::BROWSER_WEBGPU,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let surface = instance
            .create_surface(wgpu::SurfaceTarget::Canvas(canvas))
            .map_err(|error| problem("no_webgpu", error.to_string()))?;
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() })
            .await
            .map_err(|error| problem("no_webgpu", error.to_string()))?;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() })
            .await
            .map_err(|error| problem("no_device", error.to_string()))?;
        let mut settings = surface
            .get_default_config(&adapter, size[0], size[1])
            .ok_or_else(|| problem("no_webgpu", "this browser's adapter can't draw on a canvas"))?;
        settings.alpha_mode = wgpu::CompositeAlphaMode::PreMultiplied;
        surface.configure(&device, &settings);
        let scene = Scene::new(&device, settings.format);
        let copy = Scene::new(&device, pixels::FORMAT);
        let (device, queue) = (Rc::new(device), Rc::new(queue));
        Ok(Self { surface, settings, device, queue, scene, copy, camera: Camera::default() })
    }

    /// Shows a GLB.
    ///
    /// # Errors
    /// Throws `{kind, where, message}` when it is not read or too large.
    #[wasm_bindgen(js_name = setMesh)]
    pub fn set_mesh(&mut self, glb: &[u8]) -> Result<(), JsValue> {
        let mesh =
            glb::read(glb, &Limits::default()).map_err(|refusal| plain(&refusal).unwrap_or_else(|error| error))?;
        let corners = geometry::corners(&mesh).map_err(|error| problem("too_large", error.to_string()))?;
        self.scene.set_mesh(&self.device, &corners);
        self.copy.set_mesh(&self.device, &corners);
        Ok(())
    }

    /// Shows nothing.
    pub fn clear(&mut self) {
        self.scene.set_mesh(&self.device, &[]);
        self.copy.set_mesh(&self.device, &[]);
    }

    /// Takes the canvas's size on the page, in its own pixels and the screen's pixels for each of them.
    pub fn resize(&mut self, css_width: f64, css_height: f64, pixel_ratio: f64) {
        let pixels = |css: f64| (css * pixel_ratio).round().clamp(1.0, f64::from(MAX_PIXELS)) as u32;
        let size = [pixels(css_width), pixels(css_height)];
        if size != [self.settings.width, self.settings.height] {
            [self.settings.width, self.settings.height] = size;
            self.surface.configure(&self.device, &self.settings);
        }
    }

    /// `{azimuth_deg, elevation_deg, distance, target}`; lengths in radii of the object's bounding sphere.
    ///
    /// # Errors
    /// Never.
    pub fn camera(&self) -> Result<JsValue, JsValue> {
        let Camera { azimuth_deg, elevation_deg, distance, target } = self.camera;
        plain(&PlainCamera { azimuth_deg, elevation_deg, distance, target: target.to_array() })
    }

    /// Takes another viewer's camera.
    ///
    /// # Errors
    /// When it is no camera.
    #[wasm_bindgen(js_name = setCamera)]
    pub fn set_camera(&mut self, camera: JsValue) -> Result<(), JsValue> {
        let PlainCamera { azimuth_deg, elevation_deg, distance, target } = serde_wasm_bindgen::from_value(camera)?;
        self.camera = Camera { azimuth_deg, elevation_deg, distance, target: target.into() }.allowed();
        Ok(())
    }

    /// Turns the camera about its target, degrees.
    pub fn orbit(&mut self, azimuth_deg: f32, elevation_deg: f32) {
        self.camera = self.camera.orbited(azimuth_deg, elevation_deg);
    }

    /// Moves what is seen, in parts of the picture's height, right and up.
    pub fn pan(&mut self, right: f32, up: f32) {
        self.camera = self.camera.panned(right, up);
    }

    /// Goes nearer by a factor above 1.
    pub fn zoom(&mut self, factor: f32) {
        self.camera = self.camera.zoomed(factor);
    }

    /// Looks as in the beginning.
    pub fn reset(&mut self) {
        self.camera = Camera::default();
    }

    /// Draws a frame.
    ///
    /// # Errors
    /// Throws `{kind, where, message}` when the device is gone.
    pub fn render(&mut self) -> Result<(), JsValue> {
        use wgpu::CurrentSurfaceTexture::{Lost, Occluded, Outdated, Suboptimal, Success, Timeout, Validation};
        match self.surface.get_current_texture() {
            Success(frame) | Suboptimal(frame) => {
                self.scene.draw(&self.device, &self.queue, &frame.texture, &self.camera);
                self.queue.present(frame);
                Ok(())
            }
            // There is nobody to see it, or the next frame will do.
            Timeout | Occluded => Ok(()),
            Outdated => {
                self.surface.configure(&self.device, &self.settings);
                Ok(())
            }
            Lost | Validation => Err(problem("lost", "the browser took the graphics device away; reload the page")),
        }
    }

    /// The picture of the present camera, RGBA, rows from the top, of the canvas's size.
    ///
    /// # Errors
    /// Throws `{kind, where, message}` when the device is gone.
    #[wasm_bindgen(js_name = readPixels)]
    pub fn read_pixels(&mut self) -> js_sys::Promise {
        let texture = pixels::target(&self.device, self.settings.width, self.settings.height);
        self.copy.draw(&self.device, &self.queue, &texture, &self.camera);
        let copy = pixels::Copy::begin(&self.device, &self.queue, &texture);
        wasm_bindgen_futures::future_to_promise(async move {
            let mapped = js_sys::Promise::new(&mut |resolve, reject| {
                copy.map(move |result| {
                    // A promise that nobody waits for any more.
                    let _ = match result {
                        Ok(()) => resolve.call0(&JsValue::NULL),
                        Err(error) => reject.call1(&JsValue::NULL, &problem("lost", error.to_string())),
                    };
                });
            });
            wasm_bindgen_futures::JsFuture::from(mapped).await?;
            let bytes = copy.take().map_err(|error| problem("lost", error.to_string()))?;
            Ok(js_sys::Uint8Array::from(bytes.as_slice()).into())
        })
    }
}
