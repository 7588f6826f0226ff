import type { SessionView } from '@plugboard/client';
import { memo, type ReactNode } from 'react';
import { Name } from '../shell/Name.tsx';
import { useNow } from '../shell/useNow.ts';
import { app, type SessionList } from '../state/app.ts';
import { hashOf } from '../state/route.ts';
import { isUnused, loadSessions } from '../state/sessions.ts';
import { useStore } from '../state/store.ts';
import { dayGroup, formatOrdinal, fullText, shortTime } from '../text/time.ts';

/** The sessions grouped by the day of `updatedAt`; search results keep the order of the gateway. */
export function SessionGroups(): ReactNode {
  const list = useStore(app, (state) => state.list);
  const current = useStore(app, (state) => ('id' in state.route ? state.route.id : null));
  const now = useNow(60_000);
  const shown = list.sessions.filter((session) => session.id === current || !isUnused(session));
  const groups = Map.groupBy(shown, (session) =>
    list.search === '' ? dayGroup(session.updatedAt, now) : 'Found',
  );
  return (
    <div className="sessions" aria-busy={list.state === 'loading'}>
      {[...groups].map(([day, sessions]) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ul>
            {sessions.map((session) => (
              <li key={session.id}>
                <SessionItem session={session} current={session.id === current} now={now} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 ? <Nothing list={list} /> : null}
      {list.next === null ? null : (
        <button type="button" className="button quiet more" onClick={() => loadSessions(list.search, true)}>
          Show more
        </button>
      )}
    </div>
  );
}

function Nothing({ list: { from, search, state } }: { readonly list: SessionList }): ReactNode {
  if (state === 'loading') return null;
  if (state === 'failed') return <p className="muted nothing">The list cannot be loaded now.</p>;
  return (
    <p className="muted nothing">
      {search !== ''
        ? 'Nothing found.'
        : from === 'people'
          ? 'No sessions yet.'
          : 'No program has begun a session yet.'}
    </p>
  );
}

interface ItemProps {
  readonly session: SessionView;
  readonly current: boolean;
  readonly now: number;
}

const SessionItem = memo(function SessionItem({ session, current, now }: ItemProps): ReactNode {
  const { id, title, agent, channel, updatedAt, waiting, closed } = session;
  return (
    <a
      className={closed ? 'session closed' : 'session'}
      href={hashOf({ at: 'session', id })}
      aria-current={current ? 'page' : undefined}
    >
      <span className="session-top">
        <StateDot session={session} />
        <Name className="session-title" text={title === '' ? 'New session' : title} />
        <time dateTime={new Date(updatedAt).toISOString()} title={fullText(updatedAt)}>
          {shortTime(updatedAt, now)}
        </time>
      </span>
      <span className="session-about">
        <Name text={agent} />
        {channel === 'web' ? null : <Name className="tag" text={channel} />}
        {closed ? <span className="tag">ended</span> : null}
        {waiting > 0 ? <span className="tag waiting">{waiting} waiting</span> : null}
      </span>
    </a>
  );
});

export function StateDot({ session }: { readonly session: SessionView }): ReactNode {
  const { state, position } = session;
  if (state === 'idle') return null;
  const label = state === 'running' ? 'Running' : `${formatOrdinal(position ?? 1)} in line`;
  return <span className={`dot ${state}`} role="img" aria-label={label} title={label} />;
}
