//! The kinds of faults. `seven` is small, and the compiler does not know it.

use core::hint::black_box;

/// What a life does.
type Kind = fn(seven: usize);

/// Each with its name; a life takes the one of its generation.
pub(crate) const KINDS: [(&str, Kind); 14] = [
    ("null pointer", |seven| load_null(seven)),
    ("call of a null pointer", |seven| call_null(seven)),
    ("endless recursion", |seven| {
        black_box(recurse(seven));
    }),
    ("large frame", |seven| {
        black_box(take_much(seven));
    }),
    ("store to code", |_| store_to_code()),
    ("store to a constant", |seven| store_to_constant(seven)),
    ("the kernel", |_| load_kernel()),
    ("a device", |_| load_device()),
    ("privileged instruction", |_| read_status()),
    ("literal panic", |seven| panic_literally(seven)),
    ("formatted panic", |seven| index_beyond(seven)),
    ("unwrap", |seven| unwrap_nothing(seven)),
    ("expect", |seven| expect_something(seven)),
    ("overflow in a library", |seven| divide_by_zero(seven)),
];

#[inline(never)]
fn load_null(offset: usize) {
    let nothing = black_box(core::ptr::null::<u32>()).wrapping_add(offset + 2);
    // SAFETY: none: this is the fault.
    black_box(unsafe { nothing.read_volatile() });
}

#[inline(never)]
fn call_null(_: usize) {
    // SAFETY: none: this is the fault.
    let nobody: extern "C" fn() = unsafe { core::mem::transmute(black_box(4usize)) };
    nobody();
    black_box(());
}

#[inline(never)]
#[expect(unconditional_recursion, reason = "this is the fault")]
fn recurse(depth: usize) -> usize {
    let frame = black_box([depth; 8]);
    recurse(depth + 1) + frame[depth % 8]
}

#[inline(never)]
fn take_much(seven: usize) -> usize {
    let frame = black_box([seven; 3000]);
    frame[seven]
}

#[inline(never)]
fn store_to_code() {
    let code = black_box(store_to_code as fn()) as usize & !3;
    // SAFETY: none: this is the fault.
    unsafe { core::ptr::with_exposed_provenance_mut::<u32>(code).write_volatile(0) };
}

#[inline(never)]
fn store_to_constant(seven: usize) {
    static CONSTANT: [u32; 4] = [1, 2, 3, 4];
    let place = black_box(CONSTANT.as_ptr()).cast_mut();
    // SAFETY: none: this is the fault.
    unsafe { place.wrapping_add(seven % 4).write_volatile(0) };
}

#[inline(never)]
fn load_kernel() {
    let kernel = core::ptr::with_exposed_provenance::<u32>(black_box(0x8000_0000));
    // SAFETY: none: this is the fault.
    black_box(unsafe { kernel.read_volatile() });
}

#[inline(never)]
fn load_device() {
    let device = core::ptr::with_exposed_provenance::<u32>(black_box(0x0C00_0000));
    // SAFETY: none: this is the fault.
    black_box(unsafe { device.read_volatile() });
}

#[inline(never)]
fn read_status() {
    // SAFETY: none: this is the fault.
    unsafe { core::arch::asm!("csrr {0}, mstatus", out(reg) _) };
}

#[inline(never)]
fn panic_literally(seven: usize) {
    if black_box(seven) < 1000 {
        panic!("the pump has no water");
    }
}

#[inline(never)]
fn index_beyond(seven: usize) {
    let few = black_box([1, 2, 3]);
    black_box(few[seven + 3]);
}

#[inline(never)]
fn unwrap_nothing(seven: usize) {
    let nothing = black_box(seven).checked_sub(1000);
    black_box(nothing.unwrap());
}

#[inline(never)]
fn expect_something(seven: usize) {
    let wrong: Result<usize, usize> = black_box(Err(seven));
    black_box(wrong.expect("a right value"));
}

#[inline(never)]
fn divide_by_zero(seven: usize) {
    let zero = black_box(seven) / 1000;
    black_box(seven / zero);
}
