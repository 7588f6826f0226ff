import type { FakeCall, FakeReply } from '../fake-server.ts';
import { type Fields, openChannel } from './posts.ts';
import { SlackProblem, type StoredFile, type Workspace } from './workspace.ts';

const LOGIN_PAGE = '<!DOCTYPE html><html><title>Sign in | Slack</title></html>';

/** An upload between its first and its last call. */
interface Upload {
  readonly name: string;
  readonly length: number;
  bytes?: Buffer;
}

/** Files of a workspace: the three calls of an upload, `files.info`, and downloads. */
export interface FileStore {
  beginUpload(fields: Fields): Fields;
  completeUpload(fields: Fields): Fields;
  info(fields: Fields): Fields;
  /** Answers `/upload/ID` and `/files-pri/ID/NAME`; undefined for other paths. */
  answer(call: FakeCall): FakeReply | undefined;
  /** The `files` of an event, with addresses below `url`. */
  describe(file: StoredFile): Fields;
}

export function createFileStore(workspace: Workspace, url: () => string): FileStore {
  const uploads = new Map<string, Upload>();
  const describe = (file: StoredFile): Fields => describeFile(file, url());
  return {
    describe,
    beginUpload({ filename, length }) {
      if (typeof filename !== 'string' || !(Number(length) > 0)) throw new SlackProblem('invalid_arguments');
      const id = workspace.newId('F');
      uploads.set(id, { name: filename, length: Number(length) });
      return { file_id: id, upload_url: `${url()}/upload/${id}` };
    },
    completeUpload: (fields) => completeUpload(workspace, uploads, fields),
    info({ file }) {
      const found = workspace.files.get(String(file));
      if (found === undefined) throw new SlackProblem('file_not_found');
      return { file: describe(found) };
    },
    answer({ method, path, body, headers }) {
      const [, folder, id = ''] = path.split('/');
      if (folder === 'upload' && method === 'POST') return takeBytes(uploads.get(id), body);
      if (folder !== 'files-pri') return undefined;
      const mayRead =
        headers.authorization === `Bearer ${workspace.botToken}` && workspace.scopes.has('files:read');
      return download(workspace.files.get(id), mayRead);
    },
  };
}

/** `files.completeUploadExternal` shows the files as one message. */
function completeUpload(workspace: Workspace, uploads: Map<string, Upload>, fields: Fields): Fields {
  const channel = openChannel(workspace, fields.channel_id);
  const given = fields.files as readonly { readonly id: string }[];
  const files = given.map(({ id }): StoredFile => {
    const { name, bytes } = uploads.get(id) ?? {};
    if (name === undefined || bytes === undefined) throw new SlackProblem('file_not_found');
    return { id, name, bytes, mimetype: 'application/octet-stream' };
  });
  for (const file of files) {
    uploads.delete(file.id);
    workspace.files.set(file.id, file);
  }
  workspace.messages.push({
    channel,
    ts: workspace.newTs(),
    ...(typeof fields.thread_ts === 'string' ? { thread_ts: fields.thread_ts } : {}),
    user: workspace.botUser,
    bot_id: workspace.botId,
    text: typeof fields.initial_comment === 'string' ? fields.initial_comment : '',
    blocks: [],
    files,
  });
  return { files: files.map(({ id, name: title }) => ({ id, title })) };
}

function takeBytes(upload: Upload | undefined, body: Buffer): FakeReply {
  if (upload === undefined) return { status: 404 };
  if (body.length !== upload.length) return { status: 400, body: 'length mismatch' };
  upload.bytes = body;
  return { status: 200, body: `OK - ${body.length}` };
}

function download(file: StoredFile | undefined, mayRead: boolean): FakeReply {
  if (file === undefined || file.answers === 'gone') return { status: 404, body: 'gone' };
  const html = { 'content-type': 'text/html; charset=utf-8' };
  if (!mayRead || file.answers === 'login') return { status: 200, headers: html, body: LOGIN_PAGE };
  return { status: 200, headers: { 'content-type': file.mimetype }, body: file.bytes };
}

function describeFile({ id, name, mimetype, bytes }: StoredFile, url: string): Fields {
  const address = `${url}/files-pri/${id}/${encodeURIComponent(name)}`;
  const addresses = { url_private: address, url_private_download: address };
  return { id, name, title: name, mimetype, size: bytes.length, mode: 'hosted', ...addresses };
}
