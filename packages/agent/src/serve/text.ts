import { createTurn, type Event, type Turn } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import type { Handler } from '../handler.ts';
import type { Output } from '../output.ts';
import { NOBODY_TO_ASK } from '../permission.ts';
import { logFolded } from '../station.ts';
import { NO_STEERING } from '../steering.ts';
import type { Life } from './life.ts';

/** What talking to a person in plain text needs. */
export interface TextOptions {
  readonly output: Output;
  readonly nextTurnId: () => string;
  /** The session key of every turn of this process. */
  readonly sessionKey: string;
  /** Shown before each line the person types; empty when nobody types. */
  readonly invitation: string;
  readonly log: (text: string) => void;
}

/** A small conversation in the terminal, or one answer to a piped text; resolves to the exit code. */
export async function serveText(
  handler: Handler,
  lines: AsyncIterable<string>,
  life: Life,
  options: TextOptions,
): Promise<number> {
  let failed = false;
  await options.output.write(options.invitation);
  for await (const line of spoken(lines, options.invitation === '')) {
    if (line === '/quit' || line === '/exit') break;
    if (line.trim() !== '') {
      const turn = createTurn({
        id: options.nextTurnId(),
        text: line,
        session: { key: options.sessionKey, lasts: 'process' },
        channel: 'terminal',
      });
      failed = await answerText(turn, handler, life, options);
    }
    if (life.signal.aborted) break;
    await options.output.write(options.invitation);
  }
  return failed && options.invitation === '' ? 1 : 0;
}

async function answerText(turn: Turn, handler: Handler, life: Life, options: TextOptions): Promise<boolean> {
  const end = await answerTurn(turn, handler, {
    emit(event) {
      const text = textOf(event, options.invitation === '');
      if (text === undefined) logFolded(options, event);
      return options.output.write(text ?? '');
    },
    signal: life.signal,
    steering: NO_STEERING,
    askPermission: NOBODY_TO_ASK,
    lastWordsMs: life.lastWordsMs,
  });
  if (end.error !== undefined) options.log(end.error.message);
  return end.outcome !== 'success';
}

/** Piped text is one message, typed text is one message a line. */
async function* spoken(lines: AsyncIterable<string>, piped: boolean): AsyncGenerator<string> {
  if (!piped) return yield* lines;
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  // A byte order mark is none of the text.
  yield all.join('\n').replace(/^\uFEFF/, '');
}

/**
 * How an event looks to a person who reads along; undefined where it is not for stdout. What is piped on is the answer
 * alone, so that only who types is told there how the work goes.
 */
function textOf(event: Event, piped: boolean): string | undefined {
  switch (event.type) {
    case 'delta':
      return event.kind === 'output' ? event.text : '';
    case 'message':
      return event.streamed
        ? '\n'
        : `${[event.text, ...event.media.map(({ path, url }) => path ?? url)].join('\n')}\n`;
    case 'progress':
      return piped ? undefined : `… ${event.text}\n`;
    default:
      return undefined;
  }
}
