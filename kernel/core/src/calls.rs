//! The table of system calls: the one dispatch of the trap path, the simulation and
//! the tests.

use giornata_abi::Error;
use giornata_abi::call::Call;
#[cfg(feature = "mail")]
use giornata_abi::id::EXTRA;

#[cfg(feature = "mail")]
use crate::mail::mailbox;
#[cfg(feature = "mail")]
use crate::mail::receiving;
use crate::sched::thread;
#[cfg(feature = "services")]
use crate::slow_path::slow_path;
use crate::{Machine, Outcome, Ref, System, Thread, same};

/// What carries out a call: `a0..a5` of the caller, and the caller. (On the host the
/// machine stops by unwinding.)
pub type Handler =
    extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, Ref<Thread>) -> Outcome;

macro_rules! handlers {
    ($($(#[$meta:meta])* $call:ident = $name:ident($($argument:ident),*; $me:ident, $system:ident) $body:expr;)*) => {
        $($(#[$meta])*
        // (all have the type of a handler)
        #[allow(clippy::extra_unused_type_parameters)]
        extern "C-unwind" fn $name<M: Machine>($($argument: usize,)* $me: Ref<Thread>) -> Outcome {
            let $system = M::system();
            $body
        })*

        /// The handlers by number of call; what names no call is refused. Who may make which
        /// is decided before: see [`tenancy`](crate::sched::thread::tenancy).
        pub const fn table<M: Machine>() -> [Handler; Call::TABLE] {
            let mut table: [Handler; Call::TABLE] = [no_such_call; Call::TABLE];
            $($(#[$meta])* { table[Call::$call as usize] = $name::<M>; })*
            table
        }
    };
}

handlers! {
    Null = null(_a, _b, _c, _d, _e, _f; _me, _kernel) Outcome::DONE;
    Yield = yield_now(_a, _b, _c, _d, _e, _f; me, system) system.yield_now::<M>(me);
    Clock = clock(_a, _b, _c, _d, _e, _f; me, system) system.clock::<M>(me);
    Sleep = sleep(low, high, _c, _d, _e, _f; me, system) system.sleep::<M>(me, low, high);
    AwaitInterrupt = await_interrupt(number, _b, _c, _d, _e, _f; me, system) system.await_interrupt::<M>(me, number);
    CpuTime = cpu_time(_a, _b, _c, _d, _e, _f; me, system) system.cpu_time::<M>(me);
    Exit = exit(value, _b, _c, _d, _e, _f; me, system) system.exit::<M>(me, value);
    Log = log(length, b, c, d, e, _f; me, system) system.log::<M>(me, length, [b as u32, c as u32, d as u32, e as u32]);
    TracePosition = trace_position(_a, _b, _c, _d, _e, _f; me, system) system.trace_position(me);
    Shutdown = shutdown(status, _b, _c, _d, _e, _f; me, system) system.shutdown::<M>(me, status);
    Panic = panic(address, length, line, _d, _e, _f; me, system) system.panic::<M>(me, address, length, line);
    Own = own(_a, _b, _c, _d, _e, _f; me, system) system.own(me);
    DeviceAddress = device_address(address, _b, _c, _d, _e, _f; me, _kernel) crate::process::device_address(me, address);
    #[cfg(feature = "programs")]
    Complete = complete(_a, _b, _c, _d, _e, _f; me, system) system.complete::<M>(me);
    #[cfg(feature = "programs")]
    Return = return_upcall(value, _b, _c, _d, _e, _f; me, system) system.return_upcall::<M>(me, value);
    #[cfg(feature = "programs")]
    ReadPort = read_port(port, address, length, _d, _e, _f; me, system) system.access_port::<M>(me, port, address, length, Call::ReadPort);
    #[cfg(feature = "programs")]
    WritePort = write_port(port, address, length, _d, _e, _f; me, system) system.access_port::<M>(me, port, address, length, Call::WritePort);
    #[cfg(not(feature = "programs"))]
    Complete = complete(_a, _b, _c, _d, _e, _f; _me, _kernel) Outcome::error(Error::EPERM);
    #[cfg(not(feature = "programs"))]
    Return = return_upcall(_a, _b, _c, _d, _e, _f; _me, _kernel) Outcome::error(Error::EPERM);
    #[cfg(feature = "load")]
    StageProgram = stage_program(target, place, address, length, _e, _f; me, system) system.stage_program::<M>(me, target, place, address, length);
    #[cfg(feature = "load")]
    SwitchProgram = switch_program(program, address, how, low, high, _f; me, system) system.switch_program::<M>(me, program, address, how, low, high);
    #[cfg(feature = "load")]
    ProgramStatus = program_status(program, _b, _c, _d, _e, _f; me, system) system.program_status(me, program);
    SetPriority = set_priority(slot, serial, priority, _d, _e, _f; me, system) system.set_priority::<M>(me, slot, serial, priority);
    #[cfg(feature = "slots")]
    CreateObject = create_object(a, b, c, d, e, f; me, system) crate::sync::slots::create::<M>(a, b, c, d, e, f, me, system);
    #[cfg(feature = "slots")]
    DeleteObject = delete_object(a, b, c, d, e, f; me, system) crate::sync::slots::delete::<M>(a, b, c, d, e, f, me, system);
    #[cfg(feature = "slots")]
    OpenObject = open_object(slot, _b, _c, _d, _e, _f; me, system) slow_path!(OpenObject, slot, 0, 0, me, system);
    #[cfg(feature = "services")]
    Lock = lock(a, b, c, d, e, f; me, system) crate::sync::fast::lock::<M>(a, b, c, d, e, f, me, system);
    #[cfg(feature = "services")]
    Unlock = unlock(a, b, c, d, e, f; me, system) crate::sync::fast::unlock::<M>(a, b, c, d, e, f, me, system);
    #[cfg(feature = "services")]
    Wait = wait(a, b, c, d, e, f; me, system) crate::sync::fast::wait::<M>(a, b, c, d, e, f, me, system);
    #[cfg(feature = "services")]
    Signal = signal(a, b, c, d, e, f; me, system) crate::sync::fast::signal::<M>(a, b, c, d, e, f, me, system);
    #[cfg(feature = "services")]
    Broadcast = broadcast(slot, serial, began, _d, _e, _f; me, system) slow_path!(Broadcast, slot, serial, began, me, system);
    #[cfg(feature = "mail")]
    Send = send(to, serial, a, b, c, d; me, system) mailbox::send::<M>(to, serial, [a, b, c, d], me, system);
    #[cfg(feature = "mail")]
    SendBytes = send_bytes(to, serial, address, length, how, via; me, system) slow_path!(SendBytes, to, serial, address, length, how, via, me, system);
    #[cfg(feature = "mail")]
    Receive = receive(from, serial, low, high, e, f; me, system) mailbox::receive::<M>(from, serial, low, high, e, f, me, system);
    #[cfg(feature = "mail")]
    ReceiveBytes = receive_bytes(from, serial, low, high, address, how; me, system) match how >> EXTRA {
        0 | receiving::FULL => slow_path!(ReceiveBytes, from, serial, low, high, address, how, me, system),
        _ => Outcome::error(Error::EINVAL),
    };
    #[cfg(feature = "mail")]
    Call = call(to, serial, a, b, c, d; me, system) mailbox::call::<M>(to, serial, [a, b, c, d], me, system);
    #[cfg(feature = "mail")]
    ReplyReceive = reply_receive(slot, token, a, b, c, d; me, system) mailbox::reply_receive::<M>(slot, token, [a, b, c, d], me, system);
    #[cfg(feature = "mail")]
    Forward = forward(to, serial, slot, token, e, f; me, system) slow_path!(Forward, to, serial, slot, token, e, f, me, system);
    #[cfg(feature = "services")]
    CreateThread = create_thread(body, argument, priority, _d, _e, _f; me, system) system.create_thread::<M>(me, body, argument, priority);
    #[cfg(feature = "services")]
    JoinThread = join_thread(slot, serial, low, high, _e, _f; me, system) system.join_thread::<M>(me, slot, serial, low, high);
    #[cfg(feature = "services")]
    DetachThread = detach_thread(slot, serial, _c, _d, _e, _f; me, system) system.detach_thread::<M>(me, slot, serial);
    #[cfg(feature = "processes")]
    CreateProcess = create_process(number, _b, _c, _d, _e, _f; me, system) system.supervise::<M>(me, number, true);
    #[cfg(feature = "processes")]
    KillProcess = kill_process(number, _b, _c, _d, _e, _f; me, system) system.supervise::<M>(me, number, false);
    #[cfg(feature = "processes")]
    AwaitProcess = await_process(low, high, _c, _d, _e, _f; me, system) system.await_process::<M>(me, low, high);
    #[cfg(feature = "services")]
    Allocate = allocate(bytes, _b, _c, _d, _e, _f; me, system) system.allocate(me, bytes);
    #[cfg(feature = "processes")]
    AttachRegion = attach_region(index, how, _c, _d, _e, _f; me, system) system.attach_region::<M>(me, index, how);
    #[cfg(feature = "processes")]
    DetachRegion = detach_region(index, _b, _c, _d, _e, _f; me, system) system.detach_region::<M>(me, index);
}

extern "C-unwind" fn no_such_call(
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: Ref<Thread>,
) -> Outcome {
    Outcome::error(Error::ENOSYS)
}

impl System {
    /// The turn of a thread that lives in the kernel or has something to do there, see
    /// [`kind`](thread::kind), or of the idle thread while it is not the first of the
    /// queue: a piece of work, after which the hart looks at its timer and lines. The outcome
    /// names the thread that runs next.
    pub fn work<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        if same(me, self.micro.thread) {
            return self.machine_turn::<M>(me);
        }
        if me.role & thread::role::REAPER != 0 {
            self.reap::<M>(me);
        } else {
            match me.kind.get() {
                #[cfg(feature = "services")]
                thread::kind::FINISHES => self.finish_wait::<M>(me),
                #[cfg(feature = "mail")]
                thread::kind::CONTINUES => {
                    return mailbox::carry_out::<M>(me, M::system());
                }
                #[cfg(feature = "programs")]
                thread::kind::COPIES => return self.copy_value::<M>(me),
                _ => {}
            }
        }
        self.dispatch()
    }

    /// Saves the arguments of a call that is not done: the caller makes it again when
    /// it has its turn. Whoever is more urgent runs first.
    #[inline(always)]
    pub(crate) fn again(&self, me: Ref<Thread>, call: Call, arguments: [usize; 6]) -> Outcome {
        self.put_back(me, call, arguments);
        self.dispatch_from(me)
    }

    /// The caller makes its call again when it is ready.
    #[inline(always)]
    pub(crate) fn put_back(&self, me: Ref<Thread>, call: Call, arguments: [usize; 6]) {
        let [a, b, c, d, e, f] = arguments;
        me.set_call(call as usize, a, b, c, d, e, f);
    }
}
