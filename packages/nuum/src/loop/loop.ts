import { type Call, type CallResult, type Listener, ModelError, type Reply } from '@plugboard/llm';
import type { Usage } from '@plugboard/protocol';
import type { Entry } from '../memory/messages/message.ts';
import type { Ask } from '../model/ask.ts';
import { addUsage } from '../model/usage.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { type Budget, describeReachedLimit } from './budget.ts';
import { mapLimited } from './map-limited.ts';
import { type Permit, runCall } from './run-call.ts';
import type { Sink } from './sink.ts';
import type { Transcript } from './transcript.ts';

export interface LoopOptions {
  readonly ask: Ask;
  readonly system: string;
  /** Ends with the message to answer. The loop appends replies and results to it. */
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
  readonly permit: Permit;
  readonly context: ToolContext;
  readonly sink: Sink;
  /** Stores entries durably, before the sink receives them. */
  readonly record: (entries: readonly Entry[]) => void;
  /** Adds steered messages to `transcript`; called before each question to the model. */
  readonly takeMore?: () => Promise<void>;
  readonly budget: Budget;
  /** The most tokens of one question. */
  readonly room: number;
  readonly now: () => number;
}

export interface LoopEnd {
  /** The text of the last answer. */
  readonly text: string;
  readonly usage: Usage;
  readonly problem?: { readonly code: string; readonly message: string };
}

interface LoopState {
  readonly options: LoopOptions;
  text: string;
  /** The text before a `pause`, which the next reply continues. */
  paused: string;
  usage: Usage;
  steps: number;
  readonly started: number;
}

/** How often a prompt that the model refuses as too long is cut again, to half of its size each time. */
const SHORTENINGS = 4;

/** Asks the model and runs its tool calls until a reply has none. Throws when the signal is aborted. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const going: LoopState = {
    options,
    text: '',
    paused: '',
    usage: {},
    steps: 0,
    started: options.now(),
  };
  for (;;) {
    const spent = { steps: going.steps, usage: going.usage, ms: options.now() - going.started };
    const limit = describeReachedLimit(options.budget, spent);
    if (limit !== undefined) return toLoopEnd(going, { code: 'budget', message: limit });
    // Before `takeMore`: messages that wait when a turn is aborted belong to the next one.
    options.context.signal.throwIfAborted();
    await options.takeMore?.();
    const reply = await askWithinRoom(going);
    await handleReply(going, reply);
    if (reply.calls.length > 0) await answerCalls(going, reply.calls);
    else if (reply.finish !== 'pause') return toLoopEnd(going, problemOf(reply, going.text));
  }
}

function toLoopEnd({ text, usage }: LoopState, problem: LoopEnd['problem']): LoopEnd {
  return { text, usage, ...(problem === undefined ? {} : { problem }) };
}

/** Asks once. A prompt that is too long is cut and sent again: a long past must not make every later turn fail. */
async function askWithinRoom(going: LoopState): Promise<Reply> {
  const { options } = going;
  going.steps++;
  const { transcript } = options;
  for (let room = options.room, tried = 0; ; room = Math.min(room, transcript.tokens) / 2, tried++) {
    transcript.fit(room);
    try {
      return await askOnce(options);
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== 'too-long' || tried >= SHORTENINGS) throw error;
      options.sink.log(`${error.message} It is made shorter.`);
    }
  }
}

async function askOnce({ ask, system, tools, sink, context, transcript }: LoopOptions): Promise<Reply> {
  const { said, marks } = transcript;
  const { signal } = context;
  transcript.noteAsked();
  let heard = false;
  /** Withdraws the deltas of a broken answer: hosts would take them for a message. */
  const withdraw = (): void => {
    if (heard) sink.restart();
    heard = false;
  };
  const listener: Listener = {
    delta(kind, text) {
      if (kind === 'output') heard = true;
      sink.delta(kind, text);
    },
    again(reason, waitMs) {
      withdraw();
      const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
      void sink.progress(`${sentence} Trying again in ${Math.ceil(waitMs / 100) / 10} s.`);
    },
  };
  try {
    return await ask({ system, said, marks, tools, signal, listener });
  } catch (error) {
    if (!signal.aborted) withdraw();
    throw error;
  }
}

/** Stores an answer before the host receives it. The text of a `pause` is sent together with its continuation. */
async function handleReply(going: LoopState, { text, calls, finish, usage, kept }: Reply): Promise<void> {
  const { record, sink, transcript } = going.options;
  going.usage = addUsage(going.usage, usage);
  record([
    ...(text === '' ? [] : [{ kind: 'assistant' as const, text }]),
    ...calls.map(({ id, name, input }) => ({ kind: 'call' as const, callId: id, name, input })),
  ]);
  // Providers refuse a message of thinking alone, except after a `pause`.
  if (text !== '' || calls.length > 0 || finish === 'pause') {
    transcript.add({ role: 'assistant', text, calls, ...(kept === undefined ? {} : { kept }) });
  }
  const whole = going.paused + text;
  if (whole !== '') going.text = whole;
  going.paused = finish === 'pause' && calls.length === 0 ? whole : '';
  if (whole !== going.paused) await sink.message(whole);
  for (const call of calls) await sink.call(call);
}

/** A model may request a thousand calls in one answer. */
const CALLS_AT_ONCE = 16;

/**
 * Each result is stored and sent when its call ends; the model gets all results in the order of its calls. When a
 * result cannot be stored, no further call begins, and those that run are waited for: no call may go on after the turn
 * has ended.
 */
async function answerCalls({ options }: LoopState, calls: readonly Call[]): Promise<void> {
  const { tools, permit, context, sink, record, transcript } = options;
  const calling = { tools: new Map(tools.map((tool) => [tool.name, tool])), permit, context };
  const results = await mapLimited(calls, CALLS_AT_ONCE, async (call): Promise<CallResult> => {
    const result = await runCall(call, calling);
    record([{ kind: 'result', callId: call.id, content: result.content, isError: result.isError }]);
    await sink.result(result);
    return result;
  });
  context.signal.throwIfAborted();
  transcript.add({ role: 'results', results });
}

/** The problem of a complete reply that is no answer. */
function problemOf({ finish, text }: Reply, lastText: string): LoopEnd['problem'] {
  switch (finish) {
    case 'length':
      return {
        code: 'cut-off',
        message: 'The answer was cut off at the length that the model may say at once.',
      };
    case 'content-filter':
      return { code: 'refused', message: 'The model refused to answer.' };
    case 'error':
      return { code: 'model', message: 'The model reported an error and gave no reason.' };
    default:
      return text === '' && lastText === ''
        ? { code: 'empty', message: 'The model gave no answer.' }
        : undefined;
  }
}
