import type { LastExit } from '../../api/shapes.ts';
import { Ansi } from '../../parts/ansi-text.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { visible } from '../../text/visible.ts';

/** `isRemote`: the server has no process and no stderr. */
export function LastExitNote({ exit, open, isRemote }: { exit: LastExit; open: boolean; isRemote: boolean }) {
  const tail = exit.evidence?.stderrTail;
  const failed = exit.code !== undefined;
  return (
    <details className={failed ? 'note bad' : 'note'} open={open}>
      <summary>
        <span className="note-label">{isRemote ? 'last failure' : 'last exit'}</span> {visible(shortly(exit))}
      </summary>
      {shortly(exit) !== exit.message && <p>{visible(withoutLastLine(exit.message, tail))}</p>}
      {exit.hint && !(tail && saysReadStderr.test(exit.hint)) && <p className="muted">{visible(exit.hint)}</p>}
      {exit.evidence?.firstNoise && (
        <p className="muted">
          first non-protocol line on stdout: <code>{visible(exit.evidence.firstNoise)}</code>
        </p>
      )}
      {!isRemote && <StderrTail text={tail} />}
    </details>
  );
}

/** A hint that only refers to stderr, which is shown below. */
const saysReadStderr = /^Its stderr output/;

/** Removes a stderr line at the end of the message, because stderr is shown below. */
function withoutLastLine(message: string, tail: string | undefined): string {
  const repeated = tail?.split('\n').find((line) => line.trim() !== '' && message.endsWith(`: ${line.trim()}`));
  return repeated === undefined ? message : message.slice(0, -(repeated.trim().length + 2));
}

function shortly({ message, evidence }: LastExit): string {
  if (evidence?.signal) return `ended by ${evidence.signal}`;
  return evidence?.exitCode == null ? message : `exit code ${evidence.exitCode}`;
}

export function StderrTail({ text }: { text: string | undefined }) {
  if (!text) return <p className="muted">No stderr output.</p>;
  return (
    <ScrollRegion className="text tail wrap" label="End of stderr">
      <Ansi text={text} />
    </ScrollRegion>
  );
}
