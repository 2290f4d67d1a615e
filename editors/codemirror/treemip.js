// A CodeMirror 6 mode for .tree texts: `treemip()` is an extension with colours, comments, closing
// brackets, folding of braces and indents. It runs the states that all editors share.

import { LanguageSupport, StreamLanguage, foldService } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import made from "./states.js";

/** The rules of a state, those of the states that it includes at their places. */
function rulesOf(name) {
  return made.states[name].flatMap((rule) =>
    rule.include ? rulesOf(rule.include) : [{ ...rule, match: new RegExp(rule.match, "uy") }],
  );
}

const STATES = Object.fromEntries(Object.keys(made.states).map((name) => [name, rulesOf(name)]));

const SPACE = /\s+/uy;
const COMMENT = /#.*/uy;
const ANY = /./uy;

/** Where a pattern that begins at `at` ends; -1 where it does not begin there. */
function ends(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The first rule of the present state that fits at `at`, and where what it takes ends. */
function found(stack, text, at) {
  for (const rule of STATES[stack.at(-1)]) {
    const end = ends(rule.match, text, at);
    if (end >= 0) return { rule, end };
  }
  return null;
}

function go(stack, rule) {
  if (rule.pop) stack.pop();
  if (rule.push) stack.push(rule.push);
}

/** Rules that take no text, as long as one fits: the end of a line has no turn of its own. */
function settle(stack, text, at) {
  for (let next = found(stack, text, at); next?.end === at; next = found(stack, text, at)) {
    go(stack, next.rule);
  }
}

/** The part at the stream's place: its kind, null for space. The stream goes behind it. */
export function token(stream, state) {
  const { stack } = state;
  const { string: text, pos: at } = stream;
  const comment = ends(COMMENT, text, at);
  if (comment >= 0) {
    stream.pos = comment;
    return "comment";
  }
  settle(stack, text, at);
  const next = found(stack, text, at);
  if (next) {
    stream.pos = next.end;
    go(stack, next.rule);
    settle(stack, text, next.end);
    return next.rule.kind;
  }
  const space = ends(SPACE, text, at);
  stream.pos = space >= 0 ? space : ends(ANY, text, at);
  return space >= 0 ? null : "unknown";
}

const BRACES = { block: 0, default: 0, reduced: 0, paren: 1, index: 1, brace: 1, settings: 1, inside: 1 };
const STATEMENTS = new Set([
  "declaration", "named", "row", "objective", "requirement", "rule", "drop", "setting",
]);

/** Statements go two spaces further in after their first line, and so does what is in brackets. */
function indent(state, after, context) {
  const depth = state.stack.reduce(
    (sum, name) => sum + (BRACES[name] ?? (STATEMENTS.has(name) ? 1 : 0)), 0,
  );
  return Math.max(0, depth - (/^[\])}]/.test(after) ? 1 : 0)) * context.unit;
}

function tag(name) {
  const [base, modifier] = name.split(".");
  return modifier ? tags[modifier](tags[base]) : tags[base];
}

export const treemipLanguage = StreamLanguage.define({
  name: "treemip",
  startState: () => ({ stack: ["file"] }),
  copyState: ({ stack }) => ({ stack: [...stack] }),
  token,
  indent,
  tokenTable: Object.fromEntries(Object.entries(made.tags).map(([kind, name]) => [kind, tag(name)])),
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[\])}]$/,
  },
});

/** A line that ends with a bracket is folded to where its line's indent comes back. */
const folding = foldService.of((state, from, to) => {
  const line = state.doc.lineAt(from);
  if (!/[({[]\s*(#.*)?$/.test(line.text)) return null;
  const margin = /^\s*/.exec(line.text)[0].length;
  for (let number = line.number + 1; number <= state.doc.lines; number++) {
    const { text, from: start } = state.doc.line(number);
    if (text.trim() && /^\s*/.exec(text)[0].length <= margin) {
      return start - 1 > to ? { from: to, to: start - 1 } : null;
    }
  }
  return null;
});

export function treemip() {
  return new LanguageSupport(treemipLanguage, [folding]);
}
