//! Independent work, as much at a time as there are processors, in the order of
//! what is worked on.

use std::sync::Mutex;
use std::thread;

/// More at a time are not started: machines in emulation have limits of time,
/// and each wants a processor.
const MOST: usize = 2;

/// What work on each of `items` comes to, in their order.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let at_once = thread::available_parallelism().map_or(1, |count| count.get().min(MOST));
    let next = Mutex::new(items.iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        // the lock is for taking an item, not for working on it
        while let Some((index, item)) = next.lock().ok().and_then(|mut next| next.next()) {
            let result = work(item);
            if let Ok(mut done) = done.lock() {
                done.push((index, result));
            }
        }
    };
    // a panic of a worker goes on here
    thread::scope(|scope| (0..at_once).for_each(|_| _ = scope.spawn(worker)));
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let slow_first = |item: &u64| {
            thread::sleep(Duration::from_millis(5 - item));
            item * 10
        };
        assert_eq!(each(&[0, 1, 2, 3, 4], slow_first), [0, 10, 20, 30, 40]);
        assert!(each(&[], slow_first).is_empty());
    }
}
