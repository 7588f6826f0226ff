import type { Usage } from '@plugboard/protocol';
import type { Entry } from '../memory/memory.ts';
import type { Ask, Call, CallResult, Listener, Reply } from '../model/ask.ts';
import { ModelError } from '../model/error.ts';
import { addUsage } from '../model/usage.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { type Budget, exhausted } from './budget.ts';
import { carryOut, type Permit } from './calls.ts';
import { eachOf } from './each.ts';
import type { Sink } from './sink.ts';
import type { Transcript } from './transcript.ts';

/** What a turn works with. */
export interface LoopOptions {
  readonly ask: Ask;
  readonly system: string;
  /** Ends with the message to be answered. The loop adds replies and results to it. */
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
  readonly permit: Permit;
  readonly context: ToolContext;
  readonly sink: Sink;
  /** Keeps what is said, before anything follows from it. */
  readonly record: (entries: readonly Entry[]) => void;
  /** Adds steered messages to `transcript`; called before each question to the model. */
  readonly takeMore?: () => Promise<void>;
  readonly budget: Budget;
  /** The most that is put into one question, in tokens. */
  readonly room: number;
  readonly now: () => number;
}

/** How a turn ended. */
export interface LoopEnd {
  /** The last thing the model said. */
  readonly text: string;
  readonly usage: Usage;
  readonly problem?: { readonly code: string; readonly message: string };
}

interface Going {
  readonly options: LoopOptions;
  text: string;
  /** Said before the model paused: what it says next goes on with it. */
  paused: string;
  usage: Usage;
  steps: number;
  readonly started: number;
}

/** How often what is too long for the model is made shorter, by half each time. */
const SHORTENINGS = 4;

/** Asks the model and does what it wants until it wants no more; throws when the signal is aborted. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const going: Going = {
    options,
    text: '',
    paused: '',
    usage: {},
    steps: 0,
    started: options.now(),
  };
  for (;;) {
    const spent = { steps: going.steps, usage: going.usage, ms: options.now() - going.started };
    const limit = exhausted(options.budget, spent);
    if (limit !== undefined) return ended(going, { code: 'budget', message: limit });
    // What waits belongs to the next turn when this one has been ended.
    options.context.signal.throwIfAborted();
    await options.takeMore?.();
    const reply = await question(going);
    await hear(going, reply);
    if (reply.calls.length > 0) await answerCalls(going, reply.calls);
    else if (reply.finish !== 'pause') return ended(going, problemOf(reply, going.text));
  }
}

function ended({ text, usage }: Going, problem: LoopEnd['problem']): LoopEnd {
  return { text, usage, ...(problem === undefined ? {} : { problem }) };
}

/** One question; what is too long for the model is made shorter, since a long past must not be the end of an agent. */
async function question(going: Going): Promise<Reply> {
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

/** Keeps an answer, then says it: what the host has seen is remembered. One that pauses is said when it is whole. */
async function hear(going: Going, { text, calls, finish, usage, kept }: Reply): Promise<void> {
  const { record, sink, transcript } = going.options;
  going.usage = addUsage(going.usage, usage);
  record([
    ...(text === '' ? [] : [{ kind: 'assistant' as const, text }]),
    ...calls.map(({ id, name, input }) => ({ kind: 'call' as const, callId: id, name, input })),
  ]);
  // Thinking alone is no message: providers refuse it unless they paused in it.
  if (text !== '' || calls.length > 0 || finish === 'pause') {
    transcript.add({ role: 'assistant', text, calls, ...(kept === undefined ? {} : { kept }) });
  }
  const whole = going.paused + text;
  if (whole !== '') going.text = whole;
  going.paused = finish === 'pause' && calls.length === 0 ? whole : '';
  if (whole !== going.paused) await sink.message(whole);
  for (const call of calls) await sink.call(call);
}

/** So many calls run at a time: a model may ask for a thousand in one answer. */
const CALLS_AT_ONCE = 16;

/**
 * Each result is kept and said as it comes, and the model gets them in the order of its calls. When one cannot be kept,
 * no more calls are begun, and those that run come to their ends first: nothing may go on behind a turn that is over.
 */
async function answerCalls({ options }: Going, calls: readonly Call[]): Promise<void> {
  const { tools, permit, context, sink, record, transcript } = options;
  const calling = { tools: new Map(tools.map((tool) => [tool.name, tool])), permit, context };
  const results = await eachOf(calls, CALLS_AT_ONCE, async (call): Promise<CallResult> => {
    const result = await carryOut(call, calling);
    record([{ kind: 'result', callId: call.id, content: result.content, isError: result.isError }]);
    await sink.result(result);
    return result;
  });
  context.signal.throwIfAborted();
  transcript.add({ role: 'results', results });
}

/** Why an answer is not one, though the model has ended it. */
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
