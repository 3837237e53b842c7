// Where a remote server is, and how it is spoken to.

import type { Life } from '../../../../src/app/inspector/api.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { Fact } from './fact.tsx';

type Remote = NonNullable<Life['remote']>;

/** `tellsFailure`: unless the host tells of it. */
export function RemoteFacts({ name, remote, tellsFailure }: { name: string; remote: Remote; tellsFailure: boolean }) {
  const { url, transport, revision, session, requests, failures, resumptions, needsLogin, lost } = remote;
  return (
    <>
      <p className="command" title="Address">
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
          Login needed: the server refused the credential (HTTP 401). Run{' '}
          <code>standpipe login {visibleLine(name)}</code>, or set a header in the config.
        </p>
      )}
      {tellsFailure && lost && <p className="note bad">{visible(lost)}</p>}
    </>
  );
}
