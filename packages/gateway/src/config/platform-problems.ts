import type { ChannelKind } from '../channels/kind.ts';
import { channelKinds } from '../channels/kinds.ts';
import type { PlatformConfig } from './config.ts';
import { problemAt } from './reader.ts';
import type { Reading } from './reading.ts';
import { Secret } from './secret.ts';

/** Problems of `settingsProblem`, and of ids in `allow` and `owners`. */
export function platformProblems(
  reading: Reading,
  kind: ChannelKind,
  { name, settings, access }: Pick<PlatformConfig, 'name' | 'settings' | 'access'>,
): string[] {
  const say = (path: readonly (string | number)[], sentence: string): string =>
    channelProblem(reading, [name, ...path], sentence);
  const problem = kind.settingsProblem?.(settings);
  const people = (['allow', 'owners'] as const).flatMap((field) =>
    access[field].flatMap((id, index) => {
      const wrong = id === '*' && field === 'owners' ? EVERYBODY : kind.personProblem?.(id);
      return wrong === undefined ? [] : [say([field, index], wrong)];
    }),
  );
  return [...(problem === undefined ? [] : [say([], problem)]), ...people];
}

const EVERYBODY =
  '"*" is not possible here: everybody could let others in. Say allow: ["*"], and give the ids of owners.';

/** Channels of one kind that share an account: each would get a part of the messages. */
export function sharedAccounts(reading: Reading, platforms: Iterable<PlatformConfig>): string[] {
  const first = new Map<string, string>();
  return [...platforms].flatMap(({ name, kind, settings }) => {
    const { account } = channelKinds.get(kind) ?? {};
    const value = account === undefined ? '' : textIn(Reflect.get(settings as object, account));
    if (account === undefined || value === '') return [];
    const key = `${kind} ${value}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, name);
    return other === undefined
      ? []
      : [
          channelProblem(
            reading,
            [name, account],
            `The channel "${other}" has the same one: they would take each other's messages.`,
          ),
        ];
  });
}

function textIn(field: unknown): string {
  if (field instanceof Secret) return field.reveal();
  return typeof field === 'string' ? field : '';
}

function channelProblem({ source }: Reading, path: readonly (string | number)[], sentence: string): string {
  return problemAt({ source, value: undefined, base: [] }, ['channels', ...path], sentence);
}
