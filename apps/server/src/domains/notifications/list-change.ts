import type { FieldChange } from '../../kernel/audit/audit.ts'
import { linkChangeOf } from '../../kernel/resource/operate-log/changes.ts'

/** What came and what went, the first of each by name; nothing where all is as it was. */
export function listChange(
  field: string,
  label: string,
  before: readonly string[],
  after: readonly string[],
): FieldChange[] {
  const added = after.filter((one) => !before.includes(one))
  const removed = before.filter((one) => !after.includes(one))
  if (!added.length && !removed.length) return []
  return [{ ...linkChangeOf({ name: field, added, removed }, (name) => name), label }]
}
