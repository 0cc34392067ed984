//! The Python that runs inside Blender exports and renders; it computes no number that anybody reads.

use crate::{Breach, tree::Tree};

const NEVER: &[&str] = &["scipy", "trimesh", "skimage", "shapely", "torch", "sklearn", "open3d"];

pub const BROKEN: &[(&str, &str)] = &[
    ("server/python/driver.py", "from scipy.spatial import cKDTree\n"),
    ("server/python/render.py", "def f():\n    import trimesh as t\n"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (file, text) in tree.below("server/python/").filter(|(file, _)| file.ends_with(".py")) {
        for (number, line) in text.lines().enumerate() {
            let mut words = line.split([' ', '.', ',', '\t']).filter(|word| !word.is_empty());
            let imports = matches!(words.next(), Some("import" | "from"));
            if let Some(library) = words.next().filter(|word| imports && NEVER.contains(word)) {
                breaches.push(Breach {
                    place: format!("{file}:{}", number + 1),
                    message: format!("{library} measures: that is core's work"),
                });
            }
        }
    }
    breaches
}
