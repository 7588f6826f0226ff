import type { Attachment } from '@plugboard/host';
import { invalidField } from '../problem.ts';

/** A part of a message: text, a file with its bytes, or a URL. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly type?: string; readonly base64: string }
  | { readonly kind: 'link'; readonly of: Attachment['kind']; readonly url: string; readonly name?: string };

export function textPart(text: string): Part {
  return { kind: 'text', text };
}

/** An image: a `data:` URL, or an http(s) URL that is passed to the agent and not fetched. */
export function imagePart(url: string, param: string): Part {
  if (url.startsWith('data:')) return dataPart(url, undefined, param);
  return linkPart('image', url, param);
}

/** A URL for the agent. The gateway never fetches it, which prevents SSRF. */
export function linkPart(of: Attachment['kind'], url: string, param: string, name?: string): Part {
  if (!/^https?:\/\/[^\s]+$/i.test(url))
    throw invalidField(param, `${param} must be a data: or an http(s) URL.`);
  return { kind: 'link', of, url, ...(name === undefined ? {} : { name }) };
}

/** Decodes a `data:` URL. */
export function dataPart(url: string, name: string | undefined, param: string): Part {
  const comma = url.indexOf(',');
  const head = url.slice('data:'.length, comma);
  if (comma === -1 || !head.endsWith(';base64')) {
    throw invalidField(param, `${param} must be base64: data:TYPE;base64,BYTES.`);
  }
  const type = head.split(';')[0] ?? '';
  return bytesPart(url.slice(comma + 1), name ?? nameFor(type), param, type);
}

/** A file from base64. */
export function bytesPart(base64: string, name: string, param: string, type?: string): Part {
  if (base64 === '' || !/^[\w+/=\s-]+$/.test(base64)) throw invalidField(param, `${param} is not base64.`);
  return { kind: 'file', name, base64, ...(type === undefined || type === '' ? {} : { type }) };
}

/** Default file name, from the media type: `image.png`. */
function nameFor(type: string): string {
  const [kind, form] = type.toLowerCase().split('/');
  return kind === undefined || form === undefined || !/^[a-z0-9]{1,10}$/.test(form)
    ? 'file'
    : `${kind}.${form}`;
}
