import {
  attachmentAt,
  type Cost,
  type End,
  type Event,
  type Failure,
  kindOf,
  type Message,
  permissionOf,
  permissionQuestion,
  reasonOf,
  type Turn,
  type Usage,
} from '@plugboard/protocol';
import { parsePiece, parseResult, rejectReturned } from './answer-shape.ts';
import type { Ask } from './asks.ts';
import type { Handler, Result, TurnIO } from './handler.ts';
import type { Steering } from './steering.ts';

/** The promise settles when the stream has room for the next event (back-pressure). */
type Emit = (event: Event) => Promise<void>;

/** State of one `answerTurn` call. */
interface Answering {
  readonly emit: Emit;
  /** Text of the `delta` events since the last `message`. */
  preview: string;
  lastText: string;
  failure: Failure | undefined;
  result: Result;
  usage: Usage | undefined;
  cost: Cost | undefined;
  /** Set when the turn was cancelled and `lastWordsMs` is over: later events are dropped. */
  deaf: boolean;
  /** An `end` event that the handler emitted itself. */
  end: End | undefined;
  toolCalls: number;
  /** Ids of `tool-call` events without a `tool-result`. */
  readonly openCalls: Set<string>;
}

export interface Conditions {
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly steering: Steering;
  readonly ask: Ask;
  /** Time after an abort in which events of the handler are still emitted; 0 drops them at once. */
  readonly lastWordsMs: number;
}

/** Emits the events of `handler` and then exactly one `end`, which is returned. An error of `handler` is caught. */
export async function answerTurn(turn: Turn, handler: Handler, conditions: Conditions): Promise<End> {
  const started = process.hrtime.bigint();
  const answering: Answering = {
    emit: conditions.emit,
    preview: '',
    lastText: '',
    failure: undefined,
    result: {},
    usage: undefined,
    cost: undefined,
    deaf: false,
    end: undefined,
    toolCalls: 0,
    openCalls: new Set(),
  };
  try {
    await untilDeaf(callHandler(answering, turn, handler, conditions), answering, conditions);
  } catch (error) {
    if (!conditions.signal.aborted) {
      await conditions.emit({ type: 'log', level: 'error', text: traceOf(error), source: 'agent' });
      answering.failure ??= { message: reasonOf(error) };
    }
  }
  await closeCalls(answering);
  const end = endOf(answering, conditions.signal, elapsedSince(started));
  await conditions.emit(end);
  return end;
}

/** A host shows a `tool-call` as running until its `tool-result` comes. */
async function closeCalls({ openCalls, emit }: Answering): Promise<void> {
  for (const id of openCalls) {
    await emit({ type: 'tool-result', id, content: 'The turn ended before the tool did.', isError: true });
  }
}

async function callHandler(
  answering: Answering,
  turn: Turn,
  handler: Handler,
  conditions: Conditions,
): Promise<void> {
  const io = createIO(answering, conditions);
  await emitAnswer(await handler(turn, io), io, answering);
  const text = answering.preview;
  if (text !== '') await io.emit({ type: 'message', text, media: [], streamed: true });
}

/** Rejects `lastWordsMs` after the abort, even if a handler that ignores `signal` is still running. */
function untilDeaf(
  work: Promise<void>,
  answering: Answering,
  { signal, lastWordsMs }: Conditions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      answering.deaf = true;
      reject(signal.reason);
    };
    const onAbort = (): void => {
      if (lastWordsMs > 0) timer = setTimeout(giveUp, lastWordsMs);
      else giveUp();
    };
    // Must be attached also after an abort: a later rejection of `work` would be unhandled and end the process.
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

function createIO(answering: Answering, { signal, steering, ask }: Conditions): TurnIO {
  const emit = (event: Event): Promise<void> => emitUnlessEnded(answering, event);
  return {
    signal,
    steering,
    emit,
    reply: (text, options) =>
      emit({ type: 'message', text, media: (options?.media ?? []).map(toAttachment) }),
    delta: (text) => emit({ type: 'delta', kind: 'output', text }),
    progress: (text) => emit({ type: 'progress', text }),
    log: (text) => emit({ type: 'log', level: 'info', text, source: 'agent' }),
    plan: (steps) => emit({ type: 'plan', steps }),
    session: (id) => emit({ type: 'session', id }),
    async tool(name, input, about = {}) {
      const id = `call_${++answering.toolCalls}`;
      await emit({ type: 'tool-call', id, name, input, ...about });
      return (content, isError = false) => emit({ type: 'tool-result', id, content, isError });
    },
    async permission(tool, input) {
      const question = permissionQuestion(tool, input);
      return permissionOf(question, await ask(question, signal));
    },
    ask: (question, withdrawn) =>
      ask(question, withdrawn === undefined ? signal : AbortSignal.any([signal, withdrawn])),
    usage(used, cost) {
      answering.usage = used;
      answering.cost = cost;
    },
    error(message, code) {
      answering.failure = { message, ...(code === undefined ? {} : { code }) };
    },
  };
}

function toAttachment(address: string): Message['media'][number] {
  return address.includes('://') ? { kind: kindOf(address), url: address } : attachmentAt(address);
}

/** Drops events once the answer is `deaf` or has its `end`: a host reads none after that. */
async function emitUnlessEnded(answering: Answering, event: Event): Promise<void> {
  if (answering.deaf || answering.end !== undefined) return;
  if (event.type === 'tool-call') answering.openCalls.add(event.id);
  if (event.type === 'tool-result') answering.openCalls.delete(event.id);
  if (event.type === 'end') {
    answering.end = event;
    return;
  }
  if (event.type === 'delta' && event.kind === 'output') {
    answering.preview = event.restart ? '' : answering.preview + event.text;
  }
  if (event.type !== 'message') return answering.emit(event);
  const streamed = event.streamed === true || (answering.preview !== '' && answering.preview === event.text);
  answering.preview = '';
  answering.lastText = event.text;
  return answering.emit(streamed ? { ...event, streamed: true } : event);
}

async function emitAnswer(answer: unknown, io: TurnIO, answering: Answering): Promise<void> {
  if (answer === undefined || answer === null) return;
  if (typeof answer === 'string') return io.reply(answer);
  if (isPieces(answer)) return emitPieces(answer, io);
  answering.result = parseResult(answer);
  if (answering.result.text !== undefined) await io.reply(answering.result.text);
}

async function emitPieces(pieces: Pieces, io: TurnIO): Promise<void> {
  for await (const given of checkReturned(pieces)) {
    // `return` calls `return()` of the generator: it stops instead of running on after an abort.
    if (io.signal.aborted) return;
    const piece = parsePiece(given);
    await (typeof piece === 'string' ? io.delta(piece) : io.emit(piece));
  }
}

/** Yields the same pieces. `yield*` gives the return value of the generator, which `for await` drops. */
async function* checkReturned(pieces: Pieces): AsyncGenerator<unknown, void> {
  rejectReturned(yield* pieces);
}

type Pieces = Iterable<unknown> | AsyncIterable<unknown>;

/** A `Uint8Array` is iterable too, but its numbers are no pieces. */
function isPieces(answer: unknown): answer is Pieces {
  if (typeof answer !== 'object' || answer === null || ArrayBuffer.isView(answer)) return false;
  return Symbol.asyncIterator in answer || Symbol.iterator in answer;
}

/** In milliseconds. `performance` is loaded on first use, which slows the start; `hrtime` is already there. */
function elapsedSince(started: bigint): number {
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** The stack goes to the operator alone: the user gets `reasonOf(error)`. */
function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function endOf(answering: Answering, signal: AbortSignal, elapsed: number): End {
  const durationMs = Math.round(elapsed);
  if (answering.end !== undefined) return { durationMs, ...answering.end };
  const { failure, lastText: text, result, usage, cost } = answering;
  const used = { ...(usage === undefined ? {} : { usage }), ...(cost === undefined ? {} : { cost }) };
  const { text: _said, ...own } = result;
  const extra = { ...used, ...own };
  if (signal.aborted) return { type: 'end', outcome: 'cancelled', text, ...used, durationMs };
  if (failure !== undefined)
    return { type: 'end', outcome: 'error', text, error: failure, ...extra, durationMs };
  return { type: 'end', outcome: 'success', text, ...extra, durationMs };
}
