//! Conversion of a flat list of categories to a tree.

use std::collections::HashMap;

use uuid::Uuid;

/// Item with its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<T> {
    pub(super) item: T,
    pub(super) children: Vec<Node<T>>,
}

/// Builds the tree of these rows; siblings keep the order of the rows. It omits a row whose parent is missing, with all
/// descendants. It also omits a cycle, which the table cannot contain.
pub(super) fn tree<T>(rows: Vec<T>, place: impl Fn(&T) -> (Uuid, Option<Uuid>)) -> Vec<Node<T>> {
    let mut beneath: HashMap<Option<Uuid>, Vec<(Uuid, T)>> = HashMap::new();
    for row in rows {
        let (own, parent) = place(&row);
        beneath.entry(parent).or_default().push((own, row));
    }
    children(&mut beneath, None)
}

fn children<T>(beneath: &mut HashMap<Option<Uuid>, Vec<(Uuid, T)>>, parent: Option<Uuid>) -> Vec<Node<T>> {
    let rows = beneath.remove(&parent).unwrap_or_default();
    rows.into_iter().map(|(own, item)| Node { item, children: children(beneath, Some(own)) }).collect()
}

/// Returns the path from the root to the requested node, inclusive; an empty path if it does not exist. `look` returns
/// whether an item is the requested one, and its children.
pub(super) fn path_to<'t, T>(nodes: &'t [T], look: impl Fn(&'t T) -> (bool, &'t [T]) + Copy) -> Vec<&'t T> {
    for node in nodes {
        let (is_it, beneath) = look(node);
        if is_it {
            return vec![node];
        }
        let mut way = path_to(beneath, look);
        if !way.is_empty() {
            way.insert(0, node);
            return way;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(nodes: &[Node<u128>]) -> String {
        nodes.iter().map(|node| format!("{}({})", node.item, shape(&node.children))).collect()
    }

    fn tree_of(rows: &[(u128, u128)]) -> String {
        let uuid = |number: u128| (number > 0).then(|| Uuid::from_u128(number));
        let parents: HashMap<u128, u128> = rows.iter().copied().collect();
        let own = rows.iter().map(|(own, _)| *own).collect();
        shape(&tree(own, |own| (Uuid::from_u128(*own), uuid(parents[own]))))
    }

    #[test]
    fn siblings_keep_their_order() {
        assert_eq!(tree_of(&[(2, 0), (1, 0), (9, 1), (3, 1)]), "2()1(9()3())");
    }

    #[test]
    fn children_may_precede_their_parent() {
        assert_eq!(tree_of(&[(4, 3), (3, 2), (2, 1), (1, 0)]), "1(2(3(4())))");
    }

    #[test]
    fn orphaned_categories_are_omitted() {
        assert_eq!(tree_of(&[(1, 0), (5, 4), (6, 5), (7, 8), (8, 7)]), "1()");
    }

    #[test]
    fn category_path_runs_from_root_to_target() {
        let leaf = |item| Node { item, children: Vec::new() };
        let branch = |item, children| Node { item, children };
        let nodes = [leaf(1), branch(2, vec![leaf(3), branch(4, vec![leaf(5)])]), leaf(6)];
        let way = |wanted: i32| -> Vec<i32> {
            path_to(&nodes, |node| (node.item == wanted, node.children.as_slice()))
                .iter()
                .map(|node| node.item)
                .collect()
        };
        assert_eq!([way(1), way(5), way(6), way(7)], [vec![1], vec![2, 4, 5], vec![6], vec![]]);
    }
}
