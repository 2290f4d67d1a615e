// A solve: sent, followed event by event, stopped; its answer is shown by answer.js.

import { showAnswer, showRunning } from "./answer.js";
import { find, say } from "./dom.js";
import { project, sent } from "./project.js";
import { events, get, post } from "./server.js";

let running = null;
let latest = null;

/** Parts of an answer after which the tree is there, or will not be. */
const TELLING = new Set(["page", "model", "mathematics", "score", "check"]);

export async function solve() {
  if (running) return;
  const texts = JSON.stringify(sent());
  begin({ job: "", texts, begun: performance.now(), stopped: false, log: [] });
  showRunning();
  await watched(async (mine) => {
    const { job } = await post("/api/solve", { ...sent(), ...limit() });
    mine.job = job;
    if (mine !== latest) return post(`/api/jobs/${job}/stop`);
    remember(job, texts);
    if (mine.stopped) await stop();
    return follow(mine);
  });
}

const limit = () => (project.seconds > 0 ? { seconds: project.seconds } : {});

function begin(mine) {
  running = latest = mine;
  buttons();
  progress({ stage: "sent" });
  say("Solving …");
}

async function watched(work) {
  const mine = running;
  const clock = setInterval(elapsed, 500);
  try {
    await work(mine);
  } catch (error) {
    say(error.words ?? String(error), "bad");
  } finally {
    clearInterval(clock);
    over(mine);
  }
}

/** What is beside the tree, such as the mathematics, comes when another solve may begin already. */
async function follow(mine) {
  for await (const [name, data] of events(`/api/jobs/${mine.job}/events`)) {
    if (mine !== latest) return;
    if (name === "queued") progress({ stage: waiting(data.before) });
    else if (name === "progress") {
      mine.log.push(logged(data));
      progress({ ...data, stage: data.stage ?? data.status });
    } else if (name === "done" || (name === "part" && TELLING.has(data.part))) {
      await answer(mine);
      over(mine);
    }
  }
}

/** An event of the progress as a line. */
function logged({ seconds, stage, status, gap, ...rest }) {
  const time = Number.isFinite(seconds) ? `${seconds.toFixed(1)} s` : "";
  const facts = Object.entries(rest)
    .filter(([, value]) => value !== null && typeof value !== "object")
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${Number.isFinite(value) ? shown(value) : value}`);
  if (Number.isFinite(gap)) facts.push(`gap ${percent(gap)}`);
  return `${time.padStart(8)}  ${[stage ?? status, ...facts].filter(Boolean).join(", ")}`;
}

function over(mine) {
  if (running !== mine) return;
  running = null;
  buttons();
}

function waiting(before) {
  return before > 0 ? `waiting for ${before} other solve${before === 1 ? "" : "s"}` : "starting";
}

/** Another project is shown: the solve of the one before is nobody's. */
export function abandon() {
  const job = running?.job;
  running = latest = null;
  buttons();
  if (job) post(`/api/jobs/${job}/stop`).catch(() => {});
}

/** Ends the search; the best tree so far is the answer. */
export async function stop() {
  if (!running) return;
  running.stopped = true;
  say("Stopping, keeping the best tree so far …");
  if (!running.job) return;
  try {
    await post(`/api/jobs/${running.job}/stop`);
  } catch (error) {
    say(error.words ?? String(error), "bad");
  }
}

async function answer(mine) {
  const said = await get(`/api/jobs/${mine.job}`);
  if (mine !== latest) return;
  showAnswer({ ...said, log: mine.log.join("\n") }, mine.texts, mine.job);
  if (mine === running) say(...outcome(said), { holds: true });
}

function outcome({ tree, verdict, err }) {
  if (!tree) return [(err || "No tree was found").split("\n")[0], "bad"];
  const facts = [`objective ${shown(tree.objective)}`, tree.verdict, verdict && `${verdict.seconds.toFixed(1)} s`];
  return [`Solved: ${[tree.status, ...facts].filter(Boolean).join(", ")}`, "good"];
}

/** The solve of this tab before a reload, if the server still has it and it is of this project. */
export async function restore() {
  const texts = JSON.stringify(sent());
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem("job") || "null");
    if (kept?.texts !== texts) return;
    await get(`/api/jobs/${kept.job}`);
  } catch {
    return;
  }
  begin({ job: kept.job, texts, begun: performance.now(), stopped: false, log: [] });
  await watched(follow);
}

function remember(job, texts) {
  try {
    sessionStorage.setItem("job", JSON.stringify({ job, texts }));
  } catch {
    // A reload then shows the project without its answer.
  }
}

// ------------------------------------------------------------------------------- progress

function buttons() {
  const solving = running !== null;
  const focused = document.activeElement;
  find("solve").hidden = solving;
  find("stop").hidden = !solving;
  find("progress").hidden = !solving;
  if (solving && focused === find("solve")) find("stop").focus();
  if (!solving && focused === find("stop")) find("solve").focus();
}

function elapsed() {
  if (running) find("elapsed").textContent = `${Math.round((performance.now() - running.begun) / 1000)} s`;
}

const shown = (number) => (Number.isFinite(number) ? String(Number(number.toPrecision(6))) : "–");

const percent = (gap) => `${(100 * gap).toFixed(1)} %`;

function progress({ stage, objective, bound, gap, nodes }) {
  elapsed();
  if (stage) find("stage").textContent = stage;
  const bar = find("gap-bar");
  if (Number.isFinite(gap)) {
    bar.value = Math.max(0, 1 - Math.min(1, gap));
    bar.setAttribute("aria-valuetext", `gap ${percent(gap)}`);
  } else if (stage === "sent") bar.removeAttribute("value");
  find("objective").textContent = shown(objective);
  find("bound").textContent = shown(bound);
  find("gap").textContent = Number.isFinite(gap) ? percent(gap) : "–";
  find("nodes").textContent = shown(nodes);
}
