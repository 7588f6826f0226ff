import type { Errand, Errands } from '../../../contract/store.ts';
import { listRows, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { requireSession } from './session-rows.ts';

const NOTE_WORK = `
  insert into errands (session, agent) values (:session, :agent)
  on conflict (session) do update set agent = excluded.agent`;

const REMOVE_WORK = 'delete from errands where session = (select seq from sessions where id = :sessionId)';

// Skips work of an agent that the session no longer has; it counts again when that agent is chosen again.
const LIST_WORK = `
  select sessions.id as "sessionId", errands.agent as agent
  from errands join sessions on sessions.seq = errands.session
  where not sessions.closed and sessions.agent = errands.agent
  order by sessions.updated_at desc`;

export function createBackgroundWork({ read, write }: Context): Errands {
  return {
    note: (sessionId, agent) =>
      write(sessionId, async (transaction) => {
        if (agent === undefined) {
          await runStatement(transaction, REMOVE_WORK, { sessionId });
          return;
        }
        const { seq: session } = await requireSession(transaction, sessionId);
        await runStatement(transaction, NOTE_WORK, { session, agent });
      }),
    list: () => read((connection) => listRows<Errand>(connection, LIST_WORK)),
  };
}
