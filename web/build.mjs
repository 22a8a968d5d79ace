// Makes the program of the pages: node build.mjs [FOLDER]
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? join(here, "../internal/page/dist");
await build({
  absWorkingDir: here, entryPoints: { page: "src/page.tsx" }, outdir: out,
  bundle: true, minify: true, format: "iife", target: "es2022", charset: "ascii", legalComments: "none", jsx: "automatic", jsxImportSource: "preact",
});
const licences = ["preact", "uplot"].map(name => {
  const { version } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${name} ${version}\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(out, "LICENSES"), licences.join("\n"));
