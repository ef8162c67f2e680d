// Makes the calls of calls.json with the generated client, one after the other, and prints what each was answered.
import { readFile } from "node:fs/promises";
import * as sdk from "./built/sdk.gen.js";
import { client } from "./built/client.gen.js";

const { baseUrl, calls } = JSON.parse(await readFile(process.argv[2], "utf8"));
client.setConfig({ baseUrl, redirect: "manual" });

const answers = [];
for (const { name, operationId, path, body, headers } of calls) {
  const options = { path, headers, ...(body === null ? {} : { body }) };
  answers.push({ name, ...(operationId === "streamRead" ? await follow(options) : await call(operationId, options)) });
}
console.log(JSON.stringify(answers));

async function call(operationId, options) {
  const { response, error } = await sdk[operationId](options);
  return { status: response?.status ?? 0, problem: error === undefined ? "" : String(error?.code ?? error) };
}

// A stream has no end: its first line is enough.
async function follow(options) {
  const leaving = new AbortController();
  const { stream } = await sdk.streamRead({ ...options, signal: leaving.signal, sseMaxRetryAttempts: 1 });
  const { value } = await stream.next();
  leaving.abort();
  return { status: value === undefined ? 0 : 200, problem: "" };
}
