import type { SessionView } from '@plugboard/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { StateDot } from '../sessions/SessionGroups.tsx';
import { Icon } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import { app } from '../state/app.ts';
import { hashOf } from '../state/route.ts';
import { changeAgent, endSession, renameSession } from '../state/sessions.ts';
import { useStore } from '../state/store.ts';
import { formatCost } from '../text/cost.ts';
import { markInvisible } from '../text/visible.ts';

interface HeadProps {
  readonly session: SessionView | null;
  readonly onMenu: () => void;
}

/** The title, the agent, and the actions of a session. */
export function Head({ session, onMenu }: HeadProps): ReactNode {
  return (
    <header className="head">
      <button type="button" className="icon-button menu" aria-label="Sessions" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      {session === null ? null : (
        <>
          <Title session={session} />
          <Agent session={session} />
          {session.cost === null ? null : (
            <span className="muted head-cost" title="What the agents say that this session has cost">
              {formatCost(session.cost)}
            </span>
          )}
          <a
            className="icon-button head-inspect"
            href={hashOf({ at: 'inspect', id: session.id, turnId: null })}
            aria-label="Inspect"
            title="Inspect the turns of this session"
          >
            <Icon name="look" />
          </a>
          {session.closed ? null : <EndButton session={session} />}
        </>
      )}
    </header>
  );
}

function Title({ session }: { readonly session: SessionView }): ReactNode {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  useEffect(() => {
    // The field took the focus with it: who has named the session goes on from its name.
    if (!editing && edited.current && document.activeElement === document.body) button.current?.focus();
    edited.current = editing;
  }, [editing]);
  const shown = session.title === '' ? 'New session' : session.title;
  if (editing) return <TitleField session={session} onDone={() => setEditing(false)} />;
  return (
    <h1 className="head-title">
      <button ref={button} type="button" title="Rename" onClick={() => setEditing(true)}>
        <StateDot session={session} />
        <Name text={shown} />
        <Icon name="pencil" />
      </button>
    </h1>
  );
}

function TitleField({
  session,
  onDone,
}: {
  readonly session: SessionView;
  readonly onDone: () => void;
}): ReactNode {
  const done = useRef(false);
  const finish = (title: string | null): void => {
    if (done.current) return;
    done.current = true;
    if (title !== null && title !== '' && title !== session.title) renameSession(session.id, title);
    onDone();
  };
  return (
    <input
      className="head-field"
      aria-label="Title of the session"
      dir="auto"
      defaultValue={session.title}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here
      autoFocus
      onFocus={(event) => event.target.select()}
      onBlur={(event) => finish(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') {
          // Else the key would go on to the button that gets the focus, and open the field again.
          event.preventDefault();
          finish(event.currentTarget.value.trim());
        }
        if (event.key === 'Escape') {
          event.stopPropagation();
          finish(null);
        }
      }}
    />
  );
}

function Agent({ session }: { readonly session: SessionView }): ReactNode {
  const agents = useStore(app, (state) => state.agents);
  const known = agents.some(({ name }) => name === session.agent);
  if (session.closed || agents.length < 2) return <Name className="tag" text={session.agent} />;
  return (
    <select
      className="head-agent"
      aria-label="Agent"
      title="Who answers in this session"
      value={session.agent}
      onChange={(event) => changeAgent(session.id, event.target.value)}
    >
      {known ? null : <option value={session.agent}>{markInvisible(session.agent)}</option>}
      {agents.map(({ name }) => (
        <option key={name} value={name}>
          {markInvisible(name)}
        </option>
      ))}
    </select>
  );
}

function EndButton({ session }: { readonly session: SessionView }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const end = (): void => {
    dialog.current?.close();
    endSession(session.id);
  };
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="End session"
        title="End session"
        onClick={() => dialog.current?.showModal()}
      >
        <Icon name="end" />
      </button>
      <dialog ref={dialog} className="dialog" aria-labelledby="end-title">
        <h2 id="end-title">End this session?</h2>
        <p>
          {session.state === 'idle' ? '' : 'The running turn is stopped. '}It can still be read, but not
          continued.
        </p>
        <div className="dialog-buttons">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="button" className="button danger" onClick={end}>
            End session
          </button>
        </div>
      </dialog>
    </>
  );
}
