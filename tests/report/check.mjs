// Looks at pages of kota report in Chromium: that they load and run nothing, fit the screen, can be
// used with the keyboard, are read out whole, and that axe-core finds nothing.
//
//	node check.mjs PAGE...		the first one at every size and scheme, the others at two
//
// Prints a line a check that fails, then "N passed, N failed".

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { withBrowser } from "./browser.mjs";

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let passed = 0;
let failed = 0;
let where = "";

function expect(what, good, more = "") {
	if (good) {
		passed++;
	} else {
		failed++;
		console.log(`${where}: ${what}${more === "" ? "" : `: ${JSON.stringify(more)}`}`);
	}
}

function same(what, found, wanted) {
	expect(what, JSON.stringify(found) === JSON.stringify(wanted), found);
}

// ---- what is in the page

// All of these run in the page.
const inPage = {
	scripts: () => {
		const all = [...document.querySelectorAll("*")];
		return {
			scripts: document.scripts.length,
			handlers: all.flatMap((e) => e.getAttributeNames()).filter((n) => n.startsWith("on")).length,
			styled: document.querySelectorAll("[style]").length,
			embedded: document.querySelectorAll("img, iframe, object, embed, link, base, form, image").length,
			outside: all.filter((e) => /^(?!#)/.test(e.getAttribute("href") ?? "#")).length,
		};
	},
	width: () => document.documentElement.scrollWidth - innerWidth,
	cut: () =>
		[...document.querySelectorAll("main *, header *")]
			.filter((e) => !e.closest("svg, .heard, thead, .skip"))
			.filter((e) => e.getBoundingClientRect().right > document.querySelector("main").getBoundingClientRect().right + 0.5)
			.map((e) => e.outerHTML.slice(0, 80)),
	outline: () => [...document.querySelectorAll("h1, h2, h3, h4")].map((h) => +h.tagName[1]),
	nameless: () =>
		[...document.querySelectorAll("svg")]
			.filter((s) => !s.parentElement.closest("svg"))
			.filter((s) => s.getAttribute("aria-hidden") !== "true")
			.filter((s) => s.getAttribute("role") !== "img" || !s.getAttribute("aria-labelledby"))
			.map((s) => s.outerHTML.slice(0, 80)),
	dangling: () =>
		[...document.querySelectorAll("[aria-labelledby]")]
			.flatMap((e) => e.getAttribute("aria-labelledby").split(" "))
			.filter((id) => !document.getElementById(id)?.textContent.trim()),
	doubleIds: () => {
		const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
		return ids.filter((id, i) => ids.indexOf(id) !== i);
	},
	tables: () =>
		[...document.querySelectorAll("table")]
			.filter(
				(t) =>
					!t.caption?.textContent.trim() ||
					[...t.querySelectorAll("th")].some((h) => !h.scope) ||
					[...t.tBodies[0].rows].some((r) => r.cells[0]?.scope !== "row"),
			)
			.map((t) => t.outerHTML.slice(0, 80)),
	styled: () => getComputedStyle(document.body).maxWidth !== "none",
	paper: () => getComputedStyle(document.documentElement).backgroundColor,
	reachable: () =>
		[...document.querySelectorAll("a[href], summary, [tabindex='0']")].map(
			(e) => e.textContent.trim().slice(0, 40),
		),
	focused: () => {
		const e = document.activeElement;
		const style = getComputedStyle(e);
		const box = e.getBoundingClientRect();
		return {
			name: e === document.body ? null : e.textContent.trim().slice(0, 40),
			seen:
				style.outlineStyle !== "none" &&
				parseFloat(style.outlineWidth) >= 2 &&
				box.bottom > 0 &&
				box.top < innerHeight &&
				box.left >= 0,
		};
	},
};

async function checkStructure(page) {
	same("nothing that runs, loads or leads elsewhere", await page.evaluate(inPage.scripts), {
		scripts: 0,
		handlers: 0,
		styled: 0,
		embedded: 0,
		outside: 0,
	});
	const outline = await page.evaluate(inPage.outline);
	same("one first heading", outline.filter((level) => level === 1).length, 1);
	expect(
		"headings in order",
		outline.every((level, i) => i === 0 || level <= outline[i - 1] + 1),
		outline,
	);
	for (const [role, count] of [
		["banner", 1],
		["navigation", 1],
		["main", 1],
		["contentinfo", 1],
	])
		same(`landmark ${role}`, await page.getByRole(role).count(), count);
	same("language and title", await page.evaluate(() => [document.documentElement.lang, document.title]), [
		"en",
		"Memory report",
	]);
	for (const what of ["nameless", "dangling", "doubleIds", "tables"])
		same(what, await page.evaluate(inPage[what]), []);
	const shown = await page.locator("svg:not([aria-hidden]):visible").evaluateAll(
		(all) => all.filter((svg) => !svg.parentElement.closest("svg")).length,
	);
	same("drawings that are read out", await page.getByRole("img", { name: /\w{4}/ }).count(), shown);
	expect("the style is applied", await page.evaluate(inPage.styled));
}

async function checkKeyboard(page) {
	const wanted = await page.evaluate(inPage.reachable);
	const found = [];
	const unseen = [];

	for (let i = 0; i < wanted.length; i++) {
		await page.keyboard.press("Tab");
		const at = await page.evaluate(inPage.focused);
		found.push(at.name);
		if (!at.seen) unseen.push(at.name);
	}
	same("Tab reaches everything in order", found, wanted);
	same("where the focus is can be seen", unseen, []);
	const summary = page.locator("summary").first();
	const isOpen = () => summary.evaluate((s) => s.parentElement.open);
	const before = await isOpen();
	await summary.focus();
	await page.keyboard.press("Enter");
	same("Enter opens and closes", await isOpen(), !before);
	await page.keyboard.press("Space");
	same("so does the space bar", await isOpen(), before);
}

async function checkSkipLink(page) {
	await page.reload();
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	same("the skip link leads to main", await page.evaluate(() => document.activeElement.id), "main");
}

async function checkAxe(page) {
	await page.evaluate(axe);
	const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
	same(
		"axe-core",
		result.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 120), v.nodes[0].failureSummary]),
		[],
	);
}

async function checkFit(page) {
	same("nothing is wider than the screen", await page.evaluate(inPage.width), 0);
	same("nothing is cut off", await page.evaluate(inPage.cut), []);
}

// ---- at each size and scheme

async function look(browser, url, size, scheme, whole) {
	const context = await browser.newContext({ viewport: size, colorScheme: scheme, reducedMotion: "reduce" });
	const page = await context.newPage();
	const said = [];
	const asked = [];

	page.on("console", (message) => said.push(message.text()));
	page.on("pageerror", (error) => said.push(String(error)));
	page.on("dialog", (dialog) => said.push(dialog.message()));
	page.on("request", (request) => asked.push(request.url()));
	await context.setOffline(true);
	await page.goto(url);
	await checkFit(page);
	await checkStructure(page);
	if (whole) {
		await checkKeyboard(page);
		await checkSkipLink(page);
	}
	await checkAxe(page);
	same("nothing is asked for but the page", [...new Set(asked)].map((u) => u.split("#")[0]).filter((u) => u !== url), []);
	same("the console stays empty", said, []);
	const paper = await page.evaluate(inPage.paper);
	await context.close();
	return paper;
}

// What paper and people with their own colours get.
async function checkMedia(browser, url) {
	const context = await browser.newContext({ viewport: DESK });
	const page = await context.newPage();

	await page.goto(url);
	await page.emulateMedia({ media: "print" });
	same("print leaves the links out", await page.getByRole("navigation").count(), 0);
	await checkFit(page);
	await page.emulateMedia({ media: "screen", forcedColors: "active" });
	same("with forced colours the drawings have them", await page.evaluate(() => {
		const fill = (one) => getComputedStyle(document.querySelector(one)).fill;
		return new Set([fill(".fill"), fill(".points"), fill(".day")]).size;
	}), 1);
	await checkAxe(page);
	await context.close();
}

await withBrowser(async (browser) => {
	for (const [i, file] of process.argv.slice(2).entries()) {
		const url = pathToFileURL(resolve(file)).href;
		const paper = {};

		for (const [size, scheme] of [
			[PHONE, "light"],
			[DESK, "dark"],
			...(i === 0 ? [[PHONE, "dark"], [DESK, "light"]] : []),
		]) {
			where = `${basename(file)} at ${size.width}x${size.height}, ${scheme}`;
			paper[scheme] = await look(browser, url, size, scheme, i === 0);
		}
		expect("dark is not light", paper.dark !== paper.light, paper);
		if (i === 0) {
			where = `${basename(file)} on paper and with forced colours`;
			await checkMedia(browser, url);
		}
	}
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
