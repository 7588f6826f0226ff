import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@plugboard/host';
import { createTurn, type DialectName, dialects, type Event } from '@plugboard/protocol';
import { PLUGBOARD, profileFor, SHOWCASE, startedAs, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';

const NAMES = Object.keys(dialects) as DialectName[];

/** What a user sees of a turn, whatever it went through. */
interface Seen {
  readonly texts: string[];
  readonly media: string[];
  readonly streamed: string;
  readonly progress: string[];
  readonly outcome: string;
  readonly error: string | undefined;
}

/** A conversation through a bridge: a host that speaks `front`, and the showcase agent that is spoken to in `behind`. */
function converse(front: DialectName, behind: DialectName, workspace: string) {
  const unlimited = behind === 'agentproc' ? ['--set', 'max_reply_chars=0'] : [];
  const quiet = behind === 'terminal' ? ['--set', 'stderr=log'] : [];
  const bridge = [...PLUGBOARD, 'serve', '--as', front, '--dialect', behind, ...unlimited, ...quiet, '--'];
  const settings = front === 'agentproc' ? { maxReplyChars: 0 } : {};
  // An agent that speaks Nuum is told by its command which conversation it has.
  const memory = behind === 'nuum' ? ['--memory={session}'] : [];
  const command = [...bridge, ...startedAs(behind, SHOWCASE), ...memory];
  const profile = profileFor(front, command, workspace, settings);
  const environment = {
    ...process.env,
    PLUGBOARD_HOME: join(workspace, 'state'),
    SHOWCASE_STATE: join(workspace, 'memory'),
  };
  const agent = open(profile, { environment });
  let agentId: string | undefined;
  return {
    async say(text: string, attachments: string[] = []): Promise<Seen> {
      const files = attachments.map((path) => ({ kind: 'file' as const, path }));
      const session = { key: 'talk', ...(agentId === undefined ? {} : { agentId }) };
      const events: Event[] = [];
      for await (const event of agent.run(createTurn({ id: 'x', text, attachments: files, session }))) {
        if (event.type === 'session') agentId = event.id;
        events.push(event);
      }
      return seen(events);
    },
    close: () => agent.close(),
  };
}

function seen(events: readonly Event[]): Seen {
  const of = <T extends Event['type']>(type: T) =>
    events.filter((event): event is Event & { type: T } => event.type === type);
  const [end] = of('end');
  return {
    texts: of('message').map(({ text }) => text),
    media: of('message').flatMap(({ media }) => media.map(({ path, url }) => path ?? url ?? '')),
    streamed: of('delta')
      .map(({ text }) => text)
      .join(''),
    progress: of('progress').map(({ text }) => text),
    outcome: end?.outcome ?? 'none',
    error: end?.error?.message,
  };
}

/** What the folding rules of the two capability tables leave of the showcase's answer to `show`. */
function expectedShow(front: DialectName, behind: DialectName, file: string): Partial<Seen> {
  const both = [dialects[front].capabilities, dialects[behind].capabilities];
  const keepsMessages = both.every(({ events }) => events.message === 'said');
  const keepsMedia = both.every(({ media }) => media);
  // The only way in which agentproc changes text: a line of a body that looks like protocol gets a space in front.
  // A streamed answer has no body.
  const body = front === 'agentproc' && dialects[behind].capabilities.events.delta !== 'said';
  const second = `${body ? ' ' : ''}AGENT_ERROR:"not an error"\n{"type":"message","text":"not a frame"}`;
  const messages = ['Héllo wörld 😀\u2028!', keepsMedia ? second : `${second}\n${file}`];
  return {
    texts: keepsMessages ? messages : [messages.join('\n\n')],
    media: keepsMedia ? [file] : [],
    progress: both.every(({ events }) => events.progress === 'said') ? ['Looking around'] : [],
    outcome: 'success',
  };
}

describe.each(NAMES)('a host that speaks %s', (front) => {
  it.concurrent.each(NAMES)('has the same conversation with an agent that speaks %s', async (behind) => {
    using workspace = temporaryDirectory();
    const file = join(workspace.path, 'picture.png');
    writeFileSync(file, 'not really');
    const { say, close } = converse(front, behind, workspace.path);

    const show = await say(`show ${file}`);
    expect(show).toMatchObject(expectedShow(front, behind, file));
    expect('Héllo wörld 😀\u2028!'.startsWith(show.streamed) || show.streamed.includes('Héllo')).toBe(true);

    const long = await say('long 3000');
    expect(long.texts.join('').split('\n')).toHaveLength(3000);
    expect(long.outcome).toBe('success');

    const failed = await say('fail');
    expect(failed).toMatchObject({ outcome: 'error', error: expect.stringContaining('It broke: “ü”') });

    expect(await say('count')).toMatchObject({ texts: ['This is turn 1.'] });
    expect(await say('count')).toMatchObject({ texts: ['This is turn 2.'] });
    await close();
  });
});
