//! Output: tables for people, lines of JSON for programs.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::Failure;

/// The destinations of results: standard output, and a file on request.
#[derive(Debug)]
pub(crate) struct Output {
    json: Option<File>,
    headed: bool,
}

/// A row of a table.
pub(crate) trait Row: Serialize {
    /// The titles of the columns and their widths.
    const COLUMNS: &'static [(&'static str, usize)];
    /// The texts of the columns.
    fn cells(&self) -> Vec<String>;
}

impl Output {
    /// Creates an output to the terminal, and to the file if one is given.
    pub(crate) fn new(json: Option<&Path>) -> Result<Self, Failure> {
        Ok(Output { json: json.map(File::create).transpose()?, headed: false })
    }

    /// Prints a row immediately, because a benchmark may be stopped at any time.
    pub(crate) fn row<R: Row>(&mut self, row: &R) -> Result<(), Failure> {
        if !self.headed {
            self.headed = true;
            line(R::COLUMNS.iter().map(|(title, width)| ((*title).to_owned(), *width)));
        }
        line(row.cells().into_iter().zip(R::COLUMNS.iter().map(|(_, width)| *width)));
        if let Some(file) = &mut self.json {
            writeln!(file, "{}", serde_json::to_string(row)?)?;
        }
        Ok(())
    }
}

fn line(cells: impl Iterator<Item = (String, usize)>) {
    let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:>width$}")).collect();
    println!("{}", cells.join(" "));
}

/// Formats a number with the given count of significant digits; a dash stands for no number.
pub(crate) fn significant(value: Option<f64>, digits: usize) -> String {
    match value {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if (1e-3..1e6).contains(&value.abs()) => {
            let before = value.abs().log10().floor() as i64 + 1;
            let after = usize::try_from(digits as i64 - before).unwrap_or(0);
            format!("{value:.after$}")
        }
        Some(value) => format!("{value:.*e}", digits - 1),
    }
}

/// Returns the median of some numbers.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(significant(Some(12.3456), 3), "12.3");
        assert_eq!(significant(Some(0.012_345), 3), "0.0123");
        assert_eq!(significant(Some(123_456.0), 3), "123456");
        assert_eq!(significant(Some(2.5e-10), 2), "2.5e-10");
        assert_eq!(significant(None, 2), "-");
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
