//! What the driver wrote down, read with the distrust it deserves: the program may have written it.

use meshmark_core::outcome::Exception;
use serde_json::Value;

/// The largest report that is read, bytes.
pub(super) const MAX_BYTES: u64 = 256 << 10;
const MESSAGE_CHARS: usize = 4_000;
const TRACEBACK_CHARS: usize = 16_000;
const WARNINGS: usize = 20;
const WARNING_CHARS: usize = 400;

/// It explains; it decides nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// What left the program.
    pub exception: Option<Exception>,
    /// Objects of type MESH in the scene, as the official code counts.
    pub mesh_objects: Option<u64>,
    /// What a reader should know of a success.
    pub warnings: Vec<String>,
    /// Why there was no export.
    pub failure: Option<String>,
}

impl Report {
    /// Takes what is of the right shape, cut to what is sensible, and leaves the rest.
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(Value::Object(report)) = serde_json::from_slice(bytes) else { return Self::default() };
        let get = |key: &str| report.get(key).unwrap_or(&Value::Null);
        Self {
            exception: exception(get("exception")),
            mesh_objects: get("mesh_objects").as_u64(),
            warnings: get("warnings")
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .take(WARNINGS)
                .map(|warning| cut(warning, WARNING_CHARS))
                .collect(),
            failure: get("failure").as_str().map(|text| cut(text, TRACEBACK_CHARS)),
        }
    }
}

fn exception(value: &Value) -> Option<Exception> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let kind = text("type").filter(|kind| !kind.is_empty())?;
    Some(Exception {
        kind: cut(kind, 200),
        message: cut(text("message").unwrap_or_default(), MESSAGE_CHARS),
        line: value.get("line").and_then(Value::as_u64).and_then(|line| line.try_into().ok()),
        file: text("file").map(|file| cut(file, 400)),
        traceback: cut(text("traceback").unwrap_or_default(), TRACEBACK_CHARS),
    })
}

fn cut(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_any_shape_is_read_without_a_fault() {
        let whole = br#"{"exception": {"type": "KeyError", "message": "'a'", "line": 3, "file": "main.py",
            "traceback": "Traceback"}, "mesh_objects": 2, "warnings": ["one", 2, "three"], "failure": null}"#;
        let report = Report::read(whole);
        assert_eq!(report.exception.unwrap().line, Some(3));
        assert_eq!(report.mesh_objects, Some(2));
        assert_eq!(report.warnings, ["one", "three"]);

        for odd in [&b""[..], b"[]", b"{\"exception\": 4}", b"\xff\xfe", b"{\"exception\": {\"type\": \"\"}}"] {
            assert_eq!(Report::read(odd), Report::default(), "{odd:?}");
        }
        let lying = Report::read(br#"{"exception": {"type": "E", "line": -4}, "mesh_objects": -1, "warnings": {}}"#);
        assert_eq!(lying.exception.unwrap().line, None);
        assert_eq!(lying.mesh_objects, None);

        let long = format!("{{\"exception\": {{\"type\": \"E\", \"message\": \"{}\"}}}}", "x".repeat(100_000));
        assert_eq!(Report::read(long.as_bytes()).exception.unwrap().message.len(), MESSAGE_CHARS);
    }
}
