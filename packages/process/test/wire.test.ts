import { describe, expect, it } from 'vitest';
import { createReportReader, type Report } from '../src/helper/reports.ts';
import { resolveHelperDirectory } from '../src/helper/restarting-helper.ts';
import { encodeReport, encodeRequest, HELLO_BYTES, REPORTS } from '../src/helper/wire.ts';

describe('a request to the spawn helper', () => {
  const secret = Buffer.alloc(32, 7);

  it('a request holds its strings, each with a zero after it, and their number', () => {
    const command = { file: 'cat', args: ['-n', 'ä\n'], env: { A: '1', PLUGBOARD_PROCESS: 'above' } };
    const request = encodeRequest(secret, 5, command, '/tmp', 'mark');
    expect(request.subarray(0, 32)).toEqual(secret);
    expect([request.readUInt32LE(32), request.readUInt32LE(36)]).toEqual([5, request.length - HELLO_BYTES]);
    expect([request.readUInt32LE(40), request.readUInt32LE(44)]).toEqual([3, 2]);
    const strings = ['/tmp', 'cat', '-n', 'ä\n', 'A=1', 'PLUGBOARD_PROCESS=above,mark', ''];
    expect(request.toString('utf8', 48).split('\0')).toEqual(strings);
  });

  it('an invalid command, or one for our terminal, gets no helper directory', () => {
    const command = { file: 'cat', args: [], env: {}, cwd: '/usr/../tmp' };
    expect(resolveHelperDirectory(command)).toBe('/tmp');
    expect(resolveHelperDirectory({ ...command, args: ['a\0b'] })).toBeUndefined();
    expect(resolveHelperDirectory({ ...command, env: { A: '\0' } })).toBeUndefined();
    expect(resolveHelperDirectory({ ...command, stdio: 'inherit' })).toBeUndefined();
    expect(resolveHelperDirectory({ ...command, file: '' })).toBeUndefined();
  });
});

describe('reports of the spawn helper', () => {
  const bytes = Buffer.concat([
    encodeReport(REPORTS.started, 1, 4711),
    encodeReport(REPORTS.stderr, 1, 5),
    Buffer.from('hello'),
    encodeReport(REPORTS.exited, 1, 0, 9),
  ]);

  it.each([1, 3, 16, 20, bytes.length])(
    'the report reader finds the same reports in chunks of %i bytes',
    (size) => {
      const heard: Report[] = [];
      const read = createReportReader((report) => heard.push(report));
      for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
      expect(heard.map(({ kind: what, id, a, b, payload }) => [what, id, a, b, String(payload)])).toEqual([
        [REPORTS.started, 1, 4711, 0, ''],
        [REPORTS.stderr, 1, 5, 0, 'hello'],
        [REPORTS.exited, 1, 0, 9, ''],
      ]);
    },
  );
});
