//! A *suggestion* is the name that is most similar to a mistyped one.

/// Longest name that is compared, in characters. The time grows with the product of the two lengths.
const LONGEST: usize = 256;

/// `argmin_c d(word, c)`, d the number of insertions, deletions, replacements and swaps of adjacent characters
///
/// Returns the candidate that was probably meant, or none if the best needs more than one edit per three characters.
/// Upper and lower case are equal. The first of several equally similar candidates is returned.
///
/// # Examples
///
/// ```
/// use agglio::text::suggest::nearest;
///
/// assert_eq!(nearest("hieght", &["weight", "height"]), Some("height"));
/// assert_eq!(nearest("Leaky_Softplus", &["softplus", "leaky-softplus"]), Some("leaky-softplus"));
/// assert_eq!(nearest("income", &["weight", "height"]), None);
/// ```
pub fn nearest<'a, S: AsRef<str> + 'a>(word: &str, candidates: impl IntoIterator<Item = &'a S>) -> Option<&'a str> {
    let word = letters(word);
    let farthest = (word.len() / 3).max(1);
    // the distance is at least the difference of the lengths
    let comparable = |candidate: &&S| {
        let length = candidate.as_ref().chars().take(LONGEST + 1).count();
        length.max(word.len()) <= LONGEST && length.abs_diff(word.len()) <= farthest
    };
    candidates
        .into_iter()
        .filter(comparable)
        .map(|candidate| (distance(&word, &letters(candidate.as_ref())), candidate.as_ref()))
        .filter(|&(distance, candidate)| distance <= farthest && distance < candidate.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

fn letters(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).collect()
}

/// The optimal string alignment distance by dynamic programming; `before`, `above` and `row` are three rows of its
/// table.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &other) in b.iter().enumerate() {
            let replace = above[j] + usize::from(letter != other);
            let mut least = replace.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && letter == b[j - 1] && other == a[i - 1] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}
