// Requests to the server that this page comes from. None ever goes elsewhere.

function session() {
  try {
    let id = sessionStorage.getItem("session");
    if (!id) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      sessionStorage.setItem("session", id);
    }
    return id;
  } catch {
    return "without-storage";
  }
}

const SESSION = session();

/** What the server says is wrong, with its remedy. */
export class Refusal extends Error {
  constructor(message, help = "", status = 0) {
    super(message);
    this.help = help;
    this.status = status;
  }

  /** As one line: some refusals are those of a command, with its code and layout. */
  get words() {
    const said = this.message.replace(/^error\[\w+\]: /, "").split(/\n\s*(?:= help: )?/);
    return [...said, this.help].filter(Boolean).map(capital).join(". ");
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

async function request(path, options) {
  const headers = { "X-Session": SESSION, ...options.headers };
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server does not answer", "start `treemip playground` again");
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Refusal(said.error ?? `The server answered ${answer.status}`, said.help, answer.status);
}

export async function get(path) {
  return (await request(path, {})).json();
}

export async function post(path, body = {}, signal = undefined) {
  const headers = { "Content-Type": "application/json" };
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
}

export async function upload(path, body) {
  const headers = { "Content-Type": "application/octet-stream" };
  return (await request(path, { method: "POST", headers, body })).json();
}

/** The events of a stream, each as [name, data]. EventSource cannot say which session asks. */
export async function* events(path) {
  const answer = await request(path, { headers: { Accept: "text/event-stream" } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const blocks = (rest + next.value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
  }
}

function parsed(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? [name, JSON.parse(data.join("\n"))] : null;
}
