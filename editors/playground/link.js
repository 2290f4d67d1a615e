// The state of the page as the fragment of its address: JSON, deflated, in base64 for addresses.

const LARGEST = 4_000_000;

async function through(stream, bytes) {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {}); // what cannot be read fails on the other side too, and is told there
  const parts = [];
  let size = 0;
  for await (const part of read(stream.readable)) {
    size += part.length;
    if (size > LARGEST) throw new RangeError("larger than a state of this page can be");
    parts.push(part);
  }
  await written;
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function* read(readable) {
  const reader = readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A state as letters, digits, `-` and `_`. */
export async function packed(state) {
  const text = new TextEncoder().encode(JSON.stringify(state));
  const bytes = await through(new CompressionStream("deflate-raw"), text);
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state that was packed; null where the letters hold none. */
export async function unpacked(letters) {
  try {
    const plain = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
    const text = await through(new DecompressionStream("deflate-raw"), bytes);
    return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text)));
  } catch {
    return null;
  }
}

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A state from elsewhere, if it is one: anybody may write a link. */
export function checked(state) {
  if (!isObject(state) || !isObject(state.files) || !isText(state.spec)) return null;
  if (!Object.values(state.files).every(isText) || !Object.hasOwn(state.files, state.spec)) return null;
  const tables = Array.isArray(state.tables) ? state.tables.filter(isText) : [];
  return {
    files: state.files,
    spec: state.spec,
    tables,
    open: isText(state.open) ? state.open : state.spec,
    tab: isText(state.tab) ? state.tab : "tree",
    seconds: Number.isFinite(state.seconds) ? state.seconds : 60,
  };
}
