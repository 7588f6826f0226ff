import type { ReactNode } from 'react';
import { Icon } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import type { Upload } from '../state/upload.ts';
import type { Uploads } from '../state/uploads.ts';
import { sizeText } from '../text/bytes.ts';
import { markInvisible } from '../text/visible.ts';

interface UploadListProps {
  readonly list: readonly Upload[];
  readonly uploads: Uploads;
}

/** The files that will go with the message. */
export function UploadList({ list, uploads }: UploadListProps): ReactNode {
  if (list.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Files to send">
      {list.map((upload) => (
        <li key={upload.key} className={upload.problem === null ? 'upload' : 'upload failed'}>
          {upload.preview === null ? <Icon name="file" /> : <img src={upload.preview} alt="" />}
          <span className="upload-text">
            <Name text={upload.file.name} />
            <UploadState upload={upload} onAgain={() => uploads.again(upload.key)} />
          </span>
          <button
            type="button"
            aria-label={removeLabel(upload)}
            title={removeLabel(upload)}
            onClick={(event) => {
              uploads.remove(upload.key);
              // By a key: the focus goes on where the person writes. After a finger it would open the keyboard.
              if (event.detail === 0) document.getElementById('composer')?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function removeLabel({ state, file }: Upload): string {
  const name = markInvisible(file.name);
  return state === 'sending' ? `Cancel the upload of ${name}` : `Remove ${name}`;
}

interface StateProps {
  readonly upload: Upload;
  readonly onAgain: () => void;
}

function UploadState({ upload, onAgain }: StateProps): ReactNode {
  const { state, problem, file } = upload;
  if (state === 'sending') return <Progress upload={upload} />;
  if (problem === null) {
    return <span className="muted">{state === 'waiting' ? 'Waits' : sizeText(file.size)}</span>;
  }
  return (
    <span role="alert">
      {markInvisible(problem)}{' '}
      {state === 'refused' ? null : (
        <button type="button" className="link" onClick={onAgain}>
          Try again
        </button>
      )}
    </span>
  );
}

function Progress({ upload: { file, sent } }: { readonly upload: Upload }): ReactNode {
  const share = file.size === 0 ? 1 : sent / file.size;
  return (
    <span className="upload-progress muted">
      <progress value={share} aria-label={`Upload of ${markInvisible(file.name)}`} />
      {share < 1 ? `${Math.floor(share * 100)} % of ${sizeText(file.size)}` : 'Almost there'}
    </span>
  );
}
