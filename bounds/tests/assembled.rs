//! Bounds of small programs in assembly, counted by hand.

use giornata_bounds::{Analysis, Binary, Bounds, Declarations, Error, Shares};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// What programs of these tests begin and end with: `FUNCTION name` ... `END name`.
const MACROS: &str = "
.macro FUNCTION name
.globl \\name
.type \\name, @function
\\name:
.endm
.macro END name
.size \\name, . - \\name
.endm
";

/// Assembles a program for a bare 32-bit machine; answers the executable.
fn assemble(name: &str, text: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, output) = (folder.join(format!("{name}.rs")), folder.join(name));
    let rust = format!(
        "#![no_std]\n#![no_main]\n\
         #[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! {{ loop {{}} }}\n\
         core::arch::global_asm!(r#\"{MACROS}{text}\"#);\n"
    );
    std::fs::write(&source, rust).unwrap();
    let status = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args([
            "--edition",
            "2024",
            "--target",
            "riscv32im-unknown-none-elf",
        ])
        .args([
            "-C",
            "link-arg=--no-gc-sections",
            "-C",
            "link-arg=--entry=entry",
        ])
        .args(["-C", "link-arg=--no-relax", "-C", "opt-level=1", "-o"])
        .arg(&output)
        .arg(&source)
        .status()
        .unwrap();
    assert!(status.success(), "{name} does not assemble");
    std::fs::read(&output).unwrap()
}

fn bounds(name: &str, text: &str, declarations: &str) -> Result<Bounds, Error> {
    let binary = Binary::read(&assemble(name, text))?;
    let kinds = "\n[[kind]]\nname = \"trap\"\nfrom = \"trap\"\nwhy = \"all\"\n\
                 [[kind]]\nname = \"look\"\nfrom = \"look\"\nwhy = \"all\"\n";
    let text = format!("entry = \"entry\"\n{declarations}{kinds}");
    let declarations = Declarations::parse("test.toml", &text)?;
    let capacities = BTreeMap::from([("threads".to_string(), 10)]);
    Analysis::new(binary, declarations)?.bounds(&capacities, &Shares::Functions)
}

/// The bound of an entry, as number and formula.
fn trap(name: &str, text: &str, declarations: &str) -> (u64, String) {
    let bounds = bounds(name, text, declarations).unwrap();
    let cost = &bounds.kinds[0].instructions;
    (cost.value, cost.to_string())
}

/// What is said against a program.
fn refusal(name: &str, text: &str, declarations: &str) -> String {
    bounds(name, text, declarations).unwrap_err().to_string()
}

fn passes(function: &str, number: &str) -> String {
    format!("[[loop]]\nfunction = \"{function}\"\npasses = \"{number}\"\nwhy = \"test\"\n")
}

#[test]
fn the_longer_of_two_ways_counts() {
    let text = "
        FUNCTION entry
        beqz a0, 1f
        addi a0, a0, 1
        addi a0, a0, 1
        j 2f
        1: addi a0, a0, 2
        2: mret
        END entry";
    assert_eq!(trap("ways", text, ""), (5, "5".into()));
}

#[test]
fn calls_count_what_they_call_and_stops_nothing() {
    let text = "
        FUNCTION entry
        beqz a0, 1f
        call leaf
        mret
        1: call last
        END entry
        FUNCTION leaf
        addi a0, a0, 1
        tail other
        END leaf
        FUNCTION other
        nop
        ret
        END other
        FUNCTION last
        nop
        nop
        nop
        nop
        nop
        nop
        jr a5
        END last";
    let stop = "[[stop]]\nfunction = \"last\"\nwhy = \"it never returns\"\n";
    // beqz, auipc, jalr, addi, auipc, jr, nop, ret, mret
    assert_eq!(trap("calls", text, stop), (9, "9".into()));
    let refusal = refusal("calls-unknown", text, "");
    assert!(
        refusal.contains("jump through a register") && refusal.contains("last"),
        "{refusal}"
    );
}

/// A loop of 3 instructions, its test at the end, between one and two others.
const LOOP: &str = "
        FUNCTION entry
        li a0, 10
        1: addi a1, a1, 1
        addi a0, a0, -1
        bnez a0, 1b
        nop
        mret
        END entry";

#[test]
fn a_loop_goes_round_as_often_as_declared() {
    assert_eq!(
        trap("loop", LOOP, &passes("entry", "10")),
        (33, "33".into())
    );
    let (value, formula) = trap("loop-threads", LOOP, &passes("entry", "threads + 1"));
    assert_eq!((value, formula.as_str()), (36, "6 + 3 threads"));
}

#[test]
fn a_loop_without_a_bound_is_refused_with_what_to_declare() {
    let refusal = refusal("undeclared", LOOP, "");
    assert!(refusal.contains("without a declared bound"), "{refusal}");
    assert!(
        refusal.contains("[[loop]]\n    function = \"entry\""),
        "{refusal}"
    );
}

#[test]
fn a_body_counts_once_less_than_the_test_before_it() {
    let text = "
        FUNCTION entry
        1: beqz a0, 2f
        addi a0, a0, -1
        addi a1, a1, 1
        j 1b
        2: mret
        END entry";
    let times = "[[loop]]\nfunction = \"entry\"\ntimes = \"5\"\nwhy = \"test\"\n";
    assert_eq!(trap("test-first", text, times).0, 5 * 4 + 2);
    assert_eq!(trap("test-last", LOOP, times).0, 1 + 5 * 3 + 2);
    // reaching the top 5 times is 4 rounds
    assert_eq!(
        trap("test-passes", text, &passes("entry", "5")).0,
        4 * 4 + 2
    );
}

const NESTED: &str = "
        FUNCTION entry
        li a0, 4
        1: li a1, 3
        2: addi a1, a1, -1
        bnez a1, 2b
        addi a0, a0, -1
        bnez a0, 1b
        mret
        END entry";

#[test]
fn loops_in_loops_multiply_unless_their_total_is_declared() {
    let outer = "[[loop]]\nfunction = \"entry\"\npasses = \"4\"\nnesting = 1\nwhy = \"test\"\n";
    let inner = "[[loop]]\nfunction = \"entry\"\npasses = \"3\"\nnesting = 2\nwhy = \"test\"\n";
    let both = format!("{outer}{inner}");
    assert_eq!(trap("nested", NESTED, &both).0, 1 + 4 * (3 + 3 * 2) + 1);
    let total = format!("{both}total-in = \"entry\"\n");
    assert_eq!(trap("total", NESTED, &total).0, 1 + 4 * (3 + 2) + 3 * 2 + 1);
}

#[test]
fn a_jump_through_a_table_takes_its_longest_way() {
    let text = "
        FUNCTION entry
        li a1, 3
        bgeu a0, a1, 4f
        slli a0, a0, 2
        lui a1, %hi(table)
        addi a1, a1, %lo(table)
        add a0, a0, a1
        lw a0, 0(a0)
        jr a0
        1: j 4f
        2: nop
        nop
        nop
        j 4f
        3: nop
        j 4f
        4: mret
        END entry
        .section .rodata
        .balign 4
        table: .word 1b
        .word 2b
        .word 3b
        .word 0
        .text";
    assert_eq!(trap("table", text, ""), (8 + 4 + 1, "13".into()));
}

#[test]
fn a_computed_entry_into_a_run_of_code_begins_at_its_front_at_worst() {
    let text = "
        FUNCTION entry
        lla t0, 1f
        add t0, t0, a1
        jr t0
        1: nop
        nop
        nop
        lla t0, 2f
        add t0, t0, a2
        jr t0
        2: nop
        mret
        END entry";
    assert_eq!(trap("run", text, "").0, 4 + 3 + 4 + 2);
}

#[test]
fn a_stretch_ends_where_interrupts_are_looked_at() {
    let text = "
        FUNCTION entry
        nop
        1: nop
        nop
        call look
        bnez a0, 1b
        mret
        END entry
        FUNCTION look
        csrr a0, mip
        nop
        ret
        END look";
    // no bound: nothing goes round without a look
    let bounds = bounds("look", text, "").unwrap();
    assert_eq!(bounds.kinds[0].instructions.value, 1 + 2 + 2 + 1);
    assert_eq!(bounds.kinds[1].instructions.value, 2 + 1 + 2 + 2 + 1);
}

#[test]
fn the_third_argument_bounds_what_is_copied() {
    let text = "
        FUNCTION entry
        li a2, 12
        call copy
        li a2, 4
        call copy
        mret
        END entry
        FUNCTION copy
        1: addi a2, a2, -4
        bnez a2, 1b
        ret
        END copy";
    let value = trap("length", text, &passes("copy", "length / 4")).0;
    assert_eq!(value, 3 + (3 * 2 + 1) + 3 + (2 + 1) + 1);
}

/// A table of two functions, the one of which looks at interrupts.
const DISPATCH: &str = "
        .pushsection .rodata.table, \"a\"
        table: .word short, long
        .popsection
        FUNCTION entry
        slli t0, a7, 2
        lui a6, %hi(table)
        add a6, a6, t0
        lw t0, %lo(table)(a6)
        jalr t0
        mret
        END entry
        FUNCTION short
        ret
        END short
        FUNCTION long
        nop
        nop
        csrr t0, mip
        ret
        END long";

#[test]
fn a_call_through_a_table_is_one_of_its_functions() {
    let bounds = bounds("dispatch", DISPATCH, "").unwrap();
    // to the look of the one, or through the other
    assert_eq!(bounds.kinds[0].instructions.value, 5 + 3);
    assert_eq!(bounds.kinds[1].instructions.value, 1 + 1);
}

#[test]
fn a_kind_goes_through_the_functions_that_it_names() {
    let kind = "\n[[kind]]\nname = \"short\"\nfrom = \"trap\"\nthrough = [\"short\"]\nwhy = \"x\"";
    let bounds = bounds("through", DISPATCH, kind).unwrap();
    assert_eq!(bounds.kinds[0].kind, "short");
    assert_eq!(bounds.kinds[0].instructions.value, 5 + 1 + 1);
}

#[test]
fn a_function_that_a_kind_does_not_go_through_is_left_out_by_its_symbol() {
    let text = DISPATCH.replace("FUNCTION short", "FUNCTION short\n.rept 20\nnop\n.endr");
    assert_eq!(trap("dispatch-long", &text, "").0, 5 + 21 + 1);
    let kind = "\n[[kind]]\nname = \"long\"\nfrom = \"trap\"\nthrough = [\"long\"]\nwhy = \"x\"";
    assert_eq!(trap("through-long", &text, kind).0, 5 + 3);
}

#[test]
fn a_kind_that_goes_through_nothing_is_refused() {
    let kind = "\n[[kind]]\nname = \"k\"\nfrom = \"trap\"\nthrough = [\"shirt\"]\nwhy = \"x\"";
    let refusal = refusal("through-nothing", DISPATCH, kind);
    assert!(
        refusal.contains("`shirt`, which the kind `k` goes through, handles no entry")
            && refusal.contains("short, long"),
        "{refusal}"
    );
}

#[test]
fn a_loop_of_assembly_is_called_by_the_label_at_its_top() {
    let text = "
        FUNCTION entry
        li a0, 3
        first: addi a0, a0, -1
        bnez a0, first
        second: addi a1, a1, -1
        bnez a1, second
        mret
        END entry";
    let both = passes("first", "3") + &passes("second", "5");
    let value = trap("labels", text, &both).0;
    assert_eq!(value, 1 + 3 * 2 + 5 * 2 + 1);
}

#[test]
fn a_look_in_a_loop_ends_a_stretch_there() {
    // every fourth time round it looks
    let text = "
        FUNCTION entry
        li a0, 0
        1: addi a0, a0, 1
        andi a1, a0, 3
        bnez a1, 1b
        csrr t0, mip
        bnez a2, 1b
        mret
        END entry";
    let bounds = bounds("pieces", text, &passes("entry", "4")).unwrap();
    assert_eq!(bounds.kinds[0].instructions.value, 1 + 4 * 3 + 1);
    assert_eq!(bounds.kinds[1].instructions.value, 1 + 4 * 3 + 1);
}

#[test]
fn recursion_is_refused() {
    let text = "
        FUNCTION entry
        call a
        mret
        END entry
        FUNCTION a
        call b
        ret
        END a
        FUNCTION b
        call a
        ret
        END b";
    let refusal = refusal("recursion", text, "");
    assert!(
        refusal.contains("recursion") && refusal.contains("a calls b calls a"),
        "{refusal}"
    );
}

#[test]
fn a_function_is_called_again_as_often_as_declared() {
    let text = "
        FUNCTION entry
        call a
        mret
        END entry
        FUNCTION a
        beqz a0, 1f
        nop
        call b
        1: ret
        END a
        FUNCTION b
        nop
        call a
        ret
        END b";
    let declared =
        |times: u32| format!("[[recursion]]\nfunction = \"b\"\ntimes = {times}\nwhy = \"test\"\n");
    // a is entered twice, then thrice: but for the last time it calls b
    let (around, long, short) = (3, 5 + 4, 2);
    assert_eq!(trap("again", text, &declared(1)).0, around + long + short);
    assert_eq!(
        trap("again-twice", text, &declared(2)).0,
        around + 2 * long + short
    );
}

#[test]
fn a_loop_that_is_entered_in_its_middle_is_refused() {
    let text = "
        FUNCTION entry
        beqz a0, 2f
        1: addi a1, a1, 1
        2: addi a1, a1, 2
        bnez a1, 1b
        mret
        END entry";
    let refusal = refusal("irreducible", text, &passes("entry", "3"));
    assert!(
        refusal.contains("entered at more than one place"),
        "{refusal}"
    );
}

#[test]
fn declarations_are_checked() {
    let unknown = refusal("capacity", LOOP, &passes("entry", "horses"));
    assert!(
        unknown.contains("`horses`") && unknown.contains("threads"),
        "{unknown}"
    );
    let both = "[[loop]]\nfunction = \"entry\"\npasses = \"1\"\ntimes = \"1\"\nwhy = \"x\"\n";
    assert!(refusal("both", LOOP, both).contains("one of `passes"));
    let silent = passes("entry", "1").replace("test", " ");
    assert!(refusal("silent", LOOP, &silent).contains("no reason"));
    let missing = refusal("spelling", LOOP, "[[lop]]\nfunction = \"entry\"\n");
    assert!(
        missing.contains("lop") && missing.contains("line"),
        "{missing}"
    );
}

#[test]
fn a_kind_that_leaves_no_way_through_is_refused() {
    let nothing = refusal(
        "nothing",
        "FUNCTION entry\n1: j 1b\nEND entry",
        &passes("entry", "1"),
    );
    assert!(nothing.contains("no way through"), "{nothing}");
}

#[test]
fn bounds_that_no_loop_has_are_told() {
    let declared = format!("{}{}", passes("gone", "7"), passes("entry", "10"));
    let bounds = bounds("stale", LOOP, &declared).unwrap();
    assert!(!bounds.used.contains(&0) && bounds.used.contains(&1));
}

/// Three ways to a function, one of them in a loop.
const CALLS: &str = "
    FUNCTION entry
    li s0, 0
    beqz a0, 2f
    1: jal once
    addi s0, s0, 1
    bne s0, a0, 1b
    2: jal once
    beqz a1, 3f
    jal once
    3: mret
    END entry
    FUNCTION once
    nop
    nop
    nop
    ret
    END once";

fn most(number: &str) -> String {
    let calls = format!("[[calls]]\nfunction = \"once\"\nmost = \"{number}\"\nwhy = \"test\"\n");
    format!("{}{calls}", passes("entry", "10"))
}

#[test]
fn calls_that_are_declared_count_for_the_whole_stretch() {
    let ways = 2 + 10 * 3 + 2 + 1 + 1;
    let (all, formula) = trap("calls-none", CALLS, &passes("entry", "10"));
    assert_eq!(all, ways + 12 * 4, "{formula}");
    assert_eq!(trap("calls-some", CALLS, &most("3")).0, ways + 3 * 4);
    assert_eq!(trap("calls-most", CALLS, &most("2 * threads")).0, all);
    let silent = most("3")
        .replace("why = \"test\"\n\n", "")
        .replace("test", "");
    assert!(refusal("calls-silent", CALLS, &silent).contains("no reason"));
}

#[test]
fn calls_within_calls_that_are_declared_count_as_often_as_those() {
    let text = format!("{CALLS}\nFUNCTION inner\nnop\nret\nEND inner").replacen(
        "nop\n    nop\n    nop\n    ret",
        "mv t0, ra\n    jal inner\n    jal inner\n    mv ra, t0\n    ret",
        1,
    );
    let inner = "[[calls]]\nfunction = \"inner\"\nmost = \"5\"\nwhy = \"test\"\n";
    let few = trap("calls-within", &text, &format!("{}{inner}", most("3"))).0;
    let more = trap("calls-outside", &text, &format!("{}{inner}", most("2"))).0;
    let ways = 2 + 10 * 3 + 2 + 1 + 1;
    assert_eq!(few, ways + 3 * 5 + 5 * 2);
    assert_eq!(more, ways + 2 * 5 + 4 * 2);
}

#[test]
fn what_comes_behind_a_look_may_go_on_at_several_places_of_a_loop() {
    let text = "
        FUNCTION entry
        1: addi a0, a0, -1
        beqz a1, 2f
        csrr a2, mip
        bnez a2, 3f
        2: addi a1, a1, 1
        3: nop
        bnez a0, 1b
        mret
        END entry";
    let bounds = bounds("look-within", text, &passes("entry", "4")).unwrap();
    let pass = 2 + 1 + 2;
    assert_eq!(bounds.kinds[0].instructions.value, 4 * pass + 1);
    // as from the top of the loop, behind the branch
    assert_eq!(bounds.kinds[1].instructions.value, 1 + 4 * pass + 1);
}
