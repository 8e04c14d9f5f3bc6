import { fieldFault } from '../form/check-field.ts'
import type { FormField } from '../view/form-groups.ts'
import type { RemoteField } from '../view/metadata.ts'
import type { ImportRow } from './import-task.ts'
import type { ImportMode } from './row-calls.ts'

/**
 * Faults for which the server would refuse a row, as far as a form would know it: fields without a value,
 * texts that are too long, addresses of no form. By field, in words for people.
 */
export function rowFaults(
  fields: Readonly<Record<string, RemoteField>>,
  mode: ImportMode,
  values: ImportRow['values'],
): ImportRow['errors'] {
  const faults: Record<string, string> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (field.read_only || (mode === 'update' && !(name in values))) continue
    const value = values[name]
    // Lists and objects are written in other ways in a file; the server reads them.
    if (typeof value === 'object' && value !== null) continue
    const required = field.required === true && field.default === undefined
    const fault = fieldFault({ ...field, name } as FormField, required, value, values)
    if (fault) faults[name] = `${field.label}: ${fault}`
  }
  return faults
}
