//! An *embedding* makes the θ of one member of a joint problem from the θ of all of them.

use crate::math::linalg::Symmetric;

/// `θ_member = N·η`, where η are the entries of the joint θ that the member has.
///
/// N is sparse: most entries of θ_member are one entry of η.
#[derive(Clone, Debug)]
pub(crate) struct Embedding {
    /// The entries of the joint θ, in the order of η.
    entries: Vec<usize>,
    /// The rows of N: entries of η with their factors.
    rows: Vec<Vec<(usize, f64)>>,
}

impl Embedding {
    /// Every row has entries below the number of entries of the joint θ that the member has.
    pub fn new(entries: Vec<usize>, rows: Vec<Vec<(usize, f64)>>) -> Embedding {
        Embedding { entries, rows }
    }

    /// Which entries of the joint θ the member has.
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// η of a joint θ.
    pub fn eta(&self, theta: &[f64]) -> Vec<f64> {
        self.entries.iter().map(|&entry| theta[entry]).collect()
    }

    /// The member's θ of a joint θ.
    pub fn apply(&self, theta: &[f64]) -> Vec<f64> {
        let row = |row: &Vec<(usize, f64)>| row.iter().map(|&(k, factor)| factor * theta[self.entries[k]]).sum();
        self.rows.iter().map(row).collect()
    }

    /// Adds the derivative by the member's θ to one by the joint θ.
    pub fn add_gradient(&self, factor: f64, own: &[f64], joint: &mut [f64]) {
        for (row, own) in self.rows.iter().zip(own) {
            row.iter().for_each(|&(k, entry)| joint[self.entries[k]] += factor * entry * own);
        }
    }

    /// The same for a second derivative.
    pub fn add_matrix(&self, factor: f64, own: &Symmetric, joint: &mut Symmetric) {
        for (i, row) in self.rows.iter().enumerate() {
            for (j, other) in self.rows.iter().enumerate() {
                let value = factor * own.at(i, j);
                for (&(k, left), &(l, right)) in row.iter().flat_map(|one| other.iter().map(move |two| (one, two))) {
                    let (k, l) = (self.entries[k], self.entries[l]);
                    // the matrix is symmetric, and the mirror image of each pair comes too
                    if k >= l {
                        joint.set(k, l, joint.at(k, l) + left * right * value);
                    }
                }
            }
        }
    }
}
