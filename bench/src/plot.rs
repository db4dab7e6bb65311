//! Growth with the size of a system, as SVG.

use plotters::prelude::*;

use crate::{Error, Row};

const SIZE: (u32, u32) = (720, 440);
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 90, 181),
    RGBColor(220, 50, 32),
    RGBColor(26, 133, 84),
    RGBColor(153, 79, 0),
    RGBColor(93, 58, 155),
    RGBColor(90, 90, 90),
];

/// Points of one board and configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// Size and figure, by size.
    pub points: Vec<(u32, u64)>,
}

/// The operations that were measured for at least three sizes, since a table says what
/// there is to say of two; each with a series of medians for each board and configuration; in the order of the rows.
pub fn growth(rows: &[Row]) -> Vec<(String, Vec<Series>)> {
    let mut operations: Named<Named<Vec<(u32, u64)>>> = Vec::new();
    for row in rows {
        if let Some((op, size)) = row.sized() {
            let boards = named(&mut operations, op.into());
            let points = named(boards, format!("{} {}", row.board, row.config));
            points.push((size, row.median));
            points.sort_unstable();
        }
    }
    operations.retain(|(_, boards)| boards.iter().any(|(_, points)| points.len() > 2));
    let series = |(name, points)| Series { name, points };
    operations
        .into_iter()
        .map(|(op, boards)| (op, boards.into_iter().map(series).collect()))
        .collect()
}

/// A map in the order of insertion.
type Named<V> = Vec<(String, V)>;

/// The value under a name, empty if it is new.
fn named<V: Default>(list: &mut Named<V>, name: String) -> &mut V {
    let index = list.iter().position(|(other, _)| *other == name);
    let index = index.unwrap_or_else(|| {
        list.push((name, V::default()));
        list.len() - 1
    });
    &mut list[index].1
}

/// Draws an SVG with both axes from 0.
///
/// # Errors
/// There is no point, or the drawing fails.
pub fn plot(title: &str, unit: &str, series: &[Series]) -> Result<String, Error> {
    let points = || series.iter().flat_map(|series| &series.points);
    let (Some(right), Some(top)) = (points().map(|p| p.0).max(), points().map(|p| p.1).max())
    else {
        return Err(Error::Plot {
            title: title.into(),
            reason: "it has no points".into(),
        });
    };
    let mut svg = String::new();
    draw(&mut svg, title, unit, series, (right, top)).map_err(|error| Error::Plot {
        title: title.into(),
        reason: error.to_string(),
    })?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    title: &str,
    unit: &str,
    series: &[Series],
    (right, top): (u32, u64),
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0..right + right / 20 + 1, 0..top + top / 10 + 1)?;
    chart
        .configure_mesh()
        .x_desc("n")
        .y_desc(unit)
        .light_line_style(WHITE)
        .draw()?;
    for (series, colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let line = LineSeries::new(series.points.iter().copied(), colour.stroke_width(2));
        chart
            .draw_series(line)?
            .label(&series.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        let dots = series
            .points
            .iter()
            .map(|&point| Circle::new(point, 3, colour.filled()));
        chart.draw_series(dots)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(COLOURS[5])
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    #[test]
    fn sizes_of_an_operation_become_a_series_by_size() {
        let other = Row {
            board: "rtl-mmu".into(),
            ..row("insert/4", 60)
        };
        let rows = [
            row("insert/100", 118),
            other,
            row("insert/4", 50),
            row("insert/10", 60),
            row("yield", 1),
            row("twice/10", 3),
            row("twice/100", 3),
        ];
        let growth = growth(&rows);
        assert_eq!(growth.len(), 1);
        let (op, series) = &growth[0];
        assert_eq!(op, "insert");
        assert_eq!(series[0].points, [(4, 50), (10, 60), (100, 118)]);
        assert_eq!(series[1].name, "rtl-mmu hot");
    }

    #[test]
    fn a_plot_names_axes_series_and_title() {
        let series = Series {
            name: "rtl-pmp hot".into(),
            points: vec![(4, 50), (100, 118)],
        };
        let svg = plot("agenda insert", "cycles", &[series]).unwrap();
        for text in ["<svg", "agenda insert", "cycles", "rtl-pmp hot"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(plot("nothing", "cycles", &[]).is_err());
    }
}
