// A list of tabs by the pattern of WAI-ARIA: one stop of the Tab key, arrows go from tab to tab.

import { h } from "./dom.js";

/** Fills `list` with tabs: {id, label, panel}. choose(id) is called when one is chosen. */
export function showTabs(list, tabs, chosen, choose, remove = () => {}) {
  const focused = list.contains(document.activeElement);
  list.replaceChildren(
    ...tabs.map(({ id, label, panel }) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${list.id}-${id}`,
          "aria-controls": panel,
          "aria-selected": String(id === chosen),
          tabindex: id === chosen ? 0 : -1,
          onclick: () => choose(id),
        },
        label,
      ),
    ),
  );
  list.onkeydown = (event) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const last = tabs.length - 1;
    const steps = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    if (event.key === "Delete") remove(chosen);
    else if (event.key in steps) choose(tabs[steps[event.key]].id);
    else return;
    event.preventDefault();
    list.querySelector("[aria-selected=true]")?.focus();
  };
  const now = list.querySelector("[aria-selected=true]");
  if (focused) now?.focus();
  now?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
