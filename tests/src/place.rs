//! Where things are. Everything that is not source lives under the cache, so that a second checkout finds it.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The checkout.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests package is a folder of the checkout")
}

/// `$MESHMARK_CACHE`, else `~/.cache/meshmark`.
#[must_use]
pub fn cache() -> PathBuf {
    if let Some(folder) = env::var_os("MESHMARK_CACHE") {
        return folder.into();
    }
    let home = env::var_os("HOME").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    home.join(".cache/meshmark")
}

/// The Python environment with Blender in it.
#[must_use]
pub fn blender() -> PathBuf {
    cache().join("blender")
}

/// The built pages; also where `meshmark serve` looks for them.
#[must_use]
pub fn pages() -> PathBuf {
    cache().join("pages")
}

/// The evaluated sample sets, each in a folder named by the source that made it.
#[must_use]
pub fn demo() -> PathBuf {
    cache().join("demo")
}
