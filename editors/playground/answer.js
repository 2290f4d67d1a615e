// The right side: the tree, the rows as mathematics, the model file, the verdict and the log.

import { download, find, h, pageParts, say } from "./dom.js";
import { errors } from "./problems.js";
import { keep, project, sent } from "./project.js";
import { events, get, post } from "./server.js";
import { showTabs } from "./tabs.js";
import { showTree } from "./tree.js";

const TABS = [
  ["tree", "Tree"],
  ["mathematics", "Mathematics"],
  ["model", "Model"],
  ["verdict", "Verdict"],
  ["log", "Log"],
];

const LONGEST = 200_000;

/** The answer that is shown, and the project that it answers. */
let answer = null;
let texts = "";
/** For which project mathematics and model were asked, and what came. */
let explained = { texts: "", said: null };

export function showAnswerTabs() {
  const tabs = TABS.map(([id, label]) => ({ id, label, panel: `panel-${id}` }));
  if (!TABS.some(([id]) => id === project.tab)) project.tab = "tree";
  showTabs(find("answer-tabs"), tabs, project.tab, choose);
  for (const [id] of TABS) find(`panel-${id}`).hidden = id !== project.tab;
  reachable();
  if (project.tab === "mathematics" || project.tab === "model") explain();
}

/** What is wider than its panel is moved by arrows once it has the focus. */
function reachable() {
  for (const part of find(`panel-${project.tab}`).querySelectorAll("pre, .formula, table")) {
    if (part.scrollWidth > part.clientWidth) part.setAttribute("tabindex", "0");
  }
}

function choose(id) {
  project.tab = id;
  showAnswerTabs();
  keep();
}

/** Another project, or another text: what is shown may be of an earlier one. */
export function projectChanged() {
  const stale = answer !== null && texts !== JSON.stringify(sent());
  find("stale").hidden = !stale;
  if (project.tab === "mathematics" || project.tab === "model") explainSoon();
}

export function clearAnswer() {
  answer = null;
  texts = "";
  explained = { texts: "", said: null };
  find("stale").hidden = true;
  const words = {
    tree: "Solve (Ctrl-Enter), and the tree is here.",
    verdict: "Solve, and what was checked of the tree is here.",
    log: "Solve, and what the command says is here.",
  };
  for (const [id, text] of Object.entries(words)) find(`panel-${id}`).replaceChildren(h("p", { class: "faint" }, text));
}

export function showRunning() {
  if (project.tab !== "log" && project.tab !== "verdict") choose("tree");
}

/** Shows what a solve brought. asked: the project that was sent. */
export function showAnswer(said, asked, job) {
  const again = answer?.job === job && answer.svg === said.svg;
  answer = { ...said, job };
  texts = asked;
  projectChanged();
  if (!again) treePanel(said);
  find("downloads")?.replaceWith(downloads(said, job));
  find("panel-verdict").replaceChildren(...verdict(said));
  if (said.mathematics || said.model) {
    explained = { texts: asked, said };
    showExplained(said);
  }
  find("panel-log").replaceChildren(long(logOf(said), "log.txt"));
  reachable();
}

function logOf({ log, err, check, without = {} }) {
  const parts = [log, err, check, ...Object.entries(without).map(([part, text]) => `No ${part}: ${text}`)];
  return [...new Set(parts.map((part) => part?.trimEnd()).filter(Boolean))].join("\n\n");
}

function treePanel(said) {
  const panel = find("panel-tree");
  panel.replaceChildren();
  if (said.err) panel.append(complaint(said.err));
  if (said.svg) {
    showTree(panel, said.svg, said.tree);
    panel.append(h("p", { id: "downloads" }));
  } else if (!said.err) panel.append(h("p", {}, "No tree was found."));
}

/** What went wrong; places in the text lead to the list of problems beside it. */
function complaint(text) {
  return h("pre", { class: "complaint" }, text.trim());
}

const LANGUAGES = { py: "Python", sql: "SQL", txt: "rules" };

function downloads(said, job) {
  const base = project.spec.split("/").at(-1).replace(/\.tree$/, "");
  const offers = [
    ["tree.json", `${base}.json`, said.tree && JSON.stringify(said.tree, null, 1)],
    ["picture", `${base}.svg`, said.svg],
    ...Object.entries(said.convert ?? {}).map(([suffix, text]) => [LANGUAGES[suffix] ?? suffix, `${base}.${suffix}`, text]),
  ];
  return h("p", { id: "downloads", class: "downloads" }, "Download: ",
    offers.filter(([, , text]) => text).map(([label, name, text]) =>
      h("button", { type: "button", onclick: () => download(name, text) }, label)),
    said.report && h("a", { href: `/api/jobs/${job}/report`, target: "_blank", rel: "noopener" }, "Report"));
}

function verdict(said) {
  const parts = [];
  if (said.summary) parts.push(summary(said.summary));
  if (said.tree?.warnings?.length) {
    parts.push(h("h2", {}, "Remarks"), h("ul", {}, said.tree.warnings.map((text) => h("li", {}, String(text)))));
  }
  if (said.score) parts.push(h("h2", {}, "Scores"), h("pre", {}, said.score.trim()));
  return parts.length ? parts : [h("p", { class: "faint" }, "There is no tree to check.")];
}

/** Lines "word  value" as a list; the tree below them stays text. */
function summary(text) {
  const [head, ...rest] = text.trim().split(/\n\s*\n/);
  const lines = head.split("\n").map((line) => /^(\S.*?)\s{2,}(.*)$/.exec(line));
  if (!lines.every(Boolean)) return h("pre", {}, text.trim());
  return h("div", {},
    h("dl", {}, lines.map(([, word, value]) => [h("dt", {}, word), h("dd", {}, value)])),
    rest.length > 0 && [h("h2", {}, "The tree as text"), h("pre", {}, rest.join("\n\n"))]);
}

/** A long text, its beginning where it is very long, to be copied or downloaded. */
function long(text, name) {
  const cut = text.length > LONGEST;
  const copy = () => navigator.clipboard.writeText(text).then(() => say(`${name} is copied`, "good"));
  return h("div", {},
    h("p", { class: "downloads" },
      h("button", { type: "button", onclick: () => download(name, text) }, `Download ${name}`),
      h("button", { type: "button", onclick: copy }, "Copy"),
      cut && ` The first ${LONGEST / 1000} of ${Math.round(text.length / 1000)} thousand characters are shown.`),
    h("pre", {}, cut ? text.slice(0, LONGEST) : text));
}

// ------------------------------------------------------------------ mathematics and model

let timer = 0;

function explainSoon() {
  clearTimeout(timer);
  timer = setTimeout(explain, 900);
}

/** Asks for the mathematics and the model of the text as it is now. */
async function explain() {
  clearTimeout(timer);
  const now = JSON.stringify(sent());
  if (explained.texts === now) return;
  if (errors()) return waitFor("This comes once the errors are mended.");
  explained = { texts: now, said: null };
  waitFor("Being written …");
  try {
    const said = await whole(await post("/api/explain", sent()));
    if (explained.texts !== now) return;
    explained.said = said;
    showExplained(said);
  } catch (error) {
    explained.texts = "";
    say(error.words ?? String(error), "bad");
  }
  return undefined;
}

function waitFor(words) {
  for (const id of ["mathematics", "model"]) find(`panel-${id}`).replaceChildren(h("p", { class: "faint" }, words));
}

/** What a job brings, once it is done. */
async function whole({ job }) {
  for await (const [name] of events(`/api/jobs/${job}/events`)) if (name === "done") break;
  return get(`/api/jobs/${job}`);
}

function showExplained(said) {
  const parts = {
    mathematics: said.mathematics && pageParts(said.mathematics),
    model: said.model && [long(said.model, "model.lp")],
  };
  for (const [id, content] of Object.entries(parts)) {
    const wrong = said.without?.[id] || (!said.tree && said.err);
    const later = said.state === "done" ? "It takes too long or is too large here." : "Being written …";
    const missing = [wrong ? complaint(wrong) : h("p", { class: "faint" }, later)];
    find(`panel-${id}`).replaceChildren(...(content || missing));
  }
  reachable();
}
