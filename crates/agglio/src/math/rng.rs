//! *Random numbers* that are the same on every machine and in every version: ChaCha8 streams with uniform and normal
//! draws, and a keyed permutation without state, which any process with the key can evaluate.

use multiversion::multiversion;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The purpose of a stream of random numbers. Each purpose has its own stream, so that more draws for one purpose do
/// not change the draws for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stream {
    /// Covariates of simulated data.
    Covariates = 0,
    /// The true model of simulated data.
    Truth = 1,
    /// Noise of simulated data.
    Noise = 2,
    /// Random starting points.
    Start = 3,
    /// The order in which minibatches visit the rows.
    Batches = 4,
    /// The first vector of a Lanczos iteration.
    Lanczos = 5,
    /// The subsets of the rows from which restarts begin.
    Restarts = 6,
    /// The perturbed points at which GradOpt evaluates the gradient.
    Smoothing = 7,
    /// The rows that are held out of a fit and used to score it.
    Holdout = 8,
    /// The settings that a random search tries.
    Settings = 9,
    /// The points at which the constants of the theory are measured.
    Probes = 10,
    /// The rows of bootstrap samples.
    Resamples = 11,
    /// The signs of residuals in wild bootstrap samples.
    Signs = 12,
}

/// A reproducible source of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    chacha: ChaCha8Rng,
    spare: Option<f64>,
}

impl Random {
    /// Stream number `stream` of the generator with this seed.
    pub fn new(seed: u64, stream: Stream) -> Random {
        let mut chacha = ChaCha8Rng::seed_from_u64(seed);
        chacha.set_stream(stream as u64);
        Random { chacha, spare: None }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.chacha.next_u64()
    }

    /// A uniform draw from (0, 1], on the grid (k + ½)·2⁻⁵³ up to rounding, which gives 1 with probability 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
    }

    /// A draw from N(0, 1) by the Box–Muller transform, which makes two at a time.
    ///
    /// Logarithm, sine and cosine come from libm, so that the numbers do not depend on the operating system.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * libm::log(self.uniform())).sqrt();
        let angle = 2.0 * std::f64::consts::PI * self.uniform();
        self.spare = Some(radius * libm::sin(angle));
        radius * libm::cos(angle)
    }

    /// +1 or −1 with equal probability.
    pub fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 0 { 1.0 } else { -1.0 }
    }
}

/// A pseudorandom permutation π of 0 … n−1 that is a function of its key.
///
/// It is a Feistel network on the smallest even number of bits that can represent n − 1; values of n or more are
/// permuted again until they are below n. The cost of a part of π is proportional to the length of the part, whatever n
/// is. Two processes with the same key get the same permutation without communication.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    key: u64,
    len: u64,
    half_bits: u32,
}

impl Permutation {
    const ROUNDS: u64 = 6;

    /// The permutation of 0 … `len`−1 for this key.
    pub fn new(key: u64, len: usize) -> Permutation {
        let bits = u64::BITS - (len.max(2) as u64 - 1).leading_zeros();
        Permutation { key, len: len as u64, half_bits: bits.div_ceil(2) }
    }

    /// π(`position`); `position` must be below the length.
    pub fn at(&self, position: usize) -> usize {
        let mut image = [position as u64];
        self.map(&mut image);
        image[0] as usize
    }

    /// π of `count` consecutive positions from `start` on, all below the length. It is much faster than
    /// [`Permutation::at`] for each position, whose multiplications depend on each other.
    pub fn run(&self, start: usize, count: usize) -> Vec<usize> {
        let mut images: Vec<u64> = (start as u64..(start + count) as u64).collect();
        self.map(&mut images);
        images.into_iter().map(|image| image as usize).collect()
    }

    /// π⁻¹(`row`): the position of a row. `row` must be below the length.
    pub fn position(&self, row: usize) -> usize {
        let mut position = row as u64;
        loop {
            position = unscramble(position, self.key, self.half_bits);
            if position < self.len {
                return position as usize;
            }
        }
    }

    fn map(&self, images: &mut [u64]) {
        scramble(images, self.key, self.half_bits);
        for image in images {
            while *image >= self.len {
                scramble(std::slice::from_mut(image), self.key, self.half_bits);
            }
        }
    }
}

/// Applies the Feistel network once to each number.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn scramble(numbers: &mut [u64], key: u64, half_bits: u32) {
    let mask = (1u64 << half_bits) - 1;
    for x in numbers {
        let (mut left, mut right) = (*x >> half_bits, *x & mask);
        for round in 0..Permutation::ROUNDS {
            let mixed = mix(key ^ mix(right ^ (round << 56)));
            (left, right) = (right, left ^ (mixed & mask));
        }
        *x = (left << half_bits) | right;
    }
}

/// Applies the inverse of the Feistel network.
fn unscramble(x: u64, key: u64, half_bits: u32) -> u64 {
    let mask = (1u64 << half_bits) - 1;
    let (mut left, mut right) = (x >> half_bits, x & mask);
    for round in (0..Permutation::ROUNDS).rev() {
        let mixed = mix(key ^ mix(left ^ (round << 56)));
        (left, right) = (right ^ (mixed & mask), left);
    }
    (left << half_bits) | right
}

/// The key of permutation number `index` in a family with this key.
pub fn derive_key(key: u64, index: u64) -> u64 {
    mix(key ^ mix(index))
}

/// How often each of `len` rows occurs among `len` draws with replacement.
pub fn resample(key: u64, len: usize) -> Vec<u32> {
    let mut counts = vec![0; len];
    for draw in 0..len as u64 {
        // the high half of the product of a random number and the length
        let row = (u128::from(derive_key(key, draw)) * len as u128) >> 64;
        counts[row as usize] += 1;
    }
    counts
}

/// +1 or −1 for a row, with equal probability.
pub fn sign(key: u64, row: usize) -> f64 {
    if derive_key(key, row as u64) >> 63 == 0 { 1.0 } else { -1.0 }
}

/// The finaliser of SplitMix64: every input bit influences every output bit.
#[inline(always)]
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
