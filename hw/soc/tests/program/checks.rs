//! Nothing but assembly: the checks of `checks.s`.

#![no_std]
#![no_main]

core::arch::global_asm!(include_str!("checks.s"));

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
