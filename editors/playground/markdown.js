// The little Markdown that the language server writes: paragraphs, lists, code, bold and italics.

import { h } from "./dom.js";

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)/g;

function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(MARKS)) {
    const [whole, code, bold, italic, link] = found;
    parts.push(text.slice(at, found.index));
    if (code) parts.push(h("code", {}, code));
    else if (bold) parts.push(h("strong", {}, ...inline(bold)));
    else if (italic) parts.push(h("em", {}, ...inline(italic)));
    else parts.push(link);
    at = found.index + whole.length;
  }
  return [...parts, text.slice(at)].filter((part) => part !== "");
}

function block(text) {
  const code = /^```\w*\n([\s\S]*?)\n?```$/.exec(text);
  if (code) return [h("pre", {}, h("code", {}, code[1]))];
  const lines = text.split("\n");
  const items = lines.filter((line) => /^[*-] /.test(line));
  const rest = lines.filter((line) => !/^[*-] /.test(line)).join(" ").trim();
  return [
    rest && h("p", {}, ...inline(rest)),
    items.length > 0 && h("ul", {}, items.map((item) => h("li", {}, ...inline(item.slice(2))))),
  ].filter(Boolean);
}

/** The elements of a text. */
export function markdown(text) {
  const parts = text.split(/(```\w*\n[\s\S]*?\n?```)/);
  return parts
    .flatMap((part) => (part.startsWith("```") ? [part] : part.split(/\n\s*\n/)))
    .map((part) => part.trim())
    .filter(Boolean)
    .flatMap(block);
}
