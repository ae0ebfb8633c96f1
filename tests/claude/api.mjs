// What a client of Anthropic's API hears in the tests: a server on this machine that keeps the body
// of each request and answers what a plan says, so that the real client is driven without a network
// and without a model.
//
// A plan is a list of what the model says one after the other: {tool: END, input} for a call of the
// offered tool whose name ends so, or {text}. How many calls a request answers already says where in
// the plan it is.

import { createServer } from "node:http";

// What a step of the plan is in a request with these tools: one block of content.
function block(step, tools) {
	if (step.text !== undefined)
		return { type: "text", text: step.text };
	const tool = tools.find(({ name }) => name.endsWith(step.tool));

	if (!tool)
		return { type: "text", text: `no tool ${step.tool} was offered` };
	return { type: "tool_use", id: `toolu_${step.tool}`, name: tool.name, input: step.input };
}

// The results of tools that a request brings.
export function results({ messages }) {
	return messages
		.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.filter(({ type }) => type === "tool_result");
}

function reply(plan, request) {
	const { tools = [], model } = request;
	// What the client asks beside the conversation, for a title say, comes without tools.
	const step = tools.length > 0 ? plan[results(request).length] : undefined;
	const content = block(step ?? { text: "done" }, tools);

	return {
		id: "msg_1",
		type: "message",
		role: "assistant",
		model,
		content: [content],
		stop_reason: content.type === "tool_use" ? "tool_use" : "end_turn",
		stop_sequence: null,
		usage: { input_tokens: 1, output_tokens: 1 },
	};
}

// The same as the events that a streaming client reads.
function* events(message) {
	const [content] = message.content;
	const call = content.type === "tool_use";
	const delta = call
		? { type: "input_json_delta", partial_json: JSON.stringify(content.input) }
		: { type: "text_delta", text: content.text };

	yield { type: "message_start", message: { ...message, content: [], stop_reason: null } };
	yield {
		type: "content_block_start",
		index: 0,
		content_block: call ? { ...content, input: {} } : { ...content, text: "" },
	};
	yield { type: "content_block_delta", index: 0, delta };
	yield { type: "content_block_stop", index: 0 };
	yield {
		type: "message_delta",
		delta: { stop_reason: message.stop_reason, stop_sequence: null },
		usage: { output_tokens: 1 },
	};
	yield { type: "message_stop" };
}

async function body(request) {
	let text = "";

	for await (const part of request.setEncoding("utf8"))
		text += part;
	return text;
}

function answer(response, asked, message) {
	response.setHeader("content-type", asked.stream ? "text/event-stream" : "application/json");
	if (!asked.stream) {
		response.end(JSON.stringify(message));
		return;
	}
	for (const event of events(message))
		response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
	response.end();
}

// Resolves to {url, requests, close}: where it listens, and what it was asked so far.
export function serveApi(plan) {
	const requests = [];
	const server = createServer(async (request, response) => {
		const { pathname } = new URL(request.url, "http://localhost");
		const text = await body(request);

		if (pathname !== "/v1/messages") {
			response.statusCode = 404;
			response.end("{}");
			return;
		}
		requests.push(JSON.parse(text));
		answer(response, requests.at(-1), reply(plan, requests.at(-1)));
	});

	return new Promise((resolve) => {
		server.listen(0, "127.0.0.1", () => resolve({
			url: `http://127.0.0.1:${server.address().port}`,
			requests,
			close: () => { server.closeAllConnections(); server.close(); },
		}));
	});
}
