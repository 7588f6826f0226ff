import { DatabaseSync } from 'node:sqlite';
import { badlyDelivered, type DeliveryRow, type Histories } from './checker.ts';

/*
 * The judge of commands. It knows what each of them does and says, from the words alone, and shares no code with the
 * program it judges.
 */

interface SessionRow {
  readonly place: string;
  readonly agent: string;
  readonly closed: number;
}

/** Everything that is wrong; nothing, when each command was obeyed and answered once. */
export function judgeCommands(histories: Histories): string[] {
  const database = new DatabaseSync(histories.file, { readOnly: true });
  const rows = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  const sessions = rows<SessionRow>('select place, agent, closed from sessions order by seq');
  const deliveries = rows<DeliveryRow>('select place, turn, state, body from deliveries order by seq');
  database.close();
  return [
    ...disobeyed(histories, sessions),
    ...unanswered(histories, deliveries),
    ...badlyDelivered(histories, deliveries),
  ];
}

/** In every place there are the sessions that the commands make, one after the other, and the last one is live. */
function disobeyed({ updates }: Histories, sessions: readonly SessionRow[]): string[] {
  return [...Map.groupBy(updates, ({ place }) => place)].flatMap(([place, own]) => {
    const wanted = sessionsAfter(own.map(({ text }) => text)).join(', ');
    const there = sessions
      .filter((session) => session.place === place)
      .map(({ agent, closed }) => (closed === 1 ? `${agent} closed` : agent))
      .join(', ');
    return there === wanted ? [] : [`${place} has had ${there}; it should have had ${wanted}.`];
  });
}

function sessionsAfter(commands: readonly string[]): string[] {
  let agent = 'echo';
  const ended: string[] = [];
  for (const command of commands) {
    if (command === '/new') ended.push(`${agent} closed`);
    if (command.startsWith('/agent ')) agent = command.slice('/agent '.length);
  }
  return [...ended, agent];
}

/** For each command there is one answer in the outbox, in order. */
function unanswered({ updates }: Histories, deliveries: readonly DeliveryRow[]): string[] {
  return [...Map.groupBy(updates, ({ place }) => place)].flatMap(([place, own]) => {
    const answers = deliveries.filter((delivery) => delivery.place === place);
    const texts = answers.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    const right = own.length === texts.length && own.every(({ text }, at) => isAnswer(text, texts[at] ?? ''));
    return right ? [] : [`${place} was answered ${texts.join(' | ')}.`];
  });
}

function isAnswer(command: string, reply: string): boolean {
  if (command === '/new') return reply.startsWith('A new session has begun');
  return command === '/status' ? reply.startsWith('Agent: ') : reply.endsWith('answers from now on.');
}
