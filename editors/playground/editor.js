// The editor of .tree texts: CodeMirror with what the server says of a text.

import {
  acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting,
} from "@codemirror/language";
import { nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { treemip } from "../codemirror/treemip.js";
import { markdown } from "./markdown.js";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: [tags.number, tags.atom], color: "var(--number)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  {
    tag: [tags.standard(tags.variableName), tags.special(tags.variableName)],
    color: "var(--function)",
  },
  { tag: [tags.propertyName, tags.labelName], color: "var(--property)" },
  { tag: [tags.typeName, tags.namespace], color: "var(--type)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "14px", color: "var(--ink)", backgroundColor: "var(--paper)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line-now)" },
  ".cm-selectionBackground": { background: "var(--selected) !important" },
  ".cm-matchingBracket": { backgroundColor: "var(--selected) !important" },
  ".cm-foldPlaceholder": { background: "none", border: "1px solid var(--rule)", color: "var(--muted)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--rule)",
    borderRadius: "6px", boxShadow: "0 4px 16px #0003", maxWidth: "min(34rem, 90vw)", overflow: "hidden",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px !important" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent) !important", color: "var(--on-accent) !important",
  },
  ".cm-completionDetail": { color: "inherit", opacity: 0.8, fontStyle: "normal" },
  ".cm-completionIcon": { display: "none" },
  ".cm-completionInfo, .about": { padding: "6px 12px", fontFamily: "var(--sans)", fontSize: "14px" },
  ".about": { maxHeight: "18rem", overflow: "auto" },
  ".cm-completionInfo p, .about p": { margin: "4px 0" },
  ".cm-completionInfo ul, .about ul": { margin: "4px 0", paddingLeft: "1.2em" },
  ".cm-completionInfo pre, .about pre": { margin: "6px 0", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { padding: "6px 12px", fontFamily: "var(--sans)" },
  ".cm-diagnosticAction": {
    background: "var(--accent)", color: "var(--on-accent)", borderRadius: "4px", padding: "2px 8px",
  },
});

/** An editor in `host`. calls: changed(text), ask(want, at), solve(), fix(). */
export function makeEditor(host, calls) {
  // In a shadow root the styles of CodeMirror are sheets, which a strict policy allows.
  const root = host.attachShadow({ mode: "open" });
  const view = new EditorView({ parent: root, root });
  const states = new Map();
  let name = "";
  let quiet = false;

  const extensions = [
    Prec.highest(keymap.of([
      { key: "Mod-Enter", run: () => done(calls.solve) },
      { key: "Shift-Alt-f", run: () => done(format) },
      { key: "Mod-.", run: () => done(calls.fix) },
      { key: "Tab", run: acceptCompletion },
      { key: "Escape", run: leaving },
    ])),
    lineNumbers(), foldGutter(), history(), drawSelection(), highlightActiveLine(),
    highlightActiveLineGutter(), indentOnInput(), bracketMatching(), closeBrackets(),
    EditorView.lineWrapping,
    autocompletion({ override: [(context) => completions(context, calls.ask)], maxRenderedOptions: 60 }),
    hoverTooltip((_, at) => hover(at, calls.ask)),
    keymap.of([
      { key: "F8", run: nextDiagnostic, shift: previousDiagnostic },
      ...closeBracketsKeymap, ...completionKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap,
      indentWithTab,
    ]),
    syntaxHighlighting(colours), look, treemip(),
    EditorView.contentAttributes.of({
      "aria-label": "Text of the file. Escape, then Tab leaves the editor.",
      tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !quiet) calls.changed(update.state.doc.toString());
    }),
  ];

  async function format() {
    const asked = view.state.doc;
    const { formatted = [] } = await calls.ask(["format"], null);
    if (view.state.doc === asked) change(formatted, "format");
  }

  function change(changes, kind) {
    const ordered = changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
    view.dispatch({ changes: ordered, userEvent: `input.${kind}` });
  }

  return {
    view,
    format,
    change,
    /** Shows a file. Its undo history is kept as long as nothing else changes it. */
    open(file, text) {
      if (name) states.set(name, view.state);
      name = file;
      const kept = states.get(file);
      const state = kept?.doc.toString() === text ? kept : EditorState.create({ doc: text, extensions });
      quiet = true;
      if (view.state !== state) view.setState(state);
      quiet = false;
    },
    forget() {
      states.clear();
      name = "";
    },
    showProblems(problems, fix) {
      const most = view.state.doc.length;
      const marks = problems.map((one) => ({
        from: Math.min(one.start, most),
        to: Math.min(Math.max(one.end, one.start), most),
        severity: one.severity === "note" ? "info" : one.severity,
        message: `${one.message} (${one.code})`,
        actions: one.fix ? [{ name: one.fix.title.replaceAll("`", "'"), apply: () => fix(one) }] : [],
      }));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    jump(start, end) {
      const most = view.state.doc.length;
      const selection = { anchor: Math.min(start, most), head: Math.min(end, most) };
      view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }) });
      view.focus();
    },
  };
}

/** After Escape the Tab key leaves for a moment, whatever else Escape does. */
function leaving(view) {
  view.setTabFocusMode(3000);
  return false;
}

function done(work) {
  work();
  return true;
}

async function hover(at, ask) {
  const { hover: found } = await ask(["hover"], at);
  if (!found) return null;
  const create = () => {
    const dom = document.createElement("div");
    dom.className = "about";
    dom.append(...markdown(found.text));
    return { dom };
  };
  return { pos: found.start, end: found.end, above: true, create };
}

async function completions(context, ask) {
  const word = context.matchBefore(/[\w"]+$/);
  if (!word && !context.explicit) return null;
  const { completion = [] } = await ask(["completion"], context.pos);
  if (context.aborted || !completion.length) return null;
  const options = completion.map((item, rank) => {
    const option = {
      label: item.label,
      detail: item.detail && item.detail !== item.label ? item.detail : undefined,
      boost: -rank / 10,
      info: item.documentation ? () => aboutItem(item.documentation) : undefined,
    };
    if (item.snippet) return snippetCompletion(template(item.insert), option);
    return { ...option, apply: item.insert };
  });
  return { from: Math.min(...completion.map((item) => item.start)), options, validFor: /^[\w"]*$/ };
}

function aboutItem(text) {
  const dom = document.createElement("div");
  dom.append(...markdown(text));
  return dom;
}

/** Places to fill in, `$1`, as CodeMirror writes them: `${1}`. */
const template = (text) => text.replace(/\$(\d)/g, (_, place) => (place === "0" ? "${}" : `\${${place}}`));
