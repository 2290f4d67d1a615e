// The parts of texts by the TextMate grammar and by the CodeMirror mode, for test_colours_agree.py:
// a JSON list of texts on standard input, of {textmate, codemirror} on standard output, each a list
// of [kind, start, end]. Offsets are UTF-16 code units.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const editors = fileURLToPath(new URL("../../editors/", import.meta.url));
const require = createRequire(join(editors, "package.json"));
const { Registry, parseRawGrammar, INITIAL } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const GRAMMAR = join(editors, "vscode/syntaxes/treemip.tmLanguage.json");

async function grammar() {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(readFileSync(GRAMMAR, "utf8"), GRAMMAR),
  });
  return registry.loadGrammar("source.treemip");
}

const ESCAPE = "constant.character.escape.treemip";

/** A string with escapes is several tokens, which are put together again. */
function textmate(grammar, text) {
  const parts = [];
  let stack = INITIAL;
  let start = 0;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    let escape = false;
    for (const { scopes, startIndex, endIndex } of tokens) {
      const end = start + Math.min(endIndex, line.length);
      const here = scopes.at(-1) === ESCAPE;
      const scope = here ? scopes.at(-2) : scopes.at(-1);
      if (scope === "source.treemip" || end === start + startIndex) continue;
      if (parts.length && (here || escape) && scope === parts.at(-1)[0]) parts.at(-1)[2] = end;
      else parts.push([scope, start + startIndex, end]);
      escape = here;
    }
    start += line.length + 1;
  }
  return parts;
}

function codemirror({ token, StringStream }, text) {
  const parts = [];
  const state = { stack: ["file"] };
  let start = 0;
  for (const line of text.split("\n")) {
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      const from = stream.pos;
      const kind = token(stream, state);
      if (kind) parts.push([kind, start + from, start + stream.pos]);
    }
    start += line.length + 1;
  }
  return parts;
}

const { token } = await import(pathToFileURL(join(editors, "codemirror/treemip.js")));
const { StringStream } = await import(pathToFileURL(require.resolve("@codemirror/language")));
const loaded = await grammar();
const texts = JSON.parse(readFileSync(0, "utf8"));
const answers = texts.map((text) => ({
  textmate: textmate(loaded, text),
  codemirror: codemirror({ token, StringStream }, text),
}));
process.stdout.write(JSON.stringify(answers));
