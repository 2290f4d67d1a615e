// The rules, word and extras of the tree-sitter grammar in the form in which tree-sitter writes
// them to src/grammar.json, for test_tree_sitter_grammar.py: no tree-sitter is needed to see
// whether that file is out of date.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const FILE = fileURLToPath(
  new URL("../../editors/tree-sitter-treemip/grammar.js", import.meta.url),
);

function rule(value) {
  if (value instanceof RegExp) return { type: "PATTERN", value: value.source };
  if (typeof value === "string") return { type: "STRING", value };
  if (value === undefined) throw new Error("a rule that is not there");
  return value;
}

const many = (type) => (...members) => ({ type, members: members.map(rule) });
const one = (type) => (content) => ({ type, content: rule(content) });
const level = (type) => (value, content) =>
  content === undefined
    ? { type, value: 0, content: rule(value) }
    : { type, value, content: rule(content) };

Object.assign(globalThis, {
  seq: many("SEQ"),
  choice: many("CHOICE"),
  repeat: one("REPEAT"),
  repeat1: one("REPEAT1"),
  optional: (content) => globalThis.choice(content, { type: "BLANK" }),
  token: one("TOKEN"),
  field: (name, content) => ({ type: "FIELD", name, content: rule(content) }),
  alias: (content, { name }) => ({ type: "ALIAS", content: rule(content), named: true, value: name }),
  prec: Object.assign(level("PREC"), { left: level("PREC_LEFT"), right: level("PREC_RIGHT") }),
  grammar: (said) => said,
});

const $ = new Proxy({}, { get: (_, name) => ({ type: "SYMBOL", name }) });
const said = require(FILE);
const rules = Object.fromEntries(
  Object.entries(said.rules).map(([name, make]) => [name, rule(make.call($, $))]),
);
const made = { name: said.name, word: said.word($).name, rules, extras: said.extras($).map(rule) };
process.stdout.write(JSON.stringify(made));
