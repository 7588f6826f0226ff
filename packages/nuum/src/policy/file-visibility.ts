import { realPath } from '../tools/files/real-path.ts';
import { type Matcher, matcherOf, type Seen } from './match.ts';
import type { Policy } from './policy.ts';
import { appliesTo, type Decision } from './rule.ts';
import { isSecret, secretPlaces } from './secrets.ts';

/**
 * Which files a search below `root` may read, once the search itself is permitted. Hides files of `deny` and `ask`
 * rules and secrets. An `ask` rule that matches `root` has been answered with the permission for the search. All paths
 * must be real.
 */
export function visibleTo(
  policy: Policy,
  tool: string,
  root: string,
  directory: string,
): (path: string) => boolean {
  const base = { directory: realPath(directory), home: policy.home };
  const seenAs = (path: string): Seen => ({ subject: { kind: 'path', value: path }, real: path });
  const matchers = (decision: Decision): Matcher[] =>
    policy.rules
      .filter((rule) => rule.decision === decision && appliesTo(rule, { name: tool }))
      .map((rule) => matcherOf(rule, base));
  const hiding = [...matchers('deny'), ...matchers('ask').filter((holds) => !holds(seenAs(root)))];
  const places = secretPlaces(base.home);
  const allowing = matchers('allow');
  return (path) => {
    const seen = seenAs(path);
    if (hiding.some((holds) => holds(seen))) return false;
    return !isSecret(path, base.home, base.directory, places) || allowing.some((holds) => holds(seen));
  };
}
