import { visible } from '../text/visible.ts';
import type { Fault } from './check-value.ts';
import { placeWords } from './check-value.ts';
import { type Draft, WHOLE } from './use-draft.ts';

interface Props {
  draft: Draft;
  /** Label of the button that sends despite the violations. */
  anyway: string;
  onAnyway(): void;
}

const MOST_TOLD = 8;

/** Why the value was not sent. Violations are also shown at their fields. */
export function Refusal({ draft: { refusal }, anyway, onAnyway }: Props) {
  if (!refusal) return null;
  const { faults, unfit } = refusal;
  const rest = faults.length - MOST_TOLD;
  return (
    <div className="note bad refusal" role="alert">
      <p>
        Not sent: {visible(faults.slice(0, MOST_TOLD).map(faultWords).join('; '))}
        {rest > 0 && `; ${rest} more`}
      </p>
      {unfit && (
        <button type="button" onClick={onAnyway}>
          {anyway}
        </button>
      )}
    </div>
  );
}

/** A violation with the name of its field. */
export function faultWords({ place, message }: Fault): string {
  const words = place === WHOLE ? '' : placeWords(place);
  if (words === '') return message;
  return message === 'is missing' ? `"${words}" is missing` : `${words}: ${message}`;
}
