import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { Call } from '../../access/call.ts'
import { may } from '../../access/guard.ts'
import type { ImportMode } from './tables.ts'

/** Whether this caller may make the single calls that such an import consists of. */
export function mayImport(
  { permission }: Pick<ResourceDefinition, 'permission'>,
  mode: ImportMode,
  call: Call,
): boolean {
  return may(permission[mode] ?? permission.write, call)
}
