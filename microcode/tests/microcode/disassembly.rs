//! Listings with the module's names.

use giornata_abi::module::Module;
use giornata_microcode::disassemble;

use giornata_test_microcode::assemble;

#[test]
fn a_listing_shows_names_durations_and_lines() {
    let bytes = assemble(
        "
        denominator 3
        irq button
        mailbox news
        port speed f32 input
        port level i8 input
        port on bool input
        task t in x out y
        driver d reads speed writes level_copy
        driver guard
        handler overrun h
        start a
    a:  call d
        release t, 20ms
        future after(10ms/3), a
        future speed > 1.5, a
        future changed(level), a
        future level <= activation, a
        future irq(button), a
        future message(news), a
        future upcall(guard), a
        future on == 1, a
        dispatch t, released(t), h
        idle completed(t)
        fork a
        branch level < -3, h
        jump a
    h:  idle true
        idle never
        idle after(2500us)
        return
        "
        .replace("port on", "port level_copy i8 output\nport on")
        .as_str(),
    );
    let module = Module::parse(&bytes).unwrap();
    let mut text = String::new();
    disassemble::listing(&module, &mut text).unwrap();
    let expected = "\
; module test from test.code, start 0
; handler of overrun at 15
; task t = t(x) -> (y)
; driver d = d(speed) -> (level_copy)
; driver guard = guard() -> ()
    0  call      d  ; line 1
    1  release   t, 20 ms  ; line 2
    2  future    after(3333333 1/3 ns), 0  ; line 3
    3  future    speed > 1.5, 0  ; line 4
    4  future    changed(level), 0  ; line 5
    5  future    level <= activation, 0  ; line 6
    6  future    irq(button), 0  ; line 7
    7  future    message(news), 0  ; line 8
    8  future    upcall(guard), 0  ; line 9
    9  future    on == true, 0  ; line 10
   10  dispatch  t, released(t), 15  ; line 11
   11  idle      completed(t)  ; line 12
   12  fork      0  ; line 13
   13  branch    level < -3, 15  ; line 14
   14  jump      0  ; line 15
   15  idle      true  ; line 16
   16  idle      never  ; line 17
   17  idle      after(2500 us)  ; line 18
   18  return  ; line 19
";
    assert_eq!(text, expected);
}

#[test]
fn what_does_not_exist_is_shown_with_its_number() {
    use giornata_abi::Predicate;
    use giornata_abi::instruction::{Instruction, Opcode};
    use giornata_abi::module::ModuleWriter;
    let mut writer = ModuleWriter::new("broken", "");
    writer
        .instructions
        .push(Instruction::new(Opcode::Release, 7, 8, 0));
    writer
        .instructions
        .push(Instruction::new(Opcode::Future, 0, 2, 0));
    writer
        .instructions
        .push(Instruction::new(Opcode::Idle, 1, 0, 0));
    writer.instructions.push(Instruction {
        opcode: 99,
        ..writer.instructions[0]
    });
    writer.predicates.push(Predicate {
        kind: 77,
        ..Predicate::after(0, 0)
    });
    let bytes = writer.finish();
    let module = Module::parse(&bytes).unwrap();
    let mut text = String::new();
    disassemble::listing(&module, &mut text).unwrap();
    let expected = "; module broken from , start 0
    0  release   ?7, ?8
    1  future    ?77, 2
    2  idle      ?1
    3  ?99
";
    assert_eq!(text, expected);
    text.clear();
    disassemble::instruction(&module, 4, &mut text).unwrap();
    assert_eq!(text, "?4");
}
