//! The paper's figures, as SVG.

use anyhow::{Result, anyhow};
use plotters::coord::{CoordTranslate, Shift};
use plotters::prelude::*;

const SIZE: (u32, u32) = (760, 460);
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 90, 181),
    RGBColor(230, 159, 0),
    RGBColor(26, 133, 84),
    RGBColor(153, 79, 0),
    RGBColor(150, 150, 150),
    RGBColor(93, 58, 155),
    RGBColor(213, 94, 0),
];
/// Pixels of a circle that stands for all.
const WHOLE: f64 = 26.0;
/// Where the two bars of a group stand in it.
const PLACES: [f64; 2] = [0.3, 0.7];

/// What is drawn on.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A bar, from the bottom up of its parts.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) parts: Vec<f64>,
}

/// Values of which a part of all are about this.
pub(super) struct Circle {
    pub(super) height: u64,
    pub(super) probability: f64,
}

/// Values against n, without and with the task manager.
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) points: [Vec<(u32, u64)>; 2],
}

/// Groups of two bars, with the parts' names.
///
/// # Errors
/// The drawing fails.
pub(super) fn bars(
    title: &str,
    unit: &str,
    parts: &[&str],
    groups: &[(String, [Bar; 2])],
) -> Result<String> {
    let mut svg = String::new();
    paint_bars(&mut svg, title, unit, parts, groups)
        .map_err(|error| anyhow!("{title}: {error}"))?;
    Ok(svg)
}

/// Groups of two distributions, without and with the task manager.
///
/// # Errors
/// The drawing fails.
pub(super) fn distributions(
    title: &str,
    unit: &str,
    groups: &[(String, [Vec<Circle>; 2])],
) -> Result<String> {
    let mut svg = String::new();
    paint_distributions(&mut svg, title, unit, groups)
        .map_err(|error| anyhow!("{title}: {error}"))?;
    Ok(svg)
}

/// Lines against n: thin without the task manager, thick with it.
///
/// # Errors
/// The drawing fails.
pub(super) fn lines(title: &str, unit: &str, lines: &[Line]) -> Result<String> {
    let mut svg = String::new();
    paint_lines(&mut svg, title, unit, lines).map_err(|error| anyhow!("{title}: {error}"))?;
    Ok(svg)
}

fn area(svg: &mut String) -> Result<Area<'_>, Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    Ok(area)
}

/// Adds the legend, and ends the drawing.
fn finish<'a, Coordinates: CoordTranslate>(
    area: &Area<'a>,
    chart: &mut ChartContext<'a, SVGBackend<'a>, Coordinates>,
) -> Drawn {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

/// The name of the group in whose middle a place is.
fn name_at<T>(groups: &[(String, T)], at: f64) -> String {
    let is_middle = (at.fract() - 0.5).abs() < 0.01;
    let group = groups.get(at.floor() as usize).filter(|_| is_middle);
    group.map_or(String::new(), |(name, _)| name.clone())
}

fn paint_bars(
    svg: &mut String,
    title: &str,
    unit: &str,
    parts: &[&str],
    groups: &[(String, [Bar; 2])],
) -> Drawn {
    let heights = groups.iter().flat_map(|(_, bars)| bars);
    let top = heights
        .map(|bar| bar.parts.iter().sum::<f64>())
        .fold(0.0, f64::max);
    let area = area(svg)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..groups.len() as f64, 0.0..top * 1.4 + 0.1)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * groups.len() + 1)
        .x_label_formatter(&|at| name_at(groups, *at))
        .y_desc(unit)
        .light_line_style(WHITE)
        .draw()?;
    for (index, (part, colour)) in parts.iter().zip(COLOURS).enumerate() {
        let boxes = groups.iter().enumerate().flat_map(|(group, (_, bars))| {
            bars.iter().zip(PLACES).filter_map(move |(bar, place)| {
                let height = bar.parts.get(index)?;
                let from: f64 = bar.parts.iter().take(index).sum();
                let left = group as f64 + place - 0.17;
                let corners = [(left, from), (left + 0.34, from + height)];
                Some(Rectangle::new(corners, colour.filled()))
            })
        });
        chart
            .draw_series(boxes)?
            .label(*part)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
    }
    for (group, (_, bars)) in groups.iter().enumerate() {
        for (bar, place) in bars.iter().zip(PLACES) {
            let height = bar.parts.iter().sum::<f64>();
            let at = (group as f64 + place - 0.1, height + top * 0.05);
            let text = Text::new(bar.name.clone(), at, ("sans-serif", 12));
            chart.draw_series([text])?;
        }
    }
    finish(&area, &mut chart)
}

fn paint_distributions(
    svg: &mut String,
    title: &str,
    unit: &str,
    groups: &[(String, [Vec<Circle>; 2])],
) -> Drawn {
    let all = groups.iter().flat_map(|(_, two)| two.iter().flatten());
    let top = all.map(|circle| circle.height).max().unwrap_or_default();
    let area = area(svg)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..groups.len() as f64, 0..top + top / 4 + 1)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * groups.len() + 1)
        .x_label_formatter(&|at| name_at(groups, *at))
        .y_desc(unit)
        .light_line_style(WHITE)
        .draw()?;
    for (side, (name, colour)) in ["without", "with the task manager"]
        .into_iter()
        .zip(COLOURS)
        .enumerate()
    {
        let style = colour.mix(0.6).filled();
        let circles = groups.iter().enumerate().flat_map(|(group, (_, two))| {
            two[side].iter().map(move |circle| {
                let radius = (WHOLE * circle.probability.sqrt()).ceil() as u32;
                let at = (group as f64 + PLACES[side], circle.height);
                plotters::element::Circle::new(at, radius, style)
            })
        });
        chart
            .draw_series(circles)?
            .label(name)
            .legend(move |(x, y)| plotters::element::Circle::new((x + 6, y), 5, style));
    }
    finish(&area, &mut chart)
}

fn paint_lines(svg: &mut String, title: &str, unit: &str, lines: &[Line]) -> Drawn {
    let points = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let most = points().map(|(n, _)| *n).max().unwrap_or_default();
    let top = points().map(|(_, value)| *value).max().unwrap_or_default();
    let area = area(svg)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        // (the names need a third of the height)
        .build_cartesian_2d(0..most + 1, 0..top + top * 2 / 3 + 1)?;
    chart
        .configure_mesh()
        .x_desc("n; thin: without, thick: with the task manager")
        .y_desc(unit)
        .light_line_style(WHITE)
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        for (points, width) in line.points.iter().zip([1, 3]) {
            let style = colour.stroke_width(width);
            let series = chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
            if width > 1 {
                series.label(line.name).legend(move |(x, y)| {
                    Rectangle::new([(x, y - 3), (x + 12, y + 3)], colour.filled())
                });
            }
        }
    }
    finish(&area, &mut chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_name_what_they_show() {
        let bar = |name: &str| Bar {
            name: name.into(),
            parts: vec![1.0, 2.0],
        };
        let groups = [("load 30 %".to_string(), [bar("without"), bar("with")])];
        let svg = bars("a title", "%", &["this", "that"], &groups).unwrap();
        for text in ["a title", "load 30 %", "this", "that", "without", "with"] {
            assert!(svg.contains(text), "{text}");
        }
        let lines = [Line {
            name: "an operation",
            points: [vec![(2, 90), (48, 900)], vec![(2, 95), (48, 95)]],
        }];
        let svg = super::lines("a title", "cycles", &lines).unwrap();
        assert!(svg.contains("an operation"));
        assert_eq!(svg.matches("stroke-width=\"3\"").count(), 1);
        let circle = |height| Circle {
            height,
            probability: 0.5,
        };
        let groups = [(
            "7 channels".to_string(),
            [vec![circle(90), circle(900)], vec![circle(90), circle(200)]],
        )];
        let svg = distributions("a title", "cycles", &groups).unwrap();
        assert!(svg.contains("7 channels"));
        assert_eq!(svg.matches("<circle").count(), 4 + 2);
    }
}
