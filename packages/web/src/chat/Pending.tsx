import type { SessionView } from '@plugboard/client';
import type { ReactNode } from 'react';
import { Markdown } from '../markdown/Markdown.tsx';
import { app } from '../state/app.ts';
import { discardMessage, sendAgain } from '../state/delivery.ts';
import type { Entry } from '../state/entry.ts';
import { isCommand, type Outgoing } from '../state/outbox.ts';
import { useStore } from '../state/store.ts';
import { formatOrdinal } from '../text/time.ts';
import { markInvisible, visibleLines } from '../text/visible.ts';
import { Attachments } from './Attachments.tsx';

interface PendingProps {
  readonly sessionId: string;
  readonly session: SessionView | null;
  readonly entries: readonly Entry[];
  readonly connected: boolean;
}

/** The entries below the last event: messages in the outbox, answers of commands, and the position in the queue. */
export function Pending({ sessionId, session, entries, connected }: PendingProps): ReactNode {
  const outbox = useStore(app, (state) => state.outbox);
  const asides = useStore(app, (state) => state.asides);
  const begun = entries.some(
    (entry) => entry.kind === 'turn' && entry.id !== null && entry.id === session?.turnId,
  );
  return (
    <>
      {outbox.map((item) =>
        item.sessionId === sessionId && !item.echoed ? <OutgoingView key={item.id} item={item} /> : null,
      )}
      {asides.map((aside) =>
        aside.sessionId === sessionId ? (
          <p key={aside.key} className="notice" role="status">
            {visibleLines(aside.text)}
          </p>
        ) : null,
      )}
      {session === null || begun || !connected ? null : <InLine session={session} />}
      {begun && session !== null && session.waiting > 0 ? (
        <p className="muted in-line">
          {session.waiting === 1 ? '1 message waits' : `${session.waiting} messages wait`} for the running
          turn
        </p>
      ) : null}
    </>
  );
}

function InLine({ session }: { readonly session: SessionView }): ReactNode {
  if (session.state === 'idle') return null;
  const { position } = session;
  const words = position === null || position <= 1 ? 'Next in line' : `${formatOrdinal(position)} in line`;
  return (
    <p className="status" role="status">
      <span className={`dot ${session.state}`} />
      <span className="shimmer">{session.state === 'running' ? 'Working' : words}</span>
    </p>
  );
}

const WORDS = { sending: 'Sending…', sent: 'Sent' } as const;

function OutgoingView({ item }: { readonly item: Outgoing }): ReactNode {
  const { text, state, attachments } = item;
  return (
    <article className={`said outgoing ${state}`} aria-label="You">
      <Attachments list={attachments} />
      {text === '' ? null : (
        <div className="bubble">
          {isCommand(item) ? <code>{text}</code> : <Markdown name={item.id} text={text} />}
        </div>
      )}
      <p className="said-foot" role={state === 'failed' ? 'alert' : undefined}>
        {state === 'failed' || state === 'waiting' ? <NotSent item={item} /> : WORDS[state]}
      </p>
    </article>
  );
}

/** Why a message was not sent. In the state `waiting` it is sent again automatically; otherwise a button does so. */
function NotSent({ item: { id, state, problem } }: { readonly item: Outgoing }): ReactNode {
  const waits = state === 'waiting';
  return (
    <>
      <span className={waits ? '' : 'outcome error'}>
        {problem === null ? (waits ? 'Waits for the network' : 'Not sent') : markInvisible(problem)}
        {waits && problem !== null ? ' Trying again…' : null}
      </span>
      {waits ? null : (
        <button type="button" onClick={() => sendAgain(id)}>
          Send again
        </button>
      )}
      <button type="button" onClick={() => discardMessage(id)}>
        Discard
      </button>
    </>
  );
}
