import { describe, expect, it } from 'vitest';
import { describePolicy } from '../../src/policy/describe.ts';
import { launcherWarnings } from '../../src/policy/launcher-warnings.ts';
import { createPolicy, idleRules } from '../../src/policy/policy.ts';
import { RuleError } from '../../src/policy/rule.ts';

describe('reading rules', () => {
  it('a rule is a tool, or a tool with a pattern', () => {
    const { rules } = createPolicy({ allow: ['bash:git *'], deny: ['web_fetch'], ask: ['server__*'] });
    expect(rules).toEqual([
      { decision: 'deny', tool: 'web_fetch' },
      { decision: 'ask', tool: 'server__*' },
      { decision: 'allow', tool: 'bash', pattern: 'git *' },
    ]);
  });

  it('a rule keeps the colons of a URL', () => {
    const { rules } = createPolicy({ allow: ['web_fetch:https://docs.example.com/*'] });
    expect(rules[0]?.pattern).toBe('https://docs.example.com/*');
  });

  it.each([
    ['', 'names no tool'],
    [':x', 'names no tool'],
    ['bash:', 'nothing after the colon'],
    ['ba sh:x', 'cannot exist'],
    ['bash:a\0b', 'zero byte'],
    [`bash:${'a'.repeat(5000)}`, 'too long'],
  ])('the rule %j is refused', (rule, problem) => {
    expect(() => createPolicy({ deny: [rule] })).toThrow(RuleError);
    expect(() => createPolicy({ deny: [rule] })).toThrow(problem);
  });
});

it('finds rules that no tool falls under', () => {
  const policy = createPolicy({ deny: ['bahs', 'write:x', 'web_*'] });
  expect(idleRules(policy, ['bash', 'edit', 'web_fetch'])).toEqual(['--deny bahs']);
});

it('describes itself in a few lines, however many rules there are', () => {
  const few = describePolicy(createPolicy({ ask: ['bash'] }), '/work');
  expect(few).toContain('/work');
  expect(few).toContain('- --ask bash');
  const many = describePolicy(
    createPolicy({ deny: Array.from({ length: 100 }, (_, n) => `tool${n}`) }),
    '/work',
  );
  expect(many).toContain('and 70 more');
});

describe('a rule that allows a program which starts others', () => {
  const warnings = (...allow: string[]) => launcherWarnings(createPolicy({ allow }));

  it.each(['git *', 'npx *', '/usr/bin/python3 *', 'env *', 'find . *', 'sudo *', 'docker run *'])(
    'an allow rule for a launcher is reported: %s',
    (pattern) => {
      expect(warnings(`bash:${pattern}`)).toEqual([expect.stringContaining('can name any other program')]);
    },
  );

  it('a warning about a launcher differs for fixed commands and for patterns of names', () => {
    expect(warnings('bash:npm test')).toEqual([expect.stringContaining('files that the agent can write')]);
    expect(warnings('bash:*')).toEqual([expect.stringContaining('every program whose name fits')]);
  });

  it('rules that ask or deny, and allow rules for other programs, are not reported', () => {
    expect(warnings('bash:ls *', 'bash:wc -l', 'write:git/**', 'bash')).toEqual([]);
    expect(launcherWarnings(createPolicy({ ask: ['bash:git *'], deny: ['bash:sudo *'] }))).toEqual([]);
  });
});
