//! A schedule as a picture: the chart of [`gantt`](crate::gantt()) as SVG.

use giornata_abi::Instant;
use giornata_system::NameMap;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::gantt::{DRIVERS, task_label, tasks, upcalls};
use crate::scale::{STEP, Scale};
use crate::schedule::{Row, Schedule, Slice};

const RUNS: RGBColor = RGBColor(0, 90, 181);
const WAITS: RGBColor = RGBColor(190, 210, 235);
const MISSED: RGBColor = RGBColor(220, 50, 32);
const GRID: RGBColor = RGBColor(225, 225, 225);
const TEXT: RGBColor = RGBColor(60, 60, 60);

/// Pixels of the chart without names.
const WIDTH: i32 = 960;
const MARGIN: i32 = 16;
const HEAD: i32 = 64;
const ROW: i32 = 44;
const BAR: i32 = 18;
const FOOT: i32 = 40;
/// Pixels of a letter, about.
const LETTER: i32 = 8;

type Drawing<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure = Box<dyn std::error::Error>;

/// Draws an SVG. Equal schedules give equal text.
///
/// # Errors
/// The drawing fails; the text says why.
pub fn picture(
    title: &str,
    names: &NameMap,
    schedule: &Schedule,
    scale: Scale,
) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, title, names, schedule, scale).map_err(|error| error.to_string())?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    title: &str,
    names: &NameMap,
    schedule: &Schedule,
    scale: Scale,
) -> Result<(), Failure> {
    let mut rows: Vec<(String, Row)> = tasks(names)
        .map(|task| {
            let row = schedule.rows.get(usize::from(task)).cloned();
            (task_label(names, task), row.unwrap_or_default())
        })
        .collect();
    let upcalls = upcalls(names, schedule, scale.end());
    rows.extend(upcalls.map(|row| (DRIVERS.into(), row)));
    let longest = rows.iter().map(|(label, _)| label.chars().count()).max();
    let left = MARGIN + LETTER * (longest.unwrap_or(0) as i32 + 1);
    let place = Place { left, scale };
    let size = (
        (left + WIDTH + 2 * MARGIN) as u32,
        (HEAD + ROW * rows.len() as i32 + FOOT) as u32,
    );
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    write(&area, title, (MARGIN, 22), 20, HPos::Left)?;
    let bottom = HEAD + ROW * rows.len() as i32;
    place.grid(&area, bottom)?;
    for (index, (label, row)) in rows.iter().enumerate() {
        let base = HEAD + ROW * (index as i32 + 1) - 8;
        write(&area, label, (MARGIN, base - BAR / 2), 17, HPos::Left)?;
        place.row(&area, row, base)?;
    }
    legend(&area, left, bottom + 22)?;
    area.present()?;
    Ok(())
}

fn write(
    area: &Drawing<'_>,
    text: &str,
    at: (i32, i32),
    size: i32,
    side: HPos,
) -> Result<(), Failure> {
    let style = ("sans-serif", size)
        .into_text_style(area)
        .color(&TEXT)
        .pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text.to_owned(), at, style))?;
    Ok(())
}

fn legend(area: &Drawing<'_>, left: i32, y: i32) -> Result<(), Failure> {
    let entries = [
        ("runs", RUNS),
        ("released, waits", WAITS),
        ("missed, runs late", MISSED),
    ];
    let mut x = left;
    for (text, colour) in entries {
        area.draw(&Rectangle::new(
            [(x, y - 6), (x + 14, y + 6)],
            colour.filled(),
        ))?;
        write(area, text, (x + 20, y), 15, HPos::Left)?;
        x += 40 + LETTER * text.len() as i32;
    }
    write(area, "up: release, down: deadline", (x, y), 15, HPos::Left)
}

/// Where instants lie.
struct Place {
    left: i32,
    scale: Scale,
}

impl Place {
    fn x(&self, at: Instant) -> i32 {
        let end = self.scale.end();
        let share = u128::from(at.min(end).0) * WIDTH as u128 / u128::from(end.0.max(1));
        self.left + share as i32
    }

    fn grid(&self, area: &Drawing<'_>, bottom: i32) -> Result<(), Failure> {
        for column in (0..=self.scale.columns).step_by(STEP) {
            let x = self.x(self.scale.start(column));
            area.draw(&PathElement::new([(x, HEAD - 8), (x, bottom)], GRID))?;
            let number = match column {
                0 => format!("0 {}", self.scale.unit().0),
                column => self.scale.number(column),
            };
            write(area, &number, (x, HEAD - 18), 15, HPos::Center)?;
        }
        Ok(())
    }

    fn row(&self, area: &Drawing<'_>, row: &Row, base: i32) -> Result<(), Failure> {
        let end = self.scale.end();
        let jobs = || row.jobs.iter().filter(|job| job.released < end);
        for job in jobs() {
            let (from, to) = (job.released, job.end.unwrap_or(end));
            self.bar(area, Slice { from, to }, base, WAITS)?;
        }
        for slice in row.slices.iter().filter(|slice| slice.from < end) {
            self.bar(area, *slice, base, RUNS)?;
        }
        for slice in row.ran_late().iter().filter(|slice| slice.from < end) {
            self.bar(area, *slice, base, MISSED)?;
        }
        area.draw(&PathElement::new(
            [(self.left, base), (self.left + WIDTH, base)],
            TEXT,
        ))?;
        for job in jobs() {
            self.arrow(area, job.released, base, (-5, TEXT))?;
            if let Some(deadline) = job.deadline.filter(|deadline| *deadline <= end) {
                let colour = if job.late { MISSED } else { TEXT };
                self.arrow(area, deadline, base, (5, colour))?;
            }
        }
        Ok(())
    }

    fn bar(
        &self,
        area: &Drawing<'_>,
        slice: Slice,
        base: i32,
        colour: RGBColor,
    ) -> Result<(), Failure> {
        let (from, to) = (self.x(slice.from), self.x(slice.to));
        // what runs at all is seen
        let corners = [(from, base - BAR), (to.max(from + 1), base)];
        area.draw(&Rectangle::new(corners, colour.filled()))?;
        Ok(())
    }

    /// An arrow over the bar; `head` below 0 points up.
    fn arrow(
        &self,
        area: &Drawing<'_>,
        at: Instant,
        base: i32,
        (head, colour): (i32, RGBColor),
    ) -> Result<(), Failure> {
        let x = self.x(at);
        let (top, foot) = (base - BAR - 10, base);
        let tip = if head < 0 { top } else { foot };
        area.draw(&PathElement::new([(x, top), (x, foot)], colour))?;
        let wings = [(x - 3, tip - head), (x, tip), (x + 3, tip - head)];
        area.draw(&PathElement::new(wings, colour.stroke_width(2)))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::Duration;

    fn svg(late: bool) -> String {
        let names = names();
        let end = if late { 12_000 } else { 3_000 };
        let scale = Scale::fit(Duration::from_millis(20), None, 40);
        let mut schedule = Schedule::new(&names, scale.end());
        for event in [
            release(0, 0, 1, 10),
            switch(0, Some(0)),
            complete(end, 0, 1),
            switch(end, None),
        ] {
            schedule.observe(&event);
        }
        schedule.close(scale.end());
        picture("two tasks", &names, &schedule, scale).unwrap()
    }

    #[test]
    fn a_picture_names_title_tasks_and_scale() {
        let svg = svg(false);
        for text in [
            "<svg",
            "two tasks",
            "fast",
            "slow",
            "0 ms",
            "released, waits",
        ] {
            assert!(svg.contains(text), "no {text} in {svg}");
        }
    }

    #[test]
    fn a_late_job_has_a_red_arrow_and_is_red_from_its_deadline_on() {
        let red = |svg: &str, shape: &str| {
            let lines = svg.lines().filter(|line| line.contains("#DC3220"));
            lines.filter(|line| line.contains(shape)).count()
        };
        for shape in ["<polyline", "<rect"] {
            assert!(red(&svg(true), shape) > red(&svg(false), shape), "{shape}");
        }
    }
}
