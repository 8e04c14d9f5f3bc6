import { t } from '../../lib/i18n.ts'
import { inRootOrg, mayAccess } from '../../session/session.ts'
import type { Allowed } from './actions.ts'
import type { ResourcePages } from './define-pages.ts'

type Verb = 'create' | 'update' | 'destroy'

/**
 * Whether this person may ever write the resource here; pages narrow it by row. The server has the
 * last say.
 */
export function mayWrite({ definition }: Pick<ResourcePages, 'definition'>, verb: Verb): boolean {
  const { operations, permission } = definition
  if (
    verb === 'update'
      ? !operations.includes('update') && !operations.includes('partial_update')
      : !operations.includes(verb)
  )
    return false
  return mayAccess(permission[verb] ?? permission.write)
}

/**
 * Create, import, Update, Clone and row Delete rest in the root organization unless the page says
 * otherwise (A6.32).
 */
export function frozenByRootOrg(pages: ResourcePages): boolean {
  return pages.definition.scope === 'org' && inRootOrg() && pages.list?.rootOrgWritable !== true
}

/** A page's rule for a row. */
export const byRule = <R>(rule: boolean | ((row: R) => Allowed) | undefined, row: R): Allowed =>
  typeof rule === 'function' ? rule(row) : true

/** Why nothing is written where all organizations are looked at. */
export const READ_ONLY = () => t('The root organization is read-only')
