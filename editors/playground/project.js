// What the page works on: texts by their names, tables on the server, what is open. Its link.

import { say } from "./dom.js";
import { checked, packed, unpacked } from "./link.js";

export const LONGEST_LINK = 30_000;

/** The time limit where none is chosen. */
export const SECONDS = 60;

export const project = {
  /** Texts by name: the spec, modules and tables of up to 100 KB. */
  files: new Map(),
  /** Larger tables by name: {id, rows, columns, preview}. A reload keeps them. */
  tables: keptTables(),
  spec: "",
  open: "",
  tab: "tree",
  seconds: SECONDS,
  /** The example that it is, as long as nothing is changed. */
  example: "",
};

function keptTables() {
  try {
    return new Map(JSON.parse(sessionStorage.getItem("tables") || "[]"));
  } catch {
    return new Map();
  }
}

const watchers = [];

/** Calls `act` whenever another project is shown: an example, a link, a first spec. */
export const onShown = (act) => watchers.push(act);

export const isTree = (name) => name.endsWith(".tree");

export function specText() {
  return project.files.get(project.spec) ?? "";
}

/** What requests about the project say of it. */
export function sent() {
  const tables = [...project.tables].map(([name, table]) => [name, table.id]);
  return {
    files: Object.fromEntries(project.files),
    tables: Object.fromEntries(tables),
    spec: project.spec,
  };
}

function state() {
  const { spec, open, tab, seconds } = project;
  const tables = [...project.tables.keys()];
  return { files: Object.fromEntries(project.files), spec, tables, open, tab, seconds };
}

/** Shows another project; Back in the browser brings the one before. */
export function show(next, { example = "", push = true } = {}) {
  const lost = next.tables.filter((name) => !project.tables.has(name));
  project.files = new Map(Object.entries(next.files));
  for (const name of project.tables.keys()) {
    if (!next.tables.includes(name)) project.tables.delete(name);
  }
  Object.assign(project, { spec: next.spec, tab: next.tab, seconds: next.seconds, example });
  const known = project.files.has(next.open) || project.tables.has(next.open);
  project.open = known ? next.open : next.spec;
  for (const act of watchers) act();
  keep({ push });
  if (lost.length) say(`${lost.join(", ")}: too large for a link. Open the table again.`, "bad");
}

let latest = 0;
let timer = 0;

/** The address follows the project: it is what Share copies, and what a reload shows. */
export function keep({ push = false } = {}) {
  clearTimeout(timer);
  if (push) return write(true);
  timer = setTimeout(() => write(false), 300);
  return undefined;
}

export async function fragment() {
  const { example, open, spec, tab, seconds } = project;
  if (example && open === spec && tab === "tree" && seconds === SECONDS) {
    return `example=${encodeURIComponent(example)}`;
  }
  return `s=${await packed(state())}`;
}

async function write(push) {
  const turn = ++latest;
  const now = await fragment();
  if (turn !== latest) return;
  const long = now.length > LONGEST_LINK;
  try {
    sessionStorage.setItem("project", long ? JSON.stringify(state()) : "");
    sessionStorage.setItem("tables", JSON.stringify([...project.tables]));
  } catch {
    // Without storage a project that is too large for a link lives as long as the page.
  }
  const address = long ? location.pathname : `#${now}`;
  if (push && location.hash !== `#${now}`) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** What a first look at the page is to show: {example} or {state}; null where there is nothing. */
export async function wanted() {
  const [, kind, value] = /^#(s|example)=(.*)$/.exec(location.hash) ?? [];
  if (kind === "example") return { example: decodeURIComponent(value) };
  if (kind === "s") {
    const found = await unpacked(value);
    if (found) return { state: found };
    say("This link cannot be read; it may have been cut off. Here is an example instead.", "bad", { holds: true });
    return null;
  }
  try {
    const kept = checked(JSON.parse(sessionStorage.getItem("project") || "null"));
    return kept && { state: kept };
  } catch {
    return null;
  }
}

/** A change of a text: from now on it is no example. */
export function setText(name, text) {
  if (project.files.get(name) === text) return;
  project.files.set(name, text);
  project.example = "";
  keep();
}
