import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type JsonValue, withoutThoughts } from '@plugboard/protocol';
import { jsonSchema, type LanguageModel, streamText, type TextStreamPart, type ToolSet } from 'ai';
import type { LocalSettings } from '../settings.ts';
import type { Question, Reply, ToolOffer } from './ask.ts';
import type { Fetch } from './mend.ts';
import { type Call, toMessages } from './said.ts';
import { createThoughtFilter } from './thoughts.ts';

// Its warnings go to the console unless they are switched off; what matters of them is an error anyway.
globalThis.AI_SDK_LOG_WARNINGS = false;

const TOP_P = 0.9;
const REPEAT_PENALTY = 1.1;

/** Asks once. Whatever goes wrong is thrown as the client says it. */
export async function answerOnce(
  question: Question,
  settings: LocalSettings,
  fetch: Fetch,
  onPart: () => void,
): Promise<Reply> {
  const { stream } = streamText({
    model: modelFor(question, settings, fetch),
    ...(question.system === '' ? {} : { instructions: question.system }),
    messages: toMessages(question.said),
    tools: toolSet(question.tools),
    temperature: question.temperature,
    topP: TOP_P,
    maxOutputTokens: settings.maxTokens,
    abortSignal: question.signal,
    maxRetries: 0,
    // What goes wrong comes as a part of the stream; the default would print it.
    onError: () => {},
  });
  return gathered(stream, question, onPart);
}

async function gathered(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  { signal, onText }: Question,
  onPart: () => void,
): Promise<Reply> {
  const filter = createThoughtFilter();
  const show = (text: string): void => {
    if (text !== '') onText?.(text);
  };
  const calls: Call[] = [];
  let text = '';
  let finish: string | undefined;
  for await (const part of stream) {
    onPart();
    if (part.type === 'text-delta') {
      text += part.text;
      show(filter.push(part.text));
    } else if (part.type === 'tool-call') calls.push(callOf(part));
    else if (part.type === 'finish-step') finish = part.finishReason;
    else if (part.type === 'error') throw part.error;
  }
  signal.throwIfAborted();
  if (finish === undefined) throw new Error('the stream ended early');
  show(filter.end());
  return { text: withoutThoughts(text).trim(), calls, cut: finish === 'length' };
}

/** Fields that only local servers know are put into the body by hand. */
function modelFor({ schema }: Question, settings: LocalSettings, fetch: Fetch): LanguageModel {
  const { endpoint, model, apiKey, noThink } = settings;
  const format =
    schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } } };
  const provider = createOpenAICompatible({
    name: 'local',
    baseURL: endpoint,
    fetch,
    ...(apiKey === undefined ? {} : { apiKey }),
    transformRequestBody: (body) => ({
      ...body,
      repeat_penalty: REPEAT_PENALTY,
      ...format,
      ...(noThink ? { chat_template_kwargs: { enable_thinking: false } } : {}),
    }),
  });
  return provider(model);
}

function toolSet(offers: readonly ToolOffer[]): ToolSet {
  const entries = offers.map(({ name, description, parameters }) => [
    name,
    { description, inputSchema: jsonSchema(parameters as Parameters<typeof jsonSchema>[0]) },
  ]);
  return Object.fromEntries(entries) as ToolSet;
}

interface CallPart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
}

/** A call that cannot run is kept under the name the model used: that is what it must be told about. */
function callOf({ toolCallId: id, toolName: name, input, invalid }: CallPart): Call {
  const readable = typeof input === 'object' && input !== null;
  const problem = 'The arguments are not valid JSON. Call the tool again with a JSON object.';
  return { id, name, input: input as JsonValue, ...(invalid === true && !readable ? { problem } : {}) };
}
