import type { LastExit } from '../../api/shapes.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { visible } from '../../text/visible.ts';

export function LastExitNote({ exit }: { exit: LastExit }) {
  const tail = exit.evidence?.stderrTail;
  const failed = exit.code !== undefined;
  return (
    <details className={failed ? 'note bad' : 'note'}>
      <summary>
        <span className="note-label">last exit</span> {visible(exit.message)}
      </summary>
      {exit.hint && <p className="muted">{visible(exit.hint)}</p>}
      {exit.evidence?.firstNoise && (
        <p className="muted">
          first line on stdout that was no message: <code>{visible(exit.evidence.firstNoise)}</code>
        </p>
      )}
      <StderrTail text={tail} />
    </details>
  );
}

export function StderrTail({ text }: { text: string | undefined }) {
  if (!text) return <p className="muted">It wrote nothing to stderr.</p>;
  return (
    <ScrollRegion className="text tail wrap" label="The end of its stderr">
      {visible(text)}
    </ScrollRegion>
  );
}
