export function Fact({ name, value, bad }: { name: string; value: React.ReactNode; bad?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={bad ? 'bad-text' : ''}>{value}</dd>
    </div>
  );
}
