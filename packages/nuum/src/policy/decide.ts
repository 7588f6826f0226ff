import { isWithin, realPath } from '../tools/files/real-path.ts';
import { firstLineOf } from '../tools/outcome.ts';
import type { Subject, Tool } from '../tools/tool.ts';
import { allowsCommand, type Base, matcherOf, type Seen } from './match.ts';
import type { Policy } from './policy.ts';
import { appliesTo, type Decision, type Rule, ruleText } from './rule.ts';
import { isSecret } from './secrets.ts';

export interface Verdict {
  readonly decision: Decision;
  /** A sentence for the model and for people. */
  readonly reason: string;
  readonly rule?: string;
  /** The real path of each path among the subjects, which the tool gets as `decided`. */
  readonly paths: ReadonlyMap<string, string>;
}

type Said = Omit<Verdict, 'paths'>;
type Asked = Pick<Tool, 'name' | 'effect'>;

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Of the rules that match, `deny` beats `ask`, which beats `allow`, however specific they are. Without a match: files
 * may be read except secrets, and written within `directory`; commands and URLs are allowed unless an `allow` rule
 * names some. A call with several subjects gets the strictest decision.
 */
export function decideCall(
  policy: Policy,
  tool: Asked,
  subjects: readonly Subject[],
  directory: string,
): Verdict {
  const base: Base = { directory: realPathIfKnown(directory) ?? directory, home: policy.home };
  const rules = policy.rules.filter((rule) => appliesTo(rule, tool));
  const touched: readonly Subject[] = subjects.length > 0 ? subjects : [{ kind: 'none', value: '' }];
  const paths = new Map<string, string>();
  let strictest: Said | undefined;
  for (const subject of touched) {
    const said = decideOne(rules, tool, subject, base, paths);
    if (strictest === undefined || STRICTNESS[said.decision] > STRICTNESS[strictest.decision])
      strictest = said;
  }
  return { ...(strictest ?? { decision: 'allow', reason: 'Nothing is touched.' }), paths };
}

function decideOne(
  rules: readonly Rule[],
  tool: Asked,
  subject: Subject,
  base: Base,
  paths: Map<string, string>,
): Said {
  if (subject.kind !== 'path')
    return decideByRule(rules, { subject }, base) ?? decideByDefault(rules, tool, { subject }, base);
  try {
    const seen: Seen = { subject, real: realPath(subject.value) };
    paths.set(subject.value, seen.real ?? subject.value);
    return decideByRule(rules, seen, base) ?? decideByDefault(rules, tool, seen, base);
  } catch (error) {
    return { decision: 'deny', reason: `Where ${subject.value} leads cannot be told: ${firstLineOf(error)}` };
  }
}

function decideByRule(rules: readonly Rule[], seen: Seen, base: Base): Said | undefined {
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const such = rules.filter((rule) => rule.decision === decision);
    const rule = such.find((one) => matcherOf(one, base)(seen)) ?? findJointRule(such, decision, seen);
    if (rule !== undefined)
      return { decision, reason: `The rule ${ruleText(rule)} says so.`, rule: ruleText(rule) };
  }
  return undefined;
}

/** Every part of a command line may be allowed by a different rule. The first `allow` rule is then reported. */
function findJointRule(such: readonly Rule[], decision: Decision, { subject }: Seen): Rule | undefined {
  if (decision !== 'allow' || subject.kind !== 'command') return undefined;
  return allowsCommand(such, subject.value) ? such[0] : undefined;
}

/** The decision without a matching rule. */
function decideByDefault(rules: readonly Rule[], tool: Asked, { subject, real }: Seen, base: Base): Said {
  if (real !== undefined && tool.effect === 'write') return decideWrite(tool, real, base);
  if (real !== undefined && isSecret(real, base.home, base.directory)) {
    const hint = `A person can permit it with --allow '${tool.name}:${real}'.`;
    return { decision: 'deny', reason: `${real} is a place where secrets are kept. ${hint}` };
  }
  if (subject.kind === 'entry') {
    const hint = `Where nobody can be asked, propose it: write the entry "proposed-${subject.value}".`;
    return { decision: 'ask', reason: `The entry "${subject.value}" stands in every prompt. ${hint}` };
  }
  const narrowing = rules.find((rule) => rule.decision === 'allow' && rule.pattern !== undefined);
  if (narrowing !== undefined && (subject.kind === 'command' || subject.kind === 'url')) {
    return { decision: 'ask', reason: `It is not among what ${ruleText(narrowing)} and its like permit.` };
  }
  return { decision: 'allow', reason: 'No rule speaks against it.' };
}

function decideWrite(tool: Asked, real: string, { directory }: Base): Said {
  if (isWithin(real, directory)) return { decision: 'allow', reason: 'It is within the working directory.' };
  const hint = `A person can permit it with --allow '${tool.name}:${real}'.`;
  return { decision: 'deny', reason: `${real} is outside the working directory ${directory}. ${hint}` };
}

function realPathIfKnown(path: string): string | undefined {
  try {
    return realPath(path);
  } catch {
    return undefined;
  }
}
