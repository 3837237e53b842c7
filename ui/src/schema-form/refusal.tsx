import { visible } from '../text/visible.ts';
import type { Draft } from './use-draft.ts';

interface Props {
  draft: Draft;
  /** Label of the button that sends despite the violations. */
  anyway: string;
  onAnyway(): void;
}

export function Refusal({ draft: { refusal }, anyway, onAnyway }: Props) {
  if (!refusal) return null;
  return (
    <div className="note bad refusal" role="alert">
      <p>Not sent: {visible(refusal.reasons.join('; '))}</p>
      {refusal.unfit && (
        <button type="button" onClick={onAnyway}>
          {anyway}
        </button>
      )}
    </div>
  );
}
