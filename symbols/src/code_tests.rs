use super::*;

/// The code of a function at 0x1000 of a 64-bit process.
fn read(words: &[u32]) -> Code {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Code::read(&bytes, &(0x1000..0x1000 + bytes.len() as u64), true)
}

const RET: u32 = 0x0000_8067;

#[test]
fn jumps_are_decoded_as_the_manual_has_them() {
    let jump = |word| decode(word, 4, 0x1000, true);
    // jal ra, +0x7FE and -2; jal ra over 4 KiB; bne a1, zero, +0x10; beq a0, a5, -4
    assert_eq!(jump(0x7FE0_00EF), Operation::Jump(0x17FE, true));
    assert_eq!(jump(0xFFFF_F0EF), Operation::Jump(0xFFE, true));
    assert_eq!(jump(0x0010_00EF), Operation::Jump(0x1800, true));
    assert_eq!(jump(0x0005_9863), Operation::Branch(0x1010, false));
    assert_eq!(jump(0xFEF5_0EE3), Operation::Branch(0xFFC, false));
    // c.j -2, as assembled; c.jal of 32 bits only, which is c.addiw else
    assert_eq!(short(0xBFFD, 0x1000, true), Operation::Jump(0xFFE, false));
    let forward = Operation::Jump(0x1000_0F26, false);
    assert_eq!(short(0xA029, 0x1000_0F1C, true), forward);
    assert_eq!(short(0x2029, 0x1000, false), Operation::Jump(0x100A, true));
    assert_eq!(short(0x2029, 0x1000, true), Operation::AddNarrow(0, 0, 10));
    // c.beqz a3, +8; c.bnez a0, -10
    assert_eq!(
        short(0xC681, 0x1000, true),
        Operation::Branch(0x1008, false)
    );
    assert_eq!(short(0xF97D, 0x1000, true), Operation::Branch(0xFF6, false));
}

#[test]
fn a_frame_is_the_lowest_that_the_stack_pointer_comes() {
    // addi sp, sp, -768; lui t0, -3; add sp, sp, t0; lui t0, 3; add sp, sp, t0; addi; ret
    let large = [
        0xD001_0113,
        0xFFFF_D2B7,
        0x0051_0133,
        0x0000_32B7,
        0x0051_0133,
        0x3001_0113,
        RET,
    ];
    assert_eq!(read(&large).frame, 768 + 3 * 4096);
    // c.addi16sp sp, -64; c.addi sp, -16 (as two halves of a word); and sp, sp, -64
    let aligned = [0x1141_7139, 0xFC01_7113, RET];
    assert_eq!(read(&aligned).frame, 64 + 16 + 64);
}

#[test]
fn a_frame_behind_a_return_is_that_of_the_branch_there() {
    // beq a0, zero, +16; addi sp, sp, -32; addi sp, sp, 32; ret; addi sp, sp, -48; ret
    let code = [0x0005_0863, 0xFE01_0113, 0x0201_0113, RET, 0xFD01_0113, RET];
    assert_eq!(read(&code).frame, 48);
}

#[test]
fn calls_lead_where_registers_are_known_to() {
    // auipc ra, 1; jalr ra, -1100(ra); auipc a5, 1; (between) addi a0, zero, 1; jr 8(a5)
    let known = read(&[
        0x0000_1097,
        0xBB40_80E7,
        0x0000_1797,
        0x0010_0513,
        0x0087_8067,
    ]);
    assert_eq!(known.targets, BTreeSet::from([0x1BB4, 0x2010]));
    assert!(!known.is_by_pointer);
    // lw a5, 0(a0); jalr a5; ret
    let unknown = read(&[0x0005_2783, 0x0007_80E7, RET]);
    assert!(unknown.is_by_pointer && unknown.targets.is_empty());
    // auipc a5, 1; beq a0, zero, +8; lw a5, 0(a0); jalr a5: only on one way
    let either = read(&[0x0000_1797, 0x0005_0463, 0x0005_2783, 0x0007_80E7, RET]);
    assert!(either.is_by_pointer);
}

#[test]
fn a_table_of_jumps_is_no_call() {
    // addi sp, sp, -16; jr a5; addi sp, sp, 16; ret
    let table = read(&[0xFF01_0113, 0x0007_8067, 0x0101_0113, RET]);
    assert!(!table.is_by_pointer);
    // jr a5, without a frame, ends the function elsewhere
    assert!(read(&[0x0007_8067]).is_by_pointer);
}

#[test]
fn a_loop_to_the_first_instruction_is_no_call() {
    // addi a0, a0, 1; j -4
    assert_eq!(read(&[0x0015_0513, 0xFFDF_F06F]).targets, BTreeSet::new());
    // addi a0, a0, 1; jal ra, -4
    let calls = read(&[0x0015_0513, 0xFFDF_F0EF]).targets;
    assert_eq!(calls, BTreeSet::from([0x1000]));
}

#[test]
fn what_a_register_takes_of_the_stack_grows() {
    // sub sp, sp, a0; addi a0, a0, -8; add a0, sp, a0; sd zero, 0(a0); ret
    let probed = [0x40A1_0133, 0xFF85_0513, 0x00A1_0533, 0x0005_3023, RET];
    let code = read(&probed);
    assert_eq!((code.grows, code.is_probed), (Some(0x1000), true));
    // sub a0, sp, a0; andi a0, a0, -16; mv sp, a0; ret
    let other = read(&[0x40A1_0533, 0xFF05_7513, 0x0005_0113, RET]);
    assert_eq!((other.grows, other.is_probed), (Some(0x1008), false));
    // mv sp, a0 is another stack
    assert_eq!(read(&[0x0005_0113, RET]).grows, None);
}

#[test]
fn the_pieces_of_what_grows_are_no_frame() {
    // as a compiler has it: addi sp, sp, -32; lui a3, -1; add sp, sp, a3; lui a3, 1;
    // add a3, sp, a3; sd zero, -8(a3); bne sp, a4, -20; sub sp, sp, a5; ret
    let pieces = [
        0xFE01_0113,
        0xFFFF_F6B7,
        0x00D1_0133,
        0x0000_16B7,
        0x00D1_06B3,
        0xFE06_BC23,
        0xFEE1_16E3,
        0x40F1_0133,
        RET,
    ];
    let code = read(&pieces);
    assert_eq!((code.frame, code.grows), (32, Some(0x101C)));
    assert!(code.is_probed);
}

#[test]
fn an_address_may_be_made_of_parts_that_lie_apart() {
    // auipc s1, 1; beq a0, zero, +4; addi a0, s1, -1100; lui a2, 0x12; ret
    let code = read(&[0x0000_1497, 0x0005_0263, 0xBB44_8513, 0x0001_2637, RET]);
    assert!(code.makes(0x1BB4) && code.makes(0x12000));
    assert!(!code.makes(0x1BB8) && !code.makes(0x2BB4));
}
