import { createAnthropicError, createAnthropicEvents } from './anthropic.ts';
import { createGeminiChunks, createGeminiError, createGeminiResponse } from './gemini.ts';
import type { ModelReply } from './model-reply.ts';
import { createOpenaiChunks, createOpenaiCompletion } from './openai.ts';
import { createResponsesEvents } from './responses.ts';

/** A request that the server has received. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body of whichever provider it speaks to.
  readonly body: any;
}

/** The API of one provider: how it says a `ModelReply`. */
interface Api {
  readonly path: RegExp;
  /** The body for a client that does not stream; undefined for one that does. */
  whole?(reply: ModelReply, request: ModelRequest): object | undefined;
  /** The stream, each string an event. */
  events(reply: ModelReply, request: ModelRequest): Iterable<string>;
  error(status: number, message: string): object;
}

const anthropic: Api = {
  path: /\/messages(\?|$)/,
  *events(reply, { body }) {
    for (const [type, data] of createAnthropicEvents(reply, body.model)) yield formatEvent(type, data);
  },
  error: createAnthropicError,
};

const responses: Api = {
  path: /\/responses(\?|$)/,
  *events(reply, { body }) {
    for (const [type, data] of createResponsesEvents(reply, body.model, body.tools))
      yield formatEvent(type, data);
  },
  error: createOpenaiError,
};

const gemini: Api = {
  path: /\/models\/[^/]+:(streamG|g)enerateContent/,
  *events(reply, { path }) {
    for (const chunk of createGeminiChunks(reply, modelIn(path))) yield formatData(chunk);
  },
  whole: (reply, { path }) =>
    path.includes(':stream') ? undefined : createGeminiResponse(reply, modelIn(path)),
  error: createGeminiError,
};

const chat: Api = {
  path: /./,
  *events(reply, { body }) {
    for (const chunk of createOpenaiChunks(reply, body.model)) yield formatData(chunk);
    yield 'data: [DONE]\n\n';
  },
  whole: (reply, { body }) =>
    body?.stream === true ? undefined : createOpenaiCompletion(reply, body?.model ?? 'm'),
  error: createOpenaiError,
};

/** The API that a path belongs to: OpenAI's chat completions where no other has it. */
export function apiOf(path: string): Api {
  return [anthropic, responses, gemini].find((api) => api.path.test(path)) ?? chat;
}

function createOpenaiError(_status: number, message: string): object {
  return { error: { message, type: 'error' } };
}

function formatEvent(type: string, data: object): string {
  return `event: ${type}\n${formatData({ type, ...data })}`;
}

function formatData(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function modelIn(path: string): string {
  return /\/models\/([^/:]+):/.exec(path)?.[1] ?? 'm';
}
