// The URL, transport and session of a remote server.

import type { Life } from '../../../../src/app/inspector/api.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { Fact } from './fact.tsx';

type Remote = NonNullable<Life['remote']>;

/** `tellsFailure` is false if the status of the host already shows the failure. */
export function RemoteFacts({ name, remote, tellsFailure }: { name: string; remote: Remote; tellsFailure: boolean }) {
  const { url, transport, revision, session, requests, failures, resumptions, needsLogin, lost } = remote;
  return (
    <>
      <p className="command" title="URL">
        {visibleLine(url)}
      </p>
      <dl className="facts">
        {transport && <Fact name="transport" value={transport === 'http+sse' ? 'HTTP+SSE' : 'Streamable HTTP'} />}
        {revision && <Fact name="revision" value={visibleLine(revision)} />}
        <Fact name="session" value={session === undefined ? 'none' : visibleLine(session)} />
        <Fact name="requests" value={requests} />
        {failures > 0 && <Fact name="failed" value={failures} bad />}
        {resumptions > 0 && <Fact name="streams resumed" value={resumptions} />}
      </dl>
      {tellsFailure && needsLogin && (
        <p className="note bad">
          Login required: the server refused the credential (HTTP 401). Run{' '}
          <code>standpipe login {visibleLine(name)}</code>, or set a header in the config.
        </p>
      )}
      {tellsFailure && lost && <p className="note bad">{visible(lost)}</p>}
    </>
  );
}
