import { Problem } from '../problem.ts';
import type { Reply, RouteRequest } from '../route.ts';
import { openStream } from '../stream.ts';
import { type Heard, type Hearing, hear, type Listener } from './turn/hear.ts';

/** An answer as a stream: what is sent for each thing that happens. */
export interface Script {
  readonly listener: Listener;
  /** The agent has said everything. */
  finish(heard: Heard): void;
  /** There will be no answer. */
  fail(problem: Problem): void;
}

/** Gives a whole answer. */
export async function answerWhole(hearing: Hearing, view: (heard: Heard) => unknown): Promise<Reply> {
  const heard = await hear(hearing);
  return heard === undefined ? 'taken' : { status: 200, json: view(heard) };
}

/** Gives an answer while it is being said; `scripted` is told how to send. */
export async function answerLive(
  hearing: Hearing & Pick<RouteRequest, 'outgoing'>,
  scripted: (send: (text: string) => void) => Script,
): Promise<Reply> {
  // Nobody is there to be sent anything.
  if (hearing.gone.aborted) return answerWhole(hearing, () => undefined);
  const stream = openStream(hearing.outgoing, () => undefined);
  const script = scripted((text) => stream.send(Buffer.from(text)));
  try {
    const heard = await hear(hearing, script.listener);
    if (heard !== undefined) script.finish(heard);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    script.fail(error);
  }
  stream.end();
  return 'taken';
}
