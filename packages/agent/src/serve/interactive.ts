import { answerTurn } from '../answer.ts';
import { NOBODY_TO_ASK } from '../asks.ts';
import type { Handler } from '../handler.ts';
import type { InputLine } from '../input.ts';
import { applyInput, emitEvent, type Request, type Station } from '../station.ts';
import { NO_STEERING } from '../steering.ts';
import type { Life } from './life.ts';

const INVITATION = '> ';

/** Serves an interactive nib operation: stdin and stdout are the terminal of the user. Resolves to the exit code. */
export async function serveInteractive(
  station: Station,
  handler: Handler,
  lines: AsyncIterable<InputLine>,
  life: Life,
): Promise<number> {
  const { output } = station;
  let code = await answerAll(station, handler, applyInput(station, { type: 'started' }).requests, life);
  if (code !== 0 || life.signal.aborted) return code;
  await output.write(INVITATION);
  for await (const line of lines) {
    if (line.text === '/quit' || line.text === '/exit') break;
    code = await answerAll(station, handler, applyInput(station, { type: 'line', ...line }).requests, life);
    if (life.signal.aborted) break;
    await output.write(INVITATION);
  }
  return code;
}

async function answerAll(
  station: Station,
  handler: Handler,
  requests: Request[],
  life: Life,
): Promise<number> {
  let code = 0;
  for (const request of requests) {
    if (request.type === 'refuse') {
      station.log(request.failure.message);
      code = 1;
    }
    if (request.type !== 'turn') continue;
    const { turn } = request;
    const end = await answerTurn(turn, handler, {
      emit: (event) => emitEvent(station, turn.id, event),
      signal: life.signal,
      steering: NO_STEERING,
      ask: NOBODY_TO_ASK,
      lastWordsMs: life.lastWordsMs,
    });
    if (end.error !== undefined) station.log(end.error.message);
    code = station.dialect.agent.exitCode(end, station.state);
  }
  return code;
}
