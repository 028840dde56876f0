// Builds the page into a folder (that of the package, or the one that is named): one script, one style sheet, the licences of what is in them.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "src", "kikashi", "web", "static");
const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));

async function licence(name) {
  const folder = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no licence to pass on`);
  return `${name} ${version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
}

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await build({
  entryPoints: { page: join(here, "src", "main.tsx") },
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2021",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
for (const file of ["icon.svg", "index.html"]) await copyFile(join(here, "src", file), join(target, file));
const texts = await Promise.all(Object.keys(dependencies).sort().map(licence));
await writeFile(join(target, "licences.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
