//! Times that depend on one unknown: whole nanoseconds, linear in it.

use std::cmp::Ordering;

/// `constant + slope * x`, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Affine {
    pub(crate) constant: i128,
    pub(crate) slope: i128,
}

impl Affine {
    /// The unknown itself.
    pub(crate) const UNKNOWN: Affine = Affine {
        constant: 0,
        slope: 1,
    };

    pub(crate) const fn of(constant: i128) -> Affine {
        Affine { constant, slope: 0 }
    }

    pub(crate) const fn plus(self, more: i128) -> Affine {
        Affine {
            constant: self.constant + more,
            ..self
        }
    }

    pub(crate) const fn add(self, other: Affine) -> Affine {
        Affine {
            constant: self.constant + other.constant,
            slope: self.slope + other.slope,
        }
    }

    pub(crate) const fn less(self, other: Affine) -> Affine {
        Affine {
            constant: self.constant - other.constant,
            slope: self.slope - other.slope,
        }
    }

    pub(crate) const fn at(self, x: i128) -> i128 {
        self.constant + self.slope * x
    }

    /// The same of an unknown that is counted from `origin`.
    pub(crate) const fn seen_from(self, origin: i128) -> Affine {
        self.plus(self.slope * origin)
    }
}

/// What the unknown can be: from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl Range {
    pub(crate) const fn only(x: i128) -> Range {
        Range { low: x, high: x }
    }

    pub(crate) const fn moved(self, by: i128) -> Range {
        Range {
            low: self.low + by,
            high: self.high + by,
        }
    }

    pub(crate) fn hull(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Everything up to `last`, and the rest.
    pub(crate) const fn cut_after(self, last: i128) -> [Range; 2] {
        let below = Range { high: last, ..self };
        let above = Range {
            low: last + 1,
            ..self
        };
        [below, above]
    }

    pub(crate) fn least(self, time: Affine) -> i128 {
        time.at(self.low).min(time.at(self.high))
    }

    pub(crate) fn most(self, time: Affine) -> i128 {
        time.at(self.low).max(time.at(self.high))
    }

    /// Which of two times is earlier.
    ///
    /// # Errors
    /// It depends on the unknown: the last value up to which the answer is that
    /// for the first.
    pub(crate) fn order(self, one: Affine, other: Affine) -> Result<Ordering, i128> {
        let distance = one.less(other);
        let first = distance.at(self.low).cmp(&0);
        if first == distance.at(self.high).cmp(&0) {
            return Ok(first);
        }
        match first {
            Ordering::Equal => Err(self.low),
            Ordering::Less => Err((-distance.constant - 1).div_euclid(distance.slope)),
            Ordering::Greater => Err((distance.constant - 1).div_euclid(-distance.slope)),
        }
    }

    /// Where one time is no less than another; empty ranges have `low > high`.
    pub(crate) fn where_no_less(self, one: Affine, other: Affine) -> Range {
        let Affine { constant, slope } = one.less(other);
        let Range { low, high } = self;
        match slope.cmp(&0) {
            Ordering::Equal if constant >= 0 => self,
            Ordering::Equal => Range { low, high: low - 1 },
            Ordering::Greater => Range {
                low: low.max(-constant.div_euclid(slope)),
                high,
            },
            Ordering::Less => Range {
                low,
                high: high.min(constant.div_euclid(-slope)),
            },
        }
    }

    /// What is left without a part of it.
    pub(crate) fn without(self, part: Range) -> impl Iterator<Item = Range> {
        let is_empty = part.low > part.high || part.low > self.high || part.high < self.low;
        let below = Range {
            high: self.high.min(part.low - 1),
            ..self
        };
        let above = Range {
            low: self.low.max(part.high + 1),
            ..self
        };
        let pieces = match is_empty {
            true => [Some(self), None],
            false => [Some(below), Some(above)],
        };
        let pieces = pieces.into_iter().flatten();
        pieces.filter(|piece| piece.low <= piece.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small lines and ranges, all of them.
    fn lines() -> impl Iterator<Item = (Affine, Range)> {
        let slopes = (-7..=7).flat_map(|constant| (-3..=3).map(move |slope| (constant, slope)));
        let ranges = (-4..=4).flat_map(|low| (low..=4).map(move |high| Range { low, high }));
        slopes.flat_map(move |(constant, slope)| {
            ranges
                .clone()
                .map(move |range| (Affine { constant, slope }, range))
        })
    }

    #[test]
    fn an_order_holds_on_the_whole_range_or_up_to_the_cut() {
        for (line, range) in lines() {
            let order = |x: i128| line.at(x).cmp(&0);
            let last = match range.order(line, Affine::of(0)) {
                Ok(all) => {
                    assert!((range.low..=range.high).all(|x| order(x) == all));
                    continue;
                }
                Err(last) => last,
            };
            assert!(
                (range.low..range.high).contains(&last),
                "{line:?} {range:?}"
            );
            let first = order(range.low);
            assert!((range.low..=last).all(|x| order(x) == first));
            assert_ne!(order(last + 1), first, "{line:?} {range:?}");
        }
    }

    #[test]
    fn a_range_falls_into_where_a_time_is_no_less_and_the_rest() {
        for (line, range) in lines() {
            let part = range.where_no_less(line, Affine::of(0));
            let rest: Vec<Range> = range.without(part).collect();
            for x in range.low..=range.high {
                let within = |range: &Range| (range.low..=range.high).contains(&x);
                assert_eq!(within(&part), line.at(x) >= 0, "{line:?} {range:?} {x}");
                assert_eq!(rest.iter().any(within), line.at(x) < 0);
            }
        }
    }
}
