import type { JsonObject, JsonValue, Usage } from '@plugboard/protocol';
import {
  type AssistantModelMessage,
  type FinishReason,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  type ToolSet,
} from 'ai';
import type { Call, Purpose, Question, Reply, ToolOffer } from './ask.ts';
import { type IdOf, toMessages } from './messages.ts';
import { anthropicId, freshId, isTooDeep, sendableInput, sendableName } from './sendable.ts';

// Its warnings go to the console unless they are switched off; what matters of them is an error anyway.
globalThis.AI_SDK_LOG_WARNINGS = false;

type Part = Exclude<AssistantModelMessage['content'], string>[number];

/** What has come of an answer so far. */
interface Gathering {
  readonly parts: Part[];
  text: string;
  readonly calls: Call[];
  /** Ids of calls that are in use. */
  readonly taken: Set<string>;
  finish: Reply['finish'];
  usage: Usage;
}

/** Anthropic caches the prompt up to a block with this mark; four of them may be in one prompt. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Asks once. Whatever goes wrong is thrown as the provider's client says it. */
export async function answerOnce(
  model: LanguageModel,
  question: Question,
  purpose: Purpose,
  signal: AbortSignal,
  onPart: () => void,
): Promise<Reply> {
  const { stream } = streamText({
    model,
    instructions: {
      role: 'system',
      content: question.system.toWellFormed(),
      ...(question.marks === undefined ? {} : { providerOptions: CACHED }),
    },
    messages: markedMessages(question, idsFor(model)),
    tools: toolSet(question.tools),
    abortSignal: signal,
    providerOptions: { nuum: { purpose } },
    maxRetries: 0,
    // What goes wrong comes as a part of the stream; the default would print it.
    onError: () => {},
  });
  const gathering = gatheringFor(question);
  let finished = false;
  for await (const part of stream) {
    onPart();
    switch (part.type) {
      case 'text-delta':
        addText(gathering, part.text);
        question.listener?.delta('output', part.text);
        break;
      case 'reasoning-delta':
        question.listener?.delta('thinking', part.text);
        addReasoning(gathering, part.text, part.providerMetadata);
        break;
      case 'reasoning-end':
        addReasoning(gathering, '', part.providerMetadata);
        break;
      case 'tool-call':
        addCall(gathering, part);
        break;
      case 'finish-step':
        // The SDK reports `interrupted` for a stream without its last event: the answer may be incomplete.
        if (part.finishReason === 'interrupted') throw new Error('the stream ended early');
        gathering.finish = finishOf(part.finishReason, part.rawFinishReason);
        gathering.usage = usageOf(part.usage);
        finished = true;
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw signal.reason ?? new Error('aborted');
      default:
    }
  }
  signal.throwIfAborted();
  if (!finished) throw new Error('the stream ended early');
  const { text, calls, finish, usage, parts } = gathering;
  return {
    text,
    calls,
    finish,
    usage,
    ...(parts.length === 0 ? {} : { kept: { role: 'assistant', content: parts.map(wellFormed) } }),
  };
}

function gatheringFor({ said }: Question): Gathering {
  const ids = said.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : []));
  return { parts: [], text: '', calls: [], taken: new Set(ids), finish: 'other', usage: {} };
}

/** At the end only: the pieces of a text may part a pair that belongs together. Thinking is signed as it is. */
function wellFormed(part: Part): Part {
  return part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part;
}

/** Only the provider's own word tells an answer that pauses from one that has ended. */
function finishOf(reason: Exclude<FinishReason, 'interrupted'>, raw: string | undefined): Reply['finish'] {
  return raw === 'pause_turn' ? 'pause' : reason;
}

/** OpenAI-compatible servers expect the ids of their own calls unchanged. */
function idsFor(model: LanguageModel): IdOf {
  return typeof model !== 'string' && model.provider.startsWith('anthropic') ? anthropicId : (id) => id;
}

function markedMessages({ said, marks = [] }: Question, idOf: IdOf): ModelMessage[] {
  return said.flatMap((one, index) => {
    const messages = toMessages(one, idOf);
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

function addText(gathering: Gathering, text: string): void {
  gathering.text += text;
  const last = gathering.parts.at(-1);
  if (last?.type === 'text')
    gathering.parts[gathering.parts.length - 1] = { ...last, text: last.text + text };
  else gathering.parts.push({ type: 'text', text });
}

/** Signatures come with the last piece; without them the provider would not take its own thinking back. */
function addReasoning(gathering: Gathering, text: string, metadata: unknown): void {
  const options = metadata === undefined ? {} : { providerOptions: metadata as Record<string, JsonObject> };
  const last = gathering.parts.at(-1);
  if (last?.type === 'reasoning') {
    gathering.parts[gathering.parts.length - 1] = { ...last, text: last.text + text, ...options } as Part;
  } else if (text !== '' || metadata !== undefined) {
    gathering.parts.push({ type: 'reasoning', text, ...options } as Part);
  }
}

interface CallPart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
  readonly error?: unknown;
}

/** A call that cannot run is kept under the name the model used: that is what it must be told about. */
function addCall(gathering: Gathering, part: CallPart): void {
  const { toolName: name } = part;
  const id = freshId(part.toolCallId, gathering.taken);
  const problem = problemOf(part);
  const input = problem === undefined || !isTooDeep(part.input) ? part.input : {};
  gathering.calls.push({
    id,
    name,
    input: input as JsonValue,
    ...(problem === undefined ? {} : { problem }),
  });
  const sent = { toolCallId: id, toolName: sendableName(name), input: sendableInput(input) };
  gathering.parts.push({ type: 'tool-call', ...sent });
}

function problemOf({ input, invalid, error }: CallPart): string | undefined {
  if (isTooDeep(input)) return 'The input is nested too deeply.';
  if (invalid !== true || (typeof input === 'object' && input !== null)) return undefined;
  const words = error instanceof Error ? error.message : 'it could not be read';
  return `The input is not valid JSON: ${words.slice(0, 300)}`;
}

/** Tokens read from a cache and written to one are input, too. */
function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): Usage {
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails ?? {};
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cache_read_input_tokens: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_creation_input_tokens: cacheWriteTokens }),
  };
}
