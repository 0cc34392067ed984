//! The layers of the sandbox that a machine may lack, and that may be left out by name.

use std::{fmt, str::FromStr};

/// What stands between a job and the machine. Files, processes, environment and limits are not on this list: without
/// them there is no sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// An empty network: not even loopback.
    Network,
    /// A job of root runs as a user without rights; otherwise the kernel counts no processes.
    Unprivileged,
    /// A job can't make namespaces of its own.
    NoNesting,
    /// Only known system calls.
    Seccomp,
    /// The summed memory of a job's processes is watched.
    MemoryWatch,
}

impl Layer {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Network, Self::Unprivileged, Self::NoNesting, Self::Seccomp, Self::MemoryWatch];

    /// Its name in `--without-layer`, configurations and records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Unprivileged => "unprivileged",
            Self::NoNesting => "no-nesting",
            Self::Seccomp => "seccomp",
            Self::MemoryWatch => "memory-watch",
        }
    }

    /// What to do where it is missing.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Network => "Run where network namespaces may be made: not in a container without rights",
            Self::Unprivileged => {
                "Run as an ordinary user; or as root with `unshare`, `mount` and `setpriv` of util-linux, where mount \
                 namespaces may be made"
            }
            Self::NoNesting => "Use a newer bubblewrap (0.8 or later)",
            Self::Seccomp => "Use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)",
            Self::MemoryWatch => "Run where /proc is mounted and shows one's own processes",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no layer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no sandbox layer `{0}` that can be left out; there are network, unprivileged, no-nesting, seccomp and memory-watch"
)]
pub struct UnknownLayer(String);

impl FromStr for Layer {
    type Err = UnknownLayer;

    fn from_str(name: &str) -> Result<Self, UnknownLayer> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == name).ok_or_else(|| UnknownLayer(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_known_by_its_name() {
        for layer in Layer::ALL {
            assert_eq!(layer.as_str().parse(), Ok(layer));
            let unknown = "files".parse::<Layer>().unwrap_err().to_string();
            assert!(unknown.contains(layer.as_str()), "{unknown}");
        }
    }
}
