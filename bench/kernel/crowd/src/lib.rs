//! A hundred of a kind: tasks that fall due at once, threads that sleep or are ready. Each
//! system file beside this crate picks as many as it needs.

#![no_std]

use bench_marks::{BEFORE, STARTED, WOKEN, mark};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{driver, process, task, thread};

/// Functions that differ in name and number alone.
macro_rules! crowd {
    ($attribute:ident, $body:ident: $($name:ident = $number:literal,)*) => {
        $(
            #[$attribute]
            fn $name() {
                $body($number);
            }
        )*
    };
}

/// A job that does nothing.
fn job(_: u32) {
    mark::<STARTED>();
}

/// One of so many threads that sleep in pieces of random length, so that as many
/// instants are armed, each somewhere among the others. The more threads, the
/// longer they sleep: what happens in a second stays the same.
fn hold(threads: u32, number: u32) {
    let pace = PACE.0 as u32 * threads;
    let mut random = 0x9E37_79B9_u32.wrapping_mul(number + 1);
    let mut next = time::now();
    loop {
        // Marsaglia's xorshift.
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        next = next + Duration(u64::from(pace / 2 + random % pace));
        mark::<BEFORE>();
        // Never refused to a thread.
        let _ = time::sleep_until(next);
        mark::<WOKEN>();
    }
}

/// From one of all wakes to the next, on average.
const PACE: Duration = Duration::from_micros(100);

fn hold_4(number: u32) {
    hold(4, number);
}

fn hold_10(number: u32) {
    hold(10, number);
}

fn hold_50(number: u32) {
    hold(50, number);
}

fn hold_100(number: u32) {
    hold(100, number);
}

/// Sleeps until an instant of its own that lies behind the end of every run.
fn wait(number: u32) {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(4_000_000_000 + u64::from(number) * 10_000));
}

/// Runs whenever nobody else does.
#[thread]
fn spin() {
    spin_for_ever()
}

/// Is ready all the time. Of many, the most urgent runs whenever nobody else does.
fn stay(_: u32) {
    spin_for_ever()
}

fn spin_for_ever() -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Sleeps again and again until an instant that all share.
fn meet(_: u32) {
    let mut next = Instant::START;
    loop {
        next = next + MEETING;
        // Never refused to a thread.
        let _ = time::sleep_until(next);
    }
}

/// From one such instant to the next.
const MEETING: Duration = Duration::from_micros(2000);

crowd! { task, job:
    job_00 = 0, job_01 = 1, job_02 = 2, job_03 = 3, job_04 = 4,
    job_05 = 5, job_06 = 6, job_07 = 7, job_08 = 8, job_09 = 9,
    job_10 = 10, job_11 = 11, job_12 = 12, job_13 = 13, job_14 = 14,
    job_15 = 15, job_16 = 16, job_17 = 17, job_18 = 18, job_19 = 19,
    job_20 = 20, job_21 = 21, job_22 = 22, job_23 = 23, job_24 = 24,
    job_25 = 25, job_26 = 26, job_27 = 27, job_28 = 28, job_29 = 29,
    job_30 = 30, job_31 = 31, job_32 = 32, job_33 = 33, job_34 = 34,
    job_35 = 35, job_36 = 36, job_37 = 37, job_38 = 38, job_39 = 39,
    job_40 = 40, job_41 = 41, job_42 = 42, job_43 = 43, job_44 = 44,
    job_45 = 45, job_46 = 46, job_47 = 47, job_48 = 48, job_49 = 49,
    job_50 = 50, job_51 = 51, job_52 = 52, job_53 = 53, job_54 = 54,
    job_55 = 55, job_56 = 56, job_57 = 57, job_58 = 58, job_59 = 59,
    job_60 = 60, job_61 = 61, job_62 = 62, job_63 = 63, job_64 = 64,
    job_65 = 65, job_66 = 66, job_67 = 67, job_68 = 68, job_69 = 69,
    job_70 = 70, job_71 = 71, job_72 = 72, job_73 = 73, job_74 = 74,
    job_75 = 75, job_76 = 76, job_77 = 77, job_78 = 78, job_79 = 79,
    job_80 = 80, job_81 = 81, job_82 = 82, job_83 = 83, job_84 = 84,
    job_85 = 85, job_86 = 86, job_87 = 87, job_88 = 88, job_89 = 89,
    job_90 = 90, job_91 = 91, job_92 = 92, job_93 = 93, job_94 = 94,
    job_95 = 95, job_96 = 96, job_97 = 97, job_98 = 98, job_99 = 99,
}

/// The value before the first.
#[driver]
fn zero(value: &mut u64) {
    *value = 0;
}

/// Tasks with an input of 8 bytes.
macro_rules! takers {
    ($($name:ident,)*) => {
        $(
            #[task]
            fn $name(value: &u64) {
                mark::<STARTED>();
                core::hint::black_box(value);
            }
        )*
    };
}

takers! {
    take_00, take_01, take_02, take_03, take_04,
    take_05, take_06, take_07, take_08, take_09,
    take_10, take_11, take_12, take_13, take_14,
    take_15, take_16, take_17, take_18, take_19,
    take_20, take_21, take_22, take_23, take_24,
    take_25, take_26, take_27, take_28, take_29,
    take_30, take_31, take_32, take_33, take_34,
    take_35, take_36, take_37, take_38, take_39,
    take_40, take_41, take_42, take_43, take_44,
    take_45, take_46, take_47, take_48, take_49,
    take_50, take_51, take_52, take_53, take_54,
    take_55, take_56, take_57, take_58, take_59,
    take_60, take_61, take_62, take_63, take_64,
    take_65, take_66, take_67, take_68, take_69,
    take_70, take_71, take_72, take_73, take_74,
    take_75, take_76, take_77, take_78, take_79,
    take_80, take_81, take_82, take_83, take_84,
    take_85, take_86, take_87, take_88, take_89,
    take_90, take_91, take_92, take_93, take_94,
    take_95, take_96, take_97, take_98, take_99,
}

crowd! { thread, wait:
    wait_00 = 0, wait_01 = 1, wait_02 = 2, wait_03 = 3, wait_04 = 4,
    wait_05 = 5, wait_06 = 6, wait_07 = 7, wait_08 = 8, wait_09 = 9,
    wait_10 = 10, wait_11 = 11, wait_12 = 12, wait_13 = 13, wait_14 = 14,
    wait_15 = 15, wait_16 = 16, wait_17 = 17, wait_18 = 18, wait_19 = 19,
    wait_20 = 20, wait_21 = 21, wait_22 = 22, wait_23 = 23, wait_24 = 24,
    wait_25 = 25, wait_26 = 26, wait_27 = 27, wait_28 = 28, wait_29 = 29,
    wait_30 = 30, wait_31 = 31, wait_32 = 32, wait_33 = 33, wait_34 = 34,
    wait_35 = 35, wait_36 = 36, wait_37 = 37, wait_38 = 38, wait_39 = 39,
    wait_40 = 40, wait_41 = 41, wait_42 = 42, wait_43 = 43, wait_44 = 44,
    wait_45 = 45, wait_46 = 46, wait_47 = 47, wait_48 = 48, wait_49 = 49,
    wait_50 = 50, wait_51 = 51, wait_52 = 52, wait_53 = 53, wait_54 = 54,
    wait_55 = 55, wait_56 = 56, wait_57 = 57, wait_58 = 58, wait_59 = 59,
    wait_60 = 60, wait_61 = 61, wait_62 = 62, wait_63 = 63, wait_64 = 64,
    wait_65 = 65, wait_66 = 66, wait_67 = 67, wait_68 = 68, wait_69 = 69,
    wait_70 = 70, wait_71 = 71, wait_72 = 72, wait_73 = 73, wait_74 = 74,
    wait_75 = 75, wait_76 = 76, wait_77 = 77, wait_78 = 78, wait_79 = 79,
    wait_80 = 80, wait_81 = 81, wait_82 = 82, wait_83 = 83, wait_84 = 84,
    wait_85 = 85, wait_86 = 86, wait_87 = 87, wait_88 = 88, wait_89 = 89,
    wait_90 = 90, wait_91 = 91, wait_92 = 92, wait_93 = 93, wait_94 = 94,
    wait_95 = 95, wait_96 = 96, wait_97 = 97, wait_98 = 98, wait_99 = 99,
}

crowd! { thread, meet:
    meet_00 = 0, meet_01 = 1, meet_02 = 2, meet_03 = 3, meet_04 = 4,
    meet_05 = 5, meet_06 = 6, meet_07 = 7, meet_08 = 8, meet_09 = 9,
    meet_10 = 10, meet_11 = 11, meet_12 = 12, meet_13 = 13, meet_14 = 14,
    meet_15 = 15, meet_16 = 16, meet_17 = 17, meet_18 = 18, meet_19 = 19,
    meet_20 = 20, meet_21 = 21, meet_22 = 22, meet_23 = 23, meet_24 = 24,
    meet_25 = 25, meet_26 = 26, meet_27 = 27, meet_28 = 28, meet_29 = 29,
    meet_30 = 30, meet_31 = 31, meet_32 = 32, meet_33 = 33, meet_34 = 34,
    meet_35 = 35, meet_36 = 36, meet_37 = 37, meet_38 = 38, meet_39 = 39,
    meet_40 = 40, meet_41 = 41, meet_42 = 42, meet_43 = 43, meet_44 = 44,
    meet_45 = 45, meet_46 = 46, meet_47 = 47, meet_48 = 48, meet_49 = 49,
    meet_50 = 50, meet_51 = 51, meet_52 = 52, meet_53 = 53, meet_54 = 54,
    meet_55 = 55, meet_56 = 56, meet_57 = 57, meet_58 = 58, meet_59 = 59,
    meet_60 = 60, meet_61 = 61, meet_62 = 62, meet_63 = 63, meet_64 = 64,
    meet_65 = 65, meet_66 = 66, meet_67 = 67, meet_68 = 68, meet_69 = 69,
    meet_70 = 70, meet_71 = 71, meet_72 = 72, meet_73 = 73, meet_74 = 74,
    meet_75 = 75, meet_76 = 76, meet_77 = 77, meet_78 = 78, meet_79 = 79,
    meet_80 = 80, meet_81 = 81, meet_82 = 82, meet_83 = 83, meet_84 = 84,
    meet_85 = 85, meet_86 = 86, meet_87 = 87, meet_88 = 88, meet_89 = 89,
    meet_90 = 90, meet_91 = 91, meet_92 = 92, meet_93 = 93, meet_94 = 94,
    meet_95 = 95, meet_96 = 96, meet_97 = 97, meet_98 = 98, meet_99 = 99,
}

crowd! { thread, stay:
    stay_00 = 0, stay_01 = 1, stay_02 = 2, stay_03 = 3, stay_04 = 4,
    stay_05 = 5, stay_06 = 6, stay_07 = 7, stay_08 = 8, stay_09 = 9,
    stay_10 = 10, stay_11 = 11, stay_12 = 12, stay_13 = 13, stay_14 = 14,
    stay_15 = 15, stay_16 = 16, stay_17 = 17, stay_18 = 18, stay_19 = 19,
    stay_20 = 20, stay_21 = 21, stay_22 = 22, stay_23 = 23, stay_24 = 24,
    stay_25 = 25, stay_26 = 26, stay_27 = 27, stay_28 = 28, stay_29 = 29,
    stay_30 = 30, stay_31 = 31, stay_32 = 32, stay_33 = 33, stay_34 = 34,
    stay_35 = 35, stay_36 = 36, stay_37 = 37, stay_38 = 38, stay_39 = 39,
    stay_40 = 40, stay_41 = 41, stay_42 = 42, stay_43 = 43, stay_44 = 44,
    stay_45 = 45, stay_46 = 46, stay_47 = 47, stay_48 = 48, stay_49 = 49,
    stay_50 = 50, stay_51 = 51, stay_52 = 52, stay_53 = 53, stay_54 = 54,
    stay_55 = 55, stay_56 = 56, stay_57 = 57, stay_58 = 58, stay_59 = 59,
    stay_60 = 60, stay_61 = 61, stay_62 = 62, stay_63 = 63, stay_64 = 64,
    stay_65 = 65, stay_66 = 66, stay_67 = 67, stay_68 = 68, stay_69 = 69,
    stay_70 = 70, stay_71 = 71, stay_72 = 72, stay_73 = 73, stay_74 = 74,
    stay_75 = 75, stay_76 = 76, stay_77 = 77, stay_78 = 78, stay_79 = 79,
    stay_80 = 80, stay_81 = 81, stay_82 = 82, stay_83 = 83, stay_84 = 84,
    stay_85 = 85, stay_86 = 86, stay_87 = 87, stay_88 = 88, stay_89 = 89,
    stay_90 = 90, stay_91 = 91, stay_92 = 92, stay_93 = 93, stay_94 = 94,
    stay_95 = 95, stay_96 = 96, stay_97 = 97, stay_98 = 98, stay_99 = 99,
}

crowd! { thread, hold_4:
    hold4_00 = 0, hold4_01 = 1, hold4_02 = 2, hold4_03 = 3,
}

crowd! { thread, hold_10:
    hold10_00 = 0, hold10_01 = 1, hold10_02 = 2, hold10_03 = 3, hold10_04 = 4,
    hold10_05 = 5, hold10_06 = 6, hold10_07 = 7, hold10_08 = 8, hold10_09 = 9,
}

crowd! { thread, hold_50:
    hold50_00 = 0, hold50_01 = 1, hold50_02 = 2, hold50_03 = 3, hold50_04 = 4,
    hold50_05 = 5, hold50_06 = 6, hold50_07 = 7, hold50_08 = 8, hold50_09 = 9,
    hold50_10 = 10, hold50_11 = 11, hold50_12 = 12, hold50_13 = 13, hold50_14 = 14,
    hold50_15 = 15, hold50_16 = 16, hold50_17 = 17, hold50_18 = 18, hold50_19 = 19,
    hold50_20 = 20, hold50_21 = 21, hold50_22 = 22, hold50_23 = 23, hold50_24 = 24,
    hold50_25 = 25, hold50_26 = 26, hold50_27 = 27, hold50_28 = 28, hold50_29 = 29,
    hold50_30 = 30, hold50_31 = 31, hold50_32 = 32, hold50_33 = 33, hold50_34 = 34,
    hold50_35 = 35, hold50_36 = 36, hold50_37 = 37, hold50_38 = 38, hold50_39 = 39,
    hold50_40 = 40, hold50_41 = 41, hold50_42 = 42, hold50_43 = 43, hold50_44 = 44,
    hold50_45 = 45, hold50_46 = 46, hold50_47 = 47, hold50_48 = 48, hold50_49 = 49,
}

crowd! { thread, hold_100:
    hold100_00 = 0, hold100_01 = 1, hold100_02 = 2, hold100_03 = 3, hold100_04 = 4,
    hold100_05 = 5, hold100_06 = 6, hold100_07 = 7, hold100_08 = 8, hold100_09 = 9,
    hold100_10 = 10, hold100_11 = 11, hold100_12 = 12, hold100_13 = 13, hold100_14 = 14,
    hold100_15 = 15, hold100_16 = 16, hold100_17 = 17, hold100_18 = 18, hold100_19 = 19,
    hold100_20 = 20, hold100_21 = 21, hold100_22 = 22, hold100_23 = 23, hold100_24 = 24,
    hold100_25 = 25, hold100_26 = 26, hold100_27 = 27, hold100_28 = 28, hold100_29 = 29,
    hold100_30 = 30, hold100_31 = 31, hold100_32 = 32, hold100_33 = 33, hold100_34 = 34,
    hold100_35 = 35, hold100_36 = 36, hold100_37 = 37, hold100_38 = 38, hold100_39 = 39,
    hold100_40 = 40, hold100_41 = 41, hold100_42 = 42, hold100_43 = 43, hold100_44 = 44,
    hold100_45 = 45, hold100_46 = 46, hold100_47 = 47, hold100_48 = 48, hold100_49 = 49,
    hold100_50 = 50, hold100_51 = 51, hold100_52 = 52, hold100_53 = 53, hold100_54 = 54,
    hold100_55 = 55, hold100_56 = 56, hold100_57 = 57, hold100_58 = 58, hold100_59 = 59,
    hold100_60 = 60, hold100_61 = 61, hold100_62 = 62, hold100_63 = 63, hold100_64 = 64,
    hold100_65 = 65, hold100_66 = 66, hold100_67 = 67, hold100_68 = 68, hold100_69 = 69,
    hold100_70 = 70, hold100_71 = 71, hold100_72 = 72, hold100_73 = 73, hold100_74 = 74,
    hold100_75 = 75, hold100_76 = 76, hold100_77 = 77, hold100_78 = 78, hold100_79 = 79,
    hold100_80 = 80, hold100_81 = 81, hold100_82 = 82, hold100_83 = 83, hold100_84 = 84,
    hold100_85 = 85, hold100_86 = 86, hold100_87 = 87, hold100_88 = 88, hold100_89 = 89,
    hold100_90 = 90, hold100_91 = 91, hold100_92 = 92, hold100_93 = 93, hold100_94 = 94,
    hold100_95 = 95, hold100_96 = 96, hold100_97 = 97, hold100_98 = 98, hold100_99 = 99,
}

process! {
    drivers: [zero],
    tasks: [
        job_00, job_01, job_02, job_03, job_04, job_05, job_06, job_07, job_08, job_09,
        job_10, job_11, job_12, job_13, job_14, job_15, job_16, job_17, job_18, job_19,
        job_20, job_21, job_22, job_23, job_24, job_25, job_26, job_27, job_28, job_29,
        job_30, job_31, job_32, job_33, job_34, job_35, job_36, job_37, job_38, job_39,
        job_40, job_41, job_42, job_43, job_44, job_45, job_46, job_47, job_48, job_49,
        job_50, job_51, job_52, job_53, job_54, job_55, job_56, job_57, job_58, job_59,
        job_60, job_61, job_62, job_63, job_64, job_65, job_66, job_67, job_68, job_69,
        job_70, job_71, job_72, job_73, job_74, job_75, job_76, job_77, job_78, job_79,
        job_80, job_81, job_82, job_83, job_84, job_85, job_86, job_87, job_88, job_89,
        job_90, job_91, job_92, job_93, job_94, job_95, job_96, job_97, job_98, job_99,
        take_00, take_01, take_02, take_03, take_04, take_05, take_06, take_07,
        take_08, take_09, take_10, take_11, take_12, take_13, take_14, take_15,
        take_16, take_17, take_18, take_19, take_20, take_21, take_22, take_23,
        take_24, take_25, take_26, take_27, take_28, take_29, take_30, take_31,
        take_32, take_33, take_34, take_35, take_36, take_37, take_38, take_39,
        take_40, take_41, take_42, take_43, take_44, take_45, take_46, take_47,
        take_48, take_49, take_50, take_51, take_52, take_53, take_54, take_55,
        take_56, take_57, take_58, take_59, take_60, take_61, take_62, take_63,
        take_64, take_65, take_66, take_67, take_68, take_69, take_70, take_71,
        take_72, take_73, take_74, take_75, take_76, take_77, take_78, take_79,
        take_80, take_81, take_82, take_83, take_84, take_85, take_86, take_87,
        take_88, take_89, take_90, take_91, take_92, take_93, take_94, take_95,
        take_96, take_97, take_98, take_99,
    ],
    threads: [
        spin,
        wait_00, wait_01, wait_02, wait_03, wait_04, wait_05, wait_06, wait_07, wait_08, wait_09,
        wait_10, wait_11, wait_12, wait_13, wait_14, wait_15, wait_16, wait_17, wait_18, wait_19,
        wait_20, wait_21, wait_22, wait_23, wait_24, wait_25, wait_26, wait_27, wait_28, wait_29,
        wait_30, wait_31, wait_32, wait_33, wait_34, wait_35, wait_36, wait_37, wait_38, wait_39,
        wait_40, wait_41, wait_42, wait_43, wait_44, wait_45, wait_46, wait_47, wait_48, wait_49,
        wait_50, wait_51, wait_52, wait_53, wait_54, wait_55, wait_56, wait_57, wait_58, wait_59,
        wait_60, wait_61, wait_62, wait_63, wait_64, wait_65, wait_66, wait_67, wait_68, wait_69,
        wait_70, wait_71, wait_72, wait_73, wait_74, wait_75, wait_76, wait_77, wait_78, wait_79,
        wait_80, wait_81, wait_82, wait_83, wait_84, wait_85, wait_86, wait_87, wait_88, wait_89,
        wait_90, wait_91, wait_92, wait_93, wait_94, wait_95, wait_96, wait_97, wait_98, wait_99,
        meet_00, meet_01, meet_02, meet_03, meet_04, meet_05, meet_06, meet_07, meet_08, meet_09,
        meet_10, meet_11, meet_12, meet_13, meet_14, meet_15, meet_16, meet_17, meet_18, meet_19,
        meet_20, meet_21, meet_22, meet_23, meet_24, meet_25, meet_26, meet_27, meet_28, meet_29,
        meet_30, meet_31, meet_32, meet_33, meet_34, meet_35, meet_36, meet_37, meet_38, meet_39,
        meet_40, meet_41, meet_42, meet_43, meet_44, meet_45, meet_46, meet_47, meet_48, meet_49,
        meet_50, meet_51, meet_52, meet_53, meet_54, meet_55, meet_56, meet_57, meet_58, meet_59,
        meet_60, meet_61, meet_62, meet_63, meet_64, meet_65, meet_66, meet_67, meet_68, meet_69,
        meet_70, meet_71, meet_72, meet_73, meet_74, meet_75, meet_76, meet_77, meet_78, meet_79,
        meet_80, meet_81, meet_82, meet_83, meet_84, meet_85, meet_86, meet_87, meet_88, meet_89,
        meet_90, meet_91, meet_92, meet_93, meet_94, meet_95, meet_96, meet_97, meet_98, meet_99,
        stay_00, stay_01, stay_02, stay_03, stay_04, stay_05, stay_06, stay_07, stay_08, stay_09,
        stay_10, stay_11, stay_12, stay_13, stay_14, stay_15, stay_16, stay_17, stay_18, stay_19,
        stay_20, stay_21, stay_22, stay_23, stay_24, stay_25, stay_26, stay_27, stay_28, stay_29,
        stay_30, stay_31, stay_32, stay_33, stay_34, stay_35, stay_36, stay_37, stay_38, stay_39,
        stay_40, stay_41, stay_42, stay_43, stay_44, stay_45, stay_46, stay_47, stay_48, stay_49,
        stay_50, stay_51, stay_52, stay_53, stay_54, stay_55, stay_56, stay_57, stay_58, stay_59,
        stay_60, stay_61, stay_62, stay_63, stay_64, stay_65, stay_66, stay_67, stay_68, stay_69,
        stay_70, stay_71, stay_72, stay_73, stay_74, stay_75, stay_76, stay_77, stay_78, stay_79,
        stay_80, stay_81, stay_82, stay_83, stay_84, stay_85, stay_86, stay_87, stay_88, stay_89,
        stay_90, stay_91, stay_92, stay_93, stay_94, stay_95, stay_96, stay_97, stay_98, stay_99,
        hold4_00, hold4_01, hold4_02, hold4_03,
        hold10_00, hold10_01, hold10_02, hold10_03, hold10_04, hold10_05, hold10_06, hold10_07, hold10_08, hold10_09,
        hold50_00, hold50_01, hold50_02, hold50_03, hold50_04, hold50_05, hold50_06, hold50_07, hold50_08, hold50_09,
        hold50_10, hold50_11, hold50_12, hold50_13, hold50_14, hold50_15, hold50_16, hold50_17, hold50_18, hold50_19,
        hold50_20, hold50_21, hold50_22, hold50_23, hold50_24, hold50_25, hold50_26, hold50_27, hold50_28, hold50_29,
        hold50_30, hold50_31, hold50_32, hold50_33, hold50_34, hold50_35, hold50_36, hold50_37, hold50_38, hold50_39,
        hold50_40, hold50_41, hold50_42, hold50_43, hold50_44, hold50_45, hold50_46, hold50_47, hold50_48, hold50_49,
        hold100_00, hold100_01, hold100_02, hold100_03, hold100_04, hold100_05, hold100_06, hold100_07, hold100_08, hold100_09,
        hold100_10, hold100_11, hold100_12, hold100_13, hold100_14, hold100_15, hold100_16, hold100_17, hold100_18, hold100_19,
        hold100_20, hold100_21, hold100_22, hold100_23, hold100_24, hold100_25, hold100_26, hold100_27, hold100_28, hold100_29,
        hold100_30, hold100_31, hold100_32, hold100_33, hold100_34, hold100_35, hold100_36, hold100_37, hold100_38, hold100_39,
        hold100_40, hold100_41, hold100_42, hold100_43, hold100_44, hold100_45, hold100_46, hold100_47, hold100_48, hold100_49,
        hold100_50, hold100_51, hold100_52, hold100_53, hold100_54, hold100_55, hold100_56, hold100_57, hold100_58, hold100_59,
        hold100_60, hold100_61, hold100_62, hold100_63, hold100_64, hold100_65, hold100_66, hold100_67, hold100_68, hold100_69,
        hold100_70, hold100_71, hold100_72, hold100_73, hold100_74, hold100_75, hold100_76, hold100_77, hold100_78, hold100_79,
        hold100_80, hold100_81, hold100_82, hold100_83, hold100_84, hold100_85, hold100_86, hold100_87, hold100_88, hold100_89,
        hold100_90, hold100_91, hold100_92, hold100_93, hold100_94, hold100_95, hold100_96, hold100_97, hold100_98, hold100_99,
    ],
}
