//! Islands: bodies that touch each other, directly or by others that impulses move.

/// The islands of a number of bodies, as a forest of their rows (union-find).
#[derive(Debug, Clone, Default)]
pub(crate) struct Islands {
    /// Per body, a body of the same island; the island's own body is its root.
    parents: Vec<u32>,
}

impl Islands {
    /// Every body is an island.
    pub(crate) fn reset(&mut self, bodies: usize) {
        self.parents.clear();
        self.parents.extend(0..bodies as u32);
    }

    /// The root of a body's island.
    #[inline]
    pub(crate) fn root(&mut self, body: u32) -> usize {
        let mut root = body;
        while self.parents[root as usize] != root {
            let next = self.parents[root as usize];
            // Every other body of the path gets nearer to the root.
            self.parents[root as usize] = self.parents[next as usize];
            root = self.parents[root as usize];
        }
        root as usize
    }

    /// Makes one island of those of two bodies.
    #[inline]
    pub(crate) fn join(&mut self, [a, b]: [u32; 2]) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller number is the root, whatever the order of the pairs.
        self.parents[a.max(b)] = a.min(b) as u32;
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.parents.capacity() * size_of::<u32>()
    }
}
