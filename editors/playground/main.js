// The page of `treemip playground`: what its buttons and keys do, and what is shown first.

import { clearAnswer, projectChanged, showAnswerTabs } from "./answer.js";
import { download, find, say } from "./dom.js";
import { makeEditor } from "./editor.js";
import { askNewFile, chooseExample, showExample } from "./examples.js";
import { showFiles, takeTable } from "./files.js";
import { fragment, keep, LONGEST_LINK, onShown, project, setText, show, specText, wanted } from "./project.js";
import * as problems from "./problems.js";
import { abandon, restore, solve, stop } from "./run.js";

const FIRST = "credit";

const editor = makeEditor(find("editor"), {
  changed(text) {
    setText(project.open, text);
    problems.changed();
    projectChanged();
  },
  ask: problems.ask,
  solve: run,
  fix: problems.fixNext,
});

problems.watch(editor);

onShown(() => {
  abandon();
  editor.forget();
  clearAnswer();
  showFiles(editor);
  showAnswerTabs();
  find("seconds").value = String(project.seconds);
  problems.changed({ now: true });
});

function run() {
  find("hint").hidden = true;
  solve();
}

async function share() {
  const state = await fragment();
  if (state.length > LONGEST_LINK) {
    const size = Math.round(state.length / 1000);
    say(`As a link this has ${size} thousand letters, too many for most programs. The spec is downloaded instead.`, "bad");
    return download(project.spec, specText());
  }
  const link = `${location.origin}${location.pathname}#${state}`;
  history.replaceState(null, "", `#${state}`);
  const lost = [...project.tables.keys()];
  const without = lost.length ? ` It is without ${lost.join(", ")}, which is too large for a link.` : "";
  try {
    await navigator.clipboard.writeText(link);
    return say(`The link is copied.${without}`, "good");
  } catch {
    return say(`The address of this page is the link; copy it from there.${without}`, "good");
  }
}

function listenToButtons() {
  find("solve").onclick = run;
  find("stop").onclick = stop;
  find("share").onclick = share;
  find("choose-example").onclick = chooseExample;
  find("new-file").onclick = askNewFile;
  find("open-table").onclick = () => find("table-file").click();
  find("show-keys").onclick = () => find("keys").showModal();
  find("format").onclick = () => editor.format();
  find("table-file").onchange = async ({ target }) => {
    if (target.files[0]) await takeTable(target.files[0]);
    target.value = "";
    projectChanged();
  };
  find("seconds").onchange = ({ target }) => {
    project.seconds = Number(target.value);
    keep();
  };
  for (const button of document.querySelectorAll("dialog [data-close]")) {
    button.onclick = () => button.closest("dialog").close();
  }
}

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      run();
    }
  });
}

/** Files may be dropped anywhere. */
function listenToDrops() {
  const body = document.body;
  body.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    body.classList.add("dropping");
  });
  body.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) body.classList.remove("dropping");
  });
  body.addEventListener("drop", async (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    body.classList.remove("dropping");
    for (const file of event.dataTransfer.files) await takeTable(file);
    projectChanged();
  });
}

/** What the address says; an example on a first visit. */
async function showWanted() {
  const found = await wanted();
  try {
    if (found?.state) show(found.state, { push: false });
    else await showExample(found?.example || FIRST, { push: false });
  } catch (error) {
    say(error.words ?? String(error), "bad", { holds: true });
    if (!project.spec && found?.example) await showExample(FIRST, { push: false });
  }
  await restore();
  return found;
}

listenToButtons();
listenToKeys();
listenToDrops();
window.addEventListener("popstate", showWanted);
const first = await showWanted();
find("hint").hidden = first !== null;
document.documentElement.dataset.ready = "yes";
