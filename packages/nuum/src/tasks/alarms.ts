import type { Task } from '@plugboard/protocol';
import { type Connection, findRow, listRows, runStatement } from '@plugboard/sqlite';
import { nextRing } from './alarm-time.ts';

/** A time at which the agent begins a turn without a message of a user. */
export interface Alarm {
  readonly id: string;
  readonly note: string;
  readonly firesAt: number;
  readonly every: string | undefined;
}

/** The table `alarms`. */
export interface AlarmStore {
  add(alarm: Alarm): void;
  /** Alarms that have not rung, ordered by `firesAt`. */
  pending(): readonly Alarm[];
  get(id: string): Alarm | undefined;
  /**
   * Called when the turn of an alarm has ended: marks the alarm as done, or sets `firesAt` to the next time of `every`.
   */
  markRung(id: string): void;
  /** False when no pending alarm has this id. */
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
    const found = findRow<Row>(connection, `${COLUMNS} where id = :id and status = 'pending'`, { id });
    return found === undefined ? undefined : toAlarm(found);
  };
  return {
    add({ id, note, firesAt, every }) {
      runStatement(
        connection,
        `insert into alarms (id, note, fires_at, every, status, created_at)
         values (:id, :note, :firesAt, :every, 'pending', :now)`,
        { id, note, firesAt: Math.trunc(firesAt), every: every ?? null, now: Math.trunc(now()) },
      );
    },
    pending: () =>
      listRows<Row>(connection, `${COLUMNS} where status = 'pending' order by fires_at, id`).map(toAlarm),
    get,
    markRung(id) {
      const alarm = get(id);
      if (alarm === undefined) return;
      const at = Math.trunc(now());
      const next = alarm.every === undefined ? Number.NaN : nextRing(alarm.firesAt, alarm.every, at);
      if (Number.isNaN(next))
        runStatement(connection, `update alarms set status = 'done', rung_at = :at where id = :id`, {
          id,
          at,
        });
      else
        runStatement(connection, 'update alarms set fires_at = :next, rung_at = :at where id = :id', {
          id,
          at,
          next: Math.trunc(next),
        });
    },
    cancel: (id) =>
      runStatement(
        connection,
        `update alarms set status = 'cancelled' where id = :id and status = 'pending'`,
        { id },
      ).changes > 0,
  };
}

function toAlarm({ id, note, fires_at, every }: Row): Alarm {
  return { id, note, firesAt: fires_at, every: every ?? undefined };
}

/** The `Task` that hosts receive for an alarm. */
export function alarmAsTask({ id, note, firesAt, every }: Alarm): Task {
  const description = every === undefined ? note : `${note} (every ${every})`;
  return { id, kind: 'alarm', description, status: 'pending', firesAt: new Date(firesAt).toISOString() };
}
