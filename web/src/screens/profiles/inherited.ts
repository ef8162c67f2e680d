/** What an empty field of a profile stands for: the value of the workspace with its unit; 0 is never. */
export function inherited(value: number, unit: string): string {
  const text = value === 0 ? 'never' : `${value.toLocaleString()}${unit && ` ${unit}`}`;
  return `Workspace default: ${text}`;
}
