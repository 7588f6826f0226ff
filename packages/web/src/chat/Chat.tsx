import './chat.css';
import type { SessionView } from '@plugboard/client';
import { type ReactNode, useEffect, useState } from 'react';
import { beginSession } from '../shell/shortcuts.ts';
import { type OpenSession, openSession } from '../state/open.ts';
import { useStore } from '../state/store.ts';
import { markInvisible } from '../text/visible.ts';
import { Banner } from './Banner.tsx';
import { Composer } from './Composer.tsx';
import { Head } from './Head.tsx';
import { OptionBar } from './OptionBar.tsx';
import { Tasks } from './Tasks.tsx';
import { Thread } from './Thread.tsx';

interface ChatProps {
  readonly id: string;
  readonly onMenu: () => void;
}

/** Opens the session with `openSession` while this component is mounted. */
export function Chat({ id, onMenu }: ChatProps): ReactNode {
  const [open, setOpen] = useState<OpenSession | null>(null);
  useEffect(() => {
    const opened = openSession(id);
    setOpen(opened);
    return opened.close;
  }, [id]);
  return open === null ? null : <Conversation open={open} onMenu={onMenu} />;
}

function Conversation({
  open,
  onMenu,
}: {
  readonly open: OpenSession;
  readonly onMenu: () => void;
}): ReactNode {
  const session = useStore(open.store, (state) => state.session);
  const problem = useStore(open.store, (state) => state.problem);
  const tasks = useStore(open.store, (state) => state.conversation.tasks);
  const offer = useStore(open.store, (state) => state.offer);
  useTitle(session);
  useEscape(session !== null && session.state !== 'idle', open.stop);
  return (
    <div className="chat">
      <Head session={session} onMenu={onMenu} />
      <Banner open={open} />
      {problem === null ? <Thread open={open} /> : <Missing problem={problem} />}
      <div className="dock">
        {tasks.length === 0 ? null : <Tasks tasks={tasks} />}
        {offer.options.length === 0 || session === null || session.closed ? null : (
          <OptionBar options={offer.options} onChoose={open.choose} />
        )}
        {session === null || problem !== null ? null : (
          <Composer session={session} commands={offer.commands} onStop={open.stop} />
        )}
      </div>
    </div>
  );
}

/** An address that leads nowhere must not be the end of the way. */
function Missing({ problem }: { readonly problem: string }): ReactNode {
  return (
    <div className="center">
      <p className="muted">{problem}</p>
      <button type="button" className="button" onClick={beginSession}>
        New session
      </button>
    </div>
  );
}

/** Sets `document.title` to the title of the session, with a mark while a turn runs. */
function useTitle(session: SessionView | null): void {
  const title = session?.title || 'New session';
  const running = session?.state === 'running';
  useEffect(() => {
    document.title = `${running ? '● ' : ''}${markInvisible(title)} · Plugboard`;
  }, [title, running]);
}

/** Escape cancels the running turn, unless a dialog is open or `defaultPrevented` shows that the key was handled. */
function useEscape(active: boolean, stop: () => void): void {
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector('dialog[open]') === null) stop();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [active, stop]);
}
