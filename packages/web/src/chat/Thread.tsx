import type { SessionView } from '@plugboard/client';
import { memo, type ReactNode, useCallback } from 'react';
import { Icon } from '../shell/icons.tsx';
import { LongList, LongListMemory } from '../shell/LongList.tsx';
import { Name } from '../shell/Name.tsx';
import { isTouched } from '../shell/touch.ts';
import type { Entry } from '../state/entry.ts';
import type { OpenSession } from '../state/open.ts';
import { useStore } from '../state/store.ts';
import { visibleLines } from '../text/visible.ts';
import { Announcer } from './Announcer.tsx';
import { Pending } from './Pending.tsx';
import { SaidView } from './SaidView.tsx';
import { TurnView } from './TurnView.tsx';
import { useThreadScroll } from './useThreadScroll.ts';

/** The conversation, newest at the bottom. Older pages come when the reader nears the top. */
export function Thread({ open }: { readonly open: OpenSession }): ReactNode {
  const entries = useStore(open.store, (state) => state.conversation.entries);
  const first = useStore(open.store, (state) => state.conversation.first);
  const last = useStore(open.store, (state) => state.conversation.last);
  const session = useStore(open.store, (state) => state.session);
  const connected = useStore(open.store, (state) => state.link !== 'lost');
  const loaded = useStore(open.store, (state) => state.loaded);
  const loadingOlder = useStore(open.store, (state) => state.loadingOlder);
  const scroll = useThreadScroll({
    first,
    last,
    hasOlder: loaded && first > 1,
    loadOlder: open.loadOlder,
  });
  const toBottom = (): void => {
    scroll.toBottom();
    // The button goes with its purpose; the focus must not go with it.
    scroll.frame.current?.focus({ preventScroll: true });
  };
  return (
    <div className="thread-place">
      <section
        className="thread"
        ref={scroll.frame}
        onScroll={scroll.onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
        tabIndex={0}
        aria-label="Conversation"
        aria-busy={!loaded}
      >
        <div className="thread-inner" ref={scroll.content}>
          <LongListMemory>
            <Entries entries={entries} session={session} connected={connected} />
          </LongListMemory>
          <Pending sessionId={open.id} session={session} entries={entries} connected={connected} />
          {loaded && entries.length === 0 ? <Empty session={session} /> : null}
        </div>
      </section>
      {loadingOlder ? <p className="muted older">Loading what came before…</p> : null}
      {scroll.away ? (
        <button type="button" className="to-bottom" onClick={toBottom}>
          <Icon name="down" /> {scroll.unseen ? 'New messages' : 'To the end'}
        </button>
      ) : null}
      <Announcer entries={entries} />
    </div>
  );
}

function Entries({
  entries,
  session,
  connected,
}: {
  readonly entries: readonly Entry[];
  readonly session: SessionView | null;
  readonly connected: boolean;
}): ReactNode {
  const running = session?.state === 'running' ? session.turnId : null;
  const sessionId = session?.id ?? '';
  const render = useCallback(
    (entry: Entry): ReactNode => (
      <EntryView
        key={entry.key}
        entry={entry}
        sessionId={sessionId}
        connected={connected}
        live={running !== null && entry.kind === 'turn' && entry.end === null && entry.id === running}
      />
    ),
    [running, sessionId, connected],
  );
  return (
    <LongList name="entries" items={entries} keyOf={keyOf} render={render} estimate={120} opensAt="end" />
  );
}

const keyOf = ({ key }: Entry): string => key;

interface EntryProps {
  readonly entry: Entry;
  readonly sessionId: string;
  readonly live: boolean;
  readonly connected: boolean;
}

/** Entries are immutable, so `memo` can skip entries that are unchanged. */
const EntryView = memo(function EntryView({ entry, sessionId, live, connected }: EntryProps): ReactNode {
  if (entry.kind === 'said') return <SaidView said={entry} sessionId={sessionId} />;
  if (entry.kind === 'notice') return <p className="notice">{visibleLines(entry.text)}</p>;
  return <TurnView turn={entry} sessionId={sessionId} live={live} connected={connected} />;
});

function Empty({ session }: { readonly session: SessionView | null }): ReactNode {
  if (session === null || session.state !== 'idle') return null;
  if (session.closed) return <p className="empty muted">Nothing was said in this session.</p>;
  return (
    <div className="empty">
      <p>
        Say something to <Name text={session.agent} />.
      </p>
      {isTouched() ? (
        <p className="muted">
          <kbd>/</kbd> lists commands.
        </p>
      ) : (
        <p className="muted">
          <kbd>Enter</kbd> sends, <kbd>Shift</kbd>+<kbd>Enter</kbd> begins a new line, <kbd>/</kbd> lists
          commands.
        </p>
      )}
    </div>
  );
}
