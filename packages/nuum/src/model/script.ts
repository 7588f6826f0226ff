import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LanguageModel, ModelError } from '@plugboard/llm';
import { parse } from 'yaml';
import { readScript, type Script, type ScriptedReply } from './script-file.ts';

type ModelV4 = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type Options = Parameters<ModelV4['doStream']>[0];
type Part = Awaited<ReturnType<ModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/** A model that answers from a script file, for demonstrations and for tests without a network. */
export function scriptedModel(file: string): LanguageModel {
  const script = loadScript(file);
  const left = [...script.steps];
  let calls = 0;
  return {
    specificationVersion: 'v4',
    provider: 'script',
    modelId: script.model,
    supportedUrls: {},
    async doStream(options: Options) {
      const asked = askedBy(options);
      const reply: Chosen =
        (asked.purpose === 'turn' ? left.shift() : undefined) ?? chooseReply(script, asked);
      if (reply.delayMs > 0) await sleep(reply.delayMs, undefined, { signal: options.abortSignal });
      if (reply.error !== undefined) throw failureOf(reply.error);
      const texts = { message: asked.message, result: asked.result, groups: reply.groups ?? [] };
      const parts = partsOf(reply, texts, () => `call_${++calls}`);
      return { stream: ReadableStream.from(parts) as ReadableStream<Part> };
    },
    doGenerate: () => Promise.reject(new Error('A scripted model only streams.')),
  } as ModelV4;
}

function loadScript(file: string): Script {
  try {
    return readScript(parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new ModelError('script', `The script ${file} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The parts of a prompt that the rules of a script are matched with. */
interface Asked {
  readonly purpose: string;
  readonly message: string;
  /** The last tool result, if it came after `message`. */
  readonly result: string | undefined;
}

/** A user message with its `userText` head. The head of a note has the word `note`, so that notes do not match. */
const PERSONS_MESSAGE = /^\[#\d+(?: alarm| task)?, [^\]\n]*\]\n(.*)$/su;

function askedBy({ prompt, providerOptions }: Options): Asked {
  let messages: string[] = [];
  let result: string | undefined;
  let lastRole = '';
  for (const one of prompt) {
    if (one.role === 'user') {
      const text = one.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      // Messages that one turn took in together are joined. A note or a summary between two messages separates them.
      const said = PERSONS_MESSAGE.exec(text)?.[1];
      messages =
        lastRole === 'said' && said !== undefined ? [...messages, said] : [said ?? withoutHead(text)];
      lastRole = said === undefined ? 'user' : 'said';
      result = undefined;
    } else lastRole = one.role;
    if (one.role === 'tool') result = one.content.map(outputText).join('\n');
  }
  const purpose = String(providerOptions?.nuum?.purpose ?? 'turn');
  return { purpose, message: messages.join('\n\n'), result };
}

function withoutHead(text: string): string {
  return text.replace(/^\[#\d+[^\]\n]*\]\n/, '');
}

function outputText(part: object): string {
  const output = 'output' in part ? (part.output as { readonly value?: unknown }) : {};
  return String(output.value ?? '');
}

type Chosen = ScriptedReply & { readonly groups?: readonly string[] };

/** The reply of the first rule that matches. */
function chooseReply(script: Script, { purpose, message, result }: Asked): Chosen {
  for (const rule of script.rules) {
    if (rule.purpose !== purpose || (rule.after === 'result') !== (result !== undefined)) continue;
    const match = rule.when.exec(result ?? message);
    if (match !== null) return { ...rule.reply, groups: match.slice(1).map((group) => group ?? '') };
  }
  if (purpose !== 'turn') return { ...script.otherwise, text: '', calls: [] };
  return script.otherwise;
}

interface Texts {
  readonly message: string;
  readonly result: string | undefined;
  readonly groups: readonly string[];
}

function* partsOf(reply: ScriptedReply, texts: Texts, nextId: () => string): Generator<Part> {
  yield { type: 'stream-start', warnings: [] };
  const text = fillTemplate(reply.text, texts);
  if (text !== '') {
    yield { type: 'text-start', id: 't' };
    for (const delta of text.match(/\S+\s*|\s+/g) ?? []) yield { type: 'text-delta', id: 't', delta };
    yield { type: 'text-end', id: 't' };
  }
  for (const { name, input } of reply.calls) {
    const json = typeof input === 'string' ? input : JSON.stringify(fillTemplates(input, texts));
    yield { type: 'tool-call', toolCallId: nextId(), toolName: name, input: json };
  }
  if (reply.cut) throw new Error('socket hang up');
  const { input_tokens = 1, output_tokens = 1 } = reply.usage;
  yield {
    type: 'finish',
    finishReason: {
      unified: reply.finish ?? (reply.calls.length > 0 ? 'tool-calls' : 'stop'),
      raw: undefined,
    },
    usage: {
      inputTokens: {
        total: input_tokens,
        noCache: input_tokens,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: output_tokens, text: output_tokens, reasoning: undefined },
    },
  };
}

/** Replaces `{message}`, `{result}`, and `{1}` by the first group of the rule's pattern. */
function fillTemplate(text: string, { message, result, groups }: Texts): string {
  return text.replace(/\{(message|result|\d)\}/g, (whole, name: string) => {
    if (name === 'message') return message;
    if (name === 'result') return result ?? '';
    return groups[Number(name) - 1] ?? whole;
  });
}

function fillTemplates(value: unknown, texts: Texts): unknown {
  if (typeof value === 'string') return fillTemplate(value, texts);
  if (Array.isArray(value)) return value.map((one) => fillTemplates(one, texts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillTemplates(one, texts)]));
}

function failureOf({ status, message, retryAfter }: NonNullable<ScriptedReply['error']>): Error {
  const responseHeaders = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return Object.assign(new Error(message), { statusCode: status, responseHeaders });
}
