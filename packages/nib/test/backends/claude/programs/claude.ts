import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

/** A fake of Claude Code: checks its flags, records them, and prints the lines that a test has set. */
const {
  CLAUDE_RECORD = '',
  CLAUDE_STORE = '',
  CLAUDE_SAYS = '',
  CLAUDE_FAILS,
  CLAUDE_EXIT = '0',
  CLAUDE_HANGS,
  CLAUDE_CALLS = '[]',
} = process.env;

// Longer than any test: nobody may be left to end it, also while it waits for its stdin.
setTimeout(() => process.exit(1), 180_000).unref();

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
        tools: { type: 'string' },
        'permission-mode': { type: 'string' },
        'strict-mcp-config': { type: 'boolean' },
        settings: { type: 'string' },
        'json-schema': { type: 'string' },
        'session-id': { type: 'string' },
        resume: { type: 'string' },
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

const record = {
  argv: process.argv.slice(2),
  cwd: process.cwd(),
  stdin: values.print ? await text(process.stdin) : '',
  prompt: positionals[0] ?? null,
  variables: Object.keys(process.env),
  decisions: decisionsOn(CLAUDE_CALLS),
};
appendFileSync(CLAUDE_RECORD, `${JSON.stringify(record)}\n`);

/** The decisions of the PreToolUse hook in the settings. Like Claude Code, runs it in a shell, with JSON on stdin. */
function decisionsOn(calls: string): readonly unknown[] {
  if (values.settings === undefined) return [];
  const { hooks } = JSON.parse(readFileSync(values.settings, 'utf8'));
  const command: string = hooks.PreToolUse[0].hooks[0].command;
  return JSON.parse(calls).map(([tool_name, tool_input]: [string, object]) => {
    const input = JSON.stringify({
      hook_event_name: 'PreToolUse',
      cwd: process.cwd(),
      tool_name,
      tool_input,
    });
    const { status, stdout } = spawnSync('/bin/sh', ['-c', command], { input, encoding: 'utf8' });
    return status === 0 ? JSON.parse(stdout).hookSpecificOutput.permissionDecision : `exit ${status}`;
  });
}

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
