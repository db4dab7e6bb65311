//! Lists of numbers, as programs and files of graphs write them: `2, 638*0, 1`.

use super::graph::MOST;

/// Why a text is no list of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SequenceError<'t> {
    /// This piece is no number, or one that is too large.
    Piece(&'t str),
    /// There are more than [`MOST`].
    TooLong,
}

/// The numbers of a list, each at most `most`: pieces separated by `,`, each a number
/// or `n*r`, which is n times r. O(text + numbers).
pub(super) fn sequence(text: &str, most: u64) -> Result<Vec<u64>, SequenceError<'_>> {
    let mut numbers = Vec::new();
    for piece in text.split(',').map(str::trim) {
        let (count, value) = match piece.split_once('*') {
            None => (Some(1), whole(piece)),
            Some((count, value)) => (whole(count.trim()), whole(value.trim())),
        };
        let count = count.filter(|count| *count > 0);
        let value = value.filter(|value| *value <= most);
        let (count, value) = count.zip(value).ok_or(SequenceError::Piece(piece))?;
        let left = MOST - numbers.len();
        let count = usize::try_from(count).ok().filter(|count| *count <= left);
        let count = count.ok_or(SequenceError::TooLong)?;
        numbers.extend(std::iter::repeat_n(value, count));
    }
    Ok(numbers)
}

/// Digits and nothing else.
fn whole(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_may_be_repeated() {
        assert_eq!(sequence("2", 9), Ok(vec![2]));
        assert_eq!(sequence(" 1, 3*0 ,2 * 4", 9), Ok(vec![1, 0, 0, 0, 4, 4]));
        assert_eq!(sequence("65535*1", 9).map(|list| list.len()), Ok(65_535));
    }

    #[test]
    fn what_is_no_list_is_told() {
        for piece in ["", "x", "-1", "+1", "10", "0*1", "2*", "*2", "1*2*3"] {
            assert_eq!(sequence(piece, 9), Err(SequenceError::Piece(piece)));
        }
        assert_eq!(sequence("1,", 9), Err(SequenceError::Piece("")));
        assert_eq!(sequence("1,65535*1", 9), Err(SequenceError::TooLong));
        let huge = "18446744073709551615*1";
        assert_eq!(sequence(huge, 9), Err(SequenceError::TooLong));
    }
}
