import { describe, expect, it } from 'vitest';
import { createFailure, createSkip, PASS } from '../src/case.ts';
import { formatReport } from '../src/format.ts';
import { createReport, interruptedBy, resultOf } from '../src/report.ts';

const subject = { dialect: 'terminal', kind: 'agent', command: ['./agent'] } as const;
const must = { id: 'terminal/a', title: 'A is so.', level: 'must', hint: 'Make it so.' } as const;
const should = { ...must, id: 'terminal/b', level: 'should' } as const;

describe('A report', () => {
  it('a report conforms if only should cases fail', () => {
    const report = createReport(subject, [
      resultOf(must, PASS, 1),
      resultOf(should, createFailure('b', 'c'), 1),
    ]);
    expect(report).toMatchObject({ conforms: true, passed: 1, failed: 1, skipped: 0 });
    expect(formatReport(report)).toContain(
      'conforms to terminal, and could do better: 1 passed, 1 failed, 0 skipped.',
    );
  });

  it('a report does not conform if a must case fails, and shows its hint', () => {
    const report = createReport(subject, [resultOf(must, createFailure('a line', 'two lines'), 1.6)]);
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

  it('a report shows why a case was skipped', () => {
    const report = createReport(subject, [resultOf(must, createSkip('it had ended'), 1)]);
    expect(formatReport(report)).toContain('– terminal/a  A is so. (it had ended)');
    expect(report.conforms).toBe(true);
  });

  it('a report does not conform if the check stopped early, and gives the reason', () => {
    const cases = [
      resultOf(should, createFailure('an answer', 'nothing'), 1),
      resultOf(must, createSkip('not tried'), 0),
    ];
    const report = createReport(subject, cases, 'The agent never answered.');
    expect(report).toMatchObject({ conforms: false, stopped: 'The agent never answered.' });
    expect(formatReport(report)).toContain(
      '\n\nThe agent never answered.\nThis agent was not checked to the end: 0 passed, 1 failed, 1 skipped.\n',
    );
  });

  it('a report does not conform if no case was selected or the check was aborted', () => {
    expect(createReport(subject, [])).toMatchObject({ conforms: false, stopped: expect.any(String) });
    expect(interruptedBy(AbortSignal.abort())).toEqual(expect.any(String));
    expect(interruptedBy(new AbortController().signal)).toBeUndefined();
  });

  it('a failure shows an excerpt of 300 characters on one line, with control characters escaped', () => {
    const verdict = createFailure('text', `\u001b[31m\n${'x'.repeat(5_000)}`);
    expect(verdict).toMatchObject({ seen: `\\u001b[31m\\n${'x'.repeat(294)}…` });
  });
});
