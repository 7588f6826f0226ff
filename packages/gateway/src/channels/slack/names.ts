import type { SlackCalls } from './calls.ts';
import { recordAt, textAt } from './json.ts';
import { SlackCallError } from './problems.ts';

const MOST = 1_000;

/** Timeout of `users.info`: the message waits for the name. */
const NAME_MS = 2_000;

/** Names of people for display, asked for once each. */
export function createNames(calls: SlackCalls): (user: string) => Promise<string | undefined> {
  const names = new Map<string, string>();
  let isRefused = false;
  return async (user) => {
    const known = names.get(user);
    if (known !== undefined || isRefused) return known;
    try {
      const answer = await calls.call('users.info', { user }, AbortSignal.timeout(NAME_MS));
      const profile = recordAt(recordAt(answer, 'user'), 'profile');
      const name = textAt(profile, 'display_name') ?? textAt(profile, 'real_name') ?? user;
      names.set(user, name);
      for (const [oldest] of names) if (names.size > MOST) names.delete(oldest);
      return name;
    } catch (error) {
      isRefused = error instanceof SlackCallError && error.word === 'missing_scope';
      return undefined;
    }
  };
}
