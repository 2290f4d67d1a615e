// The tree as a picture whose leaves answer: a click or Enter shows a leaf's points and its rule.

import { h, picture } from "./dom.js";

/** Fills `panel` with the picture of an answer. saved: what tree.json holds, or null. */
export function showTree(panel, svg, saved) {
  const drawn = picture(svg);
  if (!drawn) return;
  drawn.setAttribute("role", "group");
  drawn.setAttribute("aria-label", "The tree. Leaves are buttons.");
  const about = h("div", { class: "leaf-about", id: "leaf-about", "aria-live": "polite" },
    h("p", { class: "faint" }, "Click a leaf, or go to it by Tab and press Enter, to see its points and its rule."));
  for (const leaf of drawn.querySelectorAll("g.leaf")) {
    const words = leaf.querySelector("title")?.textContent ?? `leaf ${leaf.dataset.node}`;
    leaf.setAttribute("role", "button");
    leaf.setAttribute("tabindex", "0");
    // What speech control is told to press is what stands there.
    const seen = [...leaf.querySelectorAll("text")].map((text) => text.textContent);
    leaf.setAttribute("aria-label", `${seen.join(" ")}, leaf ${leaf.dataset.node}`);
    leaf.setAttribute("aria-pressed", "false");
    const choose = () => {
      for (const other of drawn.querySelectorAll("g.leaf")) {
        other.setAttribute("aria-pressed", String(other === leaf));
      }
      about.replaceChildren(...leafAbout(drawn, leaf, words, saved));
    };
    leaf.addEventListener("click", choose);
    leaf.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
  }
  // Smaller than this nobody can read it; then the picture is moved sideways within its frame.
  drawn.style.minWidth = `${0.7 * Number(drawn.getAttribute("width"))}px`;
  panel.append(h("div", { class: "picture" }, drawn), about);
}

function leafAbout(drawn, leaf, words, saved) {
  const number = Number(leaf.dataset.node);
  const head = words.split(";")[0];
  const node = saved?.tree?.nodes?.find((one) => one.node === number);
  const rule = path(drawn, number);
  const rest = words.slice(head.length + 1).trim();
  return [
    h("h2", {}, head.charAt(0).toUpperCase() + head.slice(1)),
    rule.length > 0 && h("p", {}, "Reached if ", ...rule),
    counts(node) ?? (rest ? h("p", {}, rest) : ""),
  ].filter(Boolean);
}

/** The splits above a node: the children of node t are 2t, its yes, and 2t + 1. */
function path(drawn, number) {
  const parts = [];
  for (let child = number; child > 1; child = Math.floor(child / 2)) {
    const title = drawn.querySelector(`g.split[data-node="${Math.floor(child / 2)}"] > title`);
    if (title) parts.unshift(h("span", { class: "test" }, `${title.textContent}: ${child % 2 ? "no" : "yes"}`));
  }
  return parts.flatMap((part, number) => (number ? [" and ", part] : [part]));
}

function counts(node) {
  const points = node?.points;
  if (typeof points !== "object" || points === null) return null;
  const all = Object.values(points).reduce((sum, count) => sum + count, 0);
  const rows = Object.entries(points).sort(([, a], [, b]) => b - a).map(([name, count]) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(count)),
      h("td", {}, all ? `${(100 * count / all).toFixed(0)} %` : "")));
  return h("table", { class: "counts" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "class"), h("th", { scope: "col" }, "points"),
      h("th", { scope: "col" }, "share"))),
    h("tbody", {}, rows));
}

