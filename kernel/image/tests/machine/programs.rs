//! The processes of the tests, linked as one text for user mode.

#![no_std]
#![no_main]

core::arch::global_asm!(
    include_str!("programs.s"),
    include_str!("figures.s"),
    include_str!("lives.s"),
    WORD = const size_of::<usize>(),
    FLOATING = const cfg!(floating) as usize,
    // (offsets in a control page and a word there: `giornata_abi::control`)
    NEXT_LOCK = const 32,
    NEXT_SERIAL = const 36,
    TAKEN = const 1,
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
