import type { StoredTurn } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { Asked } from '../asking/ask.ts';
import { followLog } from './log.ts';

/** Turns of a session that are looked through for the one that answers: newer ones than it are few. */
const RECENT = 20;

/**
 * Waits for the turn that answers a message: its own, or the one that it was taken into. `dropped` when there will be none,
 * undefined when the signal came first.
 */
export async function findTurn(
  gateway: Gateway,
  asked: Asked,
  signal: AbortSignal,
): Promise<StoredTurn | 'dropped' | undefined> {
  const seen: Seen = { last: asked.after, others: new Set(), interrupted: undefined };
  for await (const batch of followLog(gateway, asked.sessionId, asked.after, signal)) {
    seen.last = batch.at(-1)?.number ?? seen.last;
    for (const { turnId } of batch) {
      if (turnId === undefined || turnId === seen.interrupted?.id || seen.others.has(turnId)) continue;
      const turn = await gateway.store.turns.get(turnId);
      if (turn === undefined || !answers(turn, asked)) seen.others.add(turnId);
      else if (turn.state !== 'interrupted') return turn;
      else seen.interrupted = turn;
    }
    const found = await lookFor(gateway, asked, seen);
    if (found !== 'waiting') return found;
  }
  return undefined;
}

/** What was seen in the log since the message. */
interface Seen {
  /** The number of the last event. */
  last: number;
  /** Turns of other messages. */
  readonly others: Set<string>;
  /** A turn of ours that a crash cut off; the message may be asked again. */
  interrupted: StoredTurn | undefined;
}

function answers(turn: StoredTurn, { messageId, turnId }: Asked): boolean {
  return turn.messageId === messageId || turn.id === turnId;
}

async function lookFor(
  { engine, store }: Gateway,
  asked: Asked,
  { last, others, interrupted }: Seen,
): Promise<StoredTurn | 'waiting' | 'dropped'> {
  const { sessionId } = asked;
  const running = engine.running.get(sessionId)?.claim.turn;
  if (running !== undefined && answers(running, asked)) return running;
  // In this order: what no longer waits has its turn already.
  const session = await store.sessions.get(sessionId);
  if (session !== undefined && (session.waiting > 0 || session.lastEvent > last)) return 'waiting';
  const turns = await store.turns.list(sessionId, { limit: RECENT });
  const own = turns.find((turn) => answers(turn, asked)) ?? interrupted;
  if (own !== undefined) return own;
  // It does not wait and has no turn of its own: it went into the one that ran, or that one was stopped and it with it.
  const [newest] = turns;
  const ran = newest !== undefined && (newest.state === 'running' || others.has(newest.id));
  return ran ? newest : 'dropped';
}
