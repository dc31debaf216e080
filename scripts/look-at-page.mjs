// Opens a page in Chromium as a person would, twice: on a wide light screen and on a narrow dark one. Prints as JSON what it saw:
// errors, requests, texts of the picture that leave it or lie on one another, numbers that are broken over two lines, the height of the
// smallest text, what is wider than the screen. Screenshots go beside.
// Usage: node scripts/look-at-page.mjs PAGE PICTURE-PREFIX
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const judges = path.resolve(import.meta.dirname, "../target/judges/");
const { chromium } = createRequire(judges + "/")("playwright-core");
const [page, prefix] = process.argv.slice(2);

const screens = [
  { name: "wide", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "narrow", viewport: { width: 420, height: 900 }, colorScheme: "dark" },
];

function look() {
  const box = (element) => element.getBoundingClientRect();
  const outside = [];
  const overlapping = [];
  for (const picture of document.querySelectorAll("svg")) {
    const frame = box(picture);
    const texts = [...picture.querySelectorAll("text")].filter((text) => text.textContent.trim());
    for (const text of texts) {
      const it = box(text);
      const inside = it.left >= frame.left - 1 && it.right <= frame.right + 1 && it.top >= frame.top - 1 && it.bottom <= frame.bottom + 1;
      if (!inside) outside.push(text.textContent);
    }
    for (const [at, one] of texts.entries()) {
      for (const other of texts.slice(at + 1)) {
        const a = box(one);
        const b = box(other);
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const room = Math.min(a.height, b.height);
        if (across > 1 && down > room * 0.4) overlapping.push([one.textContent, other.textContent]);
      }
    }
  }
  // A number whose text takes more than one line is broken.
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("svg")) continue;
    for (const found of node.textContent.matchAll(/[\d:.]*\d/g)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      const tops = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top)));
      if (tops.size > 1) broken.push(found[0]);
    }
  }
  const small = Math.min(...[...document.querySelectorAll("svg text")].map((text) => box(text).height));
  const words = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent.trim());
  return {
    title: document.title,
    headings: words("h1, h2"),
    verdict: document.querySelector("#verdict")?.textContent ?? null,
    pictures: document.querySelectorAll("svg").length,
    rows: document.querySelectorAll("tr").length,
    outside,
    overlapping,
    broken,
    smallest_text: Number.isFinite(small) ? Math.round(small) : null,
    too_wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    background: getComputedStyle(document.body).backgroundColor,
    colour: getComputedStyle(document.body).color,
  };
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const seen = [];
try {
  for (const { name, ...screen } of screens) {
    const context = await browser.newContext(screen);
    const tab = await context.newPage();
    const errors = [];
    const requests = [];
    tab.on("console", (message) => errors.push(message.text()));
    tab.on("pageerror", (error) => errors.push(String(error)));
    tab.on("request", (request) => requests.push(request.url()));
    const own = pathToFileURL(path.resolve(page)).href;
    await tab.goto(own);
    const found = await tab.evaluate(look);
    await tab.screenshot({ path: `${prefix}-${name}.png`, fullPage: true });
    seen.push({ screen: name, errors, requests: requests.filter((url) => url !== own), ...found });
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
