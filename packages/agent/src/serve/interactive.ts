import type { Request } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import type { Handler } from '../handler.ts';
import { NOBODY_TO_ASK } from '../permission.ts';
import { emit, type Station, step } from '../station.ts';
import { NO_STEERING } from '../steering.ts';
import type { Life } from './life.ts';

const INVITATION = '> ';

/** Talks to the person at the terminal that the host has handed over; resolves to the exit code. */
export async function serveInteractive(
  station: Station,
  handler: Handler,
  lines: AsyncIterable<string>,
  life: Life,
): Promise<number> {
  const { dialect, state, output } = station;
  const first: Request[] = [];
  dialect.agent.begin(state, first);
  let code = await answerAll(station, handler, first, life);
  if (code !== 0 || life.signal.aborted) return code;
  await output.write(INVITATION);
  for await (const line of lines) {
    if (line === '/quit' || line === '/exit') break;
    code = await answerAll(station, handler, step(station, line), life);
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
    if (request.type === 'fault') {
      station.log(request.fault.message);
      code = 1;
    }
    if (request.type !== 'turn') continue;
    const end = await answerTurn(request.turn, handler, {
      emit: (event) => emit(station, event),
      signal: life.signal,
      steering: NO_STEERING,
      askPermission: NOBODY_TO_ASK,
      lastWordsMs: life.lastWordsMs,
    });
    if (end.error !== undefined) station.log(end.error.message);
    code = station.dialect.agent.exitCode(end, station.state);
  }
  return code;
}
