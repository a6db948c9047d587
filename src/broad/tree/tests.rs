use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;
use crate::geometry::Vec2;

impl Tree {
    /// Checks everything that must hold between operations.
    pub(crate) fn validate(&self) {
        let used = self.leaves.iter().filter(|leaf| leaf.slot != FREE).count();
        assert_eq!(used, self.len);
        assert!(self.leaves.iter().all(|leaf| !leaf.moved));
        assert_eq!(self.root == NONE, self.len == 0);
        assert!(self.height() <= self.height_limit() && self.height_limit() < MAX_HEIGHT);
        let (mut nodes, mut leaves) = (0, 0);
        let mut slots = if self.len == 0 { vec![] } else { vec![ROOT] };
        while let Some(slot) = slots.pop() {
            let entry = self.entry(slot);
            if entry.child & LEAF != 0 {
                let leaf = &self.leaves[(entry.child & !LEAF) as usize];
                assert_eq!((leaf.slot, entry.height), (slot, 0));
                assert_eq!(Bounds::new(&leaf.aabb, self.origin), entry.bounds);
                leaves += 1;
                continue;
            }
            let node = &self.nodes[entry.child as usize];
            assert_eq!(node.moved, [false; 2]);
            assert_eq!((node.slot, node.height(), node.union()), (slot, entry.height, entry.bounds));
            nodes += 1;
            slots.extend([2 * entry.child, 2 * entry.child + 1]);
        }
        assert_eq!((leaves, nodes), (self.len, self.len.saturating_sub(1)));
        let mut free = self.free_node;
        while free != NONE {
            free = self.nodes[free as usize].slot;
            nodes += 1;
        }
        assert_eq!(nodes, self.nodes.len());
    }

    fn touching(&self, aabb: &Aabb<2>) -> Vec<u32> {
        let mut items = Vec::new();
        let flow = self.query(aabb, &mut |item| {
            items.push(item);
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        items
    }
}

fn around(x: f64, y: f64, half: f64) -> Aabb<2> {
    Aabb { min: [x - half, y - half], max: [x + half, y + half] }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}

/// Every box in a plain list, by node.
#[derive(Default)]
struct Model {
    tree: Tree,
    boxes: Vec<Option<(Aabb<2>, u32)>>,
    items: u32,
}

impl Model {
    fn insert(&mut self, aabb: Aabb<2>) {
        let node = self.tree.insert(&aabb, self.items).unwrap() as usize;
        self.boxes.resize(self.boxes.len().max(node + 1), None);
        assert!(self.boxes[node].replace((aabb, self.items)).is_none());
        self.items += 1;
    }

    /// The used node with this number, modulo their count.
    fn node(&self, number: usize) -> Option<u32> {
        let used: Vec<u32> =
            (0..self.boxes.len() as u32).filter(|&n| self.boxes[n as usize].is_some()).collect();
        (!used.is_empty()).then(|| used[number % used.len()])
    }

    fn check(&mut self, probe: &Aabb<2>) {
        self.tree.validate();
        let used: Vec<(u32, u32, Aabb<2>)> = (0..)
            .zip(&self.boxes)
            .filter_map(|(node, entry)| entry.map(|(aabb, item)| (node, item, aabb)))
            .collect();
        assert_eq!(self.tree.iter().collect::<Vec<_>>(), used);
        let found: Vec<u32> =
            used.iter().filter(|(_, _, a)| a.touches(probe)).map(|&(_, item, _)| item).collect();
        assert_eq!(sorted(self.tree.touching(probe)), sorted(found));

        let moved: Vec<u32> = used.iter().map(|&(node, _, _)| node).step_by(2).rev().collect();
        let mut pairs = Vec::new();
        self.tree.pairs(&moved, &mut |a, b| pairs.push([a.min(b), a.max(b)]));
        let mut expected = Vec::new();
        for (k, &(node_a, a, box_a)) in used.iter().enumerate() {
            for &(node_b, b, box_b) in &used[k + 1..] {
                if (moved.contains(&node_a) || moved.contains(&node_b)) && box_a.touches(&box_b) {
                    expected.push([a.min(b), a.max(b)]);
                }
            }
        }
        assert_eq!(sorted(pairs), sorted(expected));
    }
}

#[derive(Debug, Clone)]
enum Operation {
    Insert(Aabb<2>),
    Update(usize, Aabb<2>),
    Refit(usize, Aabb<2>),
    Remove(usize),
    Rebuild,
}

/// Boxes that are often points, equal, nested or huge.
fn boxes() -> impl Strategy<Value = Aabb<2>> {
    let small = (-8_i32..8, -8_i32..8, 0_i32..4, 0_i32..4);
    let whole = small.prop_map(|(x, y, w, h)| Aabb {
        min: [f64::from(x), f64::from(y)],
        max: [f64::from(x + w), f64::from(y + h)],
    });
    let nested = (-300..300).prop_map(|power| around(0.0, 0.0, 2.0_f64.powi(power)));
    let any = (-1e3..1e3, -1e3..1e3, 0.0..50.0).prop_map(|(x, y, half)| around(x, y, half));
    prop_oneof![3 => whole, 1 => nested, 3 => any, 1 => Just(around(0.0, 0.0, 8e307))]
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        8 => boxes().prop_map(Operation::Insert),
        6 => (any::<usize>(), boxes()).prop_map(|(n, aabb)| Operation::Update(n, aabb)),
        2 => (any::<usize>(), boxes()).prop_map(|(n, aabb)| Operation::Refit(n, aabb)),
        5 => any::<usize>().prop_map(Operation::Remove),
        1 => Just(Operation::Rebuild),
    ]
}

proptest! {
    #[test]
    fn any_operations_keep_the_tree_and_its_answers_right(
        operations in prop::collection::vec(operations(), 0..120),
        probes in prop::collection::vec(boxes(), 1..4),
    ) {
        let mut model = Model::default();
        for operation in operations {
            match operation {
                Operation::Insert(aabb) => model.insert(aabb),
                Operation::Rebuild => model.tree.rebuild().unwrap(),
                Operation::Update(number, aabb) => {
                    let Some(node) = model.node(number) else { continue };
                    model.tree.update(node, &aabb).unwrap();
                    model.boxes[node as usize].as_mut().unwrap().0 = aabb;
                }
                Operation::Refit(number, aabb) => {
                    let Some(node) = model.node(number) else { continue };
                    model.tree.refit(node, &aabb).unwrap();
                    model.boxes[node as usize].as_mut().unwrap().0 = aabb;
                }
                Operation::Remove(number) => {
                    let Some(node) = model.node(number) else { continue };
                    model.tree.remove(node).unwrap();
                    model.boxes[node as usize] = None;
                }
            }
            model.tree.validate();
        }
        for probe in &probes {
            model.check(probe);
        }
    }

    #[test]
    fn segments_find_all_boxes_they_touch(
        boxes in prop::collection::vec((-9_i32..9, -9_i32..9, 0_i32..4, 0_i32..4), 1..60),
        a in (-12_i32..12, -12_i32..12),
        b in (-12_i32..12, -12_i32..12),
        radius in 0_i32..3,
    ) {
        let mut tree = Tree::new();
        let mut expected = Vec::new();
        for (item, &(x, y, w, h)) in (0..).zip(&boxes) {
            let aabb = Aabb { min: [x, y].map(f64::from), max: [x + w, y + h].map(f64::from) };
            tree.insert(&aabb, item).unwrap();
            if crosses([x - radius, y - radius], [x + w + radius, y + h + radius], a.into(), b.into()) {
                expected.push(item);
            }
        }
        let mut found = Vec::new();
        let [start, end] = [a, b].map(|(x, y)| Vec2::new(f64::from(x), f64::from(y)));
        tree.query_segment(start, end, f64::from(radius), &mut |item, limit| {
            found.push(item);
            limit
        });
        prop_assert_eq!(sorted(found), expected);
    }
}

/// Whether a box and a segment touch, in whole numbers, by separating axes.
fn crosses(min: [i32; 2], max: [i32; 2], a: [i32; 2], b: [i32; 2]) -> bool {
    let apart = (0..2).any(|k| a[k].max(b[k]) < min[k] || a[k].min(b[k]) > max[k]);
    let side = |x: i32, y: i32| ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])).signum();
    let corners = [(min[0], min[1]), (min[0], max[1]), (max[0], min[1]), (max[0], max[1])];
    let sides = corners.map(|(x, y)| side(x, y));
    !apart && !sides.iter().all(|&s| s > 0) && !sides.iter().all(|&s| s < 0)
}

/// Inserts boxes, checks the tree and returns its height, as it is and rebuilt.
fn heights(boxes: impl Iterator<Item = Aabb<2>>) -> [usize; 2] {
    let mut tree = Tree::new();
    for (item, aabb) in (0..).zip(boxes) {
        tree.insert(&aabb, item).unwrap();
    }
    tree.validate();
    let grown = tree.height();
    tree.rebuild().unwrap();
    tree.validate();
    [grown, tree.height()]
}

#[test]
fn heights_are_logarithmic_for_any_boxes() {
    let count = 1 << 12;
    let counter = || (0..count).map(f64::from);
    // Equal boxes and equal points.
    for half in [3.0, 0.0] {
        let [grown, rebuilt] = heights(counter().map(|_| around(1.0, 2.0, half)));
        assert!(grown <= 17 && rebuilt == 12, "{grown} {rebuilt}");
    }
    // In order along a line.
    let [grown, rebuilt] = heights(counter().map(|x| around(x, 0.0, 0.5)));
    assert!(grown <= 18 && rebuilt == 12, "{grown} {rebuilt}");
    // Each around all that came before, which grows a list without the limit.
    let [grown, rebuilt] = heights(counter().map(|x| around(0.0, 0.0, x)));
    assert!(grown <= 34 && rebuilt <= 34, "{grown} {rebuilt}");
    let [grown, _] = heights((-1000..1000).map(|power| around(0.0, 0.0, 2.0_f64.powi(power))));
    assert!(grown <= 30, "{grown}");
    // Pseudo-random points.
    let [grown, rebuilt] = heights(
        (0..count).map(|k: i32| around(f64::from(k * 7919 % 1009), f64::from(k * 104_729 % 997), 1.0)),
    );
    assert!(grown <= 20 && rebuilt <= 20, "{grown} {rebuilt}");
}

#[test]
fn a_place_is_found_beside_full_branches() {
    let mut tree = Tree::new();
    for item in 0..9 {
        tree.insert(&around(0.0, 0.0, 1.0), item).unwrap();
    }
    tree.rebuild().unwrap();
    // One of nine leaves has the depth 4, so that seven places of depth 3 are left for a height of 4.
    assert_eq!(tree.height(), 4);
    let (slot, depth) = tree.any_slot(4);
    assert_eq!((depth, tree.entry(slot).height), (3, 0));
    let (slot, depth) = tree.best_slot(&Bounds::new(&around(0.0, 0.0, 1.0), [0.0; 2]), 4);
    assert_eq!((depth, tree.entry(slot).height), (3, 0));
    // A box far away would become the sibling of the root.
    let far = Bounds::new(&around(100.0, 0.0, 1.0), [0.0; 2]);
    assert_eq!(tree.best_slot(&far, 5), (ROOT, 0));
    let (slot, depth) = tree.best_slot(&far, 4);
    assert!(depth > 0 && depth + usize::from(tree.entry(slot).height) < 4);
}

#[test]
fn a_visit_that_breaks_ends_the_query() {
    let mut tree = Tree::new();
    for item in 0..20 {
        tree.insert(&around(f64::from(item), 0.0, 1.0), item as u32).unwrap();
    }
    let mut visits = 0;
    let flow = tree.query(&around(10.0, 0.0, 50.0), &mut |_| {
        visits += 1;
        if visits == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(flow.is_break() && visits == 3);
}

#[test]
fn the_first_hit_of_a_segment_prunes_what_is_behind() {
    let mut tree = Tree::new();
    for item in 0..1000 {
        tree.insert(&around(3.0 * f64::from(item), 0.0, 1.0), item as u32).unwrap();
    }
    let mut visited = Vec::new();
    let (a, b) = (Vec2::new(-10.0, 0.5), Vec2::new(2990.0, 0.5));
    tree.query_segment(a, b, 0.0, &mut |item, limit| {
        visited.push(item);
        f64::min(limit, (9.0 + 3.0 * f64::from(item)) / 3000.0)
    });
    assert_eq!(visited, [0]);
}

#[test]
fn the_nearest_box_is_found_first_or_soon() {
    let mut tree = Tree::new();
    for item in 0..400 {
        tree.insert(&around(f64::from(item % 20), f64::from(item / 20), 0.25), item as u32).unwrap();
    }
    let point = Vec2::new(7.1, 11.4);
    let mut visited = Vec::new();
    tree.query_nearest(point, 100.0, &mut |item, limit| {
        visited.push(item);
        let centre = Vec2::new(f64::from(item % 20), f64::from(item / 20));
        f64::min(limit, (point - centre).length())
    });
    assert!(visited.contains(&(11 * 20 + 7)) && visited.len() < 10, "{visited:?}");
    let mut all = 0;
    tree.query_nearest(point, 2.0, &mut |_, limit| {
        all += 1;
        limit
    });
    let within = tree.iter().filter(|(_, _, aabb)| {
        let x = (aabb.min[0] - point.x).max(point.x - aabb.max[0]).max(0.0);
        let y = (aabb.min[1] - point.y).max(point.y - aabb.max[1]).max(0.0);
        x * x + y * y <= 4.0
    });
    assert_eq!(all, within.count());
}

#[test]
fn pairs_of_two_trees() {
    let (mut moving, mut fixed) = (Tree::new(), Tree::new());
    let nodes: Vec<u32> =
        (0..5).map(|k| moving.insert(&around(f64::from(k), 0.0, 0.1), k as u32).unwrap()).collect();
    fixed.insert(&around(2.0, 0.0, 1.0), 70).unwrap();
    moving.remove(nodes[1]).unwrap();
    let mut pairs = Vec::new();
    moving.pairs_with(&nodes, &fixed, &mut |a, b| pairs.push([a, b]));
    assert_eq!(pairs, [[2, 70], [3, 70]]);
}

#[test]
fn repeated_and_removed_nodes_are_skipped_by_pairs() {
    let mut tree = Tree::new();
    let nodes: Vec<u32> = (0..3).map(|k| tree.insert(&around(0.0, 0.0, 1.0), k).unwrap()).collect();
    tree.remove(nodes[2]).unwrap();
    let mut pairs = Vec::new();
    tree.pairs(&[nodes[1], nodes[0], nodes[1], nodes[2], 99], &mut |a, b| pairs.push([a, b]));
    assert_eq!(sorted(pairs[0].into()), [0, 1]);
    assert_eq!(pairs.len(), 1);
    tree.validate();
}

#[test]
fn bad_arguments_change_nothing() {
    let mut tree = Tree::new();
    let node = tree.insert(&around(0.0, 0.0, 1.0), 4).unwrap();
    let nan = Aabb { min: [f64::NAN, 0.0], max: [1.0, 1.0] };
    let infinite = Aabb { min: [0.0, 0.0], max: [1.0, f64::INFINITY] };
    assert!(matches!(tree.insert(&nan, 0), Err(Error::NotFinite { field: "aabb", index: 0, .. })));
    assert!(matches!(tree.update(node, &infinite), Err(Error::NotFinite { field: "aabb", index: 1, .. })));
    assert!(matches!(tree.insert(&around(0.0, 0.0, -1.0), 0), Err(Error::OutOfRange { field: "aabb", .. })));
    assert!(matches!(tree.refit(9, &around(0.0, 0.0, 1.0)), Err(Error::BadIndex { index: 9, .. })));
    assert!(matches!(tree.reserve(1 << 31), Err(Error::OutOfMemory { .. })));
    assert_eq!((tree.aabb(node), tree.item(node), tree.len()), (Some(around(0.0, 0.0, 1.0)), Some(4), 1));
    tree.remove(node).unwrap();
    assert!(matches!(tree.remove(node), Err(Error::BadIndex { .. })));
    assert_eq!((tree.aabb(node), tree.item(node), tree.is_empty()), (None, None, true));
    assert!(tree.touching(&around(0.0, 0.0, 9.0)).is_empty());
}

#[test]
fn a_copy_goes_on_as_its_original() {
    let mut tree = Tree::new();
    for item in 0..50 {
        tree.insert(&around(f64::from(item * 37 % 50), f64::from(item % 7), 0.6), item as u32).unwrap();
    }
    (0..50).step_by(3).for_each(|node| tree.remove(node).unwrap());
    let mut copy = Tree::new();
    copy.assign(&tree).unwrap();
    for tree in [&mut tree, &mut copy] {
        for k in 0..30 {
            tree.insert(&around(f64::from(k), 3.0, 0.7), 100 + k as u32).unwrap();
        }
        tree.validate();
    }
    let probe = around(20.0, 3.0, 10.0);
    assert_eq!(tree.touching(&probe), copy.touching(&probe));
    tree.clear();
    assert!(tree.is_empty() && tree.touching(&probe).is_empty());
}

#[test]
fn small_boxes_far_from_the_first_are_told_apart() {
    let mut tree = Tree::new();
    tree.insert(&around(0.0, 0.0, 1.0), 0).unwrap();
    let place = |k: u32| (1e6 + 1e-3 * f64::from(k % 30), -1e7 + 1e-3 * f64::from(k / 30));
    for k in 0..900 {
        let (x, y) = place(k);
        tree.insert(&around(x, y, 2e-4), 1 + k).unwrap();
    }
    for _ in 0..2 {
        tree.validate();
        for k in 0..900 {
            let (x, y) = place(k);
            assert_eq!(tree.touching(&around(x, y, 2e-4)), [1 + k]);
            let mut found = Vec::new();
            tree.query_segment(
                Vec2::new(x - 0.4e-3, y),
                Vec2::new(x + 0.4e-3, y),
                1e-4,
                &mut |item, limit| {
                    found.push(item);
                    limit
                },
            );
            assert_eq!(found, [1 + k]);
            found.clear();
            tree.query_nearest(Vec2::new(x, y), 3e-4, &mut |item, limit| {
                found.push(item);
                limit
            });
            assert_eq!(found, [1 + k]);
        }
        tree.rebuild().unwrap();
    }
}

#[test]
fn many_refits_are_the_same_as_each() {
    let mut one = Tree::new();
    let nodes: Vec<u32> =
        (0..100).map(|k| one.insert(&around(k as f64, (k * 7 % 13) as f64, 0.6), k).unwrap()).collect();
    let mut many = one.clone();
    for step in 1..5 {
        let moved = |k: usize| around((k * step % 41) as f64, (k % 17) as f64, 0.7);
        let boxes = || nodes.iter().enumerate().step_by(step).map(|(k, &node)| (node, moved(k)));
        boxes().for_each(|(node, aabb)| one.refit(node, &aabb).unwrap());
        many.refit_many(boxes()).unwrap();
        let pairs = |tree: &mut Tree| {
            let mut pairs = Vec::new();
            tree.pairs(&nodes, &mut |a, b| pairs.push((a, b)));
            pairs
        };
        assert_eq!(pairs(&mut one), pairs(&mut many));
        assert_eq!(one.rebuild_if_due().unwrap(), many.rebuild_if_due().unwrap());
    }
    assert!(many.refit_many([(1000, around(0.0, 0.0, 1.0))].into_iter()).is_err());
    let mut single = Tree::new();
    let node = single.insert(&around(0.0, 0.0, 1.0), 3).unwrap();
    single.refit_many([(node, around(5.0, 0.0, 1.0))].into_iter()).unwrap();
    assert_eq!(single.aabb(node), Some(around(5.0, 0.0, 1.0)));
}

#[test]
fn a_tree_is_rebuilt_after_many_refits() {
    let mut tree = Tree::new();
    let nodes: Vec<u32> =
        (0..64).map(|k| tree.insert(&around(f64::from(k), 0.0, 0.4), k as u32).unwrap()).collect();
    let mut rebuilt = Vec::new();
    for step in 0..20 {
        for (k, &node) in nodes.iter().enumerate() {
            tree.refit(node, &around((k * (step + 7) % 64) as f64, 0.0, 0.4)).unwrap();
        }
        if tree.rebuild_if_due().unwrap() {
            rebuilt.push(step);
        }
        tree.validate();
    }
    assert_eq!(rebuilt, [7, 15]);
    assert!(!Tree::new().rebuild_if_due().unwrap());
}

#[test]
fn a_node_is_three_quarters_of_a_cache_line() {
    assert_eq!((size_of::<Node>(), size_of::<Leaf>()), (48, 48));
}
