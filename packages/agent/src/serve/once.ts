import type { End, Failure, Turn } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import { type Asks, createAsks } from '../asks.ts';
import type { Handler } from '../handler.ts';
import type { InputLine } from '../input.ts';
import { applyInput, emitEvent, type Request, type Station } from '../station.ts';
import { NO_STEERING } from '../steering.ts';
import type { Life } from './life.ts';

/** Answers the only request of a one-shot process. Resolves to the exit code. */
export async function serveOnce(
  station: Station,
  handler: Handler,
  lines: AsyncIterator<InputLine>,
  life: Life,
): Promise<number> {
  const request = await firstRequest(station, lines);
  const end =
    request?.type === 'turn'
      ? await answerRequest(station, handler, request.turn, { lines, life })
      : await emitRefusal(station, request?.type === 'refuse' ? request.failure : NO_REQUEST);
  return station.dialect.agent.exitCode(end, station.state);
}

/** Stops reading at the first request: a host may keep stdin open, so waiting for its end would hang. */
async function firstRequest(station: Station, lines: AsyncIterator<InputLine>): Promise<Request | undefined> {
  const [early] = applyInput(station, { type: 'started' }).requests;
  if (early !== undefined || !station.dialect.agent.readsInput(station.state)) return early;
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const [request] = applyInput(station, { type: 'line', ...next.value }).requests;
    if (request !== undefined) return request;
  }
  return applyInput(station, { type: 'input-end' }).requests[0];
}

function answerRequest(
  station: Station,
  handler: Handler,
  turn: Turn,
  { lines, life }: { readonly lines: AsyncIterator<InputLine>; readonly life: Life },
): Promise<End> {
  let listening = false;
  const asks = createAsks(station, () => {
    if (!listening) void readAnswers(station, lines, asks);
    listening = true;
  });
  return answerTurn(turn, handler, {
    emit: (event) => emitEvent(station, turn.id, event),
    signal: life.signal,
    steering: NO_STEERING,
    ask: asks.by(turn.id),
    lastWordsMs: life.lastWordsMs,
  });
}

/** Passes later lines of stdin to `asks.take`. The first question starts it: without questions stdin stays unread. */
async function readAnswers(station: Station, lines: AsyncIterator<InputLine>, asks: Asks): Promise<void> {
  for (let next = await lines.next(); next.done !== true; next = await lines.next())
    for (const request of applyInput(station, { type: 'line', ...next.value }).requests) asks.take(request);
  asks.close();
}

const NO_REQUEST: Failure = { message: 'The host sent no request.', code: 'no-request' };

async function emitRefusal(station: Station, error: Failure): Promise<End> {
  if (error.code === 'too-long') station.log(error.message);
  const end: End = { type: 'end', outcome: 'error', text: '', error };
  await emitEvent(station, undefined, end);
  return end;
}
