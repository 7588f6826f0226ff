import type { End, Failure, Request } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import type { Handler } from '../handler.ts';
import { permissionsBy } from '../permission.ts';
import { emit, finishInput, type Station, step } from '../station.ts';
import { NO_STEERING } from '../steering.ts';
import type { Life } from './life.ts';

/** Answers the one request a host has for this process; resolves to the exit code. */
export async function serveOnce(
  station: Station,
  handler: Handler,
  lines: AsyncIterator<string>,
  life: Life,
): Promise<number> {
  const request = await firstRequest(station, lines);
  const end =
    request?.type === 'turn'
      ? await answer(station, handler, request, { lines, life })
      : await refuse(station, request);
  return station.dialect.agent.exitCode(end, station.state);
}

/** Reads only as much as the request needs: a host may keep its end open. */
async function firstRequest(station: Station, lines: AsyncIterator<string>): Promise<Request | undefined> {
  const { dialect, state } = station;
  const early: Request[] = [];
  dialect.agent.begin(state, early);
  if (early[0] !== undefined || !dialect.agent.readsInput(state)) return early[0];
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const [request] = step(station, next.value);
    if (request !== undefined) return request;
  }
  return finishInput(station)[0];
}

function answer(
  station: Station,
  handler: Handler,
  request: Request & { type: 'turn' },
  { lines, life }: { readonly lines: AsyncIterator<string>; readonly life: Life },
): Promise<End> {
  return answerTurn(request.turn, handler, {
    emit: (event) => emit(station, event),
    signal: life.signal,
    steering: NO_STEERING,
    askPermission: permissionsBy(station, lines),
    lastWordsMs: life.lastWordsMs,
  });
}

function failureOf(request: Request | undefined): Failure {
  return request?.type === 'fault'
    ? { message: request.fault.message, code: request.fault.code }
    : { message: 'The host sent no request.', code: 'no-request' };
}

async function refuse(station: Station, request: Request | undefined): Promise<End> {
  const error = station.inputProblem() ?? failureOf(request);
  const end: End = { type: 'end', outcome: 'error', text: '', error };
  await emit(station, end);
  return end;
}
