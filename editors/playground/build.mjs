// Bundles the page's script for the server that ships with treemip, beside the licences of what is
// in it:  node editors/playground/build.mjs [FOLDER]

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const editors = path.dirname(here);
const assets = path.join(path.dirname(editors), "treemip", "study", "playground", "assets");
const folder = path.resolve(process.argv[2] ?? assets);

const { metafile } = await build({
  absWorkingDir: editors,
  entryPoints: ["playground/main.js"],
  outfile: path.join(folder, "playground.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: "// Built from editors/playground; do not edit. Licences: licenses.txt." },
  metafile: true,
});

const inside = Object.keys(metafile.inputs).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
const names = [...new Set(inside.filter(Boolean))].sort();
const licences = names.map((name) => {
  const text = readFileSync(path.join(editors, "node_modules", name, "LICENSE"), "utf8").trim();
  return `${name}\n${"=".repeat(name.length)}\n\n${text}\n`;
});
writeFileSync(path.join(folder, "licenses.txt"), `playground.js contains these packages.\n\n${licences.join("\n")}`);
