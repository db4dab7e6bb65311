use super::*;

fn need(frame: u64, calls: &[u64]) -> Need {
    Need {
        frame,
        calls: calls.to_vec(),
        ..Need::default()
    }
}

fn by_pointer(frame: u64) -> Need {
    Need {
        is_by_pointer: true,
        ..need(frame, &[])
    }
}

fn needs(functions: impl IntoIterator<Item = (u64, Need)>, taken: &[u64]) -> Needs {
    Needs {
        functions: functions.into_iter().collect(),
        taken: taken.iter().copied().collect(),
    }
}

#[test]
fn the_deepest_way_counts_each_function_once() {
    let functions = [
        (1, need(16, &[2, 3])),
        (2, need(100, &[1, 4])),
        (3, need(64, &[4, 5])),
        (4, need(8, &[])),
        (5, need(80, &[9])),
    ];
    let needs = needs(functions, &[]);
    let way = needs.deepest(1, |_| true);
    assert_eq!((way.bytes, way.chain), (160, vec![1, 3, 5]));
    let nobody = needs.deepest(9, |_| true);
    assert_eq!((nobody.bytes, nobody.chain), (0, vec![9]));
    let recursive: Vec<u64> = (1..=9).filter(|at| needs.is_recursive(*at)).collect();
    assert_eq!(recursive, [1, 2]);
}

#[test]
fn a_pointer_leads_to_the_deepest_that_is_taken() {
    let functions = [
        (1, need(16, &[2])),
        (2, by_pointer(32)),
        (3, need(100, &[])),
        (4, need(500, &[])),
    ];
    let needs = needs(functions, &[3]);
    assert_eq!(needs.deepest(1, |_| true).bytes, 148);
    assert_eq!(needs.deepest(1, |at| at != 2).bytes, 48);
    assert_eq!(needs.bound(1), Some(148));
}

#[test]
fn nothing_bounds_recursion_and_what_grows() {
    let grows = Need {
        grows: Some(0x20),
        ..need(16, &[])
    };
    let functions = [
        (1, need(16, &[1])),
        (2, need(16, &[3])),
        (3, by_pointer(8)),
        (4, need(16, &[5])),
        (5, grows),
        (6, need(24, &[7, 8])),
        (7, need(40, &[])),
        (8, need(64, &[7])),
    ];
    let mut needs = needs(functions, &[2]);
    assert_eq!([1, 2, 4].map(|root| needs.bound(root)), [None; 3]);
    assert_eq!(needs.bound(6), Some(128));
    needs.taken = BTreeSet::from([7]);
    assert_eq!(needs.bound(2), Some(64));
    assert_eq!(needs.bound(99), None);
}

#[test]
fn two_frames_are_what_may_be_untouched() {
    let functions = [
        (1, need(16, &[2, 3])),
        (2, need(3000, &[3])),
        (3, need(2500, &[])),
        (4, by_pointer(4000)),
    ];
    let mut needs = needs(functions, &[]);
    assert_eq!(needs.untouched(4096, 1 << 20), 5500);
    assert_eq!(needs.untouched(4096, 3500), 5500);
    assert_eq!(needs.untouched(4096, 2999), 2516);
    needs.taken = BTreeSet::from([3]);
    assert_eq!(needs.untouched(4096, 1 << 20), 6500);
    if let Some(need) = needs.functions.get_mut(&3) {
        need.grows = Some(8);
    }
    assert_eq!(needs.untouched(4096, 1 << 20), 4000 + 2500 + 4096);
}
