//! The node tree of the default scene, flattened.

use super::{Limits, Refusal, RefusalKind, accessor::out_of_reference, document::Document, transform::Affine};

/// A node that carries a mesh, with its transform to the world.
pub(super) struct Placement {
    pub node: usize,
    pub world: Affine,
}

/// Mesh-bearing nodes of the default scene, depth first, children in file order. The default scene is the one the
/// document names, else its first; a document without scenes is read from all nodes that are nobody's child.
pub(super) fn placements(document: &Document, limits: &Limits) -> Result<Vec<Placement>, Refusal> {
    let mut seen = vec![false; document.nodes.len()];
    let mut out = Vec::new();
    // A stack instead of recursion: depth is the file's, not ours.
    let mut stack: Vec<(u32, Affine, u64, String)> = Vec::new();
    let push_all = |stack: &mut Vec<_>, nodes: &[u32], world: Affine, depth: u64, place: &str| {
        for (i, &node) in nodes.iter().enumerate().rev() {
            stack.push((node, world, depth, format!("{place}[{i}]")));
        }
    };
    let (roots, place) = roots(document)?;
    push_all(&mut stack, &roots, Affine::IDENTITY, 1, &place);
    while let Some((index, parent, depth, place)) = stack.pop() {
        let at = index as usize;
        let node = document.nodes.get(at).ok_or_else(|| out_of_reference(&place, "node", at, document.nodes.len()))?;
        if std::mem::replace(&mut seen[at], true) {
            return Err(Refusal::new(
                RefusalKind::NodeTree,
                place,
                format!(
                    "node {at} is reached a second time: it has two parents or is its own ancestor; export it again"
                ),
            ));
        }
        if depth > limits.max_depth {
            return Err(Refusal::limit(place, depth, limits.max_depth, "nodes above one another", "max_depth"));
        }
        let own = format!("nodes[{at}]");
        let world = parent.after(&Affine::of_node(node, &own)?);
        if node.mesh.is_some() {
            out.push(Placement { node: at, world });
        }
        push_all(&mut stack, &node.children, world, depth + 1, &format!("{own}.children"));
    }
    Ok(out)
}

fn roots(document: &Document) -> Result<(Vec<u32>, String), Refusal> {
    if document.scenes.is_empty() && document.scene.is_none() {
        let mut is_child = vec![false; document.nodes.len()];
        for &child in document.nodes.iter().flat_map(|node| &node.children) {
            if let Some(flag) = is_child.get_mut(child as usize) {
                *flag = true;
            }
        }
        let roots = (0u32..).zip(&is_child).filter(|(_, is_child)| !**is_child).map(|(i, _)| i).collect();
        return Ok((roots, "nodes".to_owned()));
    }
    let at = document.scene.unwrap_or(0) as usize;
    let scene = document.scenes.get(at).ok_or_else(|| out_of_reference("scene", "scene", at, document.scenes.len()))?;
    Ok((scene.nodes.clone(), format!("scenes[{at}].nodes")))
}
