//! The three programs flown natively: the task functions as plain calls, in
//! the order of logical execution time.

use flight_control_airframe::port::{Body, Command, Estimate, Gps, Imu, Load, Report, Servos};
use flight_control_control as control;
use flight_control_control::fusion::Fusion;
use flight_control_control::law::Law;
use flight_control_io as io;
use flight_control_plant as plant;
use flight_control_plant::helicopter::Helicopter;

/// What was so at one step of 10 ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// The truth.
    pub body: Body,
    /// What navigation believes.
    pub estimate: Estimate,
    /// What the servos are told.
    pub servos: Servos,
    /// What the pilot wants.
    pub command: Command,
    /// The mode of the flight program.
    pub mode: u32,
    /// The report of the ground station.
    pub report: Report,
}

/// How much goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weather {
    /// Nothing.
    Fair,
    /// Jobs of control that test are stopped, the next one is not released,
    /// and the handler runs.
    Overload,
}

/// Flies for so many steps.
pub(crate) fn fly(steps: u32, weather: Weather) -> Vec<Moment> {
    // A memory of its own is what a process has after its start.
    giornata_rt::host::Memory::new().run(|| Flight::new(weather).fly(steps))
}

/// What the tasks remember, and the ports.
struct Flight {
    weather: Weather,
    helicopter: Helicopter,
    fusion: Fusion,
    law: Law,
    body: Body,
    servos_in: Servos,
    estimate: Estimate,
    servos: Servos,
    phase: u32,
    mode: u32,
    report: Report,
    /// A job of control, with its inputs, from its release to its end.
    job: Option<(Estimate, Command, Load, u32)>,
    navigation: (Imu, Gps, f32),
}

impl Flight {
    fn new(weather: Weather) -> Flight {
        let (mut body, mut estimate) = (Body::START, Estimate::default());
        let (mut servos, mut phase) = (Servos::NEUTRAL, 0);
        plant::body_at_start(&mut body);
        control::unknown_estimate(&mut estimate);
        control::neutral_servos(&mut servos);
        control::first_phase(&mut phase);
        Flight {
            weather,
            helicopter: Helicopter::new(),
            fusion: Fusion::new(),
            law: Law::new(),
            body,
            servos_in: servos,
            estimate,
            servos,
            phase,
            mode: phase,
            report: Report::default(),
            job: None,
            navigation: Default::default(),
        }
    }

    fn fly(&mut self, steps: u32) -> Vec<Moment> {
        let moment = |step| {
            let command = self.flight(step);
            self.plant(step > 0);
            // 5 ms later: at instants of its own
            if step % 10 == 1 {
                io::read_report(&mut self.report);
            }
            let Flight {
                body,
                estimate,
                servos,
                mode,
                report,
                ..
            } = *self;
            Moment {
                body,
                estimate,
                servos,
                command,
                mode,
                report,
            }
        };
        (0..steps).map(moment).collect()
    }

    /// An instant of the plant: 100 Hz.
    fn plant(&mut self, ends: bool) {
        if ends {
            plant::move_body(&self.servos_in, &mut self.body, &mut self.helicopter);
        }
        io::feed_world(&self.body);
        io::read_servos(&mut self.servos_in);
    }

    /// An instant of the flight program: navigation every step, control and
    /// mode switches every other.
    fn flight(&mut self, step: u32) -> Command {
        let mut command = Command::default();
        io::read_pilot(&mut command);
        if step > 0 {
            let (imu, gps, baro) = &self.navigation;
            control::navigation(imu, gps, baro, &mut self.estimate, &mut self.fusion);
        }
        if step.is_multiple_of(2) {
            let late = self.end_control();
            io::write_servo(&self.servos);
            io::show_phase(&self.phase);
            self.switch(&command);
            if !late {
                self.release_control(&command);
            }
        }
        io::show_estimate(&self.estimate);
        let (imu, gps, baro) = &mut self.navigation;
        io::read_imu(imu);
        io::read_gps(gps);
        io::read_baro(baro);
        command
    }

    /// The end of control's period; answers whether its job is still running.
    fn end_control(&mut self) -> bool {
        let Some((estimate, command, load, phase)) = self.job.take() else {
            return false;
        };
        if self.weather == Weather::Overload && load.test != 0 && load.work > 0 {
            // the output driver and the release are skipped, then it is stopped
            io::shed_load(&1, &u16::MAX);
            return true;
        }
        control::control(
            &estimate,
            &command,
            &Load { work: 0, ..load },
            &phase,
            &mut self.servos,
            &mut self.phase,
            &mut self.law,
        );
        false
    }

    fn release_control(&mut self, command: &Command) {
        let mut load = Load::default();
        io::read_load(&mut load);
        let input = [
            control::hover_input,
            control::cruise_input,
            control::land_input,
        ];
        let mut job = (Estimate::default(), Command::default(), Load::default(), 0);
        let (e, c, l, p) = (&mut job.0, &mut job.1, &mut job.2, &mut job.3);
        input[self.mode as usize](&self.estimate, command, &load, e, c, l, p);
        self.job = Some(job);
    }

    /// Mode switches, in the order of the program's text.
    fn switch(&mut self, command: &Command) {
        let guards = [
            control::wants_hover,
            control::wants_cruise,
            control::wants_land,
        ];
        let others = (0..3).filter(|mode| *mode != self.mode);
        let next = others
            .into_iter()
            .find(|mode| guards[*mode as usize](command));
        self.mode = next.unwrap_or(self.mode);
    }
}
