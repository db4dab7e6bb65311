//! The processes of the tests, linked as one text for user mode.

#![no_std]
#![no_main]

core::arch::global_asm!(
    include_str!("programs.s"),
    include_str!("figures.s"),
    include_str!("lives.s"),
    WORD = const size_of::<usize>(),
    FLOATING = const cfg!(floating) as usize,
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
