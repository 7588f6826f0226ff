import type { JsonObject, JsonValue, Usage } from '@plugboard/protocol';
import {
  type AssistantModelMessage,
  type FinishReason,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import { OversizeError } from './failure.ts';
import { toMessages } from './messages.ts';
import type { Call, Question, Reply, ToolOffer } from './question.ts';
import { createCallId, isTooDeep, sendableInput, sendableName, toAnthropicId } from './sendable.ts';

// The SDK prints warnings to the console, which belongs to the program.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Parameters of a request that the SDK passes on to the provider. */
export interface CallSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly providerOptions?: Record<string, JsonObject>;
}

type Part = Exclude<AssistantModelMessage['content'], string>[number];

/** An answer that is still being streamed. */
interface Draft {
  readonly parts: Part[];
  text: string;
  readonly calls: Call[];
  /** Ids of all calls of the conversation. */
  readonly callIds: Set<string>;
  /** Undefined until the last event of the stream. */
  finish: Reply['finish'] | undefined;
  usage: Usage;
}

/** Anthropic caches the prompt up to a block with this mark. A prompt may have four. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Characters of an answer, its thinking and the inputs of its calls: sixteen times what the longest answers of today have. */
const MOST_CHARACTERS = 8_000_000;

/** Sends one request and reads its answer. Errors are thrown as the SDK throws them. */
export async function answerOnce(
  model: LanguageModel,
  question: Question,
  settings: CallSettings,
  onPart: () => void,
): Promise<Reply> {
  const { system, signal, marks, tools } = question;
  const { stream } = streamText({
    ...settings,
    model,
    ...(system === ''
      ? {}
      : {
          instructions: {
            role: 'system',
            content: system.toWellFormed(),
            ...(marks === undefined ? {} : { providerOptions: CACHED }),
          },
        }),
    messages: markedMessages(question, model),
    tools: toolSet(tools),
    abortSignal: signal,
    maxRetries: 0,
    // Errors come as parts of the stream; the default of the SDK prints them as well.
    onError: () => {},
  });
  const draft = createDraft(question);
  let length = 0;
  for await (const part of stream) {
    onPart();
    length += lengthOf(part);
    if (length > MOST_CHARACTERS)
      throw new OversizeError(`has more than ${MOST_CHARACTERS.toLocaleString('en')} characters`);
    addPart(draft, part, question);
  }
  signal.throwIfAborted();
  return toReply(draft);
}

/** The input of a call comes in pieces before the call itself, and is counted by them. */
function lengthOf(part: {
  readonly type: string;
  readonly text?: unknown;
  readonly delta?: unknown;
}): number {
  const piece = part.type === 'tool-input-delta' ? part.delta : part.text;
  return typeof piece === 'string' ? piece.length : 0;
}

function createDraft({ said }: Question): Draft {
  const ids = said.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : []));
  return { parts: [], text: '', calls: [], callIds: new Set(ids), finish: undefined, usage: {} };
}

function addPart(draft: Draft, part: TextStreamPart<ToolSet>, { listener, signal }: Question): void {
  switch (part.type) {
    case 'text-delta':
      addText(draft, part.text);
      listener?.delta('output', part.text);
      break;
    case 'reasoning-delta':
      listener?.delta('thinking', part.text);
      addReasoning(draft, part.text, part.providerMetadata);
      break;
    case 'reasoning-end':
      addReasoning(draft, '', part.providerMetadata);
      break;
    case 'tool-call':
      addCall(draft, part);
      break;
    case 'finish-step':
      draft.finish = finishOf(part.finishReason, part.rawFinishReason);
      draft.usage = usageOf(part.usage);
      break;
    case 'error':
      throw part.error;
    case 'abort':
      throw signal.reason ?? new Error('aborted');
    default:
  }
}

function toReply({ text, calls, finish, usage, parts }: Draft): Reply {
  if (finish === undefined) throw new Error('the stream ended early');
  // Deltas may split a surrogate pair, so that only whole texts are made well-formed. Thinking is signed and must not change.
  const content = parts.map((part) =>
    part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part,
  );
  return {
    ...{ text, calls, finish, usage },
    ...(content.length === 0 ? {} : { kept: { role: 'assistant', content } }),
  };
}

/** The SDK has no name for `pause_turn`, and says `interrupted` for a stream that ended without its last event. */
function finishOf(reason: FinishReason, raw: string | undefined): Reply['finish'] | undefined {
  if (raw === 'pause_turn') return 'pause';
  return reason === 'interrupted' ? undefined : reason;
}

function markedMessages({ said, marks = [] }: Question, model: LanguageModel): ModelMessage[] {
  const isAnthropic = typeof model !== 'string' && model.provider.startsWith('anthropic');
  // OpenAI-compatible servers expect the ids of their own calls unchanged.
  const toId = isAnthropic ? toAnthropicId : (id: string) => id;
  return said.flatMap((one, index) => {
    const messages = toMessages(one, toId);
    return marks.includes(index)
      ? messages.map((message) => ({ ...message, providerOptions: CACHED }))
      : messages;
  });
}

function toolSet(offers: readonly ToolOffer[]): ToolSet {
  const entries = offers.map(({ name, description, parameters }) => [
    name,
    { description, inputSchema: jsonSchema(parameters as Parameters<typeof jsonSchema>[0]) },
  ]);
  return Object.fromEntries(entries) as ToolSet;
}

function addText(draft: Draft, text: string): void {
  draft.text += text;
  const last = draft.parts.at(-1);
  if (last?.type === 'text') draft.parts[draft.parts.length - 1] = { ...last, text: last.text + text };
  else draft.parts.push({ type: 'text', text });
}

/** `metadata` holds the signature, which comes with the last delta; Anthropic refuses thinking without it. */
function addReasoning(draft: Draft, text: string, metadata: unknown): void {
  const options = metadata === undefined ? {} : { providerOptions: metadata as Record<string, JsonObject> };
  const last = draft.parts.at(-1);
  if (last?.type === 'reasoning') {
    draft.parts[draft.parts.length - 1] = { ...last, text: last.text + text, ...options } as Part;
  } else if (text !== '' || metadata !== undefined) {
    draft.parts.push({ type: 'reasoning', text, ...options } as Part);
  }
}

interface CallPart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
  readonly error?: unknown;
}

/** `calls` keeps the name that the model used, which the result repeats; `parts` has a name that providers accept. */
function addCall(draft: Draft, part: CallPart): void {
  const { toolName: name } = part;
  const id = createCallId(part.toolCallId, draft.callIds);
  const problem = problemOf(part);
  const input = problem === undefined || !isTooDeep(part.input) ? part.input : {};
  draft.calls.push({
    ...{ id, name, input: input as JsonValue },
    ...(problem === undefined ? {} : { problem }),
  });
  const sent = { toolCallId: id, toolName: sendableName(name), input: sendableInput(input) };
  draft.parts.push({ type: 'tool-call', ...sent });
}

function problemOf({ input, invalid, error }: CallPart): string | undefined {
  if (isTooDeep(input)) return 'The input is nested too deeply.';
  if (invalid !== true || (typeof input === 'object' && input !== null)) return undefined;
  const words = error instanceof Error ? error.message : 'it could not be read';
  return `The input is not valid JSON: ${words.slice(0, 300)}`;
}

function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): Usage {
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails ?? {};
  return {
    // Includes the tokens read from a cache and written to one.
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cache_read_input_tokens: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_creation_input_tokens: cacheWriteTokens }),
  };
}
