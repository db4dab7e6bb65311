//! Exact fractions.

use std::cmp::Ordering;
use std::fmt;

/// A fraction that is not negative, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

/// The greatest common divisor; of 0 and a number, that number.
pub(super) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple, if 128 bits hold it.
pub(super) fn lcm(a: u128, b: u128) -> Option<u128> {
    match gcd(a, b) {
        0 => Some(0),
        common => (a / common).checked_mul(b),
    }
}

impl Ratio {
    /// 1/1.
    pub const ONE: Ratio = Ratio {
        numerator: 1,
        denominator: 1,
    };

    /// `numerator / denominator`; `None` if that is no number.
    pub fn new(numerator: u128, denominator: u128) -> Option<Ratio> {
        let common = gcd(numerator, denominator);
        (denominator != 0).then(|| Ratio {
            numerator: numerator / common,
            denominator: denominator / common,
        })
    }

    /// A whole number.
    pub const fn whole(number: u128) -> Ratio {
        Ratio {
            numerator: number,
            denominator: 1,
        }
    }

    /// Above the line.
    pub const fn numerator(self) -> u128 {
        self.numerator
    }

    /// Below the line, at least 1.
    pub const fn denominator(self) -> u128 {
        self.denominator
    }

    /// The reciprocal, if this is not 0.
    pub fn inverse(self) -> Option<Ratio> {
        Ratio::new(self.denominator, self.numerator)
    }

    /// The product, if 128 bits hold it.
    pub fn times(self, other: Ratio) -> Option<Ratio> {
        let (left, right) = (
            gcd(self.numerator, other.denominator),
            gcd(other.numerator, self.denominator),
        );
        let above = (self.numerator / left).checked_mul(other.numerator / right)?;
        let below = (self.denominator / right).checked_mul(other.denominator / left)?;
        Ratio::new(above, below)
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    /// By continued fractions, so that no product can exceed 128 bits.
    fn cmp(&self, other: &Ratio) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        loop {
            let (whole_a, whole_b) = (a.numerator / a.denominator, b.numerator / b.denominator);
            let (rest_a, rest_b) = (a.numerator % a.denominator, b.numerator % b.denominator);
            match (whole_a.cmp(&whole_b), rest_a, rest_b) {
                (Ordering::Equal, 0, 0) => return Ordering::Equal,
                (Ordering::Equal, 0, _) => return Ordering::Less,
                (Ordering::Equal, _, 0) => return Ordering::Greater,
                (Ordering::Equal, _, _) => {
                    // x < y if and only if 1/y < 1/x
                    (a, b) = (
                        Ratio {
                            numerator: b.denominator,
                            denominator: rest_b,
                        },
                        Ratio {
                            numerator: a.denominator,
                            denominator: rest_a,
                        },
                    );
                }
                (order, _, _) => return order,
            }
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            below => write!(f, "{}/{below}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: u128, below: u128) -> Ratio {
        Ratio::new(above, below).unwrap()
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(ratio(6, 4), ratio(3, 2));
        assert_eq!(ratio(0, 7), Ratio::whole(0));
        assert_eq!(ratio(3, 2).times(ratio(4, 9)), Some(ratio(2, 3)));
        assert_eq!(Ratio::whole(0).inverse(), None);
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(ratio(10, 4).to_string(), "5/2");
    }

    #[test]
    fn order_is_exact_where_products_would_overflow() {
        let big = u128::MAX / 2;
        assert!(ratio(big, big - 1) < ratio(big - 1, big - 2));
        assert!(ratio(big, 3) > ratio(big - 1, 3));
        assert_eq!(ratio(big, 3).cmp(&ratio(big, 3)), Ordering::Equal);
        for a in 0..8 {
            for b in 1..8 {
                for c in 0..8 {
                    for d in 1..8 {
                        let expected = (a * d).cmp(&(c * b));
                        assert_eq!(ratio(a, b).cmp(&ratio(c, d)), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn a_product_beyond_128_bits_is_none() {
        assert_eq!(
            ratio(u128::MAX, 2).times(ratio(2, 3)),
            Some(ratio(u128::MAX, 3))
        );
        assert_eq!(
            ratio(u128::MAX, 2).times(ratio(3, 5)),
            Some(ratio(u128::MAX / 5 * 3, 2))
        );
        assert_eq!(Ratio::whole(u128::MAX).times(Ratio::whole(2)), None);
    }
}
