import { randomUUID } from 'node:crypto';
import type { Event, Handler, Unasked } from '@plugboard/agent';

type Task = Extract<Event, { type: 'tasks' }>['tasks'][number];
type Turn = Parameters<Handler>[0];
type IO = Parameters<Handler>[1];

/** Reminders: turns that the agent begins by itself. */
export interface Alarms {
  /** Sets one; returns what to say about it. */
  set(turn: Turn, seconds: number, what: string, io: IO): Promise<string>;
  /** Those that have rung, for as long as the process lives. */
  rung(): AsyncGenerator<Unasked>;
}

const MOST_SECONDS = 3_600;

export function createAlarms(): Alarms {
  const pending = new Map<string, Task>();
  const ringing: Unasked[] = [];
  let wake = (): void => {};
  const tell = (io: IO): Promise<void> => io.emit({ type: 'tasks', tasks: [...pending.values()] });

  const ring = (turn: Turn, id: string, what: string): void => {
    pending.delete(id);
    const handler: Handler = async (_turn, io) => {
      await tell(io);
      return `You wanted to be reminded of ${what}.`;
    };
    ringing.push({ origin: 'alarm', turn, handler });
    wake();
  };
  return {
    async set(turn, seconds, what, io) {
      const id = randomUUID();
      const ms = Math.min(Math.max(seconds, 0), MOST_SECONDS) * 1000;
      const firesAt = new Date(Date.now() + ms).toISOString();
      pending.set(id, { id, kind: 'alarm', description: what, status: 'pending', firesAt });
      // Does not keep the process: where it ends with its turn, there is nobody left to ring.
      setTimeout(() => ring(turn, id, what), ms).unref();
      await tell(io);
      return process.argv.includes('--stdio')
        ? `I shall remind you of ${what} in ${ms / 1000} seconds.`
        : 'My process ends with this turn, so I cannot come back. Ask demo-resident: it stays.';
    },
    async *rung() {
      for (;;) {
        const next = ringing.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
