import {
  attachmentAt,
  type End,
  type Event,
  type Failure,
  kindOf,
  type Message,
  reasonOf,
  type Turn,
  type Usage,
} from '@plugboard/protocol';
import { demandNothing, pieceOf, resultOf } from './answer-shape.ts';
import type { Handler, Result, TurnIO } from './handler.ts';
import type { AskPermission } from './permission.ts';
import type { Steering } from './steering.ts';

/** Takes events one by one; the promise settles when more can be taken. */
type Emit = (event: Event) => Promise<void>;

/** What is known of an answer while it is being given. */
interface Answering {
  readonly emit: Emit;
  /** Streamed text that no message has said in full yet. */
  preview: string;
  lastText: string;
  failure: Failure | undefined;
  result: Result;
  usage: Usage | undefined;
  /** The turn was cancelled, and nobody listens any more. */
  deaf: boolean;
  /** The handler has given the end itself. */
  end: End | undefined;
  toolCalls: number;
  /** Tools whose result has not been told. */
  readonly openCalls: Set<string>;
}

/** What a turn is answered with. */
export interface Conditions {
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly steering: Steering;
  readonly askPermission: AskPermission;
  /** How long a handler may go on speaking when its turn was cancelled; 0: not at all. */
  readonly lastWordsMs: number;
}

/** Lets a handler answer a turn: everything it says is emitted, then exactly one `end`, which is returned. */
export async function answerTurn(turn: Turn, handler: Handler, conditions: Conditions): Promise<End> {
  const started = process.hrtime.bigint();
  const answering: Answering = {
    emit: conditions.emit,
    preview: '',
    lastText: '',
    failure: undefined,
    result: {},
    usage: undefined,
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

/** A host that was told of a call would show it at work for ever. */
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
  await give(await handler(turn, io), io, answering);
  const text = answering.preview;
  if (text !== '') await io.emit({ type: 'message', text, media: [], streamed: true });
}

/** A handler that does not heed its signal must not keep a cancelled turn from ending. */
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
    // Heard in any case: a handler that fails after the turn was cancelled must not end the process.
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

function createIO(answering: Answering, { signal, steering, askPermission }: Conditions): TurnIO {
  const emit = (event: Event): Promise<void> => say(answering, event);
  return {
    signal,
    steering,
    emit,
    reply: (text, options) =>
      emit({ type: 'message', text, media: (options?.media ?? []).map(toAttachment) }),
    delta: (text) => emit({ type: 'delta', kind: 'output', text }),
    progress: (text) => emit({ type: 'progress', text }),
    log: (text) => emit({ type: 'log', level: 'info', text, source: 'agent' }),
    session: (id) => emit({ type: 'session', id }),
    async tool(name, input) {
      const id = `call_${++answering.toolCalls}`;
      await emit({ type: 'tool-call', id, name, input });
      return (content, isError = false) => emit({ type: 'tool-result', id, content, isError });
    },
    permission: (tool, input) => askPermission(tool, input, signal),
    usage(used) {
      answering.usage = used;
    },
    error(message, code) {
      answering.failure = { message, ...(code === undefined ? {} : { code }) };
    },
  };
}

function toAttachment(address: string): Message['media'][number] {
  return address.includes('://') ? { kind: kindOf(address), url: address } : attachmentAt(address);
}

/** After the turn was cancelled nothing more is said, since the host has stopped listening. */
async function say(answering: Answering, event: Event): Promise<void> {
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

async function give(answer: unknown, io: TurnIO, answering: Answering): Promise<void> {
  if (answer === undefined || answer === null) return;
  if (typeof answer === 'string') return io.reply(answer);
  if (isPieces(answer)) return givePieces(answer, io);
  answering.result = resultOf(answer);
  if (answering.result.text !== undefined) await io.reply(answering.result.text);
}

async function givePieces(pieces: Pieces, io: TurnIO): Promise<void> {
  for await (const given of untilReturned(pieces)) {
    // Leaving the loop closes the generator, which would otherwise go on for nobody.
    if (io.signal.aborted) return;
    const piece = pieceOf(given);
    await (typeof piece === 'string' ? io.delta(piece) : io.emit(piece));
  }
}

/** The same pieces. A loop alone would not see what a generator returns. */
async function* untilReturned(pieces: Pieces): AsyncGenerator<unknown, void> {
  demandNothing(yield* pieces);
}

type Pieces = Iterable<unknown> | AsyncIterable<unknown>;

/** Bytes are no pieces, although one can go through them. */
function isPieces(answer: unknown): answer is Pieces {
  if (typeof answer !== 'object' || answer === null || ArrayBuffer.isView(answer)) return false;
  return Symbol.asyncIterator in answer || Symbol.iterator in answer;
}

/** In milliseconds. `hrtime` is there from the start, while `performance` is loaded when it is first used. */
function elapsedSince(started: bigint): number {
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** What the operator needs to mend the handler. */
function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function endOf(answering: Answering, signal: AbortSignal, elapsed: number): End {
  const durationMs = Math.round(elapsed);
  if (answering.end !== undefined) return { durationMs, ...answering.end };
  const { failure, lastText: text, result, usage } = answering;
  const used = usage === undefined ? {} : { usage };
  const { text: _said, ...own } = result;
  const extra = { ...used, ...own };
  if (signal.aborted) return { type: 'end', outcome: 'cancelled', text, ...used, durationMs };
  if (failure !== undefined)
    return { type: 'end', outcome: 'error', text, error: failure, ...extra, durationMs };
  return { type: 'end', outcome: 'success', text, ...extra, durationMs };
}
