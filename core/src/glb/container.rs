//! The GLB container: a header of 12 bytes and chunks (glTF 2.0, section "GLB File Format Specification").

use super::{Limits, Refusal, RefusalKind};

const MAGIC: &[u8; 4] = b"glTF";
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// The two chunks that glTF defines; chunks of other kinds after them are passed over, as it asks.
pub(super) struct Container<'a> {
    pub json: &'a [u8],
    pub bin: Option<&'a [u8]>,
}

/// Takes a GLB apart. Lengths have to agree to the byte: a file that says two things about its size can be read
/// in two ways.
pub(super) fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Container<'a>, Refusal> {
    if bytes.len() as u64 > limits.max_bytes {
        return Err(Refusal::limit("file", bytes.len() as u64, limits.max_bytes, "bytes", "max_bytes"));
    }
    let (header, mut rest) = header(bytes)?;
    if header.version != 2 {
        return Err(Refusal::new(
            RefusalKind::WrongVersion,
            "header.version",
            format!("GLB version {}, and only version 2 is read; export as glTF 2.0", header.version),
        ));
    }
    match (bytes.len() as u64).cmp(&u64::from(header.length)) {
        std::cmp::Ordering::Less => {
            return Err(Refusal::new(
                RefusalKind::Truncated,
                "header.length",
                format!(
                    "the header announces {} bytes and the file has {}; copy or export it again",
                    header.length,
                    bytes.len()
                ),
            ));
        }
        std::cmp::Ordering::Greater => {
            return Err(Refusal::new(
                RefusalKind::WrongLength,
                "header.length",
                format!(
                    "the header announces {} bytes and the file has {}; remove what follows, or export it again",
                    header.length,
                    bytes.len()
                ),
            ));
        }
        std::cmp::Ordering::Equal => {}
    }

    let mut container = Container { json: &[], bin: None };
    let mut number = 0usize;
    while !rest.is_empty() {
        let place = format!("chunks[{number}]");
        let chunk = chunk(&mut rest, &place)?;
        match (number, chunk.kind) {
            (0, JSON) => container.json = chunk.data,
            (0, other) => {
                return Err(wrong_chunk(place, format!("the first chunk is {}, not JSON", name(other))));
            }
            (1, BIN) => container.bin = Some(chunk.data),
            (_, JSON | BIN) => {
                return Err(wrong_chunk(place, format!("a {} chunk in a place where none may be", name(chunk.kind))));
            }
            _ => {}
        }
        number += 1;
    }
    if number == 0 {
        return Err(Refusal::new(
            RefusalKind::Truncated,
            "chunks[0]",
            "the file ends after its header, with no JSON chunk; export it again",
        ));
    }
    if container.json.len() as u64 > limits.max_json_bytes {
        return Err(Refusal::limit(
            "chunks[0]",
            container.json.len() as u64,
            limits.max_json_bytes,
            "bytes of JSON",
            "max_json_bytes",
        ));
    }
    Ok(container)
}

struct Header {
    version: u32,
    length: u32,
}

fn header(bytes: &[u8]) -> Result<(Header, &[u8]), Refusal> {
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if magic != &MAGIC[..magic.len()] {
        let text = bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{');
        let message = if text {
            "this is a text file, a .gltf perhaps; export as binary glTF (.glb)"
        } else {
            "the file does not begin with `glTF`; export as binary glTF (.glb)"
        };
        return Err(Refusal::new(RefusalKind::NotGlb, "header.magic", message));
    }
    let Some((head, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(Refusal::new(
            RefusalKind::Truncated,
            "header",
            format!(
                "the file has {} bytes, and a GLB's header alone has {HEADER_BYTES}; copy or export it again",
                bytes.len()
            ),
        ));
    };
    let [_, _, _, _, v0, v1, v2, v3, l0, l1, l2, l3] = *head;
    Ok((Header { version: u32::from_le_bytes([v0, v1, v2, v3]), length: u32::from_le_bytes([l0, l1, l2, l3]) }, rest))
}

struct Chunk<'a> {
    kind: u32,
    data: &'a [u8],
}

fn chunk<'a>(rest: &mut &'a [u8], place: &str) -> Result<Chunk<'a>, Refusal> {
    let truncated = |message: String| Refusal::new(RefusalKind::Truncated, place, message);
    let Some((head, tail)) = rest.split_first_chunk::<CHUNK_HEADER_BYTES>() else {
        return Err(truncated(format!(
            "{} bytes are left where a chunk's header of {CHUNK_HEADER_BYTES} should be; export the file again",
            rest.len()
        )));
    };
    let [l0, l1, l2, l3, k0, k1, k2, k3] = *head;
    let (length, kind) = (u32::from_le_bytes([l0, l1, l2, l3]), u32::from_le_bytes([k0, k1, k2, k3]));
    let Some((data, tail)) = usize::try_from(length).ok().and_then(|length| tail.split_at_checked(length)) else {
        return Err(truncated(format!(
            "the chunk announces {length} bytes and {} are left; copy or export the file again",
            tail.len()
        )));
    };
    // Lengths should be multiples of four; some exporters don't pad, and the next chunk follows at once.
    *rest = tail;
    Ok(Chunk { kind, data })
}

fn wrong_chunk(place: String, what: String) -> Refusal {
    Refusal::new(RefusalKind::WrongChunk, place, format!("{what}; export the file again"))
}

fn name(kind: u32) -> String {
    match kind {
        JSON => "JSON".to_owned(),
        BIN => "BIN".to_owned(),
        other => format!("of kind 0x{other:08x}"),
    }
}
