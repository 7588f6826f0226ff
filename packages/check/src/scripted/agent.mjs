#!/usr/bin/env node
// Started by the host under test: writes down what it is given and plays what the case tells it to.
// Plain JavaScript without dependencies, so that it starts quickly and wherever Node does.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { record: recordFile, play, trigger } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const startedAt = Date.now();
const NAMED = /^(?:AGENT_|NIB_)/;

const record = {
  pid: process.pid,
  argv: process.argv.slice(3),
  cwd: process.cwd(),
  // Names of all variables, but values only of those that belong to a protocol: the others may be secrets.
  variables: Object.keys(process.env).sort(),
  values: Object.fromEntries(Object.entries(process.env).filter(([name]) => NAMED.test(name))),
  stdin: '',
  stdinClosed: false,
  signals: [],
  grandchildren: [],
};
const input = [];
let inputNews = Promise.withResolvers();

function save() {
  record.stdin = Buffer.concat(input).toString('base64');
  writeFileSync(recordFile, JSON.stringify(record));
}

function requestFile() {
  try {
    return readFileSync(process.env.NIB_AGENT_REQUEST_FILE ?? '', 'utf8');
  } catch {
    return undefined;
  }
}

function readInput() {
  process.stdin.on('data', (piece) => {
    input.push(piece);
    inputNews.resolve();
    inputNews = Promise.withResolvers();
  });
  process.stdin.on('error', () => {});
  process.stdin.on('close', () => {
    record.stdinClosed = true;
    inputNews.resolve();
  });
}

async function triggered() {
  if (trigger === 'line') await perform({ untilLine: true });
  if (trigger === 'end') await perform({ untilInputEnds: true });
}

/** Text with what it quotes from the request. */
function filled(text) {
  if (!text.includes('{operation}')) return text;
  try {
    return text.replaceAll(
      '{operation}',
      JSON.parse(requestFile() ?? Buffer.concat(input).toString('utf8')).operation,
    );
  } catch {
    return text;
  }
}

const write = (stream, bytes) => new Promise((resolve) => stream.write(bytes, resolve));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function perform(act) {
  if (act.write !== undefined) await write(process.stdout, filled(act.write));
  // Byte for byte: what is no text must stay as it is around the part that is filled in.
  if (act.bytes !== undefined)
    await write(
      process.stdout,
      Buffer.from(filled(Buffer.from(act.bytes, 'base64').toString('latin1')), 'latin1'),
    );
  if (act.stderr !== undefined) await write(process.stderr, act.stderr.repeat(act.times ?? 1));
  if (act.pauseMs !== undefined) await pause(act.pauseMs);
  // Lives on with our stdout, as a program that was sent to the background does.
  if (act.grandchild === true) {
    const child = spawn('sleep', ['30'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
    record.grandchildren.push(child.pid);
    child.unref();
  }
  if (act.untilLine === true)
    while (!record.stdinClosed && !Buffer.concat(input).includes(10)) await inputNews.promise;
  if (act.untilInputEnds === true) while (!record.stdinClosed) await inputNews.promise;
  if (act.exit !== undefined) {
    if (!act.ignoresInput)
      for (let waited = 0; !record.stdinClosed && waited < 500; waited += 20) await pause(20);
    save();
    process.exit(act.exit);
  }
}

for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(name, () => {
    record.signals.push({ name, ms: Date.now() - startedAt });
    save();
    if (!play.some(({ ignoresSignals }) => ignoresSignals)) process.exit(143);
  });
}
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
save();
if (play.some(({ ignoresInput }) => ignoresInput)) process.stdin.pause();
else readInput();
await triggered();
for (const act of play) await perform(act);
