import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

/** As much of a response as a stream needs, in memory. Whoever writes more than it takes has to wait. */
export class FakeResponse extends EventEmitter {
  readonly req = { method: 'GET' };
  readonly written: Buffer[] = [];
  writableLength = 0;
  writableNeedDrain = false;
  destroyed = false;
  /** Nothing is read. */
  blocked = false;

  writeHead(): this {
    return this;
  }

  removeHeader(): void {}

  setHeader(): this {
    return this;
  }

  flushHeaders(): void {}

  write(bytes: Buffer): boolean {
    this.written.push(bytes);
    if (this.blocked) this.writableLength += bytes.length;
    this.writableNeedDrain = this.writableLength > 65_536;
    return !this.writableNeedDrain;
  }

  /** Reads everything. */
  drain(): void {
    this.writableLength = 0;
    this.writableNeedDrain = false;
    this.emit('drain');
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.writableNeedDrain = false;
    this.emit('close');
  }

  get text(): string {
    return Buffer.concat(this.written).toString();
  }

  get response(): ServerResponse {
    return this as unknown as ServerResponse;
  }
}
