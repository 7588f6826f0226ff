import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../shell/icons.tsx';
import { beginSession } from '../shell/shortcuts.ts';
import { leavePage } from '../shell/start.ts';
import { ThemeSwitch } from '../shell/ThemeSwitch.tsx';
import { app } from '../state/app.ts';
import { listFrom, loadSessions } from '../state/sessions.ts';
import { useStore } from '../state/store.ts';
import { SessionGroups } from './SessionGroups.tsx';
import './sessions.css';

const SEARCH_AFTER = 200;

/** The list of sessions with its search. On a phone it is a drawer. */
export function Sidebar({
  hidden,
  onClose,
}: {
  readonly hidden: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event);
    if (event.key === 'Escape') {
      event.stopPropagation();
      onClose();
    }
  };
  // Also for the open session: selecting it changes no address, so `hashchange` would not close the drawer.
  const onClick = (event: MouseEvent<HTMLElement>): void => {
    if ((event.target as HTMLElement).closest('a') !== null) onClose();
  };
  return (
    <nav
      className={hidden ? 'sidebar' : 'sidebar open'}
      aria-label="Sessions"
      inert={hidden}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div className="sidebar-head">
        <a className="brand" href="#/">
          Plugboard
        </a>
        <button
          type="button"
          className="icon-button"
          aria-label="New session"
          title="New session (Alt+N)"
          onClick={beginSession}
        >
          <Icon name="plus" />
        </button>
      </div>
      <Search />
      <SessionGroups />
      <div className="sidebar-foot">
        <ThemeSwitch />
        <ProgramsSwitch />
        <ChannelsLink />
        <button
          type="button"
          className="icon-button"
          aria-label="Log out"
          title="Log out"
          onClick={leavePage}
        >
          <Icon name="leave" />
        </button>
      </div>
    </nav>
  );
}

/** The way to the channels, for those who may let people into them. */
function ChannelsLink(): ReactNode {
  const operates = useStore(app, (state) => state.operates);
  const isOpen = useStore(app, (state) => state.route.at === 'channels');
  if (!operates) return null;
  return (
    <a className="button quiet" href="#/channels" aria-current={isOpen ? 'page' : undefined}>
      Channels
    </a>
  );
}

/** Sessions of programs can be many, and are of no interest to most people. */
function ProgramsSwitch(): ReactNode {
  const pressed = useStore(app, (state) => state.list.from === 'programs');
  return (
    <button
      type="button"
      className="button quiet programs"
      aria-pressed={pressed}
      title="Sessions that programs began through /v1"
      onClick={() => listFrom(pressed ? 'people' : 'programs')}
    >
      Programs
    </button>
  );
}

/** Asks the gateway, once the person has stopped typing. */
function Search(): ReactNode {
  const shown = useStore(app, (state) => state.list.search);
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (value: string): void => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => loadSessions(value.trim()), value === '' ? 0 : SEARCH_AFTER);
  };
  return (
    <div className="search">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        dir="auto"
        value={text}
        placeholder="Search"
        aria-label="Search sessions"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => search(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === '') return;
          event.stopPropagation();
          search('');
        }}
      />
      <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
    </div>
  );
}

/** The arrows go through the search field and the sessions as if they were one list. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('#search, .session')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
}
