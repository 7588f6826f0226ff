import type { Errand, Errands } from '../../../contract/store.ts';
import { storableText } from '../../../storable.ts';
import { listRows, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { requireSession } from './session-rows.ts';

const NOTE_WORK = `
  insert into errands (session, agent) values (:session, :agent)
  on conflict (session) do update set agent = excluded.agent`;

const REMOVE_WORK = 'delete from errands where session = (select seq from sessions where id = :sessionId)';

// Skips work of an agent that the session no longer has; it counts again when that agent is chosen again.
const LIST_WORK = `
  select sessions.id as sessionId, errands.agent as agent
  from errands cross join sessions on sessions.seq = errands.session
  where sessions.closed = 0 and sessions.agent = errands.agent
  order by sessions.updated_at desc`;

export function createBackgroundWork({ connection, read, write }: Context): Errands {
  return {
    note: (sessionId, agent) =>
      write(() => {
        if (agent === undefined) runStatement(connection, REMOVE_WORK, { sessionId });
        else
          runStatement(connection, NOTE_WORK, {
            session: requireSession(connection, sessionId).seq,
            agent: storableText(agent),
          });
      }),
    list: () => read(() => listRows<Errand>(connection, LIST_WORK).map((work) => ({ ...work }))),
  };
}
