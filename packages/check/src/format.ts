import { terminalText } from '@plugboard/protocol';
import type { CaseResult, Report } from './report.ts';

/** Functions that add terminal colours to parts of a report. */
export interface ReportStyle {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

const same = (text: string): string => text;

/** Identity functions: a report without colours. */
export const PLAIN: ReportStyle = { red: same, green: same, yellow: same, dim: same, bold: same };

/** Formats a report: one line for each case, details below each `fail`, and a summary. */
export function formatReport(report: Report, style: ReportStyle = PLAIN): string {
  const lines = report.cases.map((result) => formatCase(result, style));
  return `${[...lines, '', summaryOf(report, style)].join('\n')}\n`;
}

function formatCase(result: CaseResult, style: ReportStyle): string {
  const line = `${markOf(result, style)} ${result.id}  ${style.dim(result.title)}`;
  if (result.outcome === 'skip')
    return `${line} ${style.dim(`(${terminalText(result.detail ?? 'skipped')})`)}`;
  if (result.outcome === 'pass') return line;
  const details = terminalText(result.detail ?? '')
    .split('\n')
    .map((part) => `    ${part}`);
  return [line, ...details, `    ${style.bold('mend it:')} ${result.hint ?? ''}`].join('\n');
}

function markOf({ outcome, level }: CaseResult, style: ReportStyle): string {
  if (outcome === 'pass') return style.green('✓');
  if (outcome === 'skip') return style.dim('–');
  return level === 'must' ? style.red('✗') : style.yellow('✗ (should)');
}

function summaryOf(
  { dialect, kind, passed, failed, skipped, conforms, cases, stopped }: Report,
  style: ReportStyle,
): string {
  const musts = cases.filter(({ outcome, level }) => outcome === 'fail' && level === 'must').length;
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  if (stopped !== undefined)
    return style.red(`${terminalText(stopped)}\nThis ${kind} was not checked to the end: ${counts}.`);
  if (!conforms) {
    const rules = musts === 1 ? '1 rule' : `${musts} rules`;
    return style.red(`This ${kind} breaks ${rules} of ${dialect}: ${counts}.`);
  }
  const advice = failed === 0 ? '' : ', and could do better';
  return style.green(`This ${kind} conforms to ${dialect}${advice}: ${counts}.`);
}
