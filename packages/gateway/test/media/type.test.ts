import { describe, expect, it } from 'vitest';
import { extensionOf, isShown, kindOf, typeOf } from '../../src/media/type.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the type of a file', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png', '.png', true],
    ['\xff\xd8\xff\xe0', 'image/jpeg', '.jpg', true],
    ['GIF89a', 'image/gif', '.gif', true],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp', '.webp', true],
    ['\0\0\0\x1cftypavif', 'image/avif', '.avif', true],
    ['\0\0\0\x1cftypheic', 'image/heic', '.heic', true],
    ['RIFF\0\0\0\0WAVEfmt ', 'audio/wav', '.wav', true],
    ['OggS', 'audio/ogg', '.ogg', true],
    ['ID3\x04', 'audio/mpeg', '.mp3', true],
    ['\0\0\0\x1cftypisom', 'video/mp4', '.mp4', true],
    ['\x1a\x45\xdf\xa3', 'video/webm', '.webm', true],
    ['%PDF-1.7', 'application/pdf', '.pdf', false],
  ])('is told by its first bytes: %j', (head, type, extension, shown) => {
    const found = typeOf(bytes(head), 'innocent.html', 'text/html');
    expect([found, extensionOf(found), isShown(found)]).toEqual([type, extension, shown]);
  });

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'a.svg', 'image/svg+xml'],
    ['<!doctype html><script>alert(1)</script>', 'a.html', 'text/html'],
    ['<!doctype html><script>alert(1)</script>', 'a.png', 'image/png'],
    ['<?xml version="1.0"?><svg/>', 'a.xml', 'application/xml'],
    ['<script>WEBP', 'a.webp', 'image/webp'],
    ['<script>WAVE', 'a.wav', 'audio/wav'],
    ['GIF8<script>', 'a.gif', 'image/gif'],
    ['\ufeff<html>', 'a', 'text/html; charset=utf-16'],
    ['MZ\x90', 'a.exe', 'image/png'],
    ['', 'a.png', 'image/png'],
    [' \x89PNG\r\n\x1a\n', 'a.png', 'image/png'],
  ])('is never shown because somebody says so: %j as %s', (content, name, claimed) => {
    const found = typeOf(bytes(content), name, claimed);
    expect(found).toBeOneOf(['text/plain', 'application/octet-stream']);
    expect([isShown(found), kindOf(found)]).toEqual([false, 'file']);
    expect(extensionOf(found)).toBeOneOf(['.txt', '.bin']);
  });

  it('of a file that is two things at once is the harmless one', () => {
    expect(typeOf(bytes('GIF89a/*<html><script>alert(1)</script>*/=1;'), 'a.html', 'text/html')).toBe(
      'image/gif',
    );
    expect(typeOf(bytes('%PDF-1.4\n<script>alert(1)</script>'), 'a.html', 'text/html')).toBe(
      'application/pdf',
    );
  });
});
