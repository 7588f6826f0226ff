import { createTurn, type Event, type Turn } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import { NOBODY_TO_ASK } from '../asks.ts';
import type { Handler } from '../handler.ts';
import type { InputLine } from '../input.ts';
import type { Output } from '../output.ts';
import { logFolded } from '../station.ts';
import { NO_STEERING } from '../steering.ts';
import type { Life } from './life.ts';

export interface TextOptions {
  readonly output: Output;
  readonly nextTurnId: () => string;
  /** `session.key` of every turn of this process. */
  readonly sessionKey: string;
  /** Prompt before each typed line; `''` if stdin is a pipe. */
  readonly invitation: string;
  readonly log: (text: string) => void;
}

/** Answers each typed line at a TTY, or all piped text as one message. Resolves to the exit code. */
export async function serveText(
  handler: Handler,
  lines: AsyncIterable<InputLine>,
  life: Life,
  options: TextOptions,
): Promise<number> {
  let failed = false;
  await options.output.write(options.invitation);
  for await (const line of readMessages(lines, options.invitation === '')) {
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
    ask: NOBODY_TO_ASK,
    lastWordsMs: life.lastWordsMs,
  });
  if (end.error !== undefined) options.log(end.error.message);
  return end.outcome !== 'success';
}

/** Yields piped text as one message (`piped`), typed text as one message a line. */
async function* readMessages(lines: AsyncIterable<InputLine>, piped: boolean): AsyncGenerator<string> {
  const all: string[] = [];
  for await (const { text } of lines) {
    if (piped) all.push(text);
    else yield text;
  }
  if (!piped) return;
  // `withoutMark` leaves the byte order mark of plain text in place.
  yield all.join('\n').replace(/^\uFEFF/, '');
}

/**
 * Text of an event for stdout; `undefined` sends it to the log. Piped stdout holds the answer alone, so `progress` is
 * shown only at a TTY.
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
