//! One mesh under one camera, drawn into any texture.

use wgpu::util::DeviceExt;

use super::{camera::Camera, geometry::Corner};

/// Samples of each pixel.
const SAMPLES: u32 = 4;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// What the shader is told of a frame; as `Frame` in `shader.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Frame {
    clip_from_sphere: [f32; 16],
    eye: [f32; 4],
    right: [f32; 4],
    up: [f32; 4],
}

/// Everything that is made once for a device.
pub struct Scene {
    pipeline: wgpu::RenderPipeline,
    frame: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    format: wgpu::TextureFormat,
    targets: Option<Targets>,
    mesh: Option<(wgpu::Buffer, u32)>,
}

/// Textures of the size of the picture.
struct Targets {
    size: [u32; 2],
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Scene {
    /// A scene that draws into textures of this format.
    #[must_use]
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        let shader = device.create_shader_module(wgpu::include_wgsl!("shader.wgsl"));
        let frame = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<Frame>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("surface"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &shader,
                entry_point: Some("corner"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Corner>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3],
                })],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState { count: SAMPLES, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module: &shader,
                entry_point: Some("surface"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() }],
        });
        Self { pipeline, frame, bindings, format, targets: None, mesh: None }
    }

    /// Draws this mesh from now on, or nothing.
    pub fn set_mesh(&mut self, device: &wgpu::Device, corners: &[Corner]) {
        self.mesh = (!corners.is_empty()).then(|| {
            let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("corners"),
                contents: bytemuck::cast_slice(corners),
                usage: wgpu::BufferUsages::VERTEX,
            });
            (buffer, u32::try_from(corners.len()).expect("meshes that are drawn are bounded"))
        });
    }

    /// Draws a frame into `texture`; where there is no mesh it stays transparent.
    pub fn draw(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture, camera: &Camera) {
        let size = [texture.width(), texture.height()];
        if self.targets.as_ref().is_none_or(|targets| targets.size != size) {
            self.targets = Some(self.targets_of(device, size));
        }
        let Some(targets) = &self.targets else { return };
        let view_from_sphere = camera.view_from_sphere();
        let clip_from_view = camera.clip_from_view(size[0] as f32 / size[1] as f32);
        let frame = Frame {
            clip_from_sphere: (clip_from_view * view_from_sphere).to_cols_array(),
            eye: camera.eye().extend(1.0).to_array(),
            right: view_from_sphere.row(0).truncate().extend(0.0).to_array(),
            up: view_from_sphere.row(1).truncate().extend(0.0).to_array(),
        };
        queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let resolved = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("frame"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &targets.color,
                depth_slice: None,
                resolve_target: Some(&resolved),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &targets.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        if let Some((corners, count)) = &self.mesh {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bindings, &[]);
            pass.set_vertex_buffer(0, corners.slice(..));
            pass.draw(0..*count, 0..1);
        }
        drop(pass);
        queue.submit([encoder.finish()]);
    }

    fn targets_of(&self, device: &wgpu::Device, [width, height]: [u32; 2]) -> Targets {
        let view = |label, format| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: SAMPLES,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        Targets { size: [width, height], color: view("samples", self.format), depth: view("depth", DEPTH) }
    }
}
