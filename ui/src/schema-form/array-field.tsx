import { visibleLine } from '../text/visible.ts';
import { placeIn } from './check-value.ts';
import { Field, type InputProps } from './fields.tsx';
import { firstValue } from './first-value.ts';
import type { Meaning } from './read-schema.ts';

type Of<F extends Meaning['form']> = InputProps & { meaning: Extract<Meaning, { form: F }> };

export function ArrayField({
  meaning,
  value,
  root,
  depth,
  required,
  onChange,
  label,
  path,
  offset = 0,
}: Of<'array'> & { offset?: number }) {
  const items = Array.isArray(value) ? value : [];
  const change = (next: unknown[]) => onChange(next.length === 0 && !required ? undefined : next);
  return (
    <>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
        <div key={at} className="array-item">
          <Field
            name={`${label} ${offset + at + 1}`}
            path={placeIn(path, offset + at)}
            schema={meaning.items}
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

/** A list whose first items have a schema of their own. Positions that are not filled are null. */
export function TupleField({ meaning, value, root, depth, required, onChange, path, label }: Of<'tuple'>) {
  const items = Array.isArray(value) ? value : [];
  const { items: schemas, rest } = meaning;
  const put = (at: number, next: unknown) => {
    const length = Math.max(items.length, at + 1, schemas.length);
    const filled = Array.from({ length }, (_, place) => (place === at ? next : items[place]) ?? null);
    onChange(!required && filled.every((item) => item === null) ? undefined : filled);
  };
  return (
    <>
      {schemas.map((schema, at) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
          key={at}
          name={`${label} ${at + 1}`}
          path={placeIn(path, at)}
          schema={schema}
          root={root}
          depth={depth + 1}
          value={items[at] ?? undefined}
          required={required}
          onChange={(next) => put(at, next)}
        />
      ))}
      {rest && (
        <ArrayField
          {...{ name: label, label, path, root, depth, required, id: '', describedBy: undefined, schema: rest }}
          meaning={{ form: 'array', items: rest }}
          offset={schemas.length}
          value={items.slice(schemas.length)}
          onChange={(more) => onChange([...schemas.map((_, at) => items[at] ?? null), ...((more as unknown[]) ?? [])])}
        />
      )}
    </>
  );
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
