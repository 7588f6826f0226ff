#!/usr/bin/env node
// Started by the host under test: records its input in `record.json` and plays the acts of `script.json`.
// Plain JavaScript without dependencies, so that it starts fast and needs no loader for TypeScript.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { record: recordFile, play, trigger } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const startedAt = Date.now();
const NAMED = /^(?:AGENT_|NIB_)/;

const record = {
  pid: process.pid,
  argv: process.argv.slice(3),
  cwd: process.cwd(),
  // Names of all variables, but values only of `AGENT_` and `NIB_` variables: the rest may be secrets.
  variables: Object.keys(process.env).sort(),
  values: Object.fromEntries(Object.entries(process.env).filter(([name]) => NAMED.test(name))),
  stdin: '',
  stdinClosed: false,
  signals: [],
  grandchildren: [],
};
const input = [];
let inputNews = Promise.withResolvers();

function saveRecord() {
  record.stdin = Buffer.concat(input).toString('base64');
  writeFileSync(recordFile, JSON.stringify(record));
}

function readRequestFile() {
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

async function waitForTrigger() {
  if (trigger === 'line') await performAct({ untilLine: true });
  if (trigger === 'end') await performAct({ untilInputEnds: true });
}

/** The objects on stdin, one a line. */
function readObjects() {
  return Buffer.concat(input)
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** Replaces `{id METHOD}` by the id of the last request whose method begins with METHOD. */
function fillIds(text) {
  return text.replace(/\{id ([\w/]+)\}/g, (_all, method) => {
    const request = readObjects().findLast((value) => String(value?.method).startsWith(method));
    return JSON.stringify(request?.id ?? null);
  });
}

/** Replaces `{operation}` by the operation of the request, and ids. */
function fillIn(given) {
  const text = fillIds(given);
  if (!text.includes('{operation}')) return text;
  try {
    return text.replaceAll(
      '{operation}',
      JSON.parse(readRequestFile() ?? Buffer.concat(input).toString('utf8')).operation,
    );
  } catch {
    return text;
  }
}

/** Whether a line of stdin is an object with these members. */
function findObject(members) {
  const isOne = (value, member) => (Array.isArray(member) ? member.includes(value) : value === member);
  return readObjects().some((value) =>
    Object.entries(members).every(([name, member]) => isOne(value?.[name], member)),
  );
}

const write = (stream, bytes) => new Promise((resolve) => stream.write(bytes, resolve));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function performAct(act) {
  if (act.write !== undefined) await write(process.stdout, fillIn(act.write));
  // Latin-1 keeps each byte, so that invalid UTF-8 around `{operation}` stays unchanged.
  if (act.bytes !== undefined)
    await write(
      process.stdout,
      Buffer.from(fillIn(Buffer.from(act.bytes, 'base64').toString('latin1')), 'latin1'),
    );
  if (act.stderr !== undefined) await write(process.stderr, act.stderr.repeat(act.times ?? 1));
  if (act.pauseMs !== undefined) await pause(act.pauseMs);
  // Detached, with the same stdout: like a program that a shell sends to the background.
  if (act.grandchild === true) {
    const child = spawn('sleep', ['30'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
    record.grandchildren.push(child.pid);
    child.unref();
  }
  if (act.untilLine === true)
    while (!record.stdinClosed && !Buffer.concat(input).includes(10)) await inputNews.promise;
  if (act.untilObject !== undefined)
    while (!record.stdinClosed && !findObject(act.untilObject)) await inputNews.promise;
  if (act.untilInputEnds === true) while (!record.stdinClosed) await inputNews.promise;
  if (act.exit !== undefined) {
    if (!act.ignoresInput)
      for (let waited = 0; !record.stdinClosed && waited < 500; waited += 20) await pause(20);
    saveRecord();
    process.exit(act.exit);
  }
}

for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(name, () => {
    record.signals.push({ name, ms: Date.now() - startedAt });
    saveRecord();
    if (!play.some(({ ignoresSignals }) => ignoresSignals)) process.exit(143);
  });
}
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
saveRecord();
if (play.some(({ ignoresInput }) => ignoresInput)) process.stdin.pause();
else readInput();
await waitForTrigger();
for (const act of play) await performAct(act);
