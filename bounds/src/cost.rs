//! Counts that depend on the capacities of a system.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// A count: its value for one system, and how it is made of the capacities.
///
/// The greater of two is the one whose value is greater for that system, so the
/// formula is that of the longest way there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// For the system that is looked at.
    pub value: u64,
    /// Of the value, what is so whatever a system has.
    number: u64,
    /// Factor of each product of capacities, whose names are sorted: the rest of the value.
    terms: Rc<BTreeMap<Vec<String>, u64>>,
    /// Of the value, what each function of the source has, where that is kept.
    shares: Rc<BTreeMap<Rc<str>, u64>>,
    /// How often functions are called whose calls are declared for the whole stretch, by
    /// address: what they take is not in the value.
    calls: Rc<BTreeMap<u64, Calls>>,
}

/// Calls of a function that are counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    pub(crate) times: Cost,
    /// What one takes at most, with all that it calls.
    each: u64,
}

impl Cost {
    /// A number.
    pub(crate) fn number(value: u64) -> Cost {
        Cost {
            value,
            number: value,
            ..Cost::default()
        }
    }

    /// So many instructions, of which functions have these shares.
    pub(crate) fn shared(value: u64, shares: BTreeMap<Rc<str>, u64>) -> Cost {
        Cost {
            shares: shares.into(),
            ..Cost::number(value)
        }
    }

    /// The same, of which one has all.
    pub(crate) fn shared_by(self, name: Rc<str>) -> Cost {
        let shares = BTreeMap::from([(name, self.value)]).into();
        Cost { shares, ..self }
    }

    /// One call of a function that is counted apart, and takes this.
    pub(crate) fn call(function: u64, taking: &Cost) -> Cost {
        let calls = Calls {
            times: Cost::number(1),
            each: taking.in_place(&BTreeMap::new()),
        };
        Cost {
            calls: BTreeMap::from([(function, calls)]).into(),
            ..Cost::default()
        }
    }

    /// How often functions are called that are counted apart, by address.
    pub(crate) fn calls(&self) -> &BTreeMap<u64, Calls> {
        &self.calls
    }

    /// The value with all calls that are counted apart beyond those of another way.
    fn in_place(&self, others: &BTreeMap<u64, Calls>) -> u64 {
        let beyond = self.calls.iter().map(|(function, calls)| {
            let other = others.get(function).map_or(0, |other| other.times.value);
            let times = calls.times.value.saturating_sub(other);
            times.saturating_mul(calls.each)
        });
        beyond.fold(self.value, u64::saturating_add)
    }

    /// A function is not called more often than that.
    pub(crate) fn limit_calls(&mut self, function: u64, most: &Cost) {
        let is_more = |calls: &Calls| calls.times.value > most.value;
        if self.calls.get(&function).is_some_and(is_more)
            && let Some(calls) = Rc::make_mut(&mut self.calls).get_mut(&function)
        {
            calls.times = most.clone();
        }
    }

    /// The same without these calls.
    pub(crate) fn without_calls(&self) -> Cost {
        Cost {
            calls: Rc::default(),
            ..self.clone()
        }
    }

    /// What functions of the source have of the value, most first; empty where
    /// that was not kept.
    pub fn shares(&self) -> Vec<(&str, u64)> {
        let mut shares: Vec<_> = self.shares.iter().map(|(f, n)| (&**f, *n)).collect();
        shares.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        shares
    }

    /// A capacity.
    pub(crate) fn capacity(name: &str, value: u64) -> Cost {
        Cost {
            value,
            terms: BTreeMap::from([(vec![name.to_string()], 1)]).into(),
            ..Cost::default()
        }
    }

    pub(crate) fn plus(&self, other: &Cost) -> Cost {
        let mut sum = self.clone();
        sum.value = sum.value.saturating_add(other.value);
        sum.number = sum.number.saturating_add(other.number);
        add(&mut sum.terms, &other.terms, |place, factor| {
            *place = place.saturating_add(*factor);
        });
        add(&mut sum.shares, &other.shares, |place, share| {
            *place = place.saturating_add(*share);
        });
        add(&mut sum.calls, &other.calls, |place, calls| {
            place.times = place.times.plus(&calls.times);
            place.each = calls.each;
        });
        sum
    }

    /// Factor of each product of capacities; the empty product is 1.
    fn products(&self) -> impl Iterator<Item = (&[String], u64)> {
        let number = (self.number != 0).then_some((&[][..], self.number));
        let terms = self.terms.iter();
        number
            .into_iter()
            .chain(terms.map(|(product, factor)| (product.as_slice(), *factor)))
    }

    /// So many times the other; its shares and calls are kept.
    pub(crate) fn times(&self, other: &Cost) -> Cost {
        let mut terms: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (one, factor) in self.products() {
            for (two, other) in other.products() {
                let mut product = [one, two].concat();
                product.sort();
                if !product.is_empty() {
                    let place = terms.entry(product).or_default();
                    *place = place.saturating_add(factor.saturating_mul(other));
                }
            }
        }
        let shares = other.shares.iter();
        let shares = shares.map(|(of, share)| (of.clone(), share.saturating_mul(self.value)));
        let calls = other.calls.iter().map(|(function, calls)| {
            let times = self.times(&calls.times);
            (*function, Calls { times, ..*calls })
        });
        Cost {
            value: self.value.saturating_mul(other.value),
            number: self.number.saturating_mul(other.number),
            terms: Rc::new(terms),
            shares: Rc::new(shares.collect()),
            calls: Rc::new(calls.collect()),
        }
    }

    /// Whether it is the same whatever a system has.
    pub fn is_number(&self) -> bool {
        self.terms.is_empty()
    }

    /// The quotient, rounded up; the same if the divisor is 0.
    pub(crate) fn divided_by(&self, divisor: &Cost) -> Cost {
        let value = self.value.div_ceil(divisor.value.max(1));
        if self.is_number() && divisor.is_number() {
            return Cost::number(value);
        }
        Cost::capacity(&format!("({self})/({divisor})"), value)
    }

    /// One less where that can be said, else the same, which is never too low.
    pub(crate) fn less_one(&self) -> Cost {
        let mut less = self.clone();
        if let Some(number) = less.number.checked_sub(1) {
            less.number = number;
            less.value = less.value.saturating_sub(1);
        }
        less
    }

    /// Puts this into a place that holds less. If neither takes more even with the calls in
    /// place that only it has, or has more of, the place then has the most calls of both.
    pub(crate) fn raise(mut self, place: &mut Cost) {
        if self.in_place(&place.calls) <= place.value {
            return;
        }
        if place.in_place(&self.calls) <= self.value {
            *place = self;
            return;
        }
        let own = std::mem::take(&mut self.calls);
        let mut calls = std::mem::take(&mut place.calls);
        add(&mut calls, &own, |calls, more| {
            more.times.clone().raise(&mut calls.times);
            calls.each = more.each;
        });
        if self.value >= place.value {
            *place = self;
        }
        place.calls = calls;
    }

    /// The less of two.
    pub(crate) fn least(self, other: Cost) -> Cost {
        match self.value <= other.value {
            true => self,
            false => other,
        }
    }
}

/// Adds each entry of others to that of the same key, or to nothing. Maps are shared as long as
/// they are the same.
fn add<K: Ord + Clone, V: Clone + Default>(
    sum: &mut Rc<BTreeMap<K, V>>,
    others: &Rc<BTreeMap<K, V>>,
    to: impl Fn(&mut V, &V),
) {
    if others.is_empty() {
        return;
    }
    if sum.is_empty() {
        *sum = others.clone();
        return;
    }
    let sum = Rc::make_mut(sum);
    for (key, other) in &**others {
        match sum.get_mut(key) {
            Some(place) => to(place, other),
            None => {
                sum.insert(key.clone(), other.clone());
            }
        }
    }
}

impl fmt::Display for Cost {
    /// The formula, greatest products last: `312 + 14 threads + 3 levels threads`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut products: Vec<_> = self.products().collect();
        products.sort_by_key(|(product, _)| (product.len(), *product));
        if products.is_empty() {
            return write!(out, "0");
        }
        for (index, (product, factor)) in products.into_iter().enumerate() {
            if index > 0 {
                write!(out, " + ")?;
            }
            match (product.is_empty(), factor) {
                (true, factor) => write!(out, "{factor}")?,
                (false, 1) => write!(out, "{}", product.join(" "))?,
                (false, factor) => write!(out, "{factor} {}", product.join(" "))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_says_what_its_value_is_made_of() {
        let threads = Cost::capacity("threads", 9);
        let loops = threads.plus(&Cost::number(1)).times(&Cost::number(14));
        let cost = loops.times(&threads).plus(&Cost::number(5));
        assert_eq!(cost.value, 10 * 14 * 9 + 5);
        assert_eq!(cost.to_string(), "5 + 14 threads + 14 threads threads");
    }

    #[test]
    fn one_less_is_never_too_low() {
        let threads = Cost::capacity("threads", 9);
        assert_eq!(threads.less_one(), threads);
        let more = threads.plus(&Cost::number(1));
        assert_eq!(more.less_one(), threads);
        assert_eq!(Cost::number(1).less_one(), Cost::default());
        assert_eq!(Cost::default().less_one(), Cost::default());
    }

    #[test]
    fn the_greater_of_two_is_the_greater_for_this_system() {
        let mut place = Cost::number(40);
        Cost::capacity("threads", 30).raise(&mut place);
        assert_eq!(place.to_string(), "40");
        Cost::capacity("threads", 50).raise(&mut place);
        assert_eq!(place.to_string(), "threads");
    }
}
