import type { Attachment } from '@plugboard/protocol';
import type { ReactNode } from 'react';
import { isLinkable, isOwnMedia } from '../markdown/address.ts';
import { Icon } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import { markInvisible } from '../text/visible.ts';
import './files.css';

/**
 * Attachments of a message. Only media of the gateway (`/api/media/…`) are loaded; others are shown as a link or a
 * name.
 */
export function Attachments({ list }: { readonly list: readonly Attachment[] }): ReactNode {
  if (list.length === 0) return null;
  return (
    <ul className="attachments">
      {list.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <li key={index}>
          <AttachmentView attachment={attachment} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentView({ attachment }: { readonly attachment: Attachment }): ReactNode {
  const { kind, url = '', name = '' } = attachment;
  const label = name === '' ? kind : name;
  if (!isOwnMedia(url)) return <Outside url={url} label={label} />;
  switch (kind) {
    case 'image':
      return (
        <a className="picture" href={url} target="_blank" rel="noopener noreferrer">
          <img src={url} alt={markInvisible(label)} loading="lazy" />
        </a>
      );
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: agents send no captions
      return <audio controls preload="metadata" src={url} aria-label={markInvisible(label)} />;
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: agents send no captions
      return <video controls preload="metadata" src={url} aria-label={markInvisible(label)} />;
    default:
      return (
        <a className="file" href={url} download={markInvisible(label)}>
          <Icon name="file" />
          <Name text={label} />
        </a>
      );
  }
}

function Outside({ url, label }: { readonly url: string; readonly label: string }): ReactNode {
  const content = (
    <>
      <Icon name="file" />
      <Name text={label} />
    </>
  );
  if (!isLinkable(url)) return <span className="file">{content}</span>;
  return (
    <a className="file" href={url} target="_blank" rel="noopener noreferrer">
      {content}
      <bdi className="muted">{markInvisible(new URL(url).host)}</bdi>
    </a>
  );
}
