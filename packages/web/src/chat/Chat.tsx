import { type ReactNode, useEffect, useState } from 'react';
import { beginSession } from '../shell/shortcuts.ts';
import { type OpenSession, openSession } from '../state/open.ts';
import { useStore } from '../state/store.ts';
import { Banner } from './Banner.tsx';
import { Composer } from './Composer.tsx';
import { Head } from './Head.tsx';
import { Tasks } from './Tasks.tsx';
import { Thread } from './Thread.tsx';
import { useEscape } from './useEscape.ts';
import { useTitle } from './useTitle.ts';
import './chat.css';

interface ChatProps {
  readonly id: string;
  readonly onMenu: () => void;
}

/** One session: opened with this component, closed with it. */
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
  useTitle(session);
  useEscape(session !== null && session.state !== 'idle', open.stop);
  return (
    <div className="chat">
      <Head session={session} onMenu={onMenu} />
      <Banner open={open} />
      {problem === null ? <Thread open={open} /> : <Missing problem={problem} />}
      <div className="dock">
        {tasks.length === 0 ? null : <Tasks tasks={tasks} />}
        {session === null || problem !== null ? null : <Composer session={session} onStop={open.stop} />}
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
