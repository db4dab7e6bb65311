//! The processes of the tests, linked as one text for user mode.

#![no_std]
#![no_main]

core::arch::global_asm!(include_str!("programs.s"));

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
