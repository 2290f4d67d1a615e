// Starts `treemip lsp`, and has the commands to solve and explain the spec in the editor.

const { execFile } = require("node:child_process");
const { existsSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const INSTALL = 'Install it by pip install "treemip[lsp]", or name it in the setting treemip.command.';

let client;

const setting = (name) => vscode.workspace.getConfiguration("treemip").get(name);

/** The command as it is set; a relative path is one of the first folder that has it. */
function command() {
  const given = setting("command") || "treemip";
  if (!/[\\/]/.test(given) || path.isAbsolute(given)) return given;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
  const found = folders.map((each) => path.join(each, given)).find((each) => existsSync(each));
  return found ?? given;
}

async function startServer() {
  if (!setting("languageServer")) return;
  const server = { command: command(), args: ["lsp"] };
  client = new LanguageClient("treemip", "treemip", server, {
    documentSelector: [{ language: "treemip" }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showWarningMessage(`${server.command} lsp did not start. ${INSTALL} (${error.message})`);
  }
}

async function stopServer() {
  const running = client;
  client = undefined;
  if (running) await running.stop();
}

/** The spec in the editor, saved: the commands read its file. Nothing where there is none. */
async function savedSpec() {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "treemip") {
    vscode.window.showInformationMessage("Open a .tree spec first.");
    return undefined;
  }
  if ((document.isUntitled || document.isDirty) && !(await document.save())) return undefined;
  return vscode.window.activeTextEditor.document.fileName;
}

async function solve() {
  const file = await savedSpec();
  if (!file) return;
  const words = ["solve", file, ...(setting("solveArguments") ?? [])];
  const run = new vscode.ProcessExecution(command(), words, { cwd: path.dirname(file) });
  const kind = { type: "treemip", spec: file };
  const name = `solve ${path.basename(file)}`;
  const task = new vscode.Task(kind, vscode.TaskScope.Workspace, name, "treemip", run, []);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}

async function explain() {
  const file = await savedSpec();
  if (!file) return;
  const words = ["explain", file, "--format", "md"];
  const options = { cwd: path.dirname(file), maxBuffer: 1 << 26, env: { ...process.env, NO_COLOR: "1" } };
  const said = await new Promise((done) => {
    execFile(command(), words, options, (error, stdout, stderr) => done({ error, stdout, stderr }));
  });
  if (said.error) {
    const missing = said.error.code === "ENOENT" ? `${command()} was not found. ${INSTALL}` : "";
    vscode.window.showErrorMessage(missing || said.stderr.trim() || said.error.message);
    return;
  }
  const page = await vscode.workspace.openTextDocument({ language: "markdown", content: said.stdout });
  await vscode.window.showTextDocument(page, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false });
  await vscode.commands.executeCommand("markdown.showPreview", page.uri);
}

async function activate(context) {
  const commands = {
    "treemip.solveSpec": solve,
    "treemip.explainSpec": explain,
    "treemip.restartServer": async () => {
      await stopServer();
      await startServer();
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  await startServer();
}

module.exports = { activate, deactivate: stopServer };
