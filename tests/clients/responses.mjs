// What Codex hears in the tests: OpenAI's Responses API as far as Codex needs it, with a model that
// calls the tools that it was told to, one after the other, and then says "Done."
//
//	node responses.mjs CALLS
//
// CALLS is JSON: a list of {name, arguments}, for tools of the server "memory". The address is the
// first line of the output; it ends with its input.

import { createServer } from "node:http";

const calls = JSON.parse(process.argv[2]);

function item(answered) {
	const call = calls[answered];

	if (!call)
		return { type: "message", id: "msg_1", role: "assistant",
			content: [{ type: "output_text", text: "Done." }] };
	return { type: "function_call", id: `fc_${answered}`, call_id: `call_${answered}`,
		namespace: "mcp__memory", name: call.name, arguments: JSON.stringify(call.arguments) };
}

const server = createServer(async (request, response) => {
	let text = "";

	for await (const part of request.setEncoding("utf8"))
		text += part;
	if (!request.url.endsWith("/responses")) {
		response.end("{}");
		return;
	}
	const { input = [] } = JSON.parse(text);
	const answered = input.filter(({ type }) => type === "function_call_output").length;
	const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1,
		output_tokens_details: null, total_tokens: 2 };

	response.setHeader("content-type", "text/event-stream");
	for (const event of [
		{ type: "response.created", response: { id: "resp_1" } },
		{ type: "response.output_item.done", output_index: 0, item: item(answered) },
		{ type: "response.completed", response: { id: "resp_1", usage } },
	])
		response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
	response.end();
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
process.stdin.resume().on("end", () => process.exit(0));
