import type { AgentView } from '@plugboard/client';
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon, Mark } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import { app } from '../state/app.ts';
import { createSession } from '../state/sessions.ts';
import { useStore } from '../state/store.ts';

/** Where a session begins: with the choice of who answers. */
export function Home({ onMenu }: { readonly onMenu: () => void }): ReactNode {
  const agents = useStore(app, (state) => state.agents);
  const first = useRef<HTMLUListElement>(null);
  useEffect(() => {
    document.title = 'Plugboard';
    first.current?.querySelector('button')?.focus();
  }, []);
  return (
    <div className="home">
      <button type="button" className="icon-button menu home-menu" aria-label="Sessions" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <div className="home-inner">
        <Mark />
        <h1>Who should answer?</h1>
        {agents.length === 0 ? <NoAgents /> : null}
        <ul className="agents" ref={first}>
          {byDefault(agents).map((agent) => (
            <li key={agent.name}>
              <button type="button" className="agent" onClick={() => createSession(agent.name)}>
                <span className="agent-name">
                  <Name text={agent.name} />
                  {agent.default ? <span className="tag">default</span> : null}
                </span>
                {agent.description === '' ? null : <Name className="agent-text" text={agent.description} />}
                <span className="agent-traits">{describeAgent(agent)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function NoAgents(): ReactNode {
  return (
    <p className="muted">No agent is set up yet. A profile for one goes into the gateway's configuration.</p>
  );
}

function byDefault(agents: readonly AgentView[]): AgentView[] {
  return agents.toSorted((a, b) => Number(b.default) - Number(a.default));
}

function describeAgent({ dialect, capabilities }: AgentView): string {
  const { attachments, steering, session } = capabilities;
  return [
    dialect,
    attachments === 'none' ? '' : 'takes files',
    steering ? 'can be steered' : '',
    session === 'both' ? 'remembers' : '',
  ]
    .filter((trait) => trait !== '')
    .join(' · ');
}
