import type { Task } from '@plugboard/protocol';
import { type Connection, row, rows, run } from '../database/connection.ts';
import { nextRing } from './when.ts';

/** A time at which the agent begins a turn by itself. */
export interface Alarm {
  readonly id: string;
  readonly note: string;
  readonly firesAt: number;
  readonly every: string | undefined;
}

/** The alarms there are, as the database keeps them. */
export interface AlarmStore {
  add(alarm: Alarm): void;
  /** Those that are to ring, the next first. */
  pending(): readonly Alarm[];
  get(id: string): Alarm | undefined;
  /** A turn about it has ended: it is over, or set again if it repeats. */
  rung(id: string): void;
  /** Whether there was one to cancel. */
  cancel(id: string): boolean;
}

interface Row {
  readonly id: string;
  readonly note: string;
  readonly fires_at: number;
  readonly every: string | null;
}

const COLUMNS = 'select id, note, fires_at, every from alarms';

export function createAlarmStore(connection: Connection, now: () => number): AlarmStore {
  const get = (id: string): Alarm | undefined => {
    const found = row<Row>(connection, `${COLUMNS} where id = :id and status = 'pending'`, { id });
    return found === undefined ? undefined : toAlarm(found);
  };
  return {
    add({ id, note, firesAt, every }) {
      run(
        connection,
        `insert into alarms (id, note, fires_at, every, status, created_at)
         values (:id, :note, :firesAt, :every, 'pending', :now)`,
        { id, note, firesAt: Math.trunc(firesAt), every: every ?? null, now: Math.trunc(now()) },
      );
    },
    pending: () =>
      rows<Row>(connection, `${COLUMNS} where status = 'pending' order by fires_at, id`).map(toAlarm),
    get,
    rung(id) {
      const alarm = get(id);
      if (alarm === undefined) return;
      const at = Math.trunc(now());
      const next = alarm.every === undefined ? Number.NaN : nextRing(alarm.firesAt, alarm.every, at);
      if (Number.isNaN(next))
        run(connection, `update alarms set status = 'done', rung_at = :at where id = :id`, { id, at });
      else
        run(connection, 'update alarms set fires_at = :next, rung_at = :at where id = :id', {
          id,
          at,
          next: Math.trunc(next),
        });
    },
    cancel: (id) =>
      run(connection, `update alarms set status = 'cancelled' where id = :id and status = 'pending'`, { id })
        .changes > 0,
  };
}

function toAlarm({ id, note, fires_at, every }: Row): Alarm {
  return { id, note, firesAt: fires_at, every: every ?? undefined };
}

/** An alarm as hosts are shown it. */
export function alarmAsTask({ id, note, firesAt, every }: Alarm): Task {
  const description = every === undefined ? note : `${note} (every ${every})`;
  return { id, kind: 'alarm', description, status: 'pending', firesAt: new Date(firesAt).toISOString() };
}
