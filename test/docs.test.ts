import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Capabilities, type DialectName, dialects, type EventType } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PAGES = globSync(['*.md', 'docs/*.md', 'examples/**/*.md'], { cwd: ROOT });

/** The capability tables of all dialects, as the page shows them. */
function capabilityTable(): string {
  const names = Object.keys(dialects) as DialectName[];
  const row = (label: string, cell: (of: Capabilities) => string): string =>
    `| ${label} | ${names.map((name) => cell(dialects[name].capabilities)).join(' | ')} |`;
  const events = Object.keys(dialects.nib.capabilities.events) as EventType[];
  const yes = (value: boolean): string => (value ? 'yes' : 'no');
  return [
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---').join('|')}|`,
    ...events.map((event) => row(`\`${event}\``, (of) => of.events[event])),
    row('attachments of a turn', (of) => of.attachments),
    row('media of a message', (of) => yes(of.media)),
    row('session id given back', (of) => yes(of.session === 'both')),
    row('one process for many turns', (of) => yes(of.resident)),
    row('steering', (of) => yes(of.steering)),
    row('named operations', (of) => yes(of.operations)),
  ].join('\n');
}

it('shows the capability tables as they are in the code', () => {
  const file = join(ROOT, 'docs/protocol.md');
  const page = readFileSync(file, 'utf8');
  const [before = '', rest = ''] = page.split('<!-- capabilities -->');
  const after = rest.split('<!-- /capabilities -->')[1] ?? '';
  const wanted = `${before}<!-- capabilities -->\n\n${capabilityTable()}\n\n<!-- /capabilities -->${after}`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, wanted);
  else expect(page, 'run UPDATE_DOCS=1 npx vitest run test/docs.test.ts').toBe(wanted);
});

describe.each(PAGES)('%s', (page) => {
  it('links only to files that are there', () => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });
});
