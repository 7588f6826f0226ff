import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** A program that looks like Claude Code to whoever starts it: checks its flags, writes them down, and says what it is told to. */
const {
  CLAUDE_RECORD = '',
  CLAUDE_STORE = '',
  CLAUDE_SAYS = '',
  CLAUDE_FAILS,
  CLAUDE_EXIT = '0',
  CLAUDE_HANGS,
} = process.env;

function fail(message: string, code = 1): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        print: { type: 'boolean', short: 'p' },
        'output-format': { type: 'string' },
        verbose: { type: 'boolean' },
        'no-session-persistence': { type: 'boolean' },
        effort: { type: 'string' },
        allowedTools: { type: 'string' },
        'json-schema': { type: 'string' },
        'session-id': { type: 'string' },
        resume: { type: 'string' },
        'add-dir': { type: 'string' },
      },
    });
  } catch (error) {
    return fail(`error: ${(error as Error).message}`);
  }
}

const { values, positionals } = parsed();
if (values.print && (values['output-format'] !== 'stream-json' || !values.verbose))
  fail('Error: When using --print, --output-format=stream-json requires --verbose');
if (!values.print && values['no-session-persistence']) fail('error: only with --print');
if (!['low', 'medium', 'high', 'xhigh', 'max'].includes(values.effort ?? '')) fail('error: bad effort');
if (positionals.length > 1) fail('error: too many arguments');
const schema = values['json-schema'];
if (schema !== undefined) JSON.parse(schema);

const named = /Read the file (\S+) and/.exec(positionals[0] ?? '')?.[1];
const record = {
  argv: process.argv.slice(2),
  cwd: process.cwd(),
  stdin: values.print ? readFileSync(0, 'utf8') : '',
  prompt: named === undefined ? (positionals[0] ?? null) : readFileSync(named, 'utf8'),
  variables: Object.keys(process.env),
};
appendFileSync(CLAUDE_RECORD, `${JSON.stringify(record)}\n`);

const id = values['session-id'];
if (id !== undefined) {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id))
    fail('Error: Invalid session ID. Must be a valid UUID.');
  if (existsSync(join(CLAUDE_STORE, id))) fail(`Error: Session ID ${id} is already in use.`);
}
if (values.resume !== undefined && !existsSync(join(CLAUDE_STORE, values.resume)))
  fail(`No conversation found with session ID: ${values.resume}`);
if (CLAUDE_FAILS !== undefined) fail(CLAUDE_FAILS, Number(CLAUDE_EXIT) || 1);
if (id !== undefined) {
  mkdirSync(CLAUDE_STORE, { recursive: true });
  writeFileSync(join(CLAUDE_STORE, id), '');
}
process.stdout.write(CLAUDE_SAYS === '' ? 'at the terminal\n' : readFileSync(CLAUDE_SAYS, 'utf8'));
process.exitCode = Number(CLAUDE_EXIT);
if (CLAUDE_HANGS !== undefined) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
