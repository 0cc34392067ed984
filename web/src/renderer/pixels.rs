//! A picture read back: RGBA, four bytes a pixel, rows from the top, no padding.

/// The format of pictures that are read back.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A picture on its way from the device.
pub struct Copy {
    buffer: wgpu::Buffer,
    row: usize,
    padded: usize,
}

/// A texture that a frame can be drawn into and read back from.
#[must_use]
pub fn target(device: &wgpu::Device, width: u32, height: u32) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

impl Copy {
    /// Begins to copy a texture made by [`target`].
    #[must_use]
    pub fn begin(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> Self {
        let row = texture.width() * 4;
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(padded) * u64::from(texture.height()),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded), rows_per_image: None },
            },
            texture.size(),
        );
        queue.submit([encoder.finish()]);
        Self { buffer, row: row as usize, padded: padded as usize }
    }

    /// Asks for the bytes; `done` is told when they can be taken.
    pub fn map(&self, done: impl FnOnce(Result<(), wgpu::BufferAsyncError>) + wgpu::WasmNotSend + 'static) {
        self.buffer.map_async(wgpu::MapMode::Read, .., done);
    }

    /// The bytes, once [`Copy::map`] told that they are there.
    ///
    /// # Errors
    /// When they aren't.
    pub fn take(self) -> Result<Vec<u8>, wgpu::MapRangeError> {
        let bytes = self.buffer.get_mapped_range(..)?;
        Ok(bytes.chunks(self.padded).flat_map(|row| row[..self.row].iter().copied()).collect())
    }
}
