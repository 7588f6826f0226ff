import { realPath } from '../tools/files/real-path.ts';
import { type Matcher, matcherOf, type Seen } from './match.ts';
import type { Policy } from './policy.ts';
import { concerns, type Decision } from './rule.ts';
import { isSecret } from './secrets.ts';

/**
 * Which files a search may look into, once the search itself has been permitted. Rules that deny or ask about a file hide
 * it, and so does a place of secrets; an asking rule that already held for the root was answered there. The paths must
 * be real.
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
      .filter((rule) => rule.decision === decision && concerns(rule, { name: tool }))
      .map((rule) => matcherOf(rule, base));
  const hiding = [...matchers('deny'), ...matchers('ask').filter((holds) => !holds(seenAs(root)))];
  const allowing = matchers('allow');
  return (path) => {
    const seen = seenAs(path);
    if (hiding.some((holds) => holds(seen))) return false;
    return !isSecret(path, base.home, base.directory) || allowing.some((holds) => holds(seen));
  };
}
