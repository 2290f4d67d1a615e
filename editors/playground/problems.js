// What is wrong with the text that is open: asked after each pause, shown below the editor.

import { find, h, release, say } from "./dom.js";
import { isTree, project, sent } from "./project.js";
import { post } from "./server.js";

const PAUSE = 150;
const DATA_PAUSE = 500;

let version = 0;
let timers = [];
let shown = [];
let editor = null;
let stop = new AbortController();

export function watch(itsEditor) {
  editor = itsEditor;
}

/** Asks the server about the open text; with the data after a longer pause. */
export function changed({ now = false } = {}) {
  if (!now) release();
  version += 1;
  stop.abort();
  stop = new AbortController();
  timers.forEach(clearTimeout);
  if (!isTree(project.open)) return show([]);
  timers = [
    setTimeout(look, now ? 0 : PAUSE, ["problems"]),
    setTimeout(look, now ? 50 : DATA_PAUSE, ["problems", "data"]),
  ];
  return undefined;
}

/** What the server says of the open text: `want` as in its interface. */
export async function ask(want, at) {
  try {
    return await post("/api/look", { ...sent(), spec: project.open, version, at, want });
  } catch {
    return {};
  }
}

async function look(want) {
  const mine = version;
  const body = { ...sent(), spec: project.open, version: mine, at: null, want };
  try {
    const said = await post("/api/look", body, stop.signal);
    if (mine === version && !said.superseded) show(said.problems ?? [], want.includes("data"));
  } catch (error) {
    if (error.name !== "AbortError" && mine === version) say(error.words ?? String(error), "bad");
  }
}

function show(problems, whole = false) {
  shown = problems;
  if (isTree(project.open)) editor.showProblems(problems, apply);
  const list = find("problems");
  list.replaceChildren(...problems.map(line));
  list.hidden = problems.length === 0;
  const errors = problems.filter((one) => one.severity === "error").length;
  const others = problems.length - errors;
  const words = [errors && count(errors, "error"), others && count(others, "remark")];
  const text = words.filter(Boolean).join(", ");
  if (text) say(text, errors ? "bad" : "", { yields: true });
  else if (whole) say("Checked with its data: no errors", "good", { yields: true });
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

function line(one) {
  const at = editor.view.state.doc.lineAt(Math.min(one.start, editor.view.state.doc.length)).number;
  const [message, ...more] = one.message.split("\n");
  return h("li", { class: one.severity },
    h("button", { type: "button", class: "place", onclick: () => editor.jump(one.start, one.end) },
      h("span", { class: "where" }, `Line ${at}`), ` ${message} `, h("span", { class: "code" }, one.code),
      more.map((text) => h("span", { class: "more" }, text))),
    one.fix && h("button", { type: "button", class: "fix", onclick: () => apply(one) },
      capital(one.fix.title.replaceAll("`", "'"))));
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function apply(one) {
  editor.change(one.fix.changes, "fix");
  editor.view.focus();
  say(`Done: ${one.fix.title.replaceAll("`", "'")}`, "good");
}

/** Takes the first remedy at or behind the cursor, or else the first of all. */
export function fixNext() {
  const at = editor.view.state.selection.main.head;
  const fixable = shown.filter((one) => one.fix);
  const next = fixable.find((one) => one.end >= at) ?? fixable[0];
  if (next) apply(next);
  else say("No problem here has a remedy that the editor can take.");
}

/** How many errors the open text has. */
export const errors = () => shown.filter((one) => one.severity === "error").length;
