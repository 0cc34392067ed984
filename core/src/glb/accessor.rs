//! Accessors: typed, strided, possibly sparse views of the file's bytes, every access checked.

use gltf::json::{
    Accessor, Index,
    accessor::{ComponentType, Type, sparse::Sparse},
    buffer::View,
    validation::Checked,
};

use super::{Refusal, RefusalKind, document::Document};

/// The largest stride that glTF allows, bytes.
const MAX_STRIDE: u64 = 252;

/// Where accessors get their bytes from.
pub(super) struct Source<'a> {
    pub document: &'a Document,
    pub bin: Option<&'a [u8]>,
}

/// An accessor that was looked up, with its element format checked against what its user accepts.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    index: usize,
    accessor: &'a Accessor,
    component: ComponentType,
    width: usize,
}

impl Found<'_> {
    pub(super) fn count(&self) -> u64 {
        self.accessor.count.0
    }

    pub(super) fn normalized(&self) -> bool {
        self.accessor.normalized
    }
}

/// What an attribute accepts.
pub(super) struct Accepts {
    pub types: &'static [Type],
    pub components: &'static [ComponentType],
    /// In words, for the refusal.
    pub words: &'static str,
}

/// Bytes of elements: `count` of them, `stride` apart; `stride` is at least the element's size and the slice
/// ends no earlier than the last element.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

impl<'a> Elements<'a> {
    fn get(&self, i: usize) -> &'a [u8] {
        &self.bytes[i * self.stride..]
    }
}

impl<'a> Source<'a> {
    /// Looks an accessor up for the user at `place`.
    pub(super) fn find(&self, index: Index<Accessor>, accepts: &Accepts, place: &str) -> Result<Found<'a>, Refusal> {
        let index = index.value();
        let accessor = self
            .document
            .accessors
            .get(index)
            .ok_or_else(|| out_of_reference(place, "accessor", index, self.document.accessors.len()))?;
        let (Checked::Valid(component), Checked::Valid(kind)) = (accessor.component_type, accessor.type_) else {
            return Err(unsupported(place, index, "a component type or a type that glTF doesn't have", accepts));
        };
        if !accepts.types.contains(&kind) || !accepts.components.contains(&component.0) {
            let normalized = if accessor.normalized { " (normalized)" } else { "" };
            return Err(unsupported(place, index, &format!("{kind:?} of {:?}{normalized}", component.0), accepts));
        }
        if accessor.buffer_view.is_none() && accessor.sparse.is_none() {
            return Err(Refusal::new(
                RefusalKind::MissingData,
                place,
                format!(
                    "accessor {index} has neither a buffer view nor sparse values; export without compression \
                     extensions"
                ),
            ));
        }
        Ok(Found { index, accessor, component: component.0, width: kind.multiplicity() })
    }

    /// Hands every element to `put`, in order, as `N` numbers: integers as they are, or scaled to [0, 1] or [-1, 1]
    /// where `normalized` says so. Missing components are 1 (an RGB colour's alpha).
    pub(super) fn floats<const N: usize>(
        &self,
        found: &Found<'a>,
        normalized: bool,
        place: &str,
        mut put: impl FnMut([f64; N]),
    ) -> Result<(), Refusal> {
        let size = found.component.size();
        let decode = |element: &[u8]| -> [f64; N] {
            std::array::from_fn(|k| {
                if k < found.width { number(&element[k * size..], found.component, normalized) } else { 1.0 }
            })
        };
        let patch = self.patch(found, place)?;
        let mut patch = patch.iter().copied().peekable();
        let base = self.base(found, place)?;
        for i in 0..to_usize(found.count(), place)? {
            let replaced = patch.next_if(|(at, _)| *at == i).map(|(_, element)| element);
            put(match (replaced, &base) {
                (Some(element), _) => decode(element),
                (None, Some(base)) => decode(base.get(i)),
                (None, None) => std::array::from_fn(|k| if k < found.width { 0.0 } else { 1.0 }),
            });
        }
        Ok(())
    }

    /// Vertex numbers, in order.
    pub(super) fn indices(&self, found: &Found<'a>, place: &str) -> Result<Vec<u32>, Refusal> {
        let mut indices = Vec::with_capacity(to_usize(found.count(), place)?);
        let patch = self.patch(found, place)?;
        match self.base(found, place)? {
            Some(base) => indices.extend((0..base.count).map(|i| unsigned(base.get(i), found.component))),
            None => indices.resize(to_usize(found.count(), place)?, 0),
        }
        for (at, element) in patch {
            indices[at] = unsigned(element, found.component);
        }
        Ok(indices)
    }

    /// The dense elements; `None` for an accessor that is all sparse.
    fn base(&self, found: &Found<'a>, place: &str) -> Result<Option<Elements<'a>>, Refusal> {
        let Some(view) = found.accessor.buffer_view else { return Ok(None) };
        let offset = found.accessor.byte_offset.map_or(0, |offset| offset.0);
        let size = found.component.size() * found.width;
        self.elements(view, offset, found.count(), size, found.index, place).map(Some)
    }

    /// The sparse replacements, ascending by element.
    fn patch(&self, found: &Found<'a>, place: &str) -> Result<Vec<(usize, &'a [u8])>, Refusal> {
        let Some(Sparse { count, indices, values, .. }) = &found.accessor.sparse else { return Ok(Vec::new()) };
        let Checked::Valid(component) = indices.component_type else {
            return Err(Refusal::new(
                RefusalKind::UnsupportedAccessor,
                place,
                format!("the sparse indices of accessor {} are not unsigned integers; export it again", found.index),
            ));
        };
        let size = found.component.size() * found.width;
        let at =
            self.elements(indices.buffer_view, indices.byte_offset.0, count.0, component.0.size(), found.index, place)?;
        let new = self.elements(values.buffer_view, values.byte_offset.0, count.0, size, found.index, place)?;
        let mut patch = Vec::with_capacity(at.count);
        for i in 0..at.count {
            let target = unsigned(at.get(i), component.0);
            let ascending = patch.last().is_none_or(|(last, _)| (*last as u64) < u64::from(target));
            if !ascending || u64::from(target) >= found.count() {
                return Err(Refusal::new(
                    RefusalKind::IndexOutOfRange,
                    place,
                    format!(
                        "sparse index {i} of accessor {} is {target}; they must ascend and stay below {}; export it again",
                        found.index,
                        found.count()
                    ),
                ));
            }
            patch.push((target as usize, new.get(i)));
        }
        Ok(patch)
    }

    /// `count` elements of `size` bytes from `offset` of a view.
    fn elements(
        &self,
        view: Index<View>,
        offset: u64,
        count: u64,
        size: usize,
        accessor: usize,
        place: &str,
    ) -> Result<Elements<'a>, Refusal> {
        let views = &self.document.buffer_views;
        let at = view.value();
        let view = views.get(at).ok_or_else(|| out_of_reference(place, "buffer view", at, views.len()))?;
        let stride = view.byte_stride.as_ref().map_or(size as u64, |stride| stride.0 as u64);
        if stride < size as u64 || stride > MAX_STRIDE.max(size as u64) {
            return Err(Refusal::new(
                RefusalKind::UnsupportedAccessor,
                place,
                format!("bufferViews[{at}] has a stride of {stride} bytes for elements of {size}; export it again"),
            ));
        }
        let end = count
            .checked_sub(1)
            .map_or(Some(0), |steps| steps.checked_mul(stride)?.checked_add(size as u64))
            .and_then(|length| length.checked_add(offset));
        let bytes = self.view(view, at, place)?;
        if end.is_none_or(|end| end > bytes.len() as u64) {
            return Err(Refusal::new(
                RefusalKind::BytesOutOfRange,
                place,
                format!(
                    "accessor {accessor} needs {count} elements from byte {offset} of bufferViews[{at}], which has {} \
                     bytes; export it again",
                    bytes.len()
                ),
            ));
        }
        let bytes = if count == 0 { &[] } else { &bytes[to_usize(offset, place)?..] };
        Ok(Elements { bytes, stride: to_usize(stride, place)?, count: to_usize(count, place)? })
    }

    fn view(&self, view: &View, at: usize, place: &str) -> Result<&'a [u8], Refusal> {
        let buffers = &self.document.buffers;
        let number = view.buffer.value();
        let buffer = buffers.get(number).ok_or_else(|| out_of_reference(place, "buffer", number, buffers.len()))?;
        if buffer.uri.is_some() || number != 0 {
            return Err(Refusal::new(
                RefusalKind::ExternalBuffer,
                format!("buffers[{number}]"),
                "this buffer is not the GLB's own; export everything into one binary file",
            ));
        }
        let Some(bin) = self.bin else {
            return Err(Refusal::new(
                RefusalKind::MissingData,
                "buffers[0]",
                "the file has no BIN chunk to take vertices from; export it again",
            ));
        };
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let end = start.checked_add(view.byte_length.0).filter(|&end| end <= buffer.byte_length.0);
        let range = end.and_then(|end| Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
        range.and_then(|range| bin.get(range)).ok_or_else(|| {
            Refusal::new(
                RefusalKind::BytesOutOfRange,
                format!("bufferViews[{at}]"),
                format!(
                    "{} bytes from byte {start}, and the buffer has {}; export it again",
                    view.byte_length.0,
                    buffer.byte_length.0.min(bin.len() as u64)
                ),
            )
        })
    }
}

fn number(bytes: &[u8], component: ComponentType, normalized: bool) -> f64 {
    let (value, scale) = match component {
        ComponentType::I8 => (f64::from(bytes[0].cast_signed()), 127.0),
        ComponentType::U8 => (f64::from(bytes[0]), 255.0),
        ComponentType::I16 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
        ComponentType::U16 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
        ComponentType::U32 => (f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])), 1.0),
        ComponentType::F32 => {
            return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        }
    };
    if normalized { (value / scale).max(-1.0) } else { value }
}

/// The caller has made sure that the component is unsigned.
fn unsigned(bytes: &[u8], component: ComponentType) -> u32 {
    match component.size() {
        1 => u32::from(bytes[0]),
        2 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

fn to_usize(value: u64, place: &str) -> Result<usize, Refusal> {
    usize::try_from(value).map_err(|_| {
        Refusal::new(RefusalKind::LimitExceeded, place, format!("{value} is more than this machine can address"))
    })
}

pub(super) fn out_of_reference(place: &str, what: &str, index: usize, count: usize) -> Refusal {
    Refusal::new(
        RefusalKind::ReferenceOutOfRange,
        place,
        format!("{what} {index} is named, and the document has {count}; export it again"),
    )
}

fn unsupported(place: &str, index: usize, found: &str, accepts: &Accepts) -> Refusal {
    Refusal::new(
        RefusalKind::UnsupportedAccessor,
        place,
        format!("accessor {index} is {found}; {} is read here", accepts.words),
    )
}
