import { useCell } from '../../state/cell.ts';
import { chooseLogLevel, chosenLevels, type LogLevel, logLevels } from '../../state/log-level.ts';
import { visibleLine } from '../../text/visible.ts';

/** Asks a server to send messages from a level on. */
export function LogLevelSelect({ server }: { server: string }) {
  const level = useCell(chosenLevels)[server] ?? '';
  return (
    <label className="check">
      {visibleLine(server)} sends from{' '}
      <select value={level} onChange={(event) => void chooseLogLevel(server, event.target.value as LogLevel)}>
        <option value="" disabled>
          its default
        </option>
        {logLevels.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
