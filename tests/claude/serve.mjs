// The API of api.mjs for a client that somebody else starts:
//
//	node serve.mjs PLAN LOG
//
// Writes its address as the first line, each request as a line of LOG, and ends with its input.

import { writeFileSync } from "node:fs";

import { serveApi } from "./api.mjs";

const [plan, log] = process.argv.slice(2);
const api = await serveApi(JSON.parse(plan));

console.log(api.url);
process.stdin.resume().on("end", () => {
	writeFileSync(log, api.requests.map((request) => JSON.stringify(request) + "\n").join(""));
	process.exit(0);
});
