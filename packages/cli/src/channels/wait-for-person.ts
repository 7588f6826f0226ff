import { setTimeout as sleep } from 'node:timers/promises';
import { terminalText } from '@plugboard/protocol';
import { type Address, requestGateway } from '../gateway/client.ts';

interface Channel {
  readonly name: string;
  readonly state: 'starting' | 'ready' | 'failed' | 'stopped' | 'elsewhere';
  readonly lastError: { readonly message: string } | null;
}

interface Person {
  readonly channel: string;
  readonly sender: string;
  readonly name: string;
}

/** A gateway reads a saved configuration within a second; a platform answers within a few. */
const START_MS = 20_000;
const LOOK_MS = 300;

/** Waits until a running gateway has taken the channel over. The reason when it has not. */
export async function waitForChannel(gateway: Address, name: string): Promise<string | undefined> {
  const end = performance.now() + START_MS;
  for (;;) {
    const { channels } = await requestGateway<{ channels: Channel[] }>(gateway, 'GET', '/api/channels');
    const channel = channels.find((one) => one.name === name);
    if (channel?.state === 'ready') return undefined;
    const why = channel?.lastError?.message;
    if (channel?.state === 'failed') return why ?? 'The platform refused it.';
    if (performance.now() > end) return why ?? 'The gateway has not taken it over.';
    await sleep(LOOK_MS);
  }
}

/** Makes a code that lets the first person in who sends it. */
export async function inviteSomebody(gateway: Address, name: string): Promise<string> {
  const path = `/api/channels/${encodeURIComponent(name)}/invitations`;
  return (await requestGateway<{ code: string }>(gateway, 'POST', path, {})).code;
}

/** Waits until somebody is paired who was not before. Undefined when `signal` is aborted. */
export async function waitForPerson(
  gateway: Address,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read = async (): Promise<Person[]> => {
    const path = '/api/people?state=paired';
    const { people } = await requestGateway<{ people: Person[] }>(gateway, 'GET', path);
    return people.filter(({ channel }) => channel === name);
  };
  const before = new Set((await read()).map(({ sender }) => sender));
  while (!signal.aborted) {
    const person = (await read()).find(({ sender }) => !before.has(sender));
    if (person !== undefined) return terminalText(person.name === '' ? person.sender : person.name);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}
