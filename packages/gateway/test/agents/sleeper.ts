import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Event, type Handler, serve, type Unasked } from '@plugboard/agent';
import { createTurn } from '@plugboard/protocol';

/*
 * An agent with an alarm that outlives its process: it is in the file named first. Every start adds a line to the file
 * beside it. With a second word it is one that does not stay: `dies` once it has told of its alarm, `rings` and dies in
 * the middle of that turn; `mute` stays and says nothing of what it has to do.
 */
const [file = '', manner = ''] = process.argv.slice(2);
appendFileSync(`${file}.starts`, `${process.pid}\n`);

interface Alarm {
  readonly at: number;
  readonly text: string;
}

const readAlarm = (): Alarm | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Alarm) : undefined;

function tasks(): Extract<Event, { type: 'tasks' }> {
  const alarm = readAlarm();
  const firesAt = new Date(alarm?.at ?? 0).toISOString();
  const one = { id: 'a', kind: 'alarm', description: alarm?.text ?? '', status: 'pending', firesAt };
  return { type: 'tasks', tasks: alarm === undefined ? [] : [one] };
}

const sleeper: Handler = async (turn, io) => {
  const [command, ms, text = ''] = turn.text.split(' ');
  if (command === 'pid') return String(process.pid);
  if (command === 'work') await pause(Number(ms));
  if (command === 'alarm') writeFileSync(file, JSON.stringify({ at: Date.now() + Number(ms), text }));
  if (command === 'cancel') rmSync(file, { force: true });
  if (command === 'alarm' || command === 'cancel') await io.emit(tasks());
  if (command === 'die') process.kill(process.pid, 'SIGKILL');
  return command === 'alarm' ? 'The alarm is set.' : turn.text;
};

const ring: Handler = async (turn, io) => {
  if (manner === 'rings') process.kill(process.pid, 'SIGKILL');
  rmSync(file, { force: true });
  await io.emit(tasks());
  return `ring: ${turn.text}`;
};

async function* happenings(): AsyncGenerator<Unasked | Extract<Event, { type: 'tasks' }>> {
  if (manner !== 'mute' && readAlarm() !== undefined) yield tasks();
  if (manner === 'dies') setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
  for (; manner !== 'mute'; await pause(20)) {
    const alarm = readAlarm();
    if (alarm === undefined || alarm.at > Date.now()) continue;
    yield { origin: 'alarm', turn: createTurn({ id: 'alarm', text: alarm.text }), handler: ring };
    while (readAlarm()?.at === alarm.at) await pause(20);
  }
}

await serve(sleeper, { version: '1.0.0', unasked: happenings() });
