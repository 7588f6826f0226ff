import type { ChannelView, DeliveryView, PersonView } from '@plugboard/client';
import { type ReactNode, useEffect } from 'react';
import { gateway } from '../api/gateway.ts';
import { Icon } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import { visibleLines } from '../text/visible.ts';
import { useChannels } from './useChannels.ts';
import './channels.css';

/** The channels: what state they are in, who asks to talk there, and deliveries of which nobody knows whether they arrived. */
export function Channels({ onMenu }: { readonly onMenu: () => void }): ReactNode {
  const { state, problem, act } = useChannels();
  useEffect(() => {
    document.title = 'Channels · Plugboard';
  }, []);
  return (
    <div className="channels">
      <header className="head">
        <button type="button" className="icon-button menu" aria-label="Sessions" onClick={onMenu}>
          <Icon name="menu" />
        </button>
        <h1>Channels</h1>
      </header>
      <div className="channels-inner" aria-busy={state === null}>
        {problem === null ? null : (
          <p className="channels-problem" role="alert">
            {problem}
          </p>
        )}
        {state === null ? null : (
          <>
            <ChannelList channels={state.channels} />
            <Requests people={state.people.filter((person) => person.state === 'asking')} act={act} />
            <Doubts deliveries={state.deliveries} act={act} />
            <People people={state.people.filter((person) => person.state === 'paired')} act={act} />
          </>
        )}
      </div>
    </div>
  );
}

/** Does something at the gateway, and reads everything anew. */
type Act = (work: () => Promise<unknown>) => void;

const STATES = {
  starting: 'connecting',
  ready: 'connected',
  failed: 'stopped until its settings change',
  stopped: 'stopped',
  elsewhere: 'at another gateway',
} as const satisfies Record<ChannelView['state'], string>;

function ChannelList({ channels }: { readonly channels: readonly ChannelView[] }): ReactNode {
  return (
    <ul className="channel-list">
      {channels.map(({ name, kind, state, lastMessageAt, lastError }) => (
        <li key={name} className="channel" data-state={state}>
          <strong>
            <Name text={name} />
          </strong>
          {kind === name ? null : <span className="muted">{kind}</span>}
          <span className="channel-state">{STATES[state]}</span>
          {lastMessageAt === null ? null : (
            <span className="muted">last message {timeOf(lastMessageAt)}</span>
          )}
          {lastError === null ? null : (
            <span className="channel-error">
              {timeOf(lastError.at)}: {visibleLines(lastError.message)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Requests({ people, act }: { readonly people: readonly PersonView[]; readonly act: Act }): ReactNode {
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">People who ask to talk</h2>
      {people.length === 0 ? (
        <p className="muted">Nobody. A stranger who writes to a channel appears here.</p>
      ) : null}
      <ul className="rows">
        {people.map((person) => (
          <li key={keyOf(person)}>
            <PersonName person={person} />
            <button
              type="button"
              className="button primary"
              onClick={() => act(() => gateway.people.accept(idOf(person)))}
            >
              Let in
            </button>
            <button
              type="button"
              className="button quiet"
              onClick={() => act(() => gateway.people.remove(person))}
            >
              Refuse
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function People({ people, act }: { readonly people: readonly PersonView[]; readonly act: Act }): ReactNode {
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="people">
      <h2 id="people">People who were let in</h2>
      <ul className="rows">
        {people.map((person) => (
          <li key={keyOf(person)}>
            <PersonName person={person} />
            <button
              type="button"
              className="button quiet"
              onClick={() => act(() => gateway.people.remove(person))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The id beside the name: people choose their names, and one may imitate another. */
function PersonName({ person: { name, sender, channel } }: { readonly person: PersonView }): ReactNode {
  return (
    <span className="row-text">
      <Name text={name === '' ? sender : name} />
      <span className="muted">
        {' '}
        <Name text={`${channel}:${sender}`} />
      </span>
    </span>
  );
}

const VERDICTS = [
  ['sent', 'It arrived'],
  ['again', 'Send again'],
  ['drop', 'Let it go'],
] as const;

function Doubts({
  deliveries,
  act,
}: {
  readonly deliveries: readonly DeliveryView[];
  readonly act: Act;
}): ReactNode {
  if (deliveries.length === 0) return null;
  return (
    <section aria-labelledby="doubts">
      <h2 id="doubts">Messages that may not have arrived</h2>
      <p className="muted">
        The connection broke while these were sent. Look whether they arrived: nothing is sent twice by
        itself.
      </p>
      <ul className="rows">
        {deliveries.map(({ id, channel, place, text, files, problem }) => (
          <li key={id}>
            <span className="row-text">
              <span className="muted">
                <Name text={`${channel}:${place}`} />
              </span>{' '}
              {visibleLines(text === '' ? files.join(', ') : text)}
              {problem === null ? null : <span className="muted"> {visibleLines(problem)}</span>}
            </span>
            {VERDICTS.map(([verdict, label]) => (
              <button
                key={verdict}
                type="button"
                className="button quiet"
                onClick={() => act(() => gateway.deliveries.settle(id, verdict))}
              >
                {label}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function keyOf({ channel, sender }: PersonView): string {
  return `${channel}/${sender}`;
}

function idOf({ channel, sender }: PersonView): Pick<PersonView, 'channel' | 'sender'> {
  return { channel, sender };
}

function timeOf(at: number): string {
  return new Date(at).toLocaleString();
}
