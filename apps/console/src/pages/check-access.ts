import type { QuickAction } from '../generic/view/actions.ts'
import { msg } from '../lib/i18n.ts'
import { addressOf, listOf } from '../navigation/routes.ts'

/** Leads from the details of a person, a target or a permission to the question of who can work there, and why. */
export const checkAccess = <R extends { id: string }>(
  part: 'user' | 'asset' | 'application' | 'permission',
): QuickAction<R> => ({
  name: 'check-access',
  title: msg('Check access'),
  button: msg('Check'),
  has: () => addressOf('AccessCheck') !== undefined,
  run: (row, { go }) => go(listOf('AccessCheck', { [part]: row.id }) ?? ''),
})
