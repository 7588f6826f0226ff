import type { ReactNode } from 'react';
import { Icon } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import { sizeText } from '../text/bytes.ts';
import { visible } from '../text/visible.ts';
import type { Upload, Uploads } from './uploads.ts';

/** The files that will go with the message. */
export function UploadList({ uploads }: { readonly uploads: Uploads }): ReactNode {
  if (uploads.list.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Files to send">
      {uploads.list.map((upload) => (
        <li key={upload.key} className={upload.problem === null ? 'upload' : 'upload failed'}>
          {upload.preview === null ? <Icon name="file" /> : <img src={upload.preview} alt="" />}
          <span className="upload-text">
            <Name text={upload.file.name} />
            <UploadState upload={upload} onAgain={() => uploads.again(upload)} />
          </span>
          <button
            type="button"
            aria-label={`Remove ${visible(upload.file.name)}`}
            onClick={() => uploads.remove(upload.key)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function UploadState({
  upload,
  onAgain,
}: {
  readonly upload: Upload;
  readonly onAgain: () => void;
}): ReactNode {
  if (upload.problem !== null) {
    return (
      <span role="alert">
        {upload.problem}{' '}
        <button type="button" className="link" onClick={onAgain}>
          Again
        </button>
      </span>
    );
  }
  return <span className="muted">{upload.media === null ? 'Uploading…' : sizeText(upload.file.size)}</span>;
}
