import { type Connection, requireRow, runStatement, runTransaction } from '@plugboard/sqlite';
import type { Present, Todo } from '../memory.ts';

export function getPresent(connection: Connection): Present {
  const found = requireRow<{ mission: string; status: string; todos: string }>(
    connection,
    'select mission, status, todos from agent where only = 1',
  );
  return { mission: found.mission, status: found.status, todos: JSON.parse(found.todos) as Todo[] };
}

export function setPresent(connection: Connection, change: Partial<Present>): void {
  runTransaction(connection, () => {
    const { mission, status, todos } = { ...getPresent(connection), ...change };
    runStatement(
      connection,
      'update agent set mission = :mission, status = :status, todos = :todos where only = 1',
      {
        mission: mission.toWellFormed(),
        status: status.toWellFormed(),
        todos: JSON.stringify(todos),
      },
    );
  });
}
