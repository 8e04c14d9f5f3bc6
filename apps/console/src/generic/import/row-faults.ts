import { fieldFault } from '../form/check-field.ts'
import type { FormField } from '../view/form-groups.ts'
import type { RemoteField } from '../view/metadata.ts'
import type { ImportRow } from './import-task.ts'
import type { ImportMode } from './row-calls.ts'

/** Field name → what is wrong with its value, in words for people. */
export type FaultsOf = (values: ImportRow['values']) => ImportRow['errors']

/**
 * Tells of a row for which faults the server would refuse it, as far as a form would know them: fields
 * without a value, texts that are too long, addresses of no form.
 */
export function rowFaults(fields: Readonly<Record<string, RemoteField>>, mode: ImportMode): FaultsOf {
  const checked = Object.entries(fields)
    .filter(([, { read_only }]) => !read_only)
    .map(([name, field]) => ({
      field: { ...field, name } as FormField,
      required: field.required === true && field.default === undefined,
    }))
  /** Rows that were looked at: a correction is looked at alone. */
  const known = new WeakMap<ImportRow['values'], ImportRow['errors']>()
  const lookAt: FaultsOf = (values) => {
    const faults: Record<string, string> = {}
    for (const { field, required } of checked) {
      if (mode === 'update' && !(field.name in values)) continue
      const value = values[field.name]
      // Lists and objects are written in other ways in a file; the server reads them.
      if (typeof value === 'object' && value !== null) continue
      const fault = fieldFault(field, required, value, values)
      if (fault) faults[field.name] = `${field.label}: ${fault}`
    }
    return faults
  }
  return (values) => {
    const faults = known.get(values) ?? lookAt(values)
    known.set(values, faults)
    return faults
  }
}
