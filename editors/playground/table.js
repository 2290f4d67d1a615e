// Tables as text: their cells, and a view of the first rows.

import { h } from "./dom.js";

const SHOWN = 200;

/** Rows of cells of a text with commas, semicolons or tabs; at most `most` rows. */
export function cells(text, most = Infinity) {
  const mark = separator(text);
  const rows = [];
  let row = [];
  let at = 0;
  while (at < text.length && rows.length < most) {
    let cell;
    if (text[at] === '"') [cell, at] = quoted(text, at + 1);
    else {
      const end = endOf(text, at, mark);
      [cell, at] = [text.slice(at, end), end];
    }
    row.push(cell);
    if (text[at] === mark) {
      at += 1;
      if (at < text.length && text[at] !== "\n" && text[at] !== "\r") continue;
      row.push("");
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

function separator(text) {
  const line = text.slice(0, Math.max(0, text.search(/[\r\n]/)) || text.length);
  const counts = [",", ";", "\t"].map((mark) => [line.split(mark).length, mark]);
  return counts.reduce((best, next) => (next[0] > best[0] ? next : best))[1];
}

function endOf(text, at, mark) {
  let end = at;
  while (end < text.length && text[end] !== mark && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return end;
}

/** A cell in quotation marks, doubled where one is meant, and where it ends. */
function quoted(text, start) {
  let cell = "";
  let at = start;
  while (at < text.length) {
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else return [cell, at + 1];
    at += 1;
  }
  return [cell, at];
}

const isNumber = (cell) => cell.trim() !== "" && Number.isFinite(Number(cell));

/** A grid of the first rows, numbered from 1, with the names above. */
export function grid(rows, about = []) {
  const [names = [], ...body] = rows;
  const numbers = names.map((_, column) => body.every((row) => isNumber(row[column] ?? "")));
  const said = new Map(about.map((column) => [column.name, column.about]));
  const heads = names.map((name, column) =>
    h("th", { scope: "col", class: numbers[column] && "number" }, name,
      said.has(name) && h("small", {}, said.get(name))),
  );
  const lines = body.slice(0, SHOWN).map((row, number) =>
    h("tr", {}, h("th", { scope: "row" }, String(number + 1)),
      names.map((_, column) => h("td", { class: numbers[column] && "number" }, row[column] ?? ""))),
  );
  return h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), heads)), h("tbody", {}, lines));
}

export const shownRows = (count) => Math.min(count, SHOWN);
