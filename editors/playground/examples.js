// The dialogs: examples, a new file, the keys.

import { find, h, say } from "./dom.js";
import { newFile } from "./files.js";
import { project, show } from "./project.js";
import { get } from "./server.js";

let all = null;

/** Shows an example in place of what is there. */
export async function showExample(name, { push = true } = {}) {
  const { spec, files } = await get(`/api/examples/${name.split("/").map(encodeURIComponent).join("/")}`);
  const seconds = project.seconds;
  show({ files, spec, tables: [], open: spec, tab: "tree", seconds }, { example: name, push });
}

export async function chooseExample() {
  const dialog = find("examples");
  dialog.showModal();
  const filter = find("example-filter");
  filter.value = "";
  filter.oninput = () => all && list(filter.value);
  find("example-count").textContent = all ? "" : "Reading the examples …";
  try {
    all ??= await get("/api/examples");
    list(filter.value);
  } catch (error) {
    dialog.close();
    say(error.words ?? String(error), "bad");
  }
}

function list(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one) => wanted.every((word) => `${one.name} ${one.title} ${one.purpose}`.toLowerCase().includes(word));
  const found = all.filter(fits);
  find("example-list").replaceChildren(...found.map((one) => h("li", {},
    h("button", { type: "button", onclick: () => take(one.name) },
      h("strong", {}, one.name), h("span", {}, one.purpose || one.title)))));
  find("example-count").textContent = `${found.length} of ${all.length}`;
}

async function take(name) {
  find("examples").close();
  try {
    await showExample(name);
  } catch (error) {
    say(error.words ?? String(error), "bad");
  }
}

export function askNewFile() {
  const dialog = find("new-file-dialog");
  const name = find("new-file-name");
  name.value = "";
  dialog.showModal();
  find("new-file-form").onsubmit = () => {
    if (name.value.trim()) newFile(name.value.trim());
  };
}
