//! Nothing but assembly: `floor.s`.

#![no_std]
#![no_main]

core::arch::global_asm!(include_str!("floor.s"));

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
