import type { EventRow } from '../../../../src/app/inspector/api.ts';
import { resendRow, whyNotResent } from '../../state/resend.ts';

export function ResendButton({ row }: { row: EventRow }) {
  const why = whyNotResent(row);
  if (why === '') return null;
  return (
    <button
      type="button"
      disabled={why !== undefined}
      title={why ?? 'Edit this request and send it again (r)'}
      onClick={() => resendRow(row)}
    >
      Edit and resend
    </button>
  );
}
