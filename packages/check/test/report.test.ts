import { describe, expect, it } from 'vitest';
import { fail, PASS, skip } from '../src/case.ts';
import { formatReport } from '../src/format.ts';
import { createReport, interruptedBy, resultOf } from '../src/report.ts';

const subject = { dialect: 'terminal', kind: 'agent', command: ['./agent'] } as const;
const must = { id: 'terminal/a', title: 'A is so.', level: 'must', hint: 'Make it so.' } as const;
const should = { ...must, id: 'terminal/b', level: 'should' } as const;

describe('A report', () => {
  it('conforms when only recommendations are not followed', () => {
    const report = createReport(subject, [resultOf(must, PASS, 1), resultOf(should, fail('b', 'c'), 1)]);
    expect(report).toMatchObject({ conforms: true, passed: 1, failed: 1, skipped: 0 });
    expect(formatReport(report)).toContain(
      'conforms to terminal, and could do better: 1 passed, 1 failed, 0 skipped.',
    );
  });

  it('does not conform when a rule is broken, and says how to mend it', () => {
    const report = createReport(subject, [resultOf(must, fail('a line', 'two lines'), 1.6)]);
    expect(report.conforms).toBe(false);
    expect(formatReport(report).split('\n')).toEqual([
      '✗ terminal/a  A is so.',
      '    expected a line',
      '    seen two lines',
      '    mend it: Make it so.',
      '',
      'This agent breaks 1 rule of terminal: 0 passed, 1 failed, 0 skipped.',
      '',
    ]);
  });

  it('says why a case was skipped', () => {
    const report = createReport(subject, [resultOf(must, skip('it had ended'), 1)]);
    expect(formatReport(report)).toContain('– terminal/a  A is so. (it had ended)');
    expect(report.conforms).toBe(true);
  });

  it('does not conform when the check ended before all cases were tried, and says why', () => {
    const cases = [resultOf(should, fail('an answer', 'nothing'), 1), resultOf(must, skip('not tried'), 0)];
    const report = createReport(subject, cases, 'The agent never answered.');
    expect(report).toMatchObject({ conforms: false, stopped: 'The agent never answered.' });
    expect(formatReport(report)).toContain(
      '\n\nThe agent never answered.\nThis agent was not checked to the end: 0 passed, 1 failed, 1 skipped.\n',
    );
  });

  it('does not conform when no case was chosen, or somebody has ended the check', () => {
    expect(createReport(subject, [])).toMatchObject({ conforms: false, stopped: expect.any(String) });
    expect(interruptedBy(AbortSignal.abort())).toEqual(expect.any(String));
    expect(interruptedBy(new AbortController().signal)).toBeUndefined();
  });

  it('shows a short excerpt of what was seen, on one line and without control characters', () => {
    const verdict = fail('text', `\u001b[31m\n${'x'.repeat(5_000)}`);
    expect(verdict).toMatchObject({ seen: `\\u001b[31m\\n${'x'.repeat(294)}…` });
  });
});
