// A whole platform in some thirty lines: people connect with `nc 127.0.0.1 7000` and type. GATEWAY, SECRET and the ports come from the environment.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createChat } from 'node:net';
import { createInterface } from 'node:readline';

const {
  GATEWAY = 'http://127.0.0.1:7420/hooks/webhook',
  SECRET,
  CHAT_PORT = '7000',
  HOOK_PORT = '7001',
} = process.env;
const sockets = new Map();
const key = SECRET.startsWith('whsec_') ? Buffer.from(SECRET.slice(6), 'base64') : SECRET;
const sign = (id, at, body) =>
  `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;

// To the gateway: a signed post, again until it is answered with 2xx. The same id is taken in once.
async function post(said, id = randomUUID()) {
  const [at, body] = [String(Math.floor(Date.now() / 1000)), JSON.stringify(said)];
  const signed = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': sign(id, at, body) };
  const headers = { 'content-type': 'application/json', ...signed };
  const answer = await fetch(GATEWAY, { method: 'POST', headers, body }).catch(() => undefined);
  if (answer === undefined || answer.status >= 500) setTimeout(() => post(said, id), 1000);
}

createChat((socket) => {
  const place = randomUUID();
  sockets.set(place, socket);
  socket.on('error', () => {}).on('close', () => sockets.delete(place));
  createInterface({ input: socket }).on('line', (text) =>
    post({ type: 'message', place, sender: place, text }),
  );
}).listen(Number(CHAT_PORT), '127.0.0.1');

// From the gateway: messages for people. A place that is gone is 404, and the gateway gives the message up.
createServer(async (request, response) => {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = request.headers;
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  const [wanted, said] = [Buffer.from(sign(id, at, body)), Buffer.from(given)];
  if (wanted.length !== said.length || !timingSafeEqual(wanted, said)) return response.writeHead(401).end();
  const { place, text } = JSON.parse(body);
  sockets.get(place)?.write(`${text}\n`);
  response.writeHead(sockets.has(place) ? 204 : 404).end();
}).listen(Number(HOOK_PORT), '127.0.0.1');
