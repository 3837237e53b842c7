import { useCell } from '../state/cell.ts';
import { type Connection, connection, source } from '../state/inspected.ts';
import { openQuestion, questions } from '../state/questions.ts';
import { secretsShown, toggleSecrets } from '../state/secrets.ts';
import { dark, toggleTheme } from '../state/theme.ts';
import { plural } from '../text/amounts.ts';
import { visibleLine } from '../text/visible.ts';

const kinds = { host: 'Host', tap: 'Tap', recording: 'Recording' } as const;

export function Header({ onHelp }: { onHelp(): void }) {
  const looked = useCell(source);
  const state = useCell(connection);
  const asked = useCell(questions);
  const isDark = useCell(dark);
  return (
    <header className="header">
      <span className="brand">standpipe</span>
      {looked && (
        <span className="looked" title={visibleLine(looked.title)}>
          <span className="tag">{kinds[looked.kind]}</span>
          <span className="cut">{visibleLine(looked.title)}</span>
        </span>
      )}
      <span className={`connection ${state.state}`} role="status" aria-live="polite">
        <span className="dot" aria-hidden="true" />
        {wordsFor(state)}
      </span>
      <span className="header-actions">
        {asked.length > 0 && (
          <button type="button" className="asking" onClick={() => openQuestion.set(asked[0]!.id)}>
            {plural(asked.length, 'question')} <span className="wide-only">from servers</span>
          </button>
        )}
        <button
          type="button"
          className={secretsShown ? 'showing-secrets' : 'quiet'}
          aria-pressed={secretsShown}
          onClick={toggleSecrets}
          title="Passwords, tokens and env values are hidden by default. Switching reloads the page."
        >
          {secretsShown ? 'Hide secrets' : 'Show secrets'}
        </button>
        <button type="button" className="quiet" onClick={onHelp} aria-label="Keys" title="Keys (?)">
          ?
        </button>
        <button
          type="button"
          className="quiet"
          onClick={toggleTheme}
          aria-label={isDark ? 'Use the light theme' : 'Use the dark theme'}
          title="Light or dark (T)"
        >
          {isDark ? '☀' : '☾'}
        </button>
      </span>
    </header>
  );
}

function wordsFor(state: Connection): string {
  switch (state.state) {
    case 'connecting':
      return 'connecting';
    case 'loading':
      return `loading ${Math.floor((100 * state.loaded) / state.total)}%`;
    case 'live':
      return 'live';
    case 'complete':
      return 'recorded';
    case 'gone':
      return 'disconnected';
    case 'refused':
      return 'token refused';
  }
}
