//! Which vertices, edges and faces the two kinds of bodies have, as tables known at compile time.

/// Most vertices of a body, edges, directions of edges, and rows that bound it.
pub(super) const VERTICES: usize = 8;
pub(super) const EDGES: usize = 12;
pub(super) const DIRECTIONS: usize = 6;
pub(super) const ROWS: usize = 4;

/// Writes a block out once for each number of a list that is below a bound known at compile time.
///
/// In a loop that stays a loop every figure of a [`Shape`] would be looked up while the kernel runs.
macro_rules! unrolled {
    ($index:ident in [$($value:literal),+] below $bound:expr => $body:block) => {
        $(if $value < $bound {
            let $index: usize = $value;
            $body
        })+
    };
}
pub(super) use unrolled;

/// The same for the rows that bound a body, its vertices and the directions of its edges.
macro_rules! each_row {
    ($shape:expr, $index:ident => $body:block) => {
        unrolled!($index in [0, 1, 2, 3] below $shape.rows => $body)
    };
}
pub(super) use each_row;

macro_rules! each_vertex {
    ($shape:expr, $index:ident => $body:block) => {
        unrolled!($index in [0, 1, 2, 3, 4, 5, 6, 7] below $shape.vertices => $body)
    };
}
pub(super) use each_vertex;

macro_rules! each_direction {
    ($shape:expr, $index:ident => $body:block) => {
        unrolled!($index in [0, 1, 2, 3, 4, 5] below $shape.directions => $body)
    };
}
pub(super) use each_direction;

macro_rules! each_edge {
    ($shape:expr, $index:ident => $body:block) => {
        unrolled!($index in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] below $shape.edge_count => $body)
    };
}
pub(super) use each_edge;

/// The components in their own coordinates.
const UNIT: [[f64; 3]; DIRECTIONS] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3], [0.0; 3]];

/// The figures of one kind of body in one dimension.
///
/// Vertices are numbered as in [`Frame::vertices`](crate::Frame::vertices). A row is a coordinate X, and for a tetrahedron
/// the last one is the sum of them; within the body each is from 0 to 1.
pub(super) struct Shape {
    pub(super) vertices: usize,
    pub(super) rows: usize,
    pub(super) directions: usize,
    /// Directions after the components are differences of them: minus the first, plus the second.
    pub(super) differences: [[usize; 2]; DIRECTIONS],
    /// Change of each coordinate X along each direction.
    pub(super) own_changes: [[f64; 3]; DIRECTIONS],
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
            differences: [[0; 2]; DIRECTIONS],
            own_changes: UNIT,
            edge_count: count,
            edges,
            constant_rows: [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0; 3], [0; 3], [0; 3]],
        }
    }

    const fn tetrahedron(dim: usize) -> Self {
        let mut differences = [[0; 2]; DIRECTIONS];
        let mut own_changes = UNIT;
        let mut edges = [[0; 2]; EDGES];
        let mut count = 0;
        own_changes[2] = if dim == 3 { UNIT[2] } else { [0.0; 3] };
        while count < dim {
            edges[count] = [0, count];
            count += 1;
        }
        let mut one = 0;
        while one < dim {
            let mut two = one + 1;
            while two < dim {
                differences[count] = [one, two];
                own_changes[count][one] = -1.0;
                own_changes[count][two] = 1.0;
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
            own_changes,
            edge_count: count,
            edges,
            constant_rows: [[1, 2, 0], [2, 0, 1], [0, 1, 2], [2, 3, 1], [1, 3, 2], [0, 3, 2]],
        }
    }

    pub(super) const fn is_tetrahedron(&self) -> bool {
        self.vertices == self.rows
    }

    /// Whether vertex `k` has component `i` added to the origin.
    pub(super) const fn takes(&self, k: usize, i: usize) -> bool {
        if self.is_tetrahedron() { k == i + 1 } else { k >> i & 1 == 1 }
    }

    /// How many edges have the same direction.
    #[inline(always)]
    pub(super) const fn alike(&self) -> usize {
        self.edge_count / self.directions
    }

    /// A row of a vertex in the body's own coordinates, relative to the middle.
    #[inline(always)]
    pub(super) fn own_coordinate(&self, vertex: usize, row: usize) -> f64 {
        let is_one = if row < 3 { self.takes(vertex, row) } else { vertex > 0 };
        if is_one { 0.5 } else { -0.5 }
    }
}
