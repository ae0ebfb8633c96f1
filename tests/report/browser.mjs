// The browser that pages are looked at with: Debian's Chromium, without a network.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

const SWITCHES = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

// Calls work(browser), and leaves nothing behind.
export async function withBrowser(work) {
	const profile = await mkdtemp(join(tmpdir(), "kota-chromium-"));
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: SWITCHES,
		env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
	});
	try {
		return await work(browser);
	} finally {
		await browser.close();
		await rm(profile, { recursive: true, force: true });
	}
}
