import { randomUUID } from 'node:crypto';
import type { Event, Handler, Unasked } from '@plugboard/agent';

type Task = Extract<Event, { type: 'tasks' }>['tasks'][number];
type Turn = Parameters<Handler>[0];
type IO = Parameters<Handler>[1];

/** Reminders: turns that the agent begins by itself. */
export interface Alarms {
  /** Schedules an alarm; resolves to the agent's answer about it. */
  set(turn: Turn, seconds: number, what: string, io: IO): Promise<string>;
  /** Yields each alarm when it fires; does not end before the process does. */
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
      // `unref`: with one process per turn the agent exits after the turn, and this alarm does not fire.
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
