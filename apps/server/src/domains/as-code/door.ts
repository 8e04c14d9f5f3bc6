import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { isComponent } from '../../kernel/access/call.ts'
import { isInScope } from '../../kernel/access/call-scope.ts'
import { may } from '../../kernel/access/guard.ts'
import { AppError, forbidden, licenseRequired } from '../../kernel/errors/app-error.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { licenseOf } from '../xpack/index.ts'

/**
 * The refusal that the resource's own call would get; undefined where it would be let in. Files are no
 * way around a right, a scope of a service identity or a license.
 */
export function refusalOf(
  { permission, path, needsLicense }: ResourceDefinition,
  act: 'list' | 'create' | 'update' | 'destroy',
  { kernel, call }: Pick<ReadContext, 'kernel' | 'call'>,
): AppError | undefined {
  const words = act === 'list' ? permission.list : (permission[act] ?? permission.write)
  if (!may(words, call)) return forbidden()
  if (call.scope && !isInScope(call.scope, path, act !== 'list'))
    return new AppError(403, 'out_of_scope', 'The scopes of this service identity do not include this call')
  if (needsLicense && !isComponent(call) && !licenseOf(kernel).isValid()) return licenseRequired()
  return undefined
}
