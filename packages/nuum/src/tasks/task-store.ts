import type { Task } from '@plugboard/protocol';
import { type Connection, listRows, runStatement } from '@plugboard/sqlite';

export type TaskKind = 'research' | 'reflect';
type TaskStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'killed';

export interface BackgroundTask {
  readonly id: string;
  readonly kind: TaskKind;
  readonly description: string;
  readonly status: TaskStatus;
  readonly createdAt: number;
  readonly result: string | undefined;
}

/** The table `tasks`. */
export interface TaskStore {
  add(id: string, kind: TaskKind, description: string): void;
  /** Records how a task ended. False, without a change, when it is not running. */
  end(id: string, status: Exclude<TaskStatus, 'running'>, result: string): boolean;
  running(): readonly BackgroundTask[];
  /** Tasks that completed or failed, whose result no turn has delivered yet. */
  undelivered(): readonly BackgroundTask[];
  markDelivered(id: string): void;
  /** The last `limit` tasks that have ended. */
  recent(limit: number): readonly BackgroundTask[];
  /** Marks the tasks of an earlier process as killed, and returns them. `undelivered` leaves them out. */
  killLeft(): readonly BackgroundTask[];
}

interface Row {
  readonly id: string;
  readonly kind: TaskKind;
  readonly description: string;
  readonly status: TaskStatus;
  readonly created_at: number;
  readonly result: string | null;
}

const COLUMNS = 'select id, kind, description, status, created_at, result from tasks';

export function createTaskStore(connection: Connection, now: () => number): TaskStore {
  const running = (): BackgroundTask[] =>
    listRows<Row>(connection, `${COLUMNS} where status = 'running' order by created_at, id`).map(toTask);
  const end: TaskStore['end'] = (id, status, result) => {
    const told = status === 'completed' || status === 'failed' ? 0 : 1;
    const sql = `update tasks set status = :status, result = :result, ended_at = :at, told = :told
                 where id = :id and status = 'running'`;
    return runStatement(connection, sql, { id, status, result, told, at: Math.trunc(now()) }).changes > 0;
  };
  return {
    add(id, kind, description) {
      runStatement(
        connection,
        `insert into tasks (id, kind, description, status, created_at) values (:id, :kind, :description, 'running', :at)`,
        { id, kind, description, at: Math.trunc(now()) },
      );
    },
    end,
    running,
    undelivered: () =>
      listRows<Row>(
        connection,
        `${COLUMNS} where told = 0 and status in ('completed', 'failed') order by ended_at, id`,
      ).map(toTask),
    markDelivered: (id) => void runStatement(connection, 'update tasks set told = 1 where id = :id', { id }),
    recent: (limit) =>
      listRows<Row>(connection, `${COLUMNS} where status <> 'running' order by ended_at desc limit :limit`, {
        limit,
      }).map(toTask),
    killLeft() {
      const left = running();
      for (const { id } of left) end(id, 'killed', 'The process ended before the task did.');
      return left;
    },
  };
}

function toTask({ created_at, result, ...rest }: Row): BackgroundTask {
  return { ...rest, createdAt: created_at, result: result ?? undefined };
}

/** The `Task` that hosts receive. */
export function asTask({ id, kind, description, status, createdAt }: BackgroundTask): Task {
  return { id, kind, description, status, createdAt: new Date(createdAt).toISOString() };
}
