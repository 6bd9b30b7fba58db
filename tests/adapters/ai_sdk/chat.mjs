// A long chat with tools by the real AI SDK through the proxy, then selections of the lists that it made.
// node chat.mjs PROVIDER PROXY QUESTIONS: prints what it got as JSON.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  convertToModelMessages, generateText, jsonSchema, modelMessageSchema, readUIMessageStream, stepCountIs,
  streamText, tool, validateUIMessages,
} from "ai";

globalThis.AI_SDK_LOG_WARNINGS = false; // they go to standard output
const [provider, proxy, questions] = process.argv.slice(2);
const apiKey = "key";
const model = {
  openai: () => createOpenAICompatible({ name: "fake", baseURL: `${proxy}/v1`, apiKey }),
  anthropic: () => createAnthropic({ baseURL: `${proxy}/v1`, apiKey }),
  gemini: () => createGoogleGenerativeAI({ baseURL: `${proxy}/v1beta`, apiKey }),
}[provider]()("m");
const tools = {
  look: tool({
    description: "Looks.",
    inputSchema: jsonSchema({ type: "object", properties: { at: { type: "string" } }, required: ["at"] }),
    execute: async ({ at }) => ({ found: `${at}: 31 °C` }),
  }),
};
const options = { model, tools, system: "Be terse.", stopWhen: stepCountIs(5), maxRetries: 0 };

const messages = [];
const ui = [];
const answers = [];
for (const [index, question] of JSON.parse(questions).entries()) {
  messages.push({ role: "user", content: question });
  let result;
  if (index % 2) {
    result = await generateText({ ...options, messages });
  } else {
    result = streamText({ ...options, messages, onError: ({ error }) => console.error(error) });
    let shown;
    for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) shown = message;
    ui.push({ id: `u${index}`, role: "user", parts: [{ type: "text", text: question }] });
    ui.push({ ...shown, id: `a${index}` });
  }
  answers.push({ text: await result.text, steps: (await result.steps).length });
  messages.push(...(await result.response).messages);
}

async function select(list) {
  const response = await fetch(`${proxy}/v1/select`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ messages: list }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()).messages;
}

// What the SDK says of a list: of its shape, and of calls and results when it makes a request of it.
async function problem(list) {
  try {
    list.forEach((message) => modelMessageSchema.parse(message));
    await generateText({ ...options, messages: list });
    return null;
  } catch (error) {
    return error.name;
  }
}

const question = "Was 31 °C found in Rome?";
const lists = {
  model: [...messages, { role: "user", content: question }],
  ui: [...ui, { id: "last", role: "user", parts: [{ type: "text", text: question }] }],
};
lists.converted = await convertToModelMessages(lists.ui, { tools });
const selected = {};
for (const [name, list] of Object.entries(lists)) selected[name] = await select(list);
const shown = await validateUIMessages({ messages: selected.ui, tools });
const problems = {
  model: await problem(selected.model),
  ui: await problem(await convertToModelMessages(shown, { tools })),
  converted: await problem(selected.converted),
  cut: await problem(lists.model.filter((message) => message.role !== "tool")),
};
console.log(JSON.stringify({ answers, lists, selected, problems }));
