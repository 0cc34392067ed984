//! Names of entries.

/// Names that Windows gives to devices, whatever their ending.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// The longest name of an entry, bytes: what every file system takes as a path.
const MAX_BYTES: usize = 1_000;

/// Why a name can't be that of an entry; `None` when it can. Unpacked anywhere, such an entry is a file below the
/// folder that it was unpacked in.
pub(super) fn fault(name: &str) -> Option<&'static str> {
    if name.len() > MAX_BYTES {
        return Some("the name is longer than 1,000 bytes");
    }
    if name.contains(['\\', ':']) || name.chars().any(char::is_control) {
        return Some("the name has a backslash, a colon or a control character");
    }
    if name.starts_with('/') {
        return Some("the name is absolute");
    }
    let parts = || name.split('/');
    if parts().any(|part| part.is_empty() || part == "." || part == "..") {
        return Some("the name has a part that is empty, `.` or `..`");
    }
    let device = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device))
    };
    parts().any(device).then_some("the name is that of a device on some systems")
}
