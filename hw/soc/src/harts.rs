//! How many harts a cluster has.

/// A number of harts that a cluster is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Harts {
    /// One: what a cluster's core does without others.
    One,
    /// Two.
    Two,
    /// Four.
    Four,
    /// Eight.
    Eight,
}

impl Harts {
    /// The number.
    pub fn count(self) -> u8 {
        match self {
            Harts::One => 1,
            Harts::Two => 2,
            Harts::Four => 4,
            Harts::Eight => 8,
        }
    }

    /// That many, if there is a cluster with them.
    pub fn of(count: u8) -> Option<Harts> {
        match count {
            1 => Some(Harts::One),
            2 => Some(Harts::Two),
            4 => Some(Harts::Four),
            8 => Some(Harts::Eight),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_has_a_cluster_is_the_number_of_its_harts() {
        for count in 0..=u8::MAX {
            let harts = Harts::of(count);
            assert_eq!(harts.is_some(), [1, 2, 4, 8].contains(&count), "{count}");
            assert!(harts.is_none_or(|harts| harts.count() == count), "{count}");
        }
    }
}
