//! A decision tree, written by treemip; it needs nothing but the standard library.
//!
//! `predict(&row)` is the number of the row's class in `CLASSES`,
//! or `None` where the tree refuses the row.
//! Numbers are raw; NaN is a missing one, "" a missing text. Texts have no blanks around them.

#![allow(unused_parens)]

pub const CLASSES: &[&str] = &["no", "yes"];

pub struct Row<'a> {
    /// "length"
    pub length: f64,
    /// "width"
    pub width: f64,
    /// "colour"
    pub colour: &'a str,
}

pub fn predict(row: &Row) -> Option<usize> {
    let length = if row.length.is_nan() { return None } else { row.length };
    if length.is_infinite() {
        return None;
    }
    let width = if row.width.is_nan() { return None } else { row.width };
    if width.is_infinite() {
        return None;
    }
    let colour: i32 = if row.colour.is_empty() {
        return None
    } else if row.colour == "blue" {
        0
    } else if row.colour == "green" {
        1
    } else if row.colour == "red" {
        2
    } else {
        -1
    };
    if colour == -1 {
        return None;
    }
    if 0.5 * ((length - 1.0) / 5.0) - 1.0 * ((width - 2.0) / 0.5) <= 0.25 {
        return Some(0); // "no"
    }
    if colour == 2 {
        return Some(1); // "yes"
    }
    return Some(0); // "no"
}
