//! The random numbers of studies: a stream of ChaCha8 for each replica and purpose, eight replicas at once.
//!
//! The key is the seed, the number of the point and the purpose, eight bytes each, and eight letters; the stream is the number of
//! the replica. The words are those of [`ChaCha8Rng`] with this key and stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::soa::block::each;
use crate::soa::simd::Words;

/// What random numbers are for: each purpose has streams of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// The inputs of a replica.
    Inputs = 1,
    /// Inputs that are drawn again because the first ones may not be used.
    Redraw = 2,
    /// What is random in the simulation of a replica.
    Simulation = 3,
}

/// The second byte of the purpose is 1 for numbers that are drawn by rejection.
const ATTEMPTS: u8 = 1;
const ATTEMPTS_AT: usize = 17;

/// Words that one call of the generator gives for a replica.
pub(crate) const BLOCK_WORDS: usize = 16;

/// The streams of one point and purpose, one for each replica.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    seed: [u8; 32],
    key: [u32; 8],
}

impl Streams {
    pub(crate) fn new(seed: u64, point: u64, purpose: Purpose) -> Self {
        let mut bytes = [0; 32];
        let parts = [seed, point, purpose as u64, u64::from_le_bytes(*b"carom-mc")];
        for (bytes, part) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(parts) {
            *bytes = part.to_le_bytes();
        }
        Self::of_bytes(bytes)
    }

    /// The streams from which the same numbers are drawn by rejection, of their own purpose.
    pub(crate) fn attempts(&self) -> Self {
        let mut seed = self.seed;
        seed[ATTEMPTS_AT] = ATTEMPTS;
        Self::of_bytes(seed)
    }

    fn of_bytes(seed: [u8; 32]) -> Self {
        let key = std::array::from_fn(|k| u32::from_le_bytes(seed.as_chunks().0[k]));
        Self { seed, key }
    }

    /// The stream of one replica, for numbers whose count is not known beforehand.
    pub(crate) fn generator(&self, replica: u64) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::from_seed(self.seed);
        generator.set_stream(replica);
        generator
    }

    /// Words `16 counter` to `16 counter + 15` of the streams of eight replicas from `first` on.
    #[inline(always)]
    pub(crate) fn words<W: Words>(&self, first: u64, counter: u64) -> [W; BLOCK_WORDS] {
        let start = self.start(first, counter);
        let mut state = start;
        for _ in 0..4 {
            for [a, b, c, d] in [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]] {
                quarter_round(&mut state, a, b, c, d);
            }
            for [a, b, c, d] in [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]] {
                quarter_round(&mut state, a, b, c, d);
            }
        }
        for k in 0..BLOCK_WORDS {
            state[k] = state[k] + start[k];
        }
        state
    }

    /// Constants, key, counter and streams.
    #[inline(always)]
    fn start<W: Words>(&self, first: u64, counter: u64) -> [W; BLOCK_WORDS] {
        let constants = b"expand 32-byte k".as_chunks().0;
        let mut start = [W::splat(0); BLOCK_WORDS];
        for k in 0..4 {
            start[k] = W::splat(u32::from_le_bytes(constants[k]));
        }
        for k in 0..8 {
            start[4 + k] = W::splat(self.key[k]);
        }
        start[12] = W::splat(counter as u32);
        start[13] = W::splat((counter >> 32) as u32);
        let replicas = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => first + lane as u64);
        start[14] = W::new(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => replicas[lane] as u32));
        start[15] = W::new(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => (replicas[lane] >> 32) as u32));
        start
    }
}

#[inline(always)]
fn quarter_round<W: Words>(state: &mut [W; BLOCK_WORDS], a: usize, b: usize, c: usize, d: usize) {
    state[a] = state[a] + state[b];
    state[d] = (state[d] ^ state[a]).rotate::<16>();
    state[c] = state[c] + state[d];
    state[b] = (state[b] ^ state[c]).rotate::<12>();
    state[a] = state[a] + state[b];
    state[d] = (state[d] ^ state[a]).rotate::<8>();
    state[c] = state[c] + state[d];
    state[b] = (state[b] ^ state[c]).rotate::<7>();
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::Rng;

    use super::*;
    use crate::soa::block::LANES32;
    use crate::soa::level::{Kernel, run_at_each_level};
    use crate::soa::simd::Simd;

    /// Some words of the streams of eight replicas.
    #[derive(Clone)]
    struct SomeWords<'a> {
        streams: &'a Streams,
        first: u64,
        counter: u64,
    }

    impl Kernel for SomeWords<'_> {
        type Output = [[u32; LANES32]; BLOCK_WORDS];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            self.streams.words::<S::Words>(self.first, self.counter).map(Words::to_array)
        }
    }

    /// The same words, which all levels agree on.
    fn words(streams: &Streams, first: u64, counter: u64) -> [[u32; LANES32]; BLOCK_WORDS] {
        let found = run_at_each_level(&SomeWords { streams, first, counter });
        assert!(found.iter().all(|words| *words == found[0]), "{first}, {counter}");
        found[0]
    }

    #[test]
    fn eight_streams_are_those_of_the_generator() {
        let cases = [
            (0, 0, Purpose::Inputs, 0),
            (7, 3, Purpose::Redraw, 8),
            (u64::MAX, 1 << 40, Purpose::Simulation, (1 << 32) - 8),
            (1, 2, Purpose::Inputs, (1 << 32) + 16),
            (1, 2, Purpose::Inputs, u64::MAX - 15),
        ];
        for (seed, point, purpose, first) in cases {
            let streams = Streams::new(seed, point, purpose);
            let blocks: Vec<_> = (0..20).map(|counter| words(&streams, first, counter)).collect();
            for lane in 0..LANES32 {
                let mut generator = streams.generator(first + lane as u64);
                let words = blocks.iter().flatten().map(|words| words[lane]);
                assert!(words.into_iter().all(|word| word == generator.next_u32()), "{first} + {lane}");
            }
        }
    }

    #[test]
    fn any_block_can_be_reached() {
        let streams = Streams::new(5, 0, Purpose::Inputs);
        for counter in [1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 50] {
            let mut generator = streams.generator(11);
            generator.set_word_pos(u128::from(counter) * 16);
            let block = words(&streams, 8, counter);
            assert!(block.iter().all(|words| words[3] == generator.next_u32()), "{counter}");
        }
    }

    #[test]
    fn seeds_points_and_purposes_have_streams_of_their_own() {
        let first = |seed, point, purpose| Streams::new(seed, point, purpose).generator(0).next_u64();
        let mut seen = vec![
            first(1, 0, Purpose::Inputs),
            first(2, 0, Purpose::Inputs),
            first(1, 1, Purpose::Inputs),
            first(1, 0, Purpose::Redraw),
            first(1, 0, Purpose::Simulation),
            Streams::new(1, 0, Purpose::Inputs).attempts().generator(0).next_u64(),
            Streams::new(1, 0, Purpose::Redraw).attempts().generator(0).next_u64(),
        ];
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 7);
    }
}
