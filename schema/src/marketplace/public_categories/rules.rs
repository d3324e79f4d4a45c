//! How a flat list of categories becomes a tree.

use std::collections::HashMap;

use uuid::Uuid;

/// Something with its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<T> {
    pub(super) item: T,
    pub(super) children: Vec<Node<T>>,
}

/// The tree of these rows, siblings in the order in which they come. A row whose parent is not among them, and every
/// row beneath it, is left out; so is a circle, which the table cannot hold.
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
    fn children_may_come_before_their_parent() {
        assert_eq!(tree_of(&[(4, 3), (3, 2), (2, 1), (1, 0)]), "1(2(3(4())))");
    }

    #[test]
    fn what_hangs_nowhere_is_left_out() {
        assert_eq!(tree_of(&[(1, 0), (5, 4), (6, 5), (7, 8), (8, 7)]), "1()");
    }
}
