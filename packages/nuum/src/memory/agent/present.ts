import { type Connection, run, theRow } from '../../database/connection.ts';
import { transaction } from '../../database/transaction.ts';
import type { Present, Todo } from '../memory.ts';

/** What the agent is about right now. */
export function getPresent(connection: Connection): Present {
  const found = theRow<{ mission: string; status: string; todos: string }>(
    connection,
    'select mission, status, todos from agent where only = 1',
  );
  return { mission: found.mission, status: found.status, todos: JSON.parse(found.todos) as Todo[] };
}

/** Changes the parts of it that are given. */
export function setPresent(connection: Connection, change: Partial<Present>): void {
  transaction(connection, () => {
    const { mission, status, todos } = { ...getPresent(connection), ...change };
    run(connection, 'update agent set mission = :mission, status = :status, todos = :todos where only = 1', {
      mission: mission.toWellFormed(),
      status: status.toWellFormed(),
      todos: JSON.stringify(todos),
    });
  });
}
