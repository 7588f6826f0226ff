import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Part, Report } from '../method/report.ts';
import { median } from '../method/statistics.ts';

const CLIENTS = 200;

interface Server {
  readonly port: number;
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** Events to many clients, against a server that writes each event to each client by itself. */
export const fanOut: Part = {
  name: 'fan-out',
  async run(quick): Promise<Report> {
    const program = join(import.meta.dirname, '..', 'samples', 'fan-out.ts');
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const told = JSON.parse((await lines.next()).value ?? '') as Record<'bare' | 'ours', number> &
      Record<string, string>;
    const servers: Record<'bare' | 'ours', Server> = {
      bare: { port: told.bare, path: '/', headers: {} },
      ours: {
        port: told.ours,
        path: `/api/sessions/${told.session}/events`,
        headers: { authorization: `Bearer ${told.secret}`, accept: 'text/event-stream' },
      },
    };
    const run = async (name: 'bare' | 'ours', events: number, together: number): Promise<number> => {
      const crowd = await gather(servers[name]);
      const received = crowd.receive(events);
      const started = performance.now();
      child.stdin.write(`${name} ${events} ${together} 0\n`);
      await Promise.all([received, lines.next()]);
      const rate = (events * CLIENTS) / ((performance.now() - started) / 1000);
      crowd.leave();
      return rate;
    };
    const events = quick ? 50 : 400;
    const singles: number[] = [];
    const coalesced: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < (quick ? 2 : 7); round += 1) {
      const bare = await run('bare', events, 1);
      rates.push(bare);
      singles.push((await run('ours', events, 1)) / bare);
      coalesced.push((await run('ours', events * 16, 16)) / bare);
    }
    child.kill();
    const head = [
      'clients',
      'bare deliveries/s',
      'ours ÷ bare, one event at a time',
      'ours ÷ bare, 16 in one tick',
    ];
    return {
      tables: [
        {
          title: 'Event streams',
          head,
          rows: [[String(CLIENTS), median(rates), median(singles), median(coalesced)]],
        },
      ],
      bars: [
        {
          name: 'event streams to 200 clients, one at a time ÷ bare res.write',
          measured: median(singles),
          atLeast: 0.95,
        },
        {
          name: 'event streams to 200 clients, coalesced ÷ bare res.write',
          measured: median(coalesced),
          atLeast: 8,
        },
      ],
    };
  },
};

/** Clients that count events; none may be missed. */
async function gather({ port, path, headers }: Server) {
  const requests: ClientRequest[] = [];
  const responses: IncomingMessage[] = [];
  for (let at = 0; at < CLIENTS; at += 1) {
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false });
    outgoing.on('error', () => {});
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    requests.push(outgoing);
    responses.push(response);
  }
  const receive = (events: number): Promise<unknown> =>
    Promise.all(responses.map((response) => counted(response, events)));
  return {
    receive,
    leave: () => {
      for (const outgoing of requests) outgoing.destroy();
    },
  };
}

function counted(response: IncomingMessage, events: number): Promise<void> {
  const mark = Buffer.from('\nid: ');
  let left = events;
  let tail = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    response.on('error', () => {});
    response.on('close', () => (left > 0 ? reject(new Error(`${left} events were missed.`)) : undefined));
    response.on('data', (chunk: Buffer) => {
      const text = Buffer.concat([tail, chunk]);
      for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) left -= 1;
      tail = text.subarray(Math.max(0, text.length - mark.length + 1));
      if (left <= 0) resolve();
    });
  });
}
