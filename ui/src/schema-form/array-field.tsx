import { visibleLine } from '../text/visible.ts';
import { Field, type InputProps } from './fields.tsx';
import { firstValue } from './first-value.ts';
import type { Meaning } from './read-schema.ts';

type Of<F extends Meaning['form']> = InputProps & { meaning: Extract<Meaning, { form: F }> };

export function ArrayField({ meaning, value, root, depth, required, onChange, label }: Of<'array'>) {
  const items = Array.isArray(value) ? value : [];
  const change = (next: unknown[]) => onChange(next.length === 0 && !required ? undefined : next);
  return (
    <>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
        <div key={at} className="array-item">
          <Field
            name={`${at + 1}`}
            schema={{ ...meaning.items, title: `${label} ${at + 1}` }}
            root={root}
            depth={depth + 1}
            value={item}
            required
            onChange={(next) => change(items.with(at, next ?? null))}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${label} ${at + 1}`}
            onClick={() => change(items.toSpliced(at, 1))}
          >
            ✕
          </button>
        </div>
      ))}
      <button
        type="button"
        onClick={() => change([...items, firstValue(meaning.items, root) ?? emptyItem(meaning.items)])}
      >
        Add to {label}
      </button>
    </>
  );
}

function emptyItem({ type }: Record<string, unknown>): unknown {
  return type === 'string' ? '' : type === 'number' || type === 'integer' ? 0 : type === 'boolean' ? false : null;
}

/** Several values of a list, with one checkbox each. */
export function ChoicesField({ meaning, value, required, onChange }: Of<'choices'>) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <div className="choices">
      {meaning.options.map(({ title, value: option }) => (
        <label key={title} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={(event) => {
              const next = event.target.checked ? [...chosen, option] : chosen.filter((one) => one !== option);
              onChange(next.length === 0 && !required ? undefined : next);
            }}
          />{' '}
          {visibleLine(title)}
        </label>
      ))}
    </div>
  );
}
