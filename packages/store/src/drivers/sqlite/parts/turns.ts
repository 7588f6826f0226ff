import { StoreError } from '../../../contract/errors.ts';
import type { Turns } from '../../../contract/turns.ts';
import { storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { toTurn } from '../records/turn.ts';
import { advance } from '../statements/sessions/advance.ts';
import { agentsOf } from '../statements/turns/agents.ts';
import { countBacklog } from '../statements/turns/backlog.ts';
import { findTurn } from '../statements/turns/find.ts';
import { listTurns } from '../statements/turns/list.ts';
import { claim, claimUnasked, held, release, renew, takeWaiting } from './claims.ts';
import { finish, recover } from './ends.ts';
import { enqueue } from './outbox.ts';
import { appendSaid } from './said.ts';

/** The turns of a store. */
export function createTurns(context: Context): Turns {
  const { connection, read, write, now } = context;
  return {
    claim: (holder) => write(() => claim(context, holder)),
    claimUnasked: (sessionId, holder) => write(() => claimUnasked(context, sessionId, holder)),
    renew: (claims, leaseMs) => write(() => renew(context, claims, leaseMs)),
    takeWaiting: (claimed) => write(() => takeWaiting(context, claimed)),
    append: (claimed, events, deliveries = []) =>
      write(() => {
        const speaker = held(connection, claimed);
        const { last, at } = appendSaid(context, speaker, events);
        if (last > speaker.last_event) advance(connection, speaker.session, last);
        for (const delivery of deliveries)
          enqueue(context, { session: speaker.session, turn: speaker.turn }, delivery);
        return { first: speaker.last_event + 1, at };
      }),
    complete: (claimed, result) =>
      write(() => {
        const speaker = held(connection, claimed);
        const { at } = finish(context, speaker, { ...result, state: result.end.outcome });
        return { first: speaker.last_event + 1, at };
      }),
    release: (claimed) => write(() => release(context, claimed)),
    recover: (options) => write(() => recover(context, options)),
    get: (id) =>
      read(() => {
        const found = findTurn(connection, id);
        return found === undefined ? undefined : toTurn(found);
      }),
    list: (sessionId, { limit, before }) =>
      read(() => {
        if (before !== undefined && findTurn(connection, before) === undefined) {
          throw new StoreError('not-found', `There is no turn ${before}.`);
        }
        return listTurns(connection, { sessionId, limit, before: before ?? null }).map(toTurn);
      }),
    agents: (sessionId) => read(() => agentsOf(connection, sessionId)),
    backlog: (principal = '') =>
      read(() => {
        const { waiting, own, running, oldest } = countBacklog(connection, storableText(principal));
        return { waiting, own, running, oldestMs: oldest === null ? 0 : Math.max(0, now() - oldest) };
      }),
  };
}
