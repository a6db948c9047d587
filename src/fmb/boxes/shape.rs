//! Which vertices, edges and faces the two kinds of bodies have, as tables known at compile time.

/// Most vertices of a body, edges, directions of edges, and rows that bound it.
pub(super) const VERTICES: usize = 8;
pub(super) const EDGES: usize = 12;
pub(super) const DIRECTIONS: usize = 6;
pub(super) const ROWS: usize = 4;

/// The figures of one kind of body in one dimension.
///
/// Vertices are numbered as in [`Frame::vertices`](crate::Frame::vertices). A row is a coordinate X, and for a tetrahedron
/// the last one is the sum of them; within the body each is from 0 to 1.
pub(super) struct Shape {
    pub(super) vertices: usize,
    pub(super) rows: usize,
    pub(super) directions: usize,
    /// Directions that are a difference of components: minus the first, plus the second. `None` for a component.
    pub(super) differences: [Option<[usize; 2]>; DIRECTIONS],
    pub(super) edge_count: usize,
    /// First vertex and direction of each edge, in the order of the directions.
    pub(super) edges: [[usize; 2]; EDGES],
    /// For each direction in 3D the two rows that are constant along it, and one that goes from one end to the other.
    pub(super) constant_rows: [[usize; 3]; DIRECTIONS],
}

impl Shape {
    pub(super) const fn new(dim: usize, is_tetrahedron: bool) -> Self {
        if is_tetrahedron { Self::tetrahedron(dim) } else { Self::cuboid(dim) }
    }

    const fn cuboid(dim: usize) -> Self {
        let mut edges = [[0; 2]; EDGES];
        let (mut count, mut direction) = (0, 0);
        while direction < dim {
            let mut vertex = 0;
            while vertex < 1 << dim {
                if vertex >> direction & 1 == 0 {
                    edges[count] = [vertex, direction];
                    count += 1;
                }
                vertex += 1;
            }
            direction += 1;
        }
        Self {
            vertices: 1 << dim,
            rows: dim,
            directions: dim,
            differences: [None; DIRECTIONS],
            edge_count: count,
            edges,
            constant_rows: [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0; 3], [0; 3], [0; 3]],
        }
    }

    const fn tetrahedron(dim: usize) -> Self {
        let mut differences = [None; DIRECTIONS];
        let mut edges = [[0; 2]; EDGES];
        let mut count = 0;
        while count < dim {
            edges[count] = [0, count];
            count += 1;
        }
        let mut one = 0;
        while one < dim {
            let mut two = one + 1;
            while two < dim {
                differences[count] = Some([one, two]);
                edges[count] = [one + 1, count];
                count += 1;
                two += 1;
            }
            one += 1;
        }
        Self {
            vertices: dim + 1,
            rows: dim + 1,
            directions: count,
            differences,
            edge_count: count,
            edges,
            constant_rows: [[1, 2, 0], [2, 0, 1], [0, 1, 2], [2, 3, 1], [1, 3, 2], [0, 3, 2]],
        }
    }

    /// Whether vertex `k` has component `i` added to the origin.
    pub(super) const fn takes(&self, k: usize, i: usize) -> bool {
        if self.vertices == self.rows { k == i + 1 } else { k >> i & 1 == 1 }
    }
}
