import { announcements, dismiss } from '../state/announce.ts';
import { useCell } from '../state/cell.ts';
import { visible } from '../text/visible.ts';

export function Announcements() {
  const shown = useCell(announcements);
  return (
    <div className="announcements" role="status" aria-live="polite">
      {shown.map(({ id, tone, text }) => (
        <div key={id} className={`announcement ${tone}`}>
          <span>{visible(text)}</span>
          <button type="button" className="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
