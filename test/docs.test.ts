import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Capabilities, type DialectName, dialects, type EventType, isServed } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { KNOWN_AGENTS } from '../packages/cli/src/known-agents/known-agents.ts';
import { type Carried, carriedBetween } from './pairs.ts';

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

/** What passes between each two dialects, which `matrix.deep.test.ts` tries with real processes. */
function pairTable(): string {
  const names = Object.keys(dialects) as DialectName[];
  const cell = (front: DialectName, behind: DialectName): string => {
    const carried = carriedBetween(dialects[front].capabilities, dialects[behind].capabilities);
    const letters = Object.entries(LETTERS).map(([feature, letter]) =>
      carried[feature as keyof Carried] ? letter : '·',
    );
    return `\`${letters.join('')}\``;
  };
  const fronts = names.filter((name) => isServed(dialects[name]));
  return [
    `| host ↓ agent → | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---').join('|')}|`,
    ...fronts.map((front) => `| ${front} | ${names.map((behind) => cell(front, behind)).join(' | ')} |`),
  ].join('\n');
}

const LETTERS: Readonly<Record<keyof Carried, string>> = {
  streaming: 's',
  thoughts: 't',
  progress: 'p',
  tools: 'c',
  media: 'm',
  questions: 'q',
  options: 'o',
};

const AGENT_COLUMNS: Readonly<Record<string, (of: Capabilities) => boolean>> = {
  streaming: ({ events }) => events.delta === 'said',
  thoughts: ({ events }) => events.thinking === 'said',
  progress: ({ events }) => events.progress === 'said',
  'tool calls': ({ events }) => events['tool-call'] === 'said',
  plans: ({ events }) => events.plan === 'said',
  questions: ({ questions }) => questions !== 'none',
  steering: ({ steering }) => steering,
  'sessions by id': ({ session }) => session === 'both',
  options: ({ options }) => options,
  media: ({ media }) => media,
  attachments: ({ attachments }) => attachments !== 'none',
};

/** What the wire of each agent has a form for; text and cancelling are in all of them. */
function agentTable(): string {
  const columns = Object.keys(AGENT_COLUMNS);
  const row = (name: DialectName): string => {
    // An agent in plain text has less than its dialect.
    const speaks = KNOWN_AGENTS.filter(
      ({ profile }) => profile.dialect === name && profile.protocol !== 'plain',
    );
    const titles = speaks.map(({ title }) => title).join(', ');
    const cells = Object.values(AGENT_COLUMNS).map((has) => (has(dialects[name].capabilities) ? '✓' : ''));
    return `| ${titles === '' ? '' : `${titles} `}\`${name}\` | ${cells.join(' | ')} |`;
  };
  return [
    `| agents and their dialect | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => ':-:').join('|')}|`,
    ...(Object.keys(dialects) as DialectName[]).map(row),
  ].join('\n');
}

it.each([
  ['docs/protocol.md', 'capabilities', capabilityTable],
  ['docs/protocol.md', 'pairs', pairTable],
  ['README.md', 'agents', agentTable],
])('%s has the table of %s as it is in the code', (path, name, table) => {
  const file = join(ROOT, path);
  const page = readFileSync(file, 'utf8');
  const [before = '', rest = ''] = page.split(`<!-- ${name} -->`);
  const after = rest.split(`<!-- /${name} -->`)[1] ?? '';
  const wanted = `${before}<!-- ${name} -->\n\n${table()}\n\n<!-- /${name} -->${after}`;
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
