// Runs the extension of VS Code with an editor that only writes down what is asked of it, for
// test_vscode_extension.py: argv are the spec that is open and the command of treemip.

const Module = require("node:module");
const path = require("node:path");

const [, , spec, command] = process.argv;
const said = { registered: [], server: null, tasks: [], shown: [], opened: [], ran: [] };
const settings = { command, languageServer: true, solveArguments: ["--time-limit", "5"] };
const commands = {};

const document = {
  languageId: "treemip", fileName: spec, isDirty: true, isUntitled: false,
  save: async () => (said.saved = true),
};

const vscode = {
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    workspaceFolders: [{ uri: { fsPath: path.dirname(spec) } }],
    openTextDocument: async (given) => (said.opened.push(given), { uri: "untitled:1" }),
  },
  window: {
    activeTextEditor: { document },
    showErrorMessage: (text) => said.shown.push(text),
    showWarningMessage: (text) => said.shown.push(text),
    showInformationMessage: (text) => said.shown.push(text),
    showTextDocument: async () => {},
  },
  commands: {
    registerCommand: (name, run) => ((commands[name] = run), said.registered.push(name)),
    executeCommand: async (...words) => said.ran.push(words),
  },
  tasks: { executeTask: async (task) => said.tasks.push(task) },
  ProcessExecution: class {
    constructor(program, args, options) {
      Object.assign(this, { program, args, options });
    }
  },
  Task: class {
    constructor(kind, scope, name, source, run) {
      Object.assign(this, { name, run });
    }
  },
  TaskScope: { Workspace: 2 },
  TaskRevealKind: { Always: 1 },
  ViewColumn: { Beside: -2 },
};

class LanguageClient {
  constructor(id, name, server, options) {
    said.server = { server, options };
  }
  async start() {}
  async stop() {
    said.stopped = true;
  }
}

const load = Module._load;
Module._load = (name, ...others) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient };
  return load(name, ...others);
};

async function main() {
  const extension = require("../../editors/vscode/extension.js");
  await extension.activate({ subscriptions: [] });
  await commands["treemip.solveSpec"]();
  await commands["treemip.explainSpec"]();
  settings.command = "no-such-treemip";
  await commands["treemip.explainSpec"]();
  await extension.deactivate();
  process.stdout.write(JSON.stringify(said));
}

main();
