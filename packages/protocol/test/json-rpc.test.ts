import { describe, expect, it } from 'vitest';
import { createRpcWriter, readRpc, readRpcHead } from '../src/framing/json-rpc.ts';

const { request, notification, result, error } = createRpcWriter({ jsonrpc: '2.0' });

describe('a line of JSON-RPC', () => {
  it('is read as it was written, with the JSON type of its id', () => {
    for (const id of [0, -1, 2 ** 53, '0', 'a-b', null]) {
      expect(readRpc(request(id, 'ask', { a: 1 }))).toEqual({
        type: 'request',
        id,
        method: 'ask',
        params: { a: 1 },
      });
      expect(readRpc(result(id, null))).toEqual({ type: 'result', id, result: null });
      const failure = { code: -32601, message: 'no', data: { why: 'x' } };
      expect(readRpc(error(id, failure))).toEqual({ type: 'error', id, error: failure });
    }
    const told = { type: 'notification', method: 'told', params: {} };
    expect(readRpc(notification('told', {}))).toEqual(told);
  });

  it('needs no field jsonrpc, and no params', () => {
    expect(readRpc('{"id":1,"method":"m","params":null}')).toMatchObject({ type: 'request', params: {} });
    expect(readRpc('{"id":1,"result":{}}')).toMatchObject({ type: 'result' });
  });

  it.each(['', 'x', '[]', '7', '{}', '{"method":7}', '{"id":{},"method":"m"}', '{"id":true,"result":1}'])(
    'is a fault where it is no message: %s',
    (line) => expect(readRpc(line).type).toBe('fault'),
  );

  it('has an error with words, whatever the other side wrote', () => {
    expect(readRpc('{"id":1,"error":"broken"}')).toMatchObject({
      error: { code: -32603, message: 'broken' },
    });
    expect(readRpc('{"id":1,"error":{}}')).toMatchObject({ error: { code: -32603 } });
  });
});

it.each([
  ['{"jsonrpc":"2.0","id":7,"method":"m","params":{"x', { type: 'request', id: 7 }],
  ['{"method":"m","id":"a-b","emittedAtMs":1,"params":{"x', { type: 'request', id: 'a-b' }],
  [' { "id" : -1 , "method" : "m" , "params" : [', { type: 'request', id: -1 }],
  ['{"id":7,"params":{"x":"', { type: 'request', id: 7 }],
  ['{"id":7,"method":"', { type: 'request', id: 7 }],
  ['{"id":null,"method":"m","params":{', { type: 'request', id: null }],
  ['{"jsonrpc":"2.0","id":0,"result":{"x', { type: 'answer', id: 0 }],
  ['{"id":0,"error":{"message":"x', { type: 'answer', id: 0 }],
  ['{"jsonrpc":"2.0","method":"m","params":{"id":7,"method":"n","x', undefined],
  ['{"result":{"id":7,"params":{"x', undefined],
  ['{"id":7,"_meta":{"x', undefined],
  ['{"id":1.5,"result":{', undefined],
  ['{"id":true,"result":{', undefined],
  ['[{"id":7,"result":{', undefined],
  ['id":7,"result":{', undefined],
  [`{${'"x":1,'.repeat(10_000_000)}"id":7,"result":{`, undefined],
])('of a message that was cut off, the beginning tells who waits for an answer (%#)', (text, head) =>
  expect(readRpcHead(text)).toEqual(head),
);
