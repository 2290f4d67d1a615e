// A decision tree, written by treemip: a module of ECMAScript that needs nothing else.
//
// predict(row) is the class of one row: an object with the raw value of each column by its name,
// a number or a text without blanks around it. null, NaN and "" are missing values. What the tree
// refuses is a RangeError, and a column that is not there or of another type a TypeError.

export const CLASSES = ["no", "yes"];

export function predict(row) {
  const length = _number(row, "length", [], null);
  const width = _number(row, "width", [], null);
  const colour = _level(row, "colour", "string", [["blue", 0], ["green", 1], ["red", 2]], [], null, false);
  if (0.5 * ((length - 1.0) / 5.0) - 1.0 * ((width - 2.0) / 0.5) <= 0.25) {
    return CLASSES[0]; // "no"
  }
  if (colour == 2) {
    return CLASSES[1]; // "yes"
  }
  return CLASSES[0]; // "no"
}

function _cell(row, column, type) {
  const value = row[column];
  if (value === null || typeof value === type) return value;
  throw new TypeError(`${JSON.stringify(value)} in column '${column}', which is a ${type} or null`);
}

function _missing(column, fill) {
  if (fill === null) throw new RangeError(`no value in column '${column}'`);
  return fill;
}

function _number(row, column, marks, fill) {
  const value = _cell(row, column, "number");
  if (value === null || Number.isNaN(value) || marks.includes(value)) return _missing(column, fill);
  if (!Number.isFinite(value)) throw new RangeError(`${value} in column '${column}'`);
  return value;
}

// The position of a level; -1 for a value that training did not have, where the tree takes such.
function _level(row, column, type, levels, marks, fill, unseen) {
  const value = _cell(row, column, type);
  const none = value === null || value === "" || Number.isNaN(value);
  if (none || marks.includes(value)) return _missing(column, fill);
  const known = levels.find((each) => each[0] === value);
  if (known !== undefined || unseen) return known?.[1] ?? -1;
  throw new RangeError(`'${value}' in column '${column}', which training did not have`);
}
