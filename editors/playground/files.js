// The left side: a tab for each file, and below it the editor or the rows of a table.

import { find, h, say } from "./dom.js";
import * as problems from "./problems.js";
import { isTree, keep, project, setText, show } from "./project.js";
import { post, upload } from "./server.js";
import { showTabs } from "./tabs.js";
import { cells, grid, shownRows } from "./table.js";

const INLINE = 100_000;
const PREVIEW = 200_000;
const TEXTS = /\.(csv|tsv|txt|dat|data|arff)$/i;

let editor = null;

/** Shows the project's files in `itsEditor` and beside it. */
export function showFiles(itsEditor = editor) {
  editor = itsEditor;
  const names = [...project.files.keys(), ...project.tables.keys()];
  const order = (name) => (name === project.spec ? 0 : isTree(name) ? 1 : 2);
  names.sort((a, b) => order(a) - order(b));
  const tabs = names.map((name, number) => ({ id: String(number), label: base(name), panel: "file-panel" }));
  const chosen = String(names.indexOf(project.open));
  showTabs(find("file-tabs"), tabs, chosen, (id) => openFile(names[id]), (id) => remove(names[id]));
  find("file-panel").setAttribute("aria-labelledby", `file-tabs-${chosen}`);
  showOpen();
}

const base = (name) => name.split("/").at(-1);

export function openFile(name) {
  project.open = name;
  showFiles();
  problems.changed({ now: true });
  keep();
}

function showOpen() {
  const tree = isTree(project.open);
  find("editor").hidden = !tree;
  find("grid").hidden = tree;
  find("file-bar").replaceChildren(...(tree ? [] : tableBar()), ...fileButtons());
  find("file-bar").hidden = !find("file-bar").hasChildNodes();
  if (tree) editor.open(project.open, project.files.get(project.open));
  else find("grid").replaceChildren(tableView());
}

function fileButtons() {
  if (project.open === project.spec) return [];
  return [
    h("button", { type: "button", onclick: () => remove(project.open) }, "Remove"),
  ];
}

function remove(name) {
  if (name === project.spec) return say("The spec itself stays; choose another example to replace it.");
  project.files.delete(name);
  project.tables.delete(name);
  project.example = "";
  openFile(project.spec);
  return say(`${base(name)} is removed`);
}

// -------------------------------------------------------------------------------- tables

function tableRows() {
  const table = project.tables.get(project.open);
  return cells(table ? table.preview : project.files.get(project.open) ?? "");
}

function tableView() {
  const table = project.tables.get(project.open);
  const rows = tableRows();
  if (rows.length) return grid(rows, table?.columns);
  const columns = (table?.columns ?? []).map(({ name, about }) => h("li", {}, h("strong", {}, name), ` ${about}`));
  return columns.length ? h("ul", { class: "columns" }, columns) : h("p", {}, "This table has no rows.");
}

function tableBar() {
  const table = project.tables.get(project.open);
  const rows = tableRows();
  const all = table ? table.rows : Math.max(0, rows.length - 1);
  const names = table?.columns.map((column) => column.name) ?? rows[0] ?? [];
  const seen = shownRows(Math.max(0, rows.length - 1));
  const first = seen < all && seen > 0 ? `, the first ${seen} shown` : "";
  const label = h("select", { id: "label", onchange: () => {} },
    h("option", { value: "" }, "guess"), names.map((name) => h("option", { value: name }, name)));
  return [
    h("span", {}, `${all} rows, ${names.length} columns${first}`),
    h("label", {}, "Label ", label),
    h("button", { type: "button", onclick: () => firstSpec(label.value) }, "Write a first spec"),
  ];
}

/** A spec for the open table, in place of what is there. */
async function firstSpec(label) {
  const name = project.open;
  const table = project.tables.get(name);
  const body = table ? { table: table.id } : { text: project.files.get(name) };
  try {
    const said = await post("/api/init", { ...body, name, label: label || null });
    const spec = `${base(name).replace(/\.[^.]*$/, "")}.tree`;
    const files = table ? {} : { [name]: project.files.get(name) };
    files[spec] = said.spec;
    const tables = table ? [name] : [];
    show({ files, spec, tables, open: spec, tab: "tree", seconds: project.seconds });
    say(`A first spec for ${base(name)}. Back in the browser brings the one before.`, "good", { holds: true });
  } catch (error) {
    say(error.words ?? String(error), "bad");
  }
}

/** Takes a table from this computer: a small one as text, a larger one to the server. */
export async function takeTable(file) {
  say(`Reading ${file.name} …`);
  try {
    if (isTree(file.name)) return takeModule(file.name, await file.text());
    if (file.size <= INLINE && TEXTS.test(file.name)) {
      project.tables.delete(file.name);
      setText(file.name, await file.text());
    } else {
      const table = await upload(`/api/tables?name=${encodeURIComponent(file.name)}`, file);
      const preview = TEXTS.test(file.name) ? await firstLines(file) : "";
      project.files.delete(file.name);
      project.tables.set(file.name, { ...table, preview });
      project.example = "";
    }
    openFile(file.name);
    say(`${file.name} is open. Write a first spec for it, or name it in the spec: data "${file.name}".`, "good");
  } catch (error) {
    say(error.words ?? `${file.name} cannot be read: ${error.message}`, "bad");
  }
  return undefined;
}

async function firstLines(file) {
  const text = await file.slice(0, PREVIEW).text();
  return file.size > PREVIEW ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
}

/** A module, which is opened beside the spec. */
function takeModule(name, text) {
  setText(name, text);
  openFile(name);
}

/** An empty module, or the file of that name. */
export function newFile(name) {
  const proper = isTree(name) ? name : `${name}.tree`;
  takeModule(proper, project.files.get(proper) ?? "");
}
