// A picture of a page, from its top to the end of a section.
//
//	node picture.mjs PAGE PICTURE

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { withBrowser } from "./browser.mjs";

const WIDTH = 1280;
const LAST = "#fading .legend";
const MARGIN = 20;

const [page_file, picture] = process.argv.slice(2);

await withBrowser(async (browser) => {
	const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 }, colorScheme: "light" });

	await page.goto(pathToFileURL(resolve(page_file)).href);
	const end = await page.locator(LAST).boundingBox();
	await page.screenshot({
		path: picture,
		fullPage: true,
		clip: { x: 0, y: 0, width: WIDTH, height: Math.round(end.y + end.height + MARGIN) },
	});
});
